//! Laws of weights: which are taken, and what they do.

use crate::algorithm::{Spread, Weights};
use crate::error::PlacementError;
use crate::laws::Subject;
use crate::laws::lookups::{answers_are_eligible, equals_naive_twin};
use crate::laws::view::{Checked, State, ensure, extend, id_of, owners, same_owners, same_state};
use crate::membership::{MAX_WEIGHT, MIN_WEIGHT, Node};
use crate::placement::Placement;

/// No number, infinite, negative, too large or too small: the error names the node, nothing
/// changes. It is so for a newcomer, for one of several, and for a member.
pub(super) fn a_weight_out_of_range_is_refused_by_name(subject: &Subject<'_>) -> Checked {
    const BAD: [f64; 9] = [
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        -1.0,
        -f64::MIN_POSITIVE,
        f64::MAX,
        MAX_WEIGHT * 1.1,
        MIN_WEIGHT / 1.1,
        f64::MIN_POSITIVE,
    ];
    let few = subject.few();
    let mut placement = few.build()?;
    let state = State::of(&*placement, few.keys);
    let names = [few.strange_name(0), few.strange_name(1)];
    for weight in BAD {
        let newcomer = || Node::weighing(&*names[1], weight);
        let mut refuses = |nodes: Vec<Node>| invalid(placement.extend(nodes), &names[1], weight);
        refuses(vec![newcomer()])?;
        refuses(vec![Node::new(&*names[0]), newcomer()])?;
        for node in few.nodes {
            let id = id_of(&*placement, &node.name)?;
            invalid(placement.reweigh(id, weight), &node.name, weight)?;
        }
        let what = format!("a weight of {weight}");
        state.still(&*placement, few.keys, &what)?;
    }
    Ok(())
}

/// Fails unless this is the refusal of the node's weight.
fn invalid<T>(result: Result<T, PlacementError>, node: &str, asked: f64) -> Checked {
    let named = match &result {
        Err(PlacementError::InvalidWeight { name, weight }) => {
            name == node && weight.to_bits() == asked.to_bits()
        }
        _ => false,
    };
    let seen = result.map_or_else(|error| error.to_string(), |_| "taken".into());
    ensure!(
        named,
        "a weight of {asked} for {node:?} was answered: {seen}"
    );
    Ok(())
}

/// Without weights every other than 1 is refused. With weights a change equals building anew, and
/// the extremes are taken, or refused without a trace.
pub(super) fn weights_are_accepted_exactly_if_declared(subject: &Subject<'_>) -> Checked {
    let few = subject.few();
    let mut placement = few.build()?;
    if subject.algorithm.traits.weights == Weights::None {
        return no_weight_is_taken(&few, &mut *placement);
    }
    for at in 0..few.nodes.len().min(4) {
        let id = id_of(&*placement, &few.nodes[at].name)?;
        for weight in [3.0, 0.5, MAX_WEIGHT, MIN_WEIGHT, 1.0, few.nodes[at].weight] {
            let mut nodes = few.nodes.to_vec();
            nodes[at].weight = weight;
            let before = State::of(&*placement, few.keys);
            let what = format!("a weight of {weight} for {:?}", few.nodes[at].name);
            match placement.reweigh(id, weight) {
                Ok(()) => {
                    let fresh = few.build_of(&nodes)?;
                    same_state(&few, &what, &*fresh, &*placement)?;
                }
                Err(error) => {
                    let unsupported = matches!(error, PlacementError::WeightsUnsupported { .. });
                    ensure!(!unsupported, "weights are declared: {error}");
                    before.still(&*placement, few.keys, &what)?;
                    let built = few.algorithm.build(&few.settings, nodes);
                    ensure!(built.is_err(), "{what} is refused later, and not at first");
                }
            }
        }
    }
    Ok(())
}

fn no_weight_is_taken(few: &Subject<'_>, placement: &mut dyn Placement) -> Checked {
    let state = State::of(placement, few.keys);
    let newcomer = few.strange_name(0);
    for weight in [0.0, 0.5, 2.0] {
        let unsupported = |name: &str| PlacementError::WeightsUnsupported {
            algorithm: few.algorithm.name,
            name: name.into(),
            weight,
        };
        let added = placement.add(Node::weighing(&*newcomer, weight));
        ensure!(
            added == Err(unsupported(&newcomer)),
            "a newcomer's weight of {weight} was answered: {added:?}"
        );
        for node in few.nodes {
            let id = id_of(placement, &node.name)?;
            let changed = placement.reweigh(id, weight);
            ensure!(
                changed == Err(unsupported(&node.name)),
                "a weight of {weight} was answered: {changed:?}"
            );
        }
        state.still(placement, few.keys, "a weight other than 1")?;
    }
    Ok(())
}

/// Weight 0 drains a node without forgetting it; the owners are those of a list without it. All
/// may be drained, and get their keys back with their weights.
pub(super) fn a_node_of_weight_zero_stays_listed_and_owns_nothing(
    subject: &Subject<'_>,
) -> Checked {
    if subject.algorithm.traits.weights == Weights::None {
        return Ok(());
    }
    let few = subject.few();
    let mut placement = few.build()?;
    let members = few.nodes.len();
    let mut nodes = few.nodes.to_vec();
    for at in 0..members {
        nodes[at].weight = 0.0;
        let id = id_of(&*placement, &nodes[at].name)?;
        let drained = placement.reweigh(id, 0.0);
        drained.map_err(|error| format!("{:?} cannot be drained: {error}", nodes[at].name))?;
        answers_are_eligible(&*placement, few.keys)?;
        let shares = placement.shares();
        ensure!(
            placement.membership().len() == members && shares[at] == (id, 0.0),
            "a node of weight 0 has the share {:?} among {} members",
            shares[at],
            placement.membership().len()
        );
        let eligible: Vec<usize> = (0..=at).collect();
        let fresh = few.build_of(&few.without(&eligible))?;
        same_state(&few, "after draining", &*fresh, &*placement)?;
    }
    for (node, drained) in few.nodes.iter().zip(&mut nodes) {
        *drained = node.clone();
        let id = id_of(&*placement, &node.name)?;
        let restored = placement.reweigh(id, node.weight);
        restored.map_err(|error| format!("a weight cannot be restored: {error}"))?;
    }
    let fresh = few.build()?;
    same_state(&few, "after restoring", &*fresh, &*placement)?;
    let mut placement = fresh;
    let newcomer = few.strange_name(0);
    extend(&mut *placement, &[Node::weighing(&*newcomer, 0.0)])?;
    nodes.push(Node::weighing(newcomer, 0.0));
    equals_naive_twin(&few, &*placement, &nodes, few.keys)
}

/// Where weights are relative to each other, a common factor means nothing. On a ring a weight is
/// a number of points by itself.
pub(super) fn scaling_relative_weights_changes_no_owner(subject: &Subject<'_>) -> Checked {
    let traits = subject.algorithm.traits;
    let relative = match traits.weights {
        Weights::None => false,
        Weights::Exact => true,
        Weights::Rounded => matches!(traits.spread, Spread::Slots(_)),
    };
    if !relative {
        return Ok(());
    }
    let placement = subject.build()?;
    let expected = owners(&*placement, subject.keys)?;
    for factor in [2.0, 1000.0, 1.0 / 1000.0] {
        let mut nodes = subject.nodes.to_vec();
        nodes.iter_mut().for_each(|node| node.weight *= factor);
        let in_range =
            |node: &Node| node.weight == 0.0 || (MIN_WEIGHT..=MAX_WEIGHT).contains(&node.weight);
        if nodes.iter().all(in_range) {
            let scaled = subject.build_of(&nodes)?;
            let seen = owners(&*scaled, subject.keys)?;
            let what = format!("all weights times {factor}");
            same_owners(&what, subject.keys, &expected, &seen)?;
        }
    }
    Ok(())
}

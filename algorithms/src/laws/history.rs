//! Laws of several states: the way to a set of nodes leaves no trace.

use crate::algorithm::Removal;
use crate::laws::Subject;
use crate::laws::lookups::{answers_are_eligible, equals_naive_twin};
use crate::laws::view::{
    Checked, ensure, extend, good_owners, owners, probes, remove, same_mapping, same_owners,
    same_state,
};
use crate::membership::Node;
use crate::placement::Placement;

/// Nodes leave one by one until nobody is left, and join again. Lookups are right at each step.
pub(super) fn draining_to_nothing_and_refilling_equals_building_anew(
    subject: &Subject<'_>,
) -> Checked {
    let few = subject.few();
    let fresh = few.build()?;
    let mut placement = few.build()?;
    let mut left = few.nodes.to_vec();
    while !left.is_empty() {
        let here = Subject {
            nodes: &left,
            ..few
        };
        // Alternately from the front and from the back, where any node may leave.
        let removable = here.removable();
        let pick = match left.len() % 2 {
            0 => removable.first(),
            _ => removable.last(),
        };
        let Some(&at) = pick else { break };
        remove(&mut *placement, &left[at].name)?;
        left.remove(at);
        answers_are_eligible(&*placement, few.keys)?;
    }
    ensure!(
        placement.membership().is_empty() && placement.layout().entries() == 0,
        "{} entries are left when every node has gone",
        placement.layout().entries()
    );
    extend(&mut *placement, few.nodes)?;
    same_mapping("after refilling", few.keys, &*fresh, &*placement)
}

/// Whichever node may go: without it, owners are those of a list that never had it. Where changes
/// leave a trace, shares are, and not always the owners.
pub(super) fn removing_a_node_equals_never_having_added_it(subject: &Subject<'_>) -> Checked {
    let placement = subject.build()?;
    let keys = probes(256);
    let good = good_owners(&owners(&*placement, &keys)?, subject.nodes.len());
    let telling = good.len() >= 4 && !subject.is_cramped();
    let mut traced = false;
    for at in subject.removable() {
        let name = &subject.nodes[at].name;
        let mut without = placement.boxed_clone();
        remove(&mut *without, name)?;
        let fresh = subject.build_of(&subject.without(&[at]))?;
        let what = format!("after removing {name:?}");
        same_state(subject, &what, &*fresh, &*without)?;
        traced |= owners(&*fresh, &keys)? != owners(&*without, &keys)?;
    }
    ensure!(
        subject.algorithm.traits.traceless || traced || !telling,
        "a trace is declared, and no node that left has left one"
    );
    Ok(())
}

/// One change for all or one for each: the owners are the same, and those of the naive twin at
/// each step.
pub(super) fn joining_one_by_one_equals_joining_at_once(subject: &Subject<'_>) -> Checked {
    let few = subject.few();
    let mut placement = few.build_of(&[])?;
    for count in 1..=few.nodes.len() {
        let newcomer = few.nodes[count - 1].clone();
        let added = placement.add(newcomer);
        added.map_err(|error| format!("node {count} cannot join: {error}"))?;
        if count == few.nodes.len() || count == 2 {
            equals_naive_twin(&few, &*placement, &few.nodes[..count], few.keys)?;
        }
    }
    let mut halves = few.build_of(&few.nodes[..few.nodes.len() / 2])?;
    extend(&mut *halves, &few.nodes[few.nodes.len() / 2..])?;
    let bulk = few.build()?;
    same_mapping("one by one", few.keys, &*bulk, &*placement)?;
    same_mapping("in two halves", few.keys, &*bulk, &*halves)
}

/// Some join and leave again, the last one first.
pub(super) fn strangers_that_leave_again_change_no_owner(subject: &Subject<'_>) -> Checked {
    let (strangers, rest) = subject.nodes.split_at(subject.nodes.len().min(2));
    let mut placement = subject.build_of(rest)?;
    let fresh = placement.boxed_clone();
    for round in 0..2 {
        let joining = &strangers[..strangers.len() - round.min(strangers.len())];
        extend(&mut *placement, joining)?;
        for stranger in joining.iter().rev() {
            remove(&mut *placement, &stranger.name)?;
        }
    }
    same_state(subject, "without strangers", &*fresh, &*placement)
}

/// A node leaves and comes back, or two do in the same order. All keys are where they were if the
/// algorithm forgets history; if it does not, some are elsewhere.
pub(super) fn a_node_that_returns_finds_its_keys_exactly_if_history_is_forgotten(
    subject: &Subject<'_>,
) -> Checked {
    let mut keys = subject.keys.to_vec();
    keys.extend(probes(256));
    let placement = subject.build()?;
    let before = owners(&*placement, &keys)?;
    let mut shown = false;
    for at in subject.removable() {
        let node = &subject.nodes[at];
        let mut returned = placement.boxed_clone();
        remove(&mut *returned, &node.name)?;
        extend(&mut *returned, std::slice::from_ref(node))?;
        let after = owners(&*returned, &keys)?;
        if subject.algorithm.traits.history_free {
            let what = format!("after {:?} left and returned", node.name);
            same_owners(&what, &keys, &before, &after)?;
        }
        shown |= before != after;
    }
    let good = good_owners(&before, subject.nodes.len());
    let telling = good.len() >= 3 && !subject.is_cramped();
    if telling && subject.algorithm.traits.removal == Removal::Any {
        for pair in [[0, 1], [1, 0], [0, 2], [2, 1]] {
            let names = pair.map(|at| &*good[at]);
            let returned = two_return(subject, &*placement, names)?;
            let after = owners(&*returned, &keys)?;
            if subject.algorithm.traits.history_free {
                same_owners("after two left and returned", &keys, &before, &after)?;
            }
            shown |= before != after;
        }
    }
    ensure!(
        subject.algorithm.traits.history_free || shown || !telling,
        "history is declared to matter, and every node that left found its keys again"
    );
    Ok(())
}

/// The placement after these two nodes have left and returned in the same order.
fn two_return(
    subject: &Subject<'_>,
    placement: &dyn Placement,
    names: [&str; 2],
) -> Result<Box<dyn Placement>, String> {
    let mut returned = placement.boxed_clone();
    let named = |name: &str| subject.nodes.iter().find(|node| node.name == name);
    let pair: Vec<&Node> = names.into_iter().filter_map(named).collect();
    for node in &pair {
        remove(&mut *returned, &node.name)?;
    }
    for node in pair {
        extend(&mut *returned, std::slice::from_ref(node))?;
    }
    Ok(returned)
}

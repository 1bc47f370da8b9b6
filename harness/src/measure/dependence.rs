//! What the declared traits mean in figures: whether the order of the list, or the way by which a
//! membership was reached, decides owners, and what a change of weight does.

use algorithms::algorithm::Removal;
use algorithms::{Layout, NodeId, PlacementError};

use super::against::Laws;
use super::movement::{Moved, Shares};
use super::{Candidate, Metrics, index};
use crate::record::Metric;
use crate::verify::place_all;
use crate::workload::{Random, Workload};

/// Keys that are compared.
const SAMPLE: usize = 100_000;

/// Measures the three dependences.
///
/// # Errors
/// When a change is refused that the declared traits allow.
pub fn measure(
    candidate: &Candidate<'_>,
    workload: &Workload,
    seed: u64,
) -> Result<Metrics, PlacementError> {
    let keys = workload.sample(SAMPLE);
    let owners = place_all(&*candidate.placement, &keys);
    let mut random = Random::new(seed, 2);
    let [order, history] = Laws::of(candidate).dependence(
        order(candidate, &keys, &owners, &mut random)?,
        history(candidate, &keys, &owners, &mut random)?,
    );
    let mut metrics = Metrics::from([
        ("order_moved".into(), order),
        ("history_moved".into(), history),
    ]);
    metrics.extend(match candidate.weighted() {
        true => reweigh(candidate, &keys, &owners)?,
        false => ["moved", "least", "unneeded", "share_error"]
            .map(|name| {
                (
                    format!("reweigh_{name}"),
                    Metric::none("the algorithm has no weights"),
                )
            })
            .into(),
    });
    Ok(metrics)
}

/// Builds from a shuffled list and compares by node.
fn order(
    candidate: &Candidate<'_>,
    keys: &[u64],
    owners: &[Option<NodeId>],
    random: &mut Random,
) -> Result<Metric, PlacementError> {
    let mut list: Vec<usize> = (0..candidate.nodes.len()).collect();
    while list.len() > 1 && list.is_sorted() {
        random.shuffle(&mut list);
    }
    let nodes = list.iter().map(|&at| candidate.nodes[at].clone()).collect();
    let shuffled = place_all(&*candidate.rebuild(nodes)?, keys);
    let same = |was: Option<NodeId>, is: Option<NodeId>| index(was) == index(is).map(|at| list[at]);
    let moved = owners
        .iter()
        .zip(&shuffled)
        .filter(|(was, is)| !same(**was, **is));
    Ok(Metric::fraction(moved.count() as u64, keys.len() as u64))
}

/// Removes a node, adds it back and compares.
fn history(
    candidate: &Candidate<'_>,
    keys: &[u64],
    owners: &[Option<NodeId>],
    random: &mut Random,
) -> Result<Metric, PlacementError> {
    let members = candidate.placement.membership().members();
    let gone = match candidate.algorithm.traits.removal {
        Removal::Any => random.below(members.len()),
        Removal::Newest => members.len() - 1,
    };
    let mut placement = candidate.placement.boxed_clone();
    placement.remove(members[gone].id)?;
    let back = placement.add(candidate.nodes[gone].clone())?;
    let known = |owner: Option<NodeId>| match owner {
        Some(id) if id == back => Some(gone),
        other => index(other),
    };
    let again = place_all(&*placement, keys);
    let moved = owners
        .iter()
        .zip(&again)
        .filter(|(was, is)| index(**was) != known(**is));
    Ok(Metric::fraction(moved.count() as u64, keys.len() as u64))
}

/// Doubles the weight of the middle node.
fn reweigh(
    candidate: &Candidate<'_>,
    keys: &[u64],
    owners: &[Option<NodeId>],
) -> Result<Metrics, PlacementError> {
    let before = &*candidate.placement;
    let members = before.membership().members();
    let grown = members[members.len() / 2].id;
    let mut after = before.boxed_clone();
    after.reweigh(grown, 2.0)?;
    let is = place_all(&*after, keys);
    let change = Moved::between(before, &*after, owners, &is);
    let count = keys.len() as u64;
    let wanted = 2.0 / (members.len() as f64 + 1.0);
    let share = match after.layout() {
        // A declared share proves nothing: it is counted.
        Layout::Law(_) => {
            let own = is.iter().filter(|owner| **owner == Some(grown));
            Metric::fraction(own.count() as u64, count)
        }
        _ => {
            let shares = after.shares();
            let own = shares.iter().find(|share| share.0 == grown);
            Metric::of(own.map_or(0.0, |share| share.1))
        }
    };
    let relative = |share: Option<f64>| share.map(|share| share / wanted - 1.0);
    let off = Metric {
        value: relative(share.value),
        low: relative(share.low),
        high: relative(share.high),
        ..Metric::default()
    };
    let laws = Laws::of(candidate);
    let least = Shares::of(before, &*after).least();
    Ok(Metrics::from([
        (
            "reweigh_moved".into(),
            laws.reweigh_moved(change.moved, least, count),
        ),
        ("reweigh_least".into(), Metric::of(least)),
        (
            "reweigh_unneeded".into(),
            laws.reweigh_unneeded(change.unneeded),
        ),
        (
            "reweigh_share_error".into(),
            laws.doubled(share.value.unwrap_or(0.0), off, count),
        ),
    ]))
}

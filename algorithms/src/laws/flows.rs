//! The law of flows: what a layout says of a change is what happens.

use std::collections::{BTreeMap, BTreeSet};

use crate::laws::Subject;
use crate::laws::view::{Checked, ensure, extend, id_of, leeway_of_draws, probes, remove};
use crate::layout::Layout;
use crate::placement::{NodeId, Placement};

/// Keys that are counted.
const PROBES: u64 = 1024;

/// What flows in less what flows out is the change of a node's share; the keys that move do so
/// along the flows; and where the least movement is declared, no more moves than the shares need.
pub(super) fn flows_account_for_the_change_of_every_share(subject: &Subject<'_>) -> Checked {
    // Two tables of different size are compared over a period that grows with both.
    let subject = subject.first(100);
    let Some(&at) = subject.removable().last() else {
        return Ok(());
    };
    let node = &subject.nodes[at];
    let mut placement = subject.build()?;
    let before = placement.boxed_clone();
    remove(&mut *placement, &node.name)?;
    accounts(&subject, &*before, &*placement)?;
    let before = placement.boxed_clone();
    extend(&mut *placement, std::slice::from_ref(node))?;
    accounts(&subject, &*before, &*placement)?;
    let before = placement.boxed_clone();
    let id = id_of(&*placement, &node.name)?;
    match placement.reweigh(id, node.weight * 1.5) {
        Ok(()) => accounts(&subject, &*before, &*placement),
        Err(_) => Ok(()),
    }
}

fn accounts(subject: &Subject<'_>, before: &dyn Placement, after: &dyn Placement) -> Checked {
    const ROUNDING: f64 = 1e-9;
    let mut growth: BTreeMap<NodeId, f64> = after.shares().into_iter().collect();
    for (id, share) in before.shares() {
        *growth.entry(id).or_default() -= share;
    }
    let (old, new) = (before.layout(), after.layout());
    if old.entries() == 0 || new.entries() == 0 {
        return Ok(());
    }
    let least = growth.values().map(|change| change.abs()).sum::<f64>() / 2.0;
    let moves_least = subject.algorithm.traits.moves.is_least();
    let Some(flows) = old.flows(&new) else {
        let by_draws = matches!(old, Layout::Law(_)) && moves_least && subject.hash_is_whole();
        return match by_draws {
            true => count_moved(before, after, least).map(drop),
            false => Ok(()),
        };
    };
    let total: f64 = flows.iter().map(|flow| flow.share).sum();
    ensure!(
        !moves_least || (total - least).abs() < ROUNDING,
        "{total} of all keys move, and the change of shares needs {least}"
    );
    for flow in &flows {
        *growth.entry(flow.to).or_default() -= flow.share;
        *growth.entry(flow.from).or_default() += flow.share;
    }
    let unexplained = growth.iter().find(|(_, rest)| rest.abs() > ROUNDING);
    if let Some((id, rest)) = unexplained {
        return Err(format!("the flows leave {rest} of {id:?}'s change open"));
    }
    let pairs: BTreeSet<_> = flows.iter().map(|flow| (flow.from, flow.to)).collect();
    for pair in count_moved(before, after, total)? {
        ensure!(
            pairs.contains(&pair),
            "a key moves along {pair:?}, where no flow is"
        );
    }
    Ok(())
}

/// Counts the probes that move, which should be the fraction `expected`, and returns their ways.
fn count_moved(
    before: &dyn Placement,
    after: &dyn Placement,
    expected: f64,
) -> Result<Vec<(NodeId, NodeId)>, String> {
    let owner = |key| Some((before.place(key)?, after.place(key)?));
    let owners = probes(PROBES).into_iter().filter_map(owner);
    let moved: Vec<_> = owners.filter(|(from, to)| from != to).collect();
    let mean = expected * PROBES as f64;
    ensure!(
        (moved.len() as f64 - mean).abs() <= leeway_of_draws(mean * (1.0 - expected).max(0.0)),
        "{} of {PROBES} keys move, where about {mean:.0} should",
        moved.len()
    );
    Ok(moved)
}

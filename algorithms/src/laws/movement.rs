//! Laws of movement: which keys may change their owner when the nodes change.

use std::collections::{BTreeMap, BTreeSet};

use crate::algorithm::{Moves, Removal, Weights};
use crate::laws::Subject;
use crate::laws::view::{
    Checked, ensure, extend, good_owners, id_of, leeway_of_draws, owners, probes, remove, sample,
};
use crate::layout::{Flow, Layout};
use crate::placement::{NodeId, Placement};

/// Keys of the law's own, beside those of the subject.
const PROBES: u64 = 1024;

/// One node joins, then two at once: a key that moves belongs to a newcomer.
pub(super) fn joining_moves_keys_only_to_the_newcomers(subject: &Subject<'_>) -> Checked {
    let mut groups: Vec<Vec<usize>> = sample(subject.nodes.len())
        .into_iter()
        .map(|at| vec![at])
        .collect();
    groups.extend(pair(subject.nodes.len()));
    let mut moves = Unneeded::new(subject, "joining");
    for group in groups {
        let before = subject.build_of(&subject.without(&group))?;
        let mut after = before.boxed_clone();
        let newcomers: Vec<_> = group.iter().map(|&at| subject.nodes[at].clone()).collect();
        let to = extend(&mut *after, &newcomers)?;
        moves.count(&*before, &*after, &Needed { to, from: vec![] })?;
    }
    moves.check()
}

/// One node leaves, then two at once: a key that moves belonged to a leaver.
pub(super) fn leaving_moves_keys_only_from_the_leavers(subject: &Subject<'_>) -> Checked {
    let before = subject.build()?;
    let removable = subject.removable();
    let mut groups: Vec<Vec<usize>> = removable.iter().map(|&at| vec![at]).collect();
    // The later one first, which is the order that every algorithm allows.
    let pairs = pair(subject.nodes.len()).map(|pair| pair.into_iter().rev().collect());
    groups.extend(pairs);
    let mut moves = Unneeded::new(subject, "leaving");
    for group in groups {
        let mut after = before.boxed_clone();
        let mut from = Vec::new();
        for &at in &group {
            from.push(id_of(&*before, &subject.nodes[at].name)?);
            remove(&mut *after, &subject.nodes[at].name)?;
        }
        moves.count(&*before, &*after, &Needed { to: vec![], from })?;
    }
    moves.check()
}

/// The last two nodes, where there are two.
fn pair(nodes: usize) -> Option<Vec<usize>> {
    (nodes >= 2).then(|| vec![nodes - 2, nodes - 1])
}

/// A weight goes up: keys move to its node. It goes down, and to 0: keys move from it.
pub(super) fn reweighing_moves_keys_only_to_or_from_its_node(subject: &Subject<'_>) -> Checked {
    if subject.algorithm.traits.weights == Weights::None {
        return Ok(());
    }
    let mut moves = Unneeded::new(subject, "reweighing");
    // Comparing large layouts takes time: fewer nodes then.
    let tried = match subject.build()?.layout().entries() {
        0..=10_000 => subject.nodes.len(),
        _ => 2,
    };
    for at in sample(subject.nodes.len()).into_iter().take(tried) {
        let name = &subject.nodes[at].name;
        let mut before = subject.build()?;
        let id = id_of(&*before, name)?;
        let weight = subject.nodes[at].weight;
        for next in [weight * 2.0, weight / 2.0, 0.0, 1.0, 0.75, 3.0] {
            let was = before.membership().get(id).map_or(0.0, |node| node.weight);
            let mut after = before.boxed_clone();
            if after.reweigh(id, next).is_err() {
                continue;
            }
            let only = |changes: bool| changes.then_some(id).into_iter().collect();
            let needed = Needed {
                to: only(next > was),
                from: only(next < was),
            };
            moves.count(&*before, &*after, &needed)?;
            before = after;
        }
    }
    moves.check()
}

/// The nodes that a change concerns: keys have to move to the first and from the second.
struct Needed {
    to: Vec<NodeId>,
    from: Vec<NodeId>,
}

impl Needed {
    fn covers(&self, from: NodeId, to: NodeId) -> bool {
        self.to.contains(&to) || self.from.contains(&from)
    }
}

/// How much several changes have moved between nodes that they do not concern.
struct Unneeded<'a> {
    subject: &'a Subject<'a>,
    what: &'static str,
    total: f64,
    changes: usize,
}

impl<'a> Unneeded<'a> {
    fn new(subject: &'a Subject<'a>, what: &'static str) -> Self {
        Self {
            subject,
            what,
            total: 0.0,
            changes: 0,
        }
    }

    /// Counts a change from one state of a placement to another one.
    fn count(&mut self, before: &dyn Placement, after: &dyn Placement, needed: &Needed) -> Checked {
        match self.subject.algorithm.traits.moves {
            Moves::Unbounded => return Ok(()),
            Moves::Least => self.check_keys(before, after, needed)?,
            Moves::Approximate { .. } => {
                // A bound on chance presumes room for every node and walks that differ.
                let slots = before.layout().entries().min(after.layout().entries());
                let nodes = before.membership().len().max(after.membership().len());
                if slots < 100 * nodes || !self.subject.hash_is_whole() {
                    return Ok(());
                }
            }
        }
        let flows = before.layout().flows(&after.layout()).unwrap_or_default();
        let needless = |flow: &&Flow| !needed.covers(flow.from, flow.to);
        self.total += flows
            .iter()
            .filter(needless)
            .map(|flow| flow.share)
            .sum::<f64>();
        self.changes += needed.to.len().max(needed.from.len());
        Ok(())
    }

    fn check_keys(
        &self,
        before: &dyn Placement,
        after: &dyn Placement,
        needed: &Needed,
    ) -> Checked {
        for key in self.subject.keys.iter().copied().chain(probes(PROBES)) {
            if let (Some(from), Some(to)) = (before.place(key), after.place(key)) {
                ensure!(
                    from == to || needed.covers(from, to),
                    "{}: key {key:#x} moves from {from:?} to {to:?}",
                    self.what
                );
            }
        }
        Ok(())
    }

    /// Fails when more has moved than is declared.
    fn check(&self) -> Checked {
        /// How far above the mean over all names the mean over a few changes may lie.
        const CHANCE: f64 = 4.0;
        let bound = match self.subject.algorithm.traits.moves {
            Moves::Least => 0.0,
            Moves::Approximate { unneeded } => CHANCE * unneeded,
            Moves::Unbounded => return Ok(()),
        };
        let mean = self.total / self.changes.max(1) as f64;
        ensure!(
            mean <= bound,
            "{}: {mean} of all keys move between other nodes for each change, and {bound} may",
            self.what
        );
        Ok(())
    }
}

/// Who declares more than the least movement does move keys between nodes that stay.
pub(super) fn unneeded_moves_happen_if_they_are_declared(subject: &Subject<'_>) -> Checked {
    if subject.algorithm.traits.moves == Moves::Least {
        return Ok(());
    }
    let keys = probes(PROBES);
    let before = subject.build()?;
    let old = owners(&*before, &keys)?;
    let good = good_owners(&old, subject.nodes.len());
    // In a table with few slots for each node they may fall into place by chance.
    let cramped = subject.algorithm.traits.moves != Moves::Unbounded
        && before.layout().entries() < 20 * subject.nodes.len();
    if good.len() < 5 || cramped {
        return Ok(());
    }
    // The larger the node, the more it moves.
    let leavers = match subject.algorithm.traits.removal {
        Removal::Any => &good[..3],
        Removal::Newest => &[subject.nodes[subject.nodes.len() - 1].name.clone()],
    };
    for name in leavers {
        let mut after = before.boxed_clone();
        remove(&mut *after, name)?;
        let new = owners(&*after, &keys)?;
        let mut pairs = old.iter().zip(&new);
        if pairs.any(|(old, new)| old != new && *old != Some(name)) {
            return Ok(());
        }
        // Too few moves for the probes to meet one are still moves.
        let gone = id_of(&*before, name)?;
        let flows = before.layout().flows(&after.layout()).unwrap_or_default();
        if flows.iter().any(|flow| flow.from != gone) {
            return Ok(());
        }
    }
    Err("unneeded moves are declared, and no node that left caused any".into())
}

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
    let moves_least = subject.algorithm.traits.moves == Moves::Least;
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

//! Laws of movement: which keys may change their owner when the nodes change.

use crate::algorithm::{Moves, Removal, Weights};
use crate::laws::Subject;
use crate::laws::view::{
    Checked, ensure, extend, good_owners, id_of, owners, probes, remove, sample,
};
use crate::layout::Flow;
use crate::membership::Node;
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
            Moves::Rounded if equal(before) && equal(after) => {
                self.check_keys(before, after, needed)?;
            }
            Moves::Rounded => {}
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
        let needless = flows.iter().filter(needless).map(|flow| flow.share);
        let (needless, changes) = (
            needless.sum::<f64>(),
            needed.to.len().max(needed.from.len()),
        );
        self.total += needless;
        self.changes += changes;
        // A change may round each node the other way, once.
        let others = (changes * before.membership().len()) as f64;
        ensure!(
            self.subject.algorithm.traits.moves != Moves::Rounded
                || needless * before.layout().entries() as f64 <= others + 1e-6,
            "{}: {needless} of all keys move between other nodes, more than rounding explains",
            self.what
        );
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
            Moves::Rounded | Moves::Unbounded => return Ok(()),
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

/// Who declares more than the least movement does move keys between nodes that stay; slots go between
/// them by rounding exactly if that is declared.
pub(super) fn unneeded_moves_happen_if_they_are_declared(subject: &Subject<'_>) -> Checked {
    let moves = subject.algorithm.traits.moves;
    if moves.is_least() {
        let seen = rounding_moves_a_slot(subject)?;
        ensure!(
            seen.is_none_or(|seen| seen == (moves == Moves::Rounded)),
            "that rounding moves slots between other nodes is declared wrongly: it is {seen:?}"
        );
        return Ok(());
    }
    // Among few nodes there may be none that moves others' keys.
    let strangers = (0..STRANGERS).map(|at| Node::new(subject.strange_name(at)));
    let many: Vec<Node> = subject.nodes.iter().cloned().chain(strangers).collect();
    let larger = Subject {
        nodes: &many,
        ..*subject
    };
    for subject in [subject, &larger] {
        if moves_unneeded(subject)?.is_none_or(|moves| moves) {
            return Ok(());
        }
    }
    Err("unneeded moves are declared, and no node that left caused any".into())
}

/// Nodes that are added to those of a subject where these are too few to show something.
const STRANGERS: usize = 100;

/// Nodes that are seen leaving.
const LEAVERS: usize = 20;

/// Whether one of the largest nodes, when it leaves, moves keys between others. `None` where there
/// are too few nodes to say, or more than there is room for.
fn moves_unneeded(subject: &Subject<'_>) -> Result<Option<bool>, String> {
    let keys = probes(PROBES);
    if subject.is_cramped() {
        return Ok(None);
    }
    let before = subject.build()?;
    let old = owners(&*before, &keys)?;
    let good = good_owners(&old, subject.nodes.len());
    if good.len() < 5 {
        return Ok(None);
    }
    // The larger the node, the more it moves.
    let leavers = match subject.algorithm.traits.removal {
        Removal::Any => &good[..good.len().min(LEAVERS)],
        Removal::Newest => &[subject.nodes[subject.nodes.len() - 1].name.clone()],
    };
    for name in leavers {
        let mut after = before.boxed_clone();
        remove(&mut *after, name)?;
        let new = owners(&*after, &keys)?;
        let mut pairs = old.iter().zip(&new);
        if pairs.any(|(old, new)| old != new && *old != Some(name)) {
            return Ok(Some(true));
        }
        // Too few moves for the probes to meet one are still moves.
        let gone = id_of(&*before, name)?;
        let flows = before.layout().flows(&after.layout()).unwrap_or_default();
        if flows.iter().any(|flow| flow.from != gone) {
            return Ok(Some(true));
        }
    }
    Ok(Some(false))
}

/// Whether, among nodes of weights of its own, rounding moves a slot between two that were there
/// before when light ones join. `None` where there are no slots, or too few for light nodes.
fn rounding_moves_a_slot(subject: &Subject<'_>) -> Result<Option<bool>, String> {
    let named = |at: usize, weight| Node::weighing(subject.strange_name(at), weight);
    let weights = [1.0, 1.37, 2.11, 3.03, 0.71, 1.93, 2.59, 1.21];
    let nodes = weights.iter().enumerate();
    let nodes: Vec<Node> = nodes.map(|(at, &weight)| named(at, weight)).collect();
    const NEWCOMERS: usize = 64;
    let slots = subject.algorithm.slots(&subject.settings);
    let Some(slots) = slots.filter(|slots| *slots as usize >= 20 * NEWCOMERS) else {
        return Ok(None);
    };
    let mut placement = subject.build_of(&nodes)?;
    for at in 0..NEWCOMERS {
        let slot = placement.membership().total_weight() / f64::from(slots);
        let before = placement.boxed_clone();
        let light = named(weights.len() + at, slot * (1.3 + 0.1 * (at % 9) as f64));
        let newcomer = placement.add(light).map_err(|error| error.to_string())?;
        let flows = before.layout().flows(&placement.layout());
        if flows.is_some_and(|flows| flows.iter().any(|flow| flow.to != newcomer)) {
            return Ok(Some(true));
        }
    }
    Ok(Some(false))
}

/// Whether all who have a weight have the same one.
fn equal(placement: &dyn Placement) -> bool {
    let members = placement.membership().members().iter();
    let mut weights = members.map(|m| m.weight).filter(|weight| *weight > 0.0);
    let first = weights.next();
    weights.all(|weight| Some(weight) == first)
}

//! What the laws look at: owners by name, states, samples of nodes, and keys of their own.

use std::collections::BTreeMap;

use crate::algorithm::Removal;
use crate::hash::mix;
use crate::laws::Subject;
use crate::layout::Layout;
use crate::membership::{Member, Node};
use crate::placement::{NodeId, Placement};

/// What a law returns: the error says what was seen.
pub(super) type Checked = Result<(), String>;

/// Owners by name, one per key.
pub(super) type Owners<'a> = Vec<Option<&'a str>>;

/// Returns the message as a violation when the condition does not hold.
macro_rules! ensure {
    ($holds:expr, $($message:tt)+) => {
        match $holds {
            true => (),
            false => return Err(format!($($message)+)),
        }
    };
}
pub(super) use ensure;

/// Nodes that laws go through one by one, at most.
const FEW: usize = 12;

impl<'a> Subject<'a> {
    /// A placement of all nodes.
    pub(super) fn build(&self) -> Result<Box<dyn Placement>, String> {
        self.build_of(self.nodes)
    }

    /// A placement of these nodes.
    pub(super) fn build_of(&self, nodes: &[Node]) -> Result<Box<dyn Placement>, String> {
        let built = self.algorithm.build(&self.settings, nodes.to_vec());
        built.map_err(|error| format!("{} nodes cannot be placed: {error}", nodes.len()))
    }

    /// The same with the first nodes only, for laws that go through them one by one.
    pub(super) fn few(&self) -> Self {
        self.first(FEW)
    }

    /// The same with the first `count` nodes only.
    pub(super) fn first(&self, count: usize) -> Self {
        let nodes = &self.nodes[..self.nodes.len().min(count)];
        Subject { nodes, ..*self }
    }

    /// All nodes but those at these positions, in joining order.
    pub(super) fn without(&self, positions: &[usize]) -> Vec<Node> {
        let nodes = self.nodes.iter().enumerate();
        let kept = nodes.filter(|(at, _)| !positions.contains(at));
        kept.map(|(_, node)| node.clone()).collect()
    }

    /// Positions of nodes that can be removed first: all of a few, else some.
    pub(super) fn removable(&self) -> Vec<usize> {
        match self.algorithm.traits.removal {
            Removal::Any => sample(self.nodes.len()),
            Removal::Newest => self.nodes.len().checked_sub(1).into_iter().collect(),
        }
    }

    /// Whether the hash reaches all 64 bits and mixes: each bit of a number flips about half of the
    /// bits of its hash. Statements on probabilities presume it.
    pub(super) fn hash_is_whole(&self) -> bool {
        const NUMBERS: u64 = 32;
        // Eight standard deviations of the bits that flip.
        const LEEWAY: u64 = 181;
        let hash = |number: u64| self.settings.hash.of(&number.to_le_bytes());
        let flips = |bit: u32| -> u64 {
            let changed = (0..NUMBERS).map(|number| hash(number) ^ hash(number ^ 1 << bit));
            changed.map(|bits| u64::from(bits.count_ones())).sum()
        };
        (0..u64::BITS).all(|bit| flips(bit).abs_diff(NUMBERS * 32) <= LEEWAY)
    }

    /// Whether slots are so few for each node that they may fall into place by chance.
    pub(super) fn is_cramped(&self) -> bool {
        let slots = self.algorithm.slots(&self.settings);
        slots.is_some_and(|slots| (slots as usize) < 20 * self.nodes.len())
    }

    /// A name that no node has.
    pub(super) fn strange_name(&self, number: usize) -> String {
        let mut name = format!("stranger-{number}");
        while self.nodes.iter().any(|node| node.name == name) {
            name.push('\'');
        }
        name
    }
}

/// All of a few positions below `count`, else the outer ones and the middle.
pub(super) fn sample(count: usize) -> Vec<usize> {
    match count {
        0..=FEW => (0..count).collect(),
        _ => vec![0, 1, count / 2, count - 1],
    }
}

/// Keys of the laws' own, spread evenly over the key space.
pub(super) fn probes(count: u64) -> Vec<u64> {
    (1..=count).map(mix).collect()
}

/// The list in another order, the same one for the same `seed`.
pub(super) fn shuffled(nodes: &[Node], seed: u64) -> Vec<Node> {
    let mut order: Vec<usize> = (0..nodes.len()).collect();
    order.sort_by_key(|&at| mix(mix(seed) ^ mix(at as u64 + 1)));
    order.into_iter().map(|at| nodes[at].clone()).collect()
}

/// Owners of the keys by name. An answer that is not a member is a violation of every law.
pub(super) fn owners<'a>(placement: &'a dyn Placement, keys: &[u64]) -> Result<Owners<'a>, String> {
    let mut ids = vec![None; keys.len()];
    placement.place_many(keys, &mut ids);
    let name = |id: NodeId| match placement.membership().get(id) {
        Ok(member) => Ok(&*member.name),
        Err(error) => Err(format!("a lookup answered {id:?}: {error}")),
    };
    ids.into_iter().map(|id| id.map(name).transpose()).collect()
}

/// Fails with the first key whose owners differ.
pub(super) fn same_owners(
    what: &str,
    keys: &[u64],
    expected: &[Option<&str>],
    seen: &[Option<&str>],
) -> Checked {
    let pairs = expected.iter().zip(seen);
    let different = keys.iter().zip(pairs).find(|(_, (a, b))| a != b);
    match different {
        Some((key, (expected, seen))) => Err(format!(
            "{what}: key {key:#x} belongs to {seen:?} where {expected:?} was expected"
        )),
        None => Ok(()),
    }
}

/// Fails unless both placements give every key to a node of the same name.
pub(super) fn same_mapping(
    what: &str,
    keys: &[u64],
    expected: &dyn Placement,
    seen: &dyn Placement,
) -> Checked {
    same_owners(what, keys, &owners(expected, keys)?, &owners(seen, keys)?)
}

/// Fails unless a placement that was led to its nodes by changes is as one that was built of them:
/// with the same owners if changes leave no trace, else with the same shares.
pub(super) fn same_state(
    subject: &Subject<'_>,
    what: &str,
    fresh: &dyn Placement,
    seen: &dyn Placement,
) -> Checked {
    if subject.algorithm.traits.traceless {
        same_mapping(what, subject.keys, fresh, seen)?;
    } else {
        let (expected, shares) = (shares_by_name(fresh), shares_by_name(seen));
        ensure!(
            expected == shares,
            "{what}: the shares are {shares:?}, and those of a fresh build {expected:?}"
        );
    }
    let (expected, entries) = (fresh.layout().entries(), seen.layout().entries());
    ensure!(
        expected == entries,
        "{what}: {entries} entries are left, and a fresh build has {expected}"
    );
    Ok(())
}

/// The shares of those who have one.
fn shares_by_name(placement: &dyn Placement) -> BTreeMap<&str, f64> {
    let shares = placement.shares().into_iter();
    let having = shares.filter(|(_, share)| *share > 0.0);
    having
        .map(|(id, share)| (placement.membership().name(id), share))
        .collect()
}

/// Everything that a refused change must leave as it was.
#[derive(PartialEq)]
pub(super) struct State {
    members: Vec<Member>,
    by_name: Vec<NodeId>,
    joined: usize,
    version: u64,
    layout: Layout,
    owners: Vec<Option<NodeId>>,
}

impl State {
    /// The state as it is now.
    pub(super) fn of(placement: &dyn Placement, keys: &[u64]) -> Self {
        let membership = placement.membership();
        let mut owners = vec![None; keys.len()];
        placement.place_many(keys, &mut owners);
        Self {
            members: membership.members().to_vec(),
            by_name: membership.by_name().map(|member| member.id).collect(),
            joined: membership.joined(),
            version: membership.version(),
            layout: placement.layout(),
            owners,
        }
    }

    /// Fails when the placement is not in this state any more.
    pub(super) fn still(&self, placement: &dyn Placement, keys: &[u64], what: &str) -> Checked {
        ensure!(
            *self == Self::of(placement, keys),
            "{what} was refused and changed the placement all the same"
        );
        Ok(())
    }
}

/// The id of the member that was built from the node of this name.
pub(super) fn id_of(placement: &dyn Placement, name: &str) -> Result<NodeId, String> {
    let found = placement.membership().find(name);
    found.map_err(|error| error.to_string())
}

/// Removes the node of this name.
pub(super) fn remove(placement: &mut dyn Placement, name: &str) -> Checked {
    let id = id_of(placement, name)?;
    let removed = placement.remove(id);
    removed.map_err(|error| format!("{name:?} cannot be removed: {error}"))
}

/// Adds nodes that have had room before.
pub(super) fn extend(placement: &mut dyn Placement, nodes: &[Node]) -> Result<Vec<NodeId>, String> {
    let added = placement.extend(nodes.to_vec());
    added.map_err(|error| format!("{} nodes cannot be added: {error}", nodes.len()))
}

/// How many nodes own a good part of these keys: a quarter of an equal share or more. Few keys and
/// few nodes cannot show that something is not kept.
pub(super) fn good_owners(owners: &[Option<&str>], nodes: usize) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for owner in owners.iter().flatten() {
        *counts.entry(owner).or_default() += 1;
    }
    let mut good: Vec<(&str, usize)> = counts.into_iter().collect();
    good.retain(|(_, count)| count * nodes * 4 >= owners.len());
    good.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    good.into_iter().map(|(name, _)| name.to_owned()).collect()
}

/// Odds of e to this power against one: what a law on chance may be wrong by.
const UNLIKELY: f64 = 25.0;

/// How far the count of independent draws of this variance may lie from its mean (Bernstein's
/// bound).
pub(super) fn leeway_of_draws(variance: f64) -> f64 {
    UNLIKELY / 3.0 + (UNLIKELY * UNLIKELY / 9.0 + 2.0 * variance * UNLIKELY).sqrt()
}

/// How far the length of so many random arcs, in units of their mean, may lie from their number:
/// the tails of a gamma law.
pub(super) fn leeway_of_arcs(arcs: f64) -> f64 {
    (2.0 * arcs * UNLIKELY).sqrt() + UNLIKELY
}

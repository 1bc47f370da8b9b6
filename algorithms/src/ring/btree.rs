//! Vnode ring as a balanced tree.
//!
//! Every node has V points; the tree maps each position to the node that owns the arc before it. A
//! lookup asks the tree for the first position at or after the key. A node's points are inserted
//! and removed one by one, without moving the others.
//!
//! | lookup | build | add | remove | memory | moved by one node added to N |
//! |---|---|---|---|---|---|
//! | O(log NV) | O(NV log NV) | O(V log NV), and O(N) for the list of names | the same | 13 to 24 bytes a point and the membership | its share, near 1/(N+1): the least possible |
//!
//! Choose it as the form that papers and most programs have, to compare others with. Do not when
//! lookups dominate: each follows pointers from block to block, and `ring-index` changes as cheaply.
//! Its owners are those of the sorted array, key for key.
//!
//! Source: Karger et al., "Consistent Hashing and Random Trees", STOC 1997, which proposes a
//! balanced tree. Deviations: none.

use std::borrow::Borrow;
use std::cell::Cell;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::collections::btree_map::{Entry, Range};
use std::ops::{Bound, ControlFlow};

use crate::algorithm::{Algorithm, Moves, Removal, Replicas, Spread, Traits, Weights};
use crate::error::PlacementError;
use crate::growth::{Costs, Growth, Upkeep};
use crate::hash::KeyHash;
use crate::layout::Layout;
use crate::membership::{Membership, Node};
use crate::placement::{NodeId, Placement};
use crate::replicas::Visit;
use crate::ring::{Change, Pointing, naive};
use crate::work::{Tally, Work};

/// Registry entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "ring-btree",
    title: "vnode ring, BTreeMap",
    source: "Karger et al. 1997",
    version: 1,
    traits: Traits {
        order_free: true,
        history_free: true,
        traceless: true,
        moves: Moves::Least,
        removal: Removal::Any,
        weights: Weights::Rounded,
        spread: Spread::Points(None),
        replicas: Replicas::Ordered,
    },
    costs: Costs {
        lookup: Growth::LogNV,
        build: Growth::NVLogNV,
        change: Growth::Sum(&[Growth::VLogNV, Growth::N]),
        memory: Growth::NV,
        upkeep: Upkeep::Each,
    },
    empty: |settings| Ok(Box::new(BTreeRing::new(settings.hash, settings.points)?)),
    naive,
};

/// The tree of points.
#[derive(Clone, Debug)]
pub struct BTreeRing {
    membership: Membership,
    pointing: Pointing,
    /// Position to owner: of several nodes there, the one with the smallest name.
    owners: BTreeMap<u64, NodeId>,
    /// Further points at a position that is taken, in the order of names. With 64-bit positions
    /// nearly always empty.
    further: BTreeMap<u64, Vec<NodeId>>,
    count: usize,
    /// Positions that were loaded in bulk, and those inserted one by one since: they decide how
    /// full the tree's blocks are.
    loaded: usize,
    inserted: usize,
}

impl BTreeRing {
    /// Without nodes; a node of weight 1 will have `points` points, placed by `hash`.
    ///
    /// # Errors
    /// When `points` is 0.
    pub fn new(hash: KeyHash, points: u32) -> Result<Self, PlacementError> {
        Ok(Self {
            membership: Membership::new(ALGORITHM.name, ALGORITHM.traits.weights),
            pointing: Pointing::new(hash, points)?,
            owners: BTreeMap::new(),
            further: BTreeMap::new(),
            count: 0,
            loaded: 0,
            inserted: 0,
        })
    }

    /// The first of the points that a search found, or of all.
    #[inline]
    fn first(&self, mut found: Range<'_, u64, NodeId>, tally: &mut impl Tally) -> Option<NodeId> {
        let point = found.next().or_else(|| self.owners.first_key_value())?;
        tally.read();
        Some(*point.1)
    }

    fn insert(&mut self, position: u64, node: NodeId) {
        self.count += 1;
        match self.owners.entry(position) {
            Entry::Vacant(free) => {
                free.insert(node);
                self.inserted += 1;
            }
            Entry::Occupied(mut taken) => {
                let name = |id: NodeId| self.membership.name(id);
                let further = self.further.entry(position).or_default();
                further.insert(0, *taken.get());
                let rank = further.partition_point(|&other| name(other) <= name(node));
                further.insert(rank, node);
                taken.insert(further.remove(0));
            }
        }
    }

    #[inline]
    fn withdraw(&mut self, position: u64, node: NodeId) {
        self.count -= 1;
        let Some(others) = self.further.get_mut(&position) else {
            self.owners.remove(&position);
            return;
        };
        match others.iter().position(|&other| other == node) {
            Some(at) => drop(others.remove(at)),
            None => drop(self.owners.insert(position, others.remove(0))),
        }
        if others.is_empty() {
            self.further.remove(&position);
        }
    }

    /// Fills the tree anew from points sorted by position and name: in bulk, which is faster than
    /// one by one and leaves its blocks full.
    fn load(&mut self, points: &[(u64, NodeId)]) {
        self.further.clear();
        self.count = points.len();
        let groups = || points.chunk_by(|a, b| a.0 == b.0);
        self.owners = groups().map(|group| group[0]).collect();
        for group in groups().filter(|group| group.len() > 1) {
            let others = group[1..].iter().map(|point| point.1).collect();
            self.further.insert(group[0].0, others);
        }
        self.loaded = self.owners.len();
        self.inserted = 0;
    }
}

impl Placement for BTreeRing {
    #[inline]
    fn place(&self, key: u64) -> Option<NodeId> {
        self.first(self.owners.range(key..), &mut ())
    }

    fn work(&self, key: u64) -> Work {
        // The tree counts nothing itself: a key that does so stands for the plain one.
        let probe = Probe(key, Cell::new(0));
        let onwards = (Bound::Included(&probe as &dyn Position), Bound::Unbounded);
        let found = self.owners.range::<dyn Position, _>(onwards);
        Work {
            comparisons: probe.1.get(),
            ..Work::of(|work| self.first(found, work))
        }
    }

    fn prefer(&self, key: u64, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let round = self.owners.range(key..).chain(self.owners.range(..key));
        for (position, &owner) in round {
            visit(owner)?;
            let others = self.further.get(position).into_iter().flatten();
            others.copied().try_for_each(&mut *visit)?;
        }
        ControlFlow::Continue(())
    }

    fn membership(&self) -> &Membership {
        &self.membership
    }

    fn extend(&mut self, nodes: Vec<Node>) -> Result<Vec<NodeId>, PlacementError> {
        self.membership.check(&nodes)?;
        self.pointing.check(self.count, &nodes)?;
        let ids = self.membership.admit(nodes);
        let points = self.pointing.sorted_points(&self.membership, &ids);
        if points.len() * 4 > self.count {
            let everyone: Vec<NodeId> = self.membership.members().iter().map(|m| m.id).collect();
            self.load(&self.pointing.sorted_points(&self.membership, &everyone));
        } else {
            points
                .into_iter()
                .for_each(|(position, node)| self.insert(position, node));
        }
        Ok(ids)
    }

    fn remove(&mut self, id: NodeId) -> Result<(), PlacementError> {
        self.membership.get(id)?;
        for (position, _) in self.pointing.sorted_points(&self.membership, &[id]) {
            self.withdraw(position, id);
        }
        self.membership.remove(id).map(drop)
    }

    fn reweigh(&mut self, id: NodeId, weight: f64) -> Result<(), PlacementError> {
        let member = self.membership.get(id)?;
        match self
            .pointing
            .change(&self.membership, self.count, member, weight)?
        {
            Change::Gain(indices) => {
                let gained = self.pointing.positions(&member.name, indices);
                gained
                    .into_iter()
                    .for_each(|position| self.insert(position, id));
            }
            Change::Lose(indices) => {
                let lost = self.pointing.positions(&member.name, indices);
                lost.into_iter()
                    .for_each(|position| self.withdraw(position, id));
            }
        }
        self.membership.reweigh(id, weight).map(drop)
    }

    fn layout(&self) -> Layout {
        let mut points = Vec::with_capacity(self.count);
        for (&position, &owner) in &self.owners {
            points.push((position, owner));
            let further = self.further.get(&position).into_iter().flatten();
            points.extend(further.map(|&node| (position, node)));
        }
        Layout::Points(points)
    }

    /// Exact for everything but the tree, whose number of blocks the standard library does not
    /// tell: an estimate within a few percent after a build and within a fifth after changes.
    fn heap_bytes(&self) -> usize {
        let lists = self
            .further
            .values()
            .map(|nodes| nodes.capacity() * size_of::<NodeId>());
        let loaded = (self.loaded as f64 / BLOCK_FULL).ceil();
        let split = 1.0 - (-(self.inserted as f64) / loaded.max(1.0)).exp();
        let tree = match self.inserted > self.loaded / 2 {
            true => tree_bytes(self.owners.len() as f64 / BLOCK_TYPICAL, BLOCK_TYPICAL),
            false => tree_bytes(loaded * (1.0 + split), BLOCK_FULL),
        };
        self.membership.heap_bytes() + tree + lists.sum::<usize>()
    }

    fn boxed_clone(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}

/// What the tree can be searched for: a position, or one that counts its comparisons.
trait Position {
    fn position(&self) -> u64;
    fn compared(&self) {}
}

/// A position and how often it was compared.
struct Probe(u64, Cell<u64>);

impl Position for u64 {
    fn position(&self) -> u64 {
        *self
    }
}

impl Position for Probe {
    fn position(&self) -> u64 {
        self.0
    }

    fn compared(&self) {
        self.1.set(self.1.get() + 1);
    }
}

impl<'a> Borrow<dyn Position + 'a> for u64 {
    fn borrow(&self) -> &(dyn Position + 'a) {
        self
    }
}

impl Ord for dyn Position + '_ {
    fn cmp(&self, other: &Self) -> Ordering {
        self.compared();
        self.position().cmp(&other.position())
    }
}

impl PartialOrd for dyn Position + '_ {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for dyn Position + '_ {
    fn eq(&self, other: &Self) -> bool {
        self.position() == other.position()
    }
}

impl Eq for dyn Position + '_ {}

/// Entries per leaf block, its separator above included: full, and after inserts at random.
const BLOCK_FULL: f64 = 12.0;
const BLOCK_TYPICAL: f64 = 8.6;

/// Bytes of a tree with this many leaf blocks, below inner blocks of this many children each. A
/// leaf block has room for 11 keys and values, a pointer and two lengths; an inner one for 12
/// pointers more.
fn tree_bytes(leaves: f64, children: f64) -> usize {
    let entry = size_of::<u64>() + size_of::<NodeId>();
    let leaf = (11 * entry + size_of::<usize>() + 4).next_multiple_of(8);
    let inner = leaf + 12 * size_of::<usize>();
    let mut bytes = leaves.ceil() as usize * leaf;
    let mut level = leaves.ceil();
    while level > 1.0 {
        level = (level / children).ceil();
        bytes += level as usize * inner;
    }
    bytes
}

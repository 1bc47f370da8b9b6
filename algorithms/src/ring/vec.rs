//! Vnode ring as a sorted array, searched by halving.
//!
//! Every node has V points; all points stand in one sorted array beside an array of their owners.
//! A lookup halves the array until it finds the first point at or after the key. A node's points
//! are sorted by themselves and merged in, or dropped, in one pass over the array.
//!
//! | lookup | build | add | remove | memory | moved by one node added to N |
//! |---|---|---|---|---|---|
//! | O(log NV) | O(NV log NV) | O(NV) | O(NV) | 12 bytes a point and the membership | its share, near 1/(N+1): the least possible |
//!
//! Choose it as the plain form that others are compared with, or to write a ring down: it is nothing
//! but its list of points. Do not where lookups or changes count: `ring-index` gives the same owners
//! several times faster. Shares differ by about 1/√V, as on every ring.
//!
//! Source: Karger et al., "Consistent Hashing and Random Trees", STOC 1997; points per node as in
//! "Web Caching with Consistent Hashing", 1999. Deviations: none.

use std::ops::ControlFlow;

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
    name: "ring-vec",
    title: "vnode ring, sorted Vec",
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
        change: Growth::NV,
        memory: Growth::NV,
        upkeep: Upkeep::Shift,
    },
    empty: |settings| Ok(Box::new(VecRing::new(settings.hash, settings.points)?)),
    naive,
};

/// The sorted points and their owners.
#[derive(Clone, Debug)]
pub struct VecRing {
    membership: Membership,
    pointing: Pointing,
    points: Vec<u64>,
    owners: Vec<NodeId>,
}

impl VecRing {
    /// Without nodes; a node of weight 1 will have `points` points, placed by `hash`.
    ///
    /// # Errors
    /// When `points` is 0.
    pub fn new(hash: KeyHash, points: u32) -> Result<Self, PlacementError> {
        Self::of(&ALGORITHM, hash, points)
    }

    /// The ring that stands behind the registry entry `algorithm`.
    pub(super) fn of(
        algorithm: &Algorithm,
        hash: KeyHash,
        points: u32,
    ) -> Result<Self, PlacementError> {
        Ok(Self {
            membership: Membership::new(algorithm.name, algorithm.traits.weights),
            pointing: Pointing::new(hash, points)?,
            points: Vec::new(),
            owners: Vec::new(),
        })
    }

    #[inline]
    fn find(&self, key: u64, tally: &mut impl Tally) -> Option<NodeId> {
        let at = self.points.partition_point(|&point| {
            tally.compare();
            point < key
        });
        tally.read();
        self.owners.get(at).or(self.owners.first()).copied()
    }

    /// Merges sorted newcomers into the sorted points, from the back, in one pass.
    fn merge(&mut self, newcomers: &[(u64, NodeId)]) {
        let mut old = self.points.len();
        let mut new = newcomers.len();
        let filler = newcomers
            .first()
            .map_or(NodeId::from_index(0), |point| point.1);
        self.points.resize(old + new, 0);
        self.owners.resize(old + new, filler);
        while new > 0 {
            let (point, owner) = newcomers[new - 1];
            let place = old + new - 1;
            if old > 0 && self.stands_after(old - 1, point, owner) {
                old -= 1;
                self.points[place] = self.points[old];
                self.owners[place] = self.owners[old];
            } else {
                new -= 1;
                self.points[place] = point;
                self.owners[place] = owner;
            }
        }
    }

    /// Whether the point at index `at` stands after `point` of `owner`: by position, then by name.
    fn stands_after(&self, at: usize, point: u64, owner: NodeId) -> bool {
        match self.points[at].cmp(&point) {
            std::cmp::Ordering::Equal => {
                self.membership.name(self.owners[at]) > self.membership.name(owner)
            }
            unequal => unequal.is_gt(),
        }
    }

    /// Drops the sorted `positions` of `owner` in one pass.
    fn drop_points(&mut self, owner: NodeId, positions: impl Iterator<Item = u64>) {
        let mut doomed = positions.peekable();
        let mut kept = 0;
        for at in 0..self.points.len() {
            let mine = self.owners[at] == owner;
            if mine && doomed.next_if_eq(&self.points[at]).is_some() {
                continue;
            }
            self.points[kept] = self.points[at];
            self.owners[kept] = self.owners[at];
            kept += 1;
        }
        self.points.truncate(kept);
        self.owners.truncate(kept);
    }

    /// Points of the given numbers of one node, sorted.
    fn sorted_positions(&self, name: &str, indices: std::ops::Range<u32>) -> Vec<u64> {
        let mut positions = self.pointing.positions(name, indices);
        positions.sort_unstable();
        positions
    }
}

impl Placement for VecRing {
    #[inline]
    fn place(&self, key: u64) -> Option<NodeId> {
        self.find(key, &mut ())
    }

    fn work(&self, key: u64) -> Work {
        Work::of(|work| self.find(key, work))
    }

    fn prefer(&self, key: u64, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let at = self.points.partition_point(|&point| point < key);
        let (before, after) = self.owners.split_at(at);
        after
            .iter()
            .chain(before)
            .try_for_each(|&owner| visit(owner))
    }

    fn membership(&self) -> &Membership {
        &self.membership
    }

    fn extend(&mut self, nodes: Vec<Node>) -> Result<Vec<NodeId>, PlacementError> {
        self.membership.check(&nodes)?;
        self.pointing.check(self.points.len(), &nodes)?;
        let ids = self.membership.admit(nodes);
        let newcomers = self.pointing.sorted_points(&self.membership, &ids);
        self.merge(&newcomers);
        Ok(ids)
    }

    fn remove(&mut self, id: NodeId) -> Result<(), PlacementError> {
        self.membership.get(id)?;
        let points = self.pointing.sorted_points(&self.membership, &[id]);
        self.drop_points(id, points.iter().map(|point| point.0));
        self.membership.remove(id).map(drop)
    }

    fn reweigh(&mut self, id: NodeId, weight: f64) -> Result<(), PlacementError> {
        let member = self.membership.get(id)?;
        let present = self.points.len();
        match self
            .pointing
            .change(&self.membership, present, member, weight)?
        {
            Change::Gain(indices) => {
                let positions = self.sorted_positions(&member.name, indices);
                let points: Vec<_> = positions.into_iter().map(|point| (point, id)).collect();
                self.merge(&points);
            }
            Change::Lose(indices) => {
                let positions = self.sorted_positions(&member.name, indices);
                self.drop_points(id, positions.into_iter());
            }
        }
        self.membership.reweigh(id, weight).map(drop)
    }

    fn layout(&self) -> Layout {
        let points = self.points.iter().copied();
        Layout::Points(points.zip(self.owners.iter().copied()).collect())
    }

    fn heap_bytes(&self) -> usize {
        self.membership.heap_bytes()
            + self.points.capacity() * size_of::<u64>()
            + self.owners.capacity() * size_of::<NodeId>()
    }

    fn boxed_clone(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}

//! Vnode ring behind an index: a lookup reads one cache line.
//!
//! Every node has V points. The circle is cut into equal stretches of about eight points, so that a
//! key's hash tells its stretch without a search; a stretch is one cache line with the points' first
//! bits and their owners, compared with the key all at once. Where the first bits are equal the rest
//! decides, and a stretch with more points than a line has places is a sorted list.
//!
//! | lookup | build | add | remove | memory | moved by one node added to N |
//! |---|---|---|---|---|---|
//! | O(1) in the mean: one cache line | O(NV) in the mean | O(V) in the mean, and O(N) for the list of names | as add | about 19 bytes a point after a build and the membership | its share, near 1/(N+1): the least possible |
//!
//! Choose it wherever a vnode ring is wanted and the hash spreads its points: it gives the owners that
//! the sorted array gives, several times faster, and a change costs the same at any number of nodes.
//! Do not when the ring must be written down as a plain list of points; and as for every ring, shares
//! differ by about 1/√V.
//!
//! Source: the ring of Karger et al., "Consistent Hashing and Random Trees", STOC 1997; an index by
//! the leading bits is interpolation search, Peterson 1957, with its first guess alone. Deviations:
//! none, owners are those of the sorted array. From 65,535 nodes that ever joined, owners take four
//! bytes and a line two cache lines, 27 bytes a point. After changes a line has between 4 and 10
//! points in the mean before all are cut anew, which is what adding costs beyond O(V) now and then.

#[cfg(target_arch = "x86_64")]
mod batch;
mod line;
mod table;

use std::ops::ControlFlow;

use self::line::Entry;
use self::table::{Deal, Table};
use crate::algorithm::{Algorithm, Moves, Removal, Replicas, Spread, Traits, Weights};
use crate::error::PlacementError;
use crate::growth::{Costs, Growth, Upkeep};
use crate::hash::KeyHash;
use crate::layout::Layout;
use crate::membership::{Member, Membership, Node};
use crate::owners::{Packed, narrow};
use crate::placement::{NodeId, Placement};
use crate::replicas::Visit;
use crate::ring::{Change, Pointing, naive};
use crate::work::{Tally, Work};

/// Registry entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "ring-index",
    title: "vnode ring, indexed",
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
        lookup: Growth::One,
        build: Growth::NV,
        change: Growth::Sum(&[Growth::V, Growth::N]),
        memory: Growth::NV,
        upkeep: Upkeep::Each,
    },
    empty: |settings| Ok(Box::new(IndexRing::new(settings.hash, settings.points)?)),
    naive,
};

/// The lines, with owners of as many bytes as the ids need.
#[derive(Clone, Debug)]
enum Lines {
    Narrow(Table<u16>),
    Wide(Table<u32>),
}

/// The same for both widths.
macro_rules! either {
    ($lines:expr, $table:ident => $body:expr) => {
        match $lines {
            Lines::Narrow($table) => $body,
            Lines::Wide($table) => $body,
        }
    };
}

/// The nodes and the index of their points.
#[derive(Clone, Debug)]
pub struct IndexRing {
    membership: Membership,
    pointing: Pointing,
    lines: Lines,
}

impl IndexRing {
    /// Without nodes; a node of weight 1 will have `points` points, placed by `hash`.
    ///
    /// # Errors
    /// When `points` is 0.
    pub fn new(hash: KeyHash, points: u32) -> Result<Self, PlacementError> {
        Ok(Self {
            membership: Membership::new(ALGORITHM.name, ALGORITHM.traits.weights),
            pointing: Pointing::new(hash, points)?,
            lines: Lines::Narrow(Table::of(&[])),
        })
    }

    #[inline]
    fn find(&self, key: u64, tally: &mut impl Tally) -> Option<NodeId> {
        either!(&self.lines, table => table.find(key, tally))
    }

    fn points(&self) -> usize {
        either!(&self.lines, table => table.len())
    }

    /// Cuts the circle anew for all members.
    fn load(&mut self) -> Result<(), PlacementError> {
        self.lines = match narrow(self.membership.joined()) {
            true => Lines::Narrow(self.dealt()?),
            false => Lines::Wide(self.dealt()?),
        };
        Ok(())
    }

    fn dealt<O: Packed + Entry>(&self) -> Result<Table<O>, PlacementError> {
        let count = |member: &Member| self.pointing.count(&member.name, member.weight);
        let mut points = 0;
        for member in self.membership.members() {
            points += count(member)? as usize;
        }
        let mut deal = Deal::new(points);
        for member in self.membership.by_name() {
            for position in self.positions(&member.name, 0..count(member)?) {
                deal.give(position, member.id);
            }
        }
        Ok(deal.table())
    }

    fn insert(&mut self, node: NodeId, positions: impl IntoIterator<Item = u64>) {
        let names = &self.membership;
        either!(&mut self.lines, table => {
            positions.into_iter().for_each(|position| table.insert(position, node, names));
            table.fit();
        });
    }

    fn withdraw(&mut self, node: NodeId, positions: impl IntoIterator<Item = u64>) {
        either!(&mut self.lines, table => {
            positions.into_iter().for_each(|position| table.remove(position, node));
            table.fit();
        });
    }

    /// Positions of the points of these numbers of a node.
    fn positions(&self, name: &str, indices: std::ops::Range<u32>) -> Vec<u64> {
        self.pointing.positions(name, indices)
    }
}

impl Placement for IndexRing {
    #[inline]
    fn place(&self, key: u64) -> Option<NodeId> {
        self.find(key, &mut ())
    }

    fn place_many(&self, keys: &[u64], owners: &mut [Option<NodeId>]) {
        assert_eq!(keys.len(), owners.len(), "one owner per key");
        // The width is decided once, and not again for each key.
        either!(&self.lines, table => table.find_many(keys, owners));
    }

    fn work(&self, key: u64) -> Work {
        Work::of(|work| self.find(key, work))
    }

    fn prefer(&self, key: u64, visit: &mut Visit<'_>) -> ControlFlow<()> {
        either!(&self.lines, table => table.walk(key, visit))
    }

    fn membership(&self) -> &Membership {
        &self.membership
    }

    fn extend(&mut self, nodes: Vec<Node>) -> Result<Vec<NodeId>, PlacementError> {
        self.membership.check(&nodes)?;
        self.pointing.check(self.points(), &nodes)?;
        let before = self.membership.joined();
        let ids = self.membership.admit(nodes);
        let wider = narrow(before) != narrow(self.membership.joined());
        let newcomers = ids.iter().filter_map(|&id| self.membership.get(id).ok());
        let weight: f64 = newcomers.map(|member| member.weight).sum();
        if wider || weight * 4.0 * self.pointing.points() > self.points() as f64 {
            self.load()?;
        } else {
            for &id in &ids {
                let member = self.membership.get(id)?;
                let count = self.pointing.count(&member.name, member.weight)?;
                let positions = self.positions(&member.name, 0..count);
                self.insert(id, positions);
            }
        }
        Ok(ids)
    }

    fn remove(&mut self, id: NodeId) -> Result<(), PlacementError> {
        let member = self.membership.get(id)?;
        let count = self.pointing.count(&member.name, member.weight)?;
        let positions = self.positions(&member.name, 0..count);
        self.withdraw(id, positions);
        self.membership.remove(id).map(drop)
    }

    fn reweigh(&mut self, id: NodeId, weight: f64) -> Result<(), PlacementError> {
        let member = self.membership.get(id)?;
        match self
            .pointing
            .change(&self.membership, self.points(), member, weight)?
        {
            Change::Gain(indices) => {
                let positions = self.positions(&member.name, indices);
                self.insert(id, positions);
            }
            Change::Lose(indices) => {
                let positions = self.positions(&member.name, indices);
                self.withdraw(id, positions);
            }
        }
        self.membership.reweigh(id, weight).map(drop)
    }

    fn layout(&self) -> Layout {
        Layout::Points(either!(&self.lines, table => table.sorted()))
    }

    fn heap_bytes(&self) -> usize {
        self.membership.heap_bytes() + either!(&self.lines, table => table.heap_bytes())
    }

    fn boxed_clone(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}

//! mod-N: the key hash modulo the number of nodes.
//!
//! The nodes stand in a list in joining order. A key belongs to the node at position `hash mod N`.
//! Removing a node closes the gap, so every later position shifts and nearly all keys move.
//!
//! | lookup | build | add | remove | memory | moved from N to M nodes |
//! |---|---|---|---|---|---|
//! | O(1) | O(N log N) | O(N), for the list of names | O(N) | 2 bytes a node, 4 from 65,535 nodes that ever joined, and the membership | 1 − gcd(N, M)/max(N, M) |
//!
//! Choose it when the number of nodes never changes. Do not when it may: from 12 to 14 nodes,
//! 85.7 % of the keys move where 14.3 % would do.
//!
//! Source: folklore. Deviations: none; the remainder is the exact one and not the high half of a
//! product, which keeps another set of keys in place.

use crate::algorithm::{Algorithm, Moves, Removal, Replicas, Settings, Spread, Traits, Weights};
use crate::error::PlacementError;
use crate::growth::{Costs, Growth, Upkeep};
use crate::layout::Layout;
use crate::membership::{Membership, Node};
use crate::owners::SlotTable;
use crate::placement::{NodeId, Placement};
use crate::work::{Tally, Work};

/// Registry entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "mod-n",
    title: "mod-N",
    source: "folklore",
    version: 1,
    traits: Traits {
        order_free: false,
        history_free: false,
        traceless: true,
        moves: Moves::Unbounded,
        removal: Removal::Any,
        weights: Weights::None,
        spread: Spread::Even,
        replicas: Replicas::Rehashed,
    },
    costs: Costs {
        lookup: Growth::One,
        build: Growth::NLogN,
        change: Growth::N,
        memory: Growth::N,
        upkeep: Upkeep::Shift,
    },
    empty: |_| Ok(Box::new(Modulo::new())),
    naive,
};

/// The list of nodes in joining order.
#[derive(Clone, Debug)]
pub struct Modulo {
    membership: Membership,
    table: SlotTable,
}

impl Modulo {
    /// Without nodes.
    pub fn new() -> Self {
        Self {
            membership: Membership::new(ALGORITHM.name, ALGORITHM.traits.weights),
            table: SlotTable::new(1),
        }
    }

    #[inline]
    fn find(&self, key: u64, tally: &mut impl Tally) -> Option<NodeId> {
        self.table.find(key, tally)
    }

    /// The list as the membership has it; without nodes, one place that nobody has.
    fn list(&mut self) {
        let nodes: Vec<NodeId> = self.membership.members().iter().map(|m| m.id).collect();
        self.table = match nodes.is_empty() {
            true => SlotTable::new(1),
            false => SlotTable::of(&nodes, self.membership.joined()),
        };
    }
}

impl Default for Modulo {
    fn default() -> Self {
        Self::new()
    }
}

impl Placement for Modulo {
    #[inline]
    fn place(&self, key: u64) -> Option<NodeId> {
        self.find(key, &mut ())
    }

    fn place_many(&self, keys: &[u64], owners: &mut [Option<NodeId>]) {
        self.table.find_many(keys, owners);
    }

    fn work(&self, key: u64) -> Work {
        Work::of(|work| self.find(key, work))
    }

    fn membership(&self) -> &Membership {
        &self.membership
    }

    fn extend(&mut self, nodes: Vec<Node>) -> Result<Vec<NodeId>, PlacementError> {
        self.membership.check(&nodes)?;
        let first = self.membership.is_empty();
        let ids = self.membership.admit(nodes);
        if first {
            self.list();
        } else {
            self.table.widen(self.membership.joined());
            self.table.append(&ids);
        }
        Ok(ids)
    }

    fn remove(&mut self, id: NodeId) -> Result<(), PlacementError> {
        self.membership.remove(id)?;
        self.list();
        Ok(())
    }

    fn reweigh(&mut self, id: NodeId, weight: f64) -> Result<(), PlacementError> {
        self.membership.reweigh(id, weight).map(drop)
    }

    fn layout(&self) -> Layout {
        Layout::Table(self.table.owners())
    }

    fn heap_bytes(&self) -> usize {
        self.membership.heap_bytes() + self.table.heap_bytes()
    }

    fn boxed_clone(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}

fn naive(_: &Settings, nodes: &[Node], keys: &[u64]) -> Vec<Option<usize>> {
    let owner = |key: &u64| (!nodes.is_empty()).then(|| (key % nodes.len() as u64) as usize);
    keys.iter().map(owner).collect()
}

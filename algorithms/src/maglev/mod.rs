//! Maglev: a table of prime size that the nodes fill in turns.
//!
//! Every node walks the slots in an order of its own, offset + i·skip modulo the prime size M, so
//! it reaches each slot once. The nodes take turns by name; at its turn a node takes the first free
//! slot of its walk. A key belongs to the owner of slot `hash mod M`.
//!
//! | lookup | build | add | remove | memory | moved by one node added to N |
//! |---|---|---|---|---|---|
//! | O(1): one read | O(M log M) in the mean | as build | as build | 2 bytes a slot, 4 from 65,535 nodes that ever joined, and the membership | more than the least possible, by about 0.2 % of all keys at M/N = 6500 and 3 % at M/N = 100 |
//!
//! Choose it for load balancers: the lookup is one read, and nodes differ by at most one slot. Do
//! not when changes are frequent (each refills the table) or when no key may move between
//! survivors.
//!
//! Source: Eisenbud et al., "Maglev: A Fast and Reliable Software Network Load Balancer", NSDI
//! 2016. Deviations: the paper leaves the order of turns open, here it is the order of names.
//! Weights work by turns, as in Envoy: a node of weight w takes part in about w/w_max of them.

mod fill;

use self::fill::fill_with;
pub use self::fill::{Walk, fill};
use crate::algorithm::{
    Algorithm, Moves, Removal, Replicas, Settings, Spread, Table, Traits, Weights,
};
use crate::error::PlacementError;
use crate::growth::{Costs, Growth, Upkeep};
use crate::hash::{KeyHash, Purpose};
use crate::layout::Layout;
use crate::membership::{Member, Membership, Node};
use crate::owners::{SlotTable, narrow, packed};
use crate::placement::{NodeId, Placement};
use crate::work::{Tally, Work};

/// Registry entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "maglev",
    title: "Maglev",
    source: "Eisenbud et al. 2016",
    version: 1,
    traits: Traits {
        order_free: true,
        history_free: true,
        traceless: true,
        moves: Moves::Approximate { unneeded: 0.05 },
        removal: Removal::Any,
        weights: Weights::Rounded,
        spread: Spread::Slots(Table::Turns),
        replicas: Replicas::Rehashed,
    },
    costs: Costs {
        lookup: Growth::One,
        build: Growth::MLogM,
        change: Growth::MLogM,
        memory: Growth::Sum(&[Growth::M, Growth::N]),
        upkeep: Upkeep::Refill,
    },
    empty: |settings| Ok(Box::new(Maglev::new(settings.hash, settings.table)?)),
    naive,
};

/// The most slots that a table has: the largest prime below 2^26.
pub const MAX_TABLE: u32 = 67_108_859;

/// Whether a table of `size` slots can serve `nodes` nodes.
///
/// # Errors
/// When the size is not a prime, above [`MAX_TABLE`], or below the number of nodes.
pub fn check_size(size: u32, nodes: usize) -> Result<(), PlacementError> {
    if size > MAX_TABLE {
        return Err(PlacementError::TableTooLarge {
            size,
            cap: MAX_TABLE,
        });
    }
    if !is_prime(size) {
        let next = (size..).find(|&next| is_prime(next)).unwrap_or(2);
        return Err(PlacementError::TableNotPrime { size, next });
    }
    if nodes > size as usize {
        return Err(PlacementError::TableTooSmall { size, nodes });
    }
    Ok(())
}

fn is_prime(n: u32) -> bool {
    n >= 2
        && (2..)
            .take_while(|d| d * d <= n)
            .all(|d| !n.is_multiple_of(d))
}

/// The filled table.
#[derive(Clone, Debug)]
pub struct Maglev {
    membership: Membership,
    hash: KeyHash,
    /// Without owners when no node is eligible, else all with one.
    table: SlotTable,
}

impl Maglev {
    /// Without nodes; a table of `size` slots, filled by walks that `hash` gives.
    ///
    /// # Errors
    /// When the size is not a prime or above [`MAX_TABLE`].
    pub fn new(hash: KeyHash, size: u32) -> Result<Self, PlacementError> {
        check_size(size, 0)?;
        Ok(Self {
            membership: Membership::new(ALGORITHM.name, ALGORITHM.traits.weights),
            hash,
            table: SlotTable::new(size),
        })
    }

    #[inline]
    fn find(&self, key: u64, tally: &mut impl Tally) -> Option<NodeId> {
        self.table.find(key, tally)
    }

    fn size(&self) -> u32 {
        self.table.len() as u32
    }

    fn walk(&self, member: &Member) -> Walk {
        walk(&self.hash, self.size(), &member.name, member.weight)
    }

    /// Refuses a change that would leave more eligible nodes than slots.
    fn check_room(&self, newcomers: usize) -> Result<(), PlacementError> {
        let members = self.membership.members().iter();
        let eligible = members.filter(|member| member.weight > 0.0).count();
        check_size(self.size(), eligible + newcomers)
    }

    fn refill(&mut self) -> Result<(), PlacementError> {
        let eligible = || {
            self.membership
                .by_name()
                .filter(|member| member.weight > 0.0)
        };
        let walks: Vec<Walk> = eligible().map(|member| self.walk(member)).collect();
        let nodes: Vec<NodeId> = eligible().map(|member| member.id).collect();
        if !nodes.is_empty() {
            self.table = match narrow(self.membership.joined()) {
                true => SlotTable::narrow(fill_with(self.size(), &walks, &packed(&nodes))?),
                false => SlotTable::wide(fill_with(self.size(), &walks, &packed(&nodes))?),
            };
        } else {
            self.table.clear();
        }
        Ok(())
    }
}

fn walk(hash: &KeyHash, size: u32, name: &str, weight: f64) -> Walk {
    // A table of 2 slots has a single step.
    let steps = u64::from(size - 1);
    Walk {
        offset: (hash.label(Purpose::Offset, name) % u64::from(size)) as u32,
        skip: (hash.label(Purpose::Skip, name) % steps + 1) as u32,
        weight,
    }
}

impl Placement for Maglev {
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
        self.check_room(nodes.iter().filter(|node| node.weight > 0.0).count())?;
        let ids = self.membership.admit(nodes);
        self.refill()?;
        Ok(ids)
    }

    fn remove(&mut self, id: NodeId) -> Result<(), PlacementError> {
        self.membership.remove(id)?;
        self.refill()
    }

    fn reweigh(&mut self, id: NodeId, weight: f64) -> Result<(), PlacementError> {
        let member = self.membership.get(id)?;
        self.membership.check_weight(&member.name, weight)?;
        self.check_room(usize::from(member.weight == 0.0 && weight > 0.0))?;
        self.membership.reweigh(id, weight)?;
        self.refill()
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

/// Deals slots out turn by turn: at its turn a node draws slots of its order until one is free.
fn naive(settings: &Settings, nodes: &[Node], keys: &[u64]) -> Vec<Option<usize>> {
    let size = u64::from(settings.table);
    let mut dealt: Vec<usize> = (0..nodes.len())
        .filter(|&at| nodes[at].weight > 0.0)
        .collect();
    dealt.sort_by_key(|&at| &nodes[at].name);
    if dealt.is_empty() {
        return vec![None; keys.len()];
    }
    let heaviest = nodes.iter().map(|node| node.weight).fold(0.0, f64::max);
    let order = |at: usize| {
        let Walk { offset, skip, .. } = walk(&settings.hash, settings.table, &nodes[at].name, 1.0);
        (0..size).map(move |i| (u64::from(offset) + i * u64::from(skip)) % size)
    };
    let rate = |at: usize| (nodes[at].weight / heaviest * 4_294_967_296.0).round() as u128;
    let mut hands: Vec<_> = dealt
        .iter()
        .map(|&at| (at, order(at), rate(at), 0u128))
        .collect();
    let mut table: Vec<Option<usize>> = vec![None; size as usize];
    let mut free = size;
    for turn in 1u128.. {
        for (at, order, rate, taken) in &mut hands {
            if turn * *rate + turn / 2 < *taken * 4_294_967_296 {
                continue;
            }
            if let Some(slot) = order.find(|&slot| table[slot as usize].is_none()) {
                table[slot as usize] = Some(*at);
                *taken += 1;
                free -= 1;
            }
        }
        if free == 0 {
            break;
        }
    }
    keys.iter()
        .map(|key| table[(key % size) as usize])
        .collect()
}

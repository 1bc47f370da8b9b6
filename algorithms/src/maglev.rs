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
use crate::remainder::{BEHIND, Divisor};
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

/// A node's order of slots: offset, offset + skip, offset + 2·skip, … modulo the size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Walk {
    /// First slot, below the size.
    pub offset: u32,
    /// Step, between 1 and size − 1.
    pub skip: u32,
    /// Weight above 0; only its ratio to the largest one matters.
    pub weight: f64,
}

/// Fills a table of prime `size` by turns in the order of `walks`; each slot gets an index into
/// `walks`. Empty without walks.
///
/// # Errors
/// When the size is not a prime, above [`MAX_TABLE`], or below the number of walks, or a walk does
/// not fit the size.
pub fn fill(size: u32, walks: &[Walk]) -> Result<Vec<u32>, PlacementError> {
    let indices: Vec<u32> = (0..walks.len() as u32).collect();
    fill_with(size, walks, &indices)
}

/// The same with a value for each walk in place of its index.
fn fill_with<T: Copy>(size: u32, walks: &[Walk], values: &[T]) -> Result<Vec<T>, PlacementError> {
    check_size(size, walks.len())?;
    let Some(&any) = values.first() else {
        return Ok(Vec::new());
    };
    let fits = |walk: &Walk| {
        let takes = walk.weight > 0.0 && walk.weight.is_finite();
        walk.offset < size && (1..size).contains(&walk.skip) && takes
    };
    if let Some(index) = walks.iter().position(|walk| !fits(walk)) {
        return Err(PlacementError::InvalidWalk { index, size });
    }
    let heaviest = walks.iter().map(|walk| walk.weight).fold(0.0, f64::max);
    // The share of turns as a 32-bit fraction: turns are then counted in exact integers, and
    // scaling all weights changes nothing.
    let rate = |walk: &Walk| (walk.weight / heaviest * (1u64 << 32) as f64).round() as u64;
    let walkers = walks.iter().zip(values);
    let mut walkers: Vec<Walker<T>> = walkers
        .map(|(walk, &value)| Walker::new(walk, rate(walk), value))
        .collect();
    // With room for what a table of slots puts behind its end.
    let mut table = Vec::with_capacity(size as usize + BEHIND);
    table.resize(size as usize, any);
    let mut filling = Filling {
        table,
        room: Room::new(size),
    };
    let mut turns = 1..;
    // Few slots are left when going through all of them costs less than walking to one of them.
    let few = size.isqrt();
    while filling.room.left > few
        && let Some(turn) = turns.next()
    {
        // How many slots of a walk are looked at together, for one of them to be free.
        let give = match size / filling.room.left {
            1 => Filling::give::<2>,
            2..4 => Filling::give::<4>,
            _ => Filling::give::<8>,
        };
        give(&mut filling, turn, &mut walkers);
    }
    filling.give_last(turns, &mut walkers);
    Ok(filling.table)
}

struct Filling<T> {
    table: Vec<T>,
    room: Room,
}

impl<T: Copy> Filling<T> {
    /// One turn, as long as there are free slots.
    fn give<const STRIDE: usize>(&mut self, turn: u64, walkers: &mut [Walker<T>]) {
        for walker in walkers.iter_mut() {
            if !walker.sits_out(turn) && self.room.left > 0 {
                let slot = walker.next_free::<STRIDE>(&self.room);
                self.room.take(slot);
                self.table[slot as usize] = walker.value;
            }
        }
    }

    /// The turns that give away the last few slots: how many steps of a walk lead to a slot is
    /// computed, and the nearest one is taken.
    fn give_last(&mut self, turns: impl Iterator<Item = u64>, walkers: &mut [Walker<T>]) {
        let size = self.room.size;
        let mut left: Vec<u32> = (0..size)
            .filter(|&slot| self.room.free(slot) == 1)
            .collect();
        for turn in turns {
            for walker in walkers.iter_mut() {
                if walker.sits_out(turn) {
                    continue;
                }
                let steps = walker.steps(size);
                let Some(nearest) = (0..left.len()).min_by_key(|&at| steps(left[at])) else {
                    return;
                };
                let slot = left.swap_remove(nearest);
                walker.move_on(slot, &self.room);
                self.table[slot as usize] = walker.value;
            }
        }
    }
}

/// Which slots are free: one bit each, so that all of them stay in the nearest cache.
struct Room {
    size: u32,
    free: Vec<u64>,
    left: u32,
}

impl Room {
    fn new(size: u32) -> Self {
        Self {
            size,
            free: vec![u64::MAX; size.div_ceil(64) as usize],
            left: size,
        }
    }

    /// 1 if the slot is free, else 0.
    fn free(&self, slot: u32) -> u32 {
        (self.free[slot as usize / 64] >> (slot % 64)) as u32 & 1
    }

    fn take(&mut self, slot: u32) {
        self.free[slot as usize / 64] &= !(1 << (slot % 64));
        self.left -= 1;
    }

    /// `slot` moved on by `steps`, both below the size.
    fn after(&self, slot: u32, steps: u32) -> u32 {
        let next = slot + steps;
        next.min(next.wrapping_sub(self.size))
    }
}

struct Walker<T> {
    value: T,
    slot: u32,
    skip: u32,
    /// What a step is worth: 1/skip modulo the size, or 0 where it was not needed yet.
    inverse: u32,
    rate: u64,
    taken: u64,
}

impl<T> Walker<T> {
    fn new(walk: &Walk, rate: u64, value: T) -> Self {
        Self {
            value,
            slot: walk.offset,
            skip: walk.skip,
            inverse: 0,
            rate,
            taken: 0,
        }
    }

    /// Whether the node is ahead of its rate. Half a unit per turn makes up for the rounding of
    /// the rate, so that a ratio such as 1/3 takes every third turn.
    fn sits_out(&self, turn: u64) -> bool {
        turn * self.rate + turn / 2 < self.taken << 32
    }

    /// The next free slot of the walk. There is one, since the walk reaches every slot of a prime
    /// table and some slot is free.
    fn next_free<const STRIDE: usize>(&mut self, room: &Room) -> u32 {
        loop {
            let mut next = self.slot;
            let mut slots = [0; STRIDE];
            let mut free = 0;
            for (at, slot) in slots.iter_mut().enumerate() {
                *slot = next;
                free |= room.free(next) << at;
                next = room.after(next, self.skip);
            }
            if free != 0 {
                let slot = slots[free.trailing_zeros() as usize % STRIDE];
                self.move_on(slot, room);
                return slot;
            }
            self.slot = next;
        }
    }

    /// Takes a slot of its walk.
    fn move_on(&mut self, slot: u32, room: &Room) {
        self.slot = room.after(slot, self.skip);
        self.taken += 1;
    }

    /// How many steps of the walk lead to each slot.
    fn steps(&mut self, size: u32) -> impl Fn(u32) -> u64 + use<T> {
        if self.inverse == 0 {
            self.inverse = inverse(self.skip, size);
        }
        let (from, inverse) = (self.slot, u64::from(self.inverse));
        let size = Divisor::new(size as usize);
        move |slot| {
            let distance = size.remainder(size.divisor() + u64::from(slot) - u64::from(from));
            size.remainder(distance * inverse)
        }
    }
}

/// The number whose product with `number` is 1 modulo a prime, by Euclid's algorithm.
fn inverse(number: u32, prime: u32) -> u32 {
    let (mut a, mut b) = (i64::from(prime), i64::from(number));
    let (mut x, mut y) = (0, 1);
    while b != 0 {
        let quotient = a / b;
        (a, b) = (b, a - quotient * b);
        (x, y) = (y, x - quotient * y);
    }
    x.rem_euclid(i64::from(prime)) as u32
}

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

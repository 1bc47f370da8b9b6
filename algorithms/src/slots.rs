//! Fixed slots: a key belongs to a slot for ever, and slots are handed from node to node.
//!
//! The slot of a key is `hash mod S`. Each node is due its quota S·w/Σw of the slots, rounded to
//! whole ones by the largest remainder; of equal remainders the first by name is rounded up. After a
//! change, who has more than is due puts its newest slots on a pile, and who has less picks them up,
//! in the opposite order of names. So joining and leaving undo each other: of equal nodes, one that
//! leaves and comes right back gets its own slots again.
//!
//! | lookup | build | add | remove | memory | moved by a change |
//! |---|---|---|---|---|---|
//! | O(1): one read | O(S log N + N²): nodes join one by one | O(N + S/N) | as add | 6 to 10 bytes a slot, 24 a node and the membership | exactly the least for whole slots, ½·Σ\|change of a node's count\| |
//!
//! Choose it for stores: slots are few enough to keep a list of who has which, and to move and copy
//! them one by one. Do not where clients must find owners from the names of the nodes alone: past
//! changes decide who has which slot, so that the table itself has to be shared.
//!
//! Source: Redis Cluster, which has 16,384 slots; with the hash [`crate::hash::REDIS`] a key is in
//! the same slot here as there. Deviations: Redis leaves it to its tools who gets which slots. A
//! node whose quota is below one slot has one all the same, and the others share the rest. Weights
//! count as fractions of the heaviest one in 32 bits.

use crate::algorithm::{
    Algorithm, Moves, Removal, Replicas, Settings, Spread, Table, Traits, Weights,
};
use crate::error::PlacementError;
use crate::growth::{Costs, Growth, Upkeep};
use crate::layout::Layout;
use crate::membership::{Membership, Node};
use crate::owners::SlotTable;
use crate::placement::{NodeId, Placement};
use crate::work::{Tally, Work};

/// Registry entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "slots",
    title: "fixed slots",
    source: "Redis Cluster",
    version: 1,
    traits: Traits {
        order_free: false,
        history_free: false,
        traceless: false,
        moves: Moves::Rounded,
        removal: Removal::Any,
        weights: Weights::Rounded,
        spread: Spread::Slots(Table::Quotas),
        replicas: Replicas::Rehashed,
    },
    costs: Costs {
        lookup: Growth::One,
        build: Growth::Sum(&[Growth::MLogN, Growth::NSquared]),
        change: Growth::Sum(&[Growth::MOverN, Growth::N]),
        memory: Growth::Sum(&[Growth::M, Growth::N]),
        upkeep: Upkeep::Each,
    },
    empty: |settings| Ok(Box::new(Slots::new(settings.slots)?)),
    naive,
};

/// The most slots that there can be.
pub const MAX_SLOTS: u32 = 1 << 26;

/// Whether so many slots can serve `nodes` nodes.
///
/// # Errors
/// When there are no slots, more than [`MAX_SLOTS`], or fewer than nodes.
pub fn check_size(slots: u32, nodes: usize) -> Result<(), PlacementError> {
    if !(1..=MAX_SLOTS).contains(&slots) {
        return Err(PlacementError::SlotCount {
            slots,
            cap: MAX_SLOTS,
        });
    }
    if nodes > slots as usize {
        return Err(PlacementError::TooFewSlots { slots, nodes });
    }
    Ok(())
}

/// How many of `slots` slots each node is due: none without a weight, at least one with a weight,
/// else its quota rounded by the largest remainder, the first of equal ones being rounded up.
///
/// # Errors
/// As [`check_size`], for the nodes that have a weight.
pub fn due(slots: u32, weights: &[f64]) -> Result<Vec<u32>, PlacementError> {
    let eligible = weights.iter().filter(|weight| **weight > 0.0).count();
    check_size(slots, eligible)?;
    Ok(quotas(slots, weights))
}

fn quotas(slots: u32, weights: &[f64]) -> Vec<u32> {
    let units = units(weights);
    let (mut left, mut total) = (u64::from(slots), units.iter().sum::<u64>());
    let mut due = vec![0; units.len()];
    // Whom one slot is more than fair gets one; that leaves less for the others, so look again.
    let mut before = u64::MAX;
    while before != left {
        before = left;
        for (due, unit) in due.iter_mut().zip(&units) {
            if *due == 0 && *unit > 0 && left * unit < total {
                *due = 1;
                left -= 1;
                total -= unit;
            }
        }
    }
    let mut quota = remembering(|unit: u64| (left * unit / total, left * unit % total));
    let mut remainders = Vec::with_capacity(units.len());
    let mut spare = left;
    for (at, (due, unit)) in due.iter_mut().zip(&units).enumerate() {
        if *due == 0 && *unit > 0 {
            let (whole, remainder) = quota(*unit);
            *due = whole as u32;
            spare -= whole;
            remainders.push((remainder, at));
        }
    }
    remainders.sort_by_key(|&(remainder, _)| std::cmp::Reverse(remainder));
    for (_, at) in remainders.into_iter().take(spare as usize) {
        due[at] += 1;
    }
    due
}

/// Weights as whole numbers, so that quotas are compared exactly and a common factor means nothing.
fn units(weights: &[f64]) -> Vec<u64> {
    let heaviest = weights.iter().copied().fold(0.0, f64::max);
    let unit = remembering(|weight: f64| match weight > 0.0 {
        true => ((weight / heaviest * (1u64 << 32) as f64).round() as u64).max(1),
        false => 0,
    });
    weights.iter().copied().map(unit).collect()
}

/// The same function, which is not asked twice in a row for the same: most nodes weigh alike, and
/// dividing takes longer than all the rest.
fn remembering<A: Copy + PartialEq, B: Copy>(function: impl Fn(A) -> B) -> impl FnMut(A) -> B {
    let mut last: Option<(A, B)> = None;
    move |asked| match last {
        Some((known, answer)) if known == asked => answer,
        _ => {
            let answer = function(asked);
            last = Some((asked, answer));
            answer
        }
    }
}

/// The table of slots and what each node has in hand.
#[derive(Clone, Debug)]
pub struct Slots {
    membership: Membership,
    /// All `None` when no node is eligible, else all `Some`.
    table: SlotTable,
    /// Slots of each member, the newest last; members stand in joining order.
    hands: Vec<Vec<u32>>,
    /// Slots that nobody has.
    pile: Vec<u32>,
}

impl Slots {
    /// Without nodes.
    ///
    /// # Errors
    /// When there are no slots, or more than [`MAX_SLOTS`].
    pub fn new(slots: u32) -> Result<Self, PlacementError> {
        check_size(slots, 0)?;
        Ok(Self {
            membership: Membership::new(ALGORITHM.name, ALGORITHM.traits.weights),
            table: SlotTable::new(slots),
            hands: Vec::new(),
            pile: (0..slots).rev().collect(),
        })
    }

    /// The slot of the key with this hash, whoever has it.
    ///
    /// ```
    /// use algorithms::hash::REDIS;
    /// use algorithms::slots::Slots;
    ///
    /// // As `CLUSTER KEYSLOT` says.
    /// let cluster = Slots::new(16_384)?;
    /// assert_eq!(cluster.slot_of(REDIS.of(b"123456789")), 12_739);
    /// assert_eq!(cluster.slot_of(REDIS.of(b"{user:42}.cart")), cluster.slot_of(REDIS.of(b"user:42")));
    /// # Ok::<(), algorithms::PlacementError>(())
    /// ```
    pub fn slot_of(&self, key: u64) -> u32 {
        (key % self.table.len() as u64) as u32
    }

    #[inline]
    fn find(&self, key: u64, tally: &mut impl Tally) -> Option<NodeId> {
        self.table.find(key, tally)
    }

    /// Refuses a change that would leave more eligible nodes than slots.
    fn check_room(&self, newcomers: usize) -> Result<(), PlacementError> {
        let eligible = self.membership.eligible() + newcomers;
        check_size(self.table.len() as u32, eligible)
    }

    /// Gives the first `count` members what they are due, with the fewest slots moved.
    fn share_out(&mut self, count: usize) {
        let members = &self.membership.members()[..count];
        let by_name = self.membership.positions_by_name();
        let by_name: Vec<usize> = by_name.filter(|&at| at < count).collect();
        let weights: Vec<f64> = by_name.iter().map(|&at| members[at].weight).collect();
        let due = quotas(self.table.len() as u32, &weights);
        let mut takers = Vec::new();
        for (&at, &due) in by_name.iter().zip(&due).rev() {
            let (hand, due) = (&mut self.hands[at], due as usize);
            if hand.len() <= due {
                takers.extend((hand.len() < due).then_some((at, due)));
                continue;
            }
            self.pile.extend(hand.drain(due..).rev());
            if hand.capacity() > 2 * hand.len() {
                hand.shrink_to_fit();
            }
        }
        if self.pile.len() == self.table.len() {
            // Nobody has anything: it is as if nobody ever had.
            self.pile.sort_unstable_by(|a, b| b.cmp(a));
            self.table.clear();
        }
        for (at, due) in takers.into_iter().rev() {
            let hand = &mut self.hands[at];
            let wanted = due - hand.len();
            for slot in self.pile.drain(self.pile.len() - wanted..).rev() {
                self.table.set(slot as usize, members[at].id);
                hand.push(slot);
            }
        }
        self.pile.shrink_to_fit();
    }
}

impl Placement for Slots {
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

    /// The nodes join one by one, in the order of the list.
    fn extend(&mut self, nodes: Vec<Node>) -> Result<Vec<NodeId>, PlacementError> {
        self.membership.check(&nodes)?;
        self.check_room(nodes.iter().filter(|node| node.weight > 0.0).count())?;
        // Who has no weight takes nothing from the others.
        let joined = self.hands.len() + 1..;
        let joined = joined.zip(nodes.iter().map(|node| node.weight > 0.0));
        let joined: Vec<usize> = joined.filter(|one| one.1).map(|one| one.0).collect();
        let ids = self.membership.admit(nodes);
        self.table.widen(self.membership.joined());
        self.hands.resize_with(self.membership.len(), Vec::new);
        joined.into_iter().for_each(|count| self.share_out(count));
        Ok(ids)
    }

    fn remove(&mut self, id: NodeId) -> Result<(), PlacementError> {
        let at = self.membership.position(id)?;
        self.membership.remove(id)?;
        self.pile.extend(self.hands.remove(at).into_iter().rev());
        self.share_out(self.hands.len());
        Ok(())
    }

    fn reweigh(&mut self, id: NodeId, weight: f64) -> Result<(), PlacementError> {
        let member = self.membership.get(id)?;
        self.membership.check_weight(&member.name, weight)?;
        self.check_room(usize::from(member.weight == 0.0 && weight > 0.0))?;
        self.membership.reweigh(id, weight)?;
        self.share_out(self.hands.len());
        Ok(())
    }

    fn layout(&self) -> Layout {
        Layout::Table(self.table.owners())
    }

    fn heap_bytes(&self) -> usize {
        let hands: usize = self.hands.iter().map(Vec::capacity).sum();
        self.membership.heap_bytes()
            + self.table.heap_bytes()
            + self.hands.capacity() * size_of::<Vec<u32>>()
            + (hands + self.pile.capacity()) * size_of::<u32>()
    }

    fn boxed_clone(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}

/// Plays the joins one after another, slot by slot: the last by name that has too many puts one down
/// first, and the first that has too few picks one up first.
fn naive(settings: &Settings, nodes: &[Node], keys: &[u64]) -> Vec<Option<usize>> {
    // Owner and turn of each slot; the turn tells which slot is the newest.
    let mut slots: Vec<Option<(usize, u64)>> = vec![None; settings.slots as usize];
    let mut turn = 0;
    for count in 1..=nodes.len() {
        let mut by_name: Vec<usize> = (0..count).collect();
        by_name.sort_by_key(|&at| &nodes[at].name);
        let weights: Vec<f64> = by_name.iter().map(|&at| nodes[at].weight).collect();
        let due = naive_quotas(settings.slots, &weights);
        let mut own = vec![Vec::new(); count];
        let mut pile = Vec::new();
        for (slot, owner) in slots.iter().enumerate().rev() {
            match owner {
                Some((at, turn)) => own[*at].push((*turn, slot)),
                None => pile.push(slot),
            }
        }
        own.iter_mut().for_each(|own| own.sort_unstable());
        for (&at, &due) in by_name.iter().zip(&due).rev() {
            while own[at].len() as u64 > due {
                pile.extend(own[at].pop().map(|(_, slot)| slot));
            }
        }
        for (&at, &due) in by_name.iter().zip(&due) {
            for _ in own[at].len() as u64..due {
                turn += 1;
                let slot = pile.pop();
                slot.into_iter()
                    .for_each(|slot| slots[slot] = Some((at, turn)));
            }
        }
    }
    let owner = |key: &u64| slots[(key % slots.len() as u64) as usize].map(|(at, _)| at);
    keys.iter().map(owner).collect()
}

/// Lets the lightest nodes have their one slot first, then rounds down and hands out the rest.
fn naive_quotas(slots: u32, weights: &[f64]) -> Vec<u64> {
    let units = units(weights);
    let mut due = vec![0; units.len()];
    let mut lightest: Vec<usize> = (0..units.len()).filter(|&at| units[at] > 0).collect();
    lightest.sort_by_key(|&at| units[at]);
    let (mut left, mut total) = (u64::from(slots), units.iter().sum::<u64>());
    let mut others = &lightest[..];
    while let [first, rest @ ..] = others
        && left * units[*first] < total
    {
        due[*first] = 1;
        left -= 1;
        total -= units[*first];
        others = rest;
    }
    let mut others = others.to_vec();
    others
        .iter()
        .for_each(|&at| due[at] = left * units[at] / total);
    let rest = left - others.iter().map(|&at| due[at]).sum::<u64>();
    others.sort_by_key(|&at| (total - left * units[at] % total, at));
    others
        .iter()
        .take(rest as usize)
        .for_each(|&at| due[at] += 1);
    due
}

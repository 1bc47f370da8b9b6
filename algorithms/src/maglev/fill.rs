//! Filling the table by turns.

use super::check_size;
use crate::error::PlacementError;
use crate::remainder::BEHIND;
use crate::simd::Level;
use crate::simd::walks::{Walking, nearest_at};

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
/// When the size is not a prime, above [`MAX_TABLE`](super::MAX_TABLE), or below the number of walks, or a walk does
/// not fit the size.
pub fn fill(size: u32, walks: &[Walk]) -> Result<Vec<u32>, PlacementError> {
    let indices: Vec<u32> = (0..walks.len() as u32).collect();
    fill_with(size, walks, &indices)
}

/// The same with a value for each walk in place of its index.
pub(super) fn fill_with<T: Copy>(
    size: u32,
    walks: &[Walk],
    values: &[T],
) -> Result<Vec<T>, PlacementError> {
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
    let level = Level::in_use();
    let few = size.isqrt() * if level == Level::PORTABLE { 1 } else { 2 };
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
    filling.give_last(level, turns, &mut walkers);
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
    fn give_last(
        &mut self,
        level: Level,
        turns: impl Iterator<Item = u64>,
        walkers: &mut [Walker<T>],
    ) {
        let size = self.room.size;
        let mut left = self.room.list();
        for turn in turns {
            for walker in walkers.iter_mut() {
                if walker.sits_out(turn) {
                    continue;
                }
                if left.is_empty() {
                    return;
                }
                let nearest = nearest_at(level, walker.walking(size), &left);
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

    /// The free slots.
    fn list(&self) -> Vec<u32> {
        let mut slots = Vec::new();
        for (&word, first) in self.free.iter().zip((0..).step_by(64)) {
            let mut word = word;
            while word != 0 {
                slots.push(first + word.trailing_zeros());
                word &= word - 1;
            }
        }
        // The last word has bits behind the last slot.
        slots.truncate(self.left as usize);
        slots
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
    /// ⌊inverse · 2^32/size⌋.
    ratio: u32,
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
            ratio: 0,
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

    /// Where it stands and how it goes on.
    fn walking(&mut self, size: u32) -> Walking {
        if self.inverse == 0 {
            self.inverse = inverse(self.skip, size);
            self.ratio = ((u64::from(self.inverse) << 32) / u64::from(size)) as u32;
        }
        Walking {
            size,
            slot: self.slot,
            inverse: self.inverse,
            ratio: self.ratio,
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

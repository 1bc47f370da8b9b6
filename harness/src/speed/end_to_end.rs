//! Time of what is done with the bytes of a key: hashing it, placing it, or reading a table once.

use std::hint::black_box;
use std::ops::Range;
use std::time::{Duration, Instant};

use algorithms::hash::mix;
use algorithms::{KeyHash, NodeId, Placement};

use crate::measure::lookup::{PER_SAMPLE, samples_to_warm};
use crate::record::Metric;

/// What is done with one key after another.
pub(super) trait Work {
    /// What comes of a key.
    type Out: Copy + Default + PartialEq;

    /// What is timed.
    fn of(&self, key: &[u8]) -> Self::Out;

    /// What must come of the key at this position.
    fn wanted(&self, position: usize) -> Self::Out;
}

/// The hash alone.
pub(super) struct Hashed<'a> {
    pub(super) hash: KeyHash,
    pub(super) hashes: &'a [u64],
}

impl Work for Hashed<'_> {
    type Out = u64;

    #[inline]
    fn of(&self, key: &[u8]) -> u64 {
        self.hash.of(key)
    }

    fn wanted(&self, position: usize) -> u64 {
        self.hashes[position]
    }
}

/// From the bytes of the key to its owner.
pub(super) struct Placed<'a> {
    pub(super) hash: KeyHash,
    pub(super) placement: &'a dyn Placement,
    pub(super) owners: &'a [Option<NodeId>],
}

impl Work for Placed<'_> {
    type Out = Option<NodeId>;

    #[inline]
    fn of(&self, key: &[u8]) -> Option<NodeId> {
        self.placement.place(self.hash.of(key))
    }

    fn wanted(&self, position: usize) -> Option<NodeId> {
        self.owners[position]
    }
}

/// The floor: the hash, and one read of a table at a place that it decides.
pub(super) struct Read<'a> {
    pub(super) hash: KeyHash,
    pub(super) hashes: &'a [u64],
    pub(super) table: &'a [u32],
}

/// A table of so many bytes. One can be read as a part of a larger one.
pub(super) fn table(bytes: u64) -> Vec<u32> {
    (0..entries(bytes) as u64).map(entry).collect()
}

/// Entries of a table of so many bytes, a line of the cache at least.
pub(super) fn entries(bytes: u64) -> usize {
    (bytes as usize).max(64) / size_of::<u32>()
}

fn entry(place: u64) -> u32 {
    mix(place) as u32
}

impl Read<'_> {
    /// The place for this hash: its part of the whole, as a table of any size can be read without
    /// a division.
    fn place(&self, hash: u64) -> usize {
        ((u128::from(hash) * self.table.len() as u128) >> 64) as usize
    }
}

impl Work for Read<'_> {
    type Out = u32;

    #[inline]
    fn of(&self, key: &[u8]) -> u32 {
        self.table[self.place(self.hash.of(key))]
    }

    fn wanted(&self, position: usize) -> u32 {
        entry(self.place(self.hashes[position]) as u64)
    }
}

/// All rounds of one kind of work on the keys of one length.
pub(super) struct Series {
    positions: Range<usize>,
    next: usize,
    per_round: usize,
    warm_up: usize,
    rounds: Vec<f64>,
}

impl Series {
    /// Prepares a series over the keys at these positions, whole samples; tries one sample to find
    /// how many make a round. Untimed ones before each round bring the `read` bytes of the placement, or
    /// of the table, back into the caches.
    ///
    /// # Errors
    /// When something else comes of a key than must, in words.
    pub(super) fn new(
        work: &impl Work,
        keys: &[&[u8]],
        positions: Range<usize>,
        round: Duration,
        read: u64,
    ) -> Result<Self, String> {
        let samples = positions.len() / PER_SAMPLE;
        let mut series = Self {
            positions,
            next: 0,
            per_round: 1,
            warm_up: 1,
            rounds: Vec::new(),
        };
        series.round(work, keys)?;
        let each = series.rounds.pop().unwrap_or(1.0).max(0.01);
        let wanted = (round.as_nanos() as f64 / each) as usize / PER_SAMPLE;
        series.per_round = wanted.clamp(1, samples);
        series.warm_up = series.per_round.max(samples_to_warm(read, each));
        Ok(series)
    }

    /// Times one round.
    ///
    /// # Errors
    /// When something else comes of a key than must, in words.
    pub(super) fn round<W: Work>(&mut self, work: &W, keys: &[&[u8]]) -> Result<(), String> {
        let mut out = [W::Out::default(); PER_SAMPLE];
        let mut spent = Duration::ZERO;
        for sample in 0..self.warm_up + self.per_round {
            let positions = self.advance();
            let keys = &keys[positions.clone()];
            fetch(keys);
            let start = Instant::now();
            for (key, out) in black_box(keys).iter().zip(&mut out) {
                *out = work.of(key);
            }
            black_box(&mut out);
            if sample >= self.warm_up {
                spent += start.elapsed();
            }
            if !positions.map(|position| work.wanted(position)).eq(out) {
                return Err("keys in bytes got other owners than the verified ones".into());
            }
        }
        let lookups = self.per_round * PER_SAMPLE;
        self.rounds.push(spent.as_nanos() as f64 / lookups as f64);
        Ok(())
    }

    /// Positions of the next sample.
    fn advance(&mut self) -> Range<usize> {
        let start = self.positions.start + self.next;
        self.next = (self.next + PER_SAMPLE) % self.positions.len();
        start..start + PER_SAMPLE
    }

    /// The median over rounds.
    pub(super) fn median(&self) -> Metric {
        Metric::median(&self.rounds)
    }
}

/// Brings keys into the caches, where a request that has just arrived has its own.
fn fetch(keys: &[&[u8]]) {
    let lines = keys.iter().flat_map(|key| key.iter().step_by(64));
    black_box(lines.fold(0, |sum, byte| sum ^ byte));
}

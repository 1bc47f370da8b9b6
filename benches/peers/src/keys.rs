//! The keys: random numbers, swept in order.

use harness::record;
use harness::workload::Random;

/// Keys: in full, and with `--quick`.
const KEYS: [usize; 2] = [1 << 20, 1 << 18];
/// Nodes that a sweep looks at, of a row that looks at all for each key: in full, and with
/// `--quick`.
const LOOKS: [usize; 2] = [1_000_000, 250_000];
/// The stream of random numbers that no other measurement takes.
const PURPOSE: u64 = 20;

/// Random keys.
pub struct Keys {
    all: Vec<u64>,
    looks: usize,
    seed: u64,
}

impl Keys {
    /// Those of this seed.
    pub fn new(seed: u64, quick: bool) -> Self {
        let mut random = Random::new(seed, PURPOSE);
        let preset = usize::from(quick);
        Self {
            all: (0..KEYS[preset]).map(|_| random.bits()).collect(),
            looks: LOOKS[preset],
            seed,
        }
    }

    /// All of them.
    pub fn all(&self) -> &[u64] {
        &self.all
    }

    /// How many of them, from the first, a row sweeps at so many nodes: it is the same on every
    /// machine.
    pub fn swept(&self, linear: bool, nodes: u32) -> usize {
        match linear {
            true => (self.looks / nodes as usize).clamp(1, self.all.len()),
            false => self.all.len(),
        }
    }

    /// How many of them have their owners checked before that: ten times as many, where there are.
    pub fn checked(&self, linear: bool, nodes: u32) -> usize {
        (10 * self.swept(linear, nodes)).min(self.all.len())
    }

    /// Where they come from, as part of an id.
    pub fn source(&self) -> String {
        format!("random-u64-{}-seed-{}", self.all.len(), self.seed)
    }

    /// The keys in numbers.
    pub fn record(&self) -> record::Keys {
        record::Keys {
            source: self.source(),
            distinct: self.all.len() as u64,
            key_bytes: size_of_val(&*self.all) as u64,
            requests: None,
            object_bytes: None,
        }
    }
}

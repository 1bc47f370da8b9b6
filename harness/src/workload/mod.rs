//! The keys that are placed: random ones, or real ones from a file, with popularity and sizes.

mod file;
mod pool;
mod random;

use algorithms::KeyHash;

pub use file::{Column, read};
pub use pool::{Pool, affordable};
pub use random::{Random, random, random_of};

/// Distinct keys with their hashes, and what each weighs.
#[derive(Clone, Debug)]
pub struct Workload {
    /// Where the keys come from; part of every cell's id.
    pub source: String,
    hash: KeyHash,
    /// All keys end to end.
    bytes: Vec<u8>,
    /// Where each key ends in `bytes`.
    ends: Vec<usize>,
    /// Hash of each key.
    pub hashes: Vec<u64>,
    /// Requests for each key, where they are known.
    pub requests: Option<Vec<u64>>,
    /// Size of each key's object in bytes, where it is known.
    pub sizes: Option<Vec<u64>>,
}

impl Workload {
    fn new(source: String, bytes: Vec<u8>, ends: Vec<usize>, hash: KeyHash) -> Self {
        let mut workload = Self {
            source,
            hash,
            bytes,
            ends,
            hashes: Vec::new(),
            requests: None,
            sizes: None,
        };
        workload.hashes = workload.keys().map(|key| hash.of(key)).collect();
        workload
    }

    /// The hash of the keys.
    pub fn hash(&self) -> KeyHash {
        self.hash
    }

    /// Number of distinct keys.
    pub fn len(&self) -> usize {
        self.hashes.len()
    }

    /// Whether there is no key.
    pub fn is_empty(&self) -> bool {
        self.hashes.is_empty()
    }

    /// The keys' bytes, in the order of their hashes.
    pub fn keys(&self) -> impl Iterator<Item = &[u8]> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        starts
            .zip(&self.ends)
            .map(|(start, &end)| &self.bytes[start..end])
    }

    /// Bytes of all keys together.
    pub fn key_bytes(&self) -> usize {
        self.bytes.len()
    }

    /// A sample of at most `count` hashes, spread evenly over the keys.
    pub fn sample(&self, count: usize) -> Vec<u64> {
        let step = self.len().div_ceil(count.max(1)).max(1);
        self.hashes.iter().copied().step_by(step).collect()
    }

    /// What the keys can be weighed by: always the keys themselves, then requests and bytes where
    /// they are known.
    pub fn measures(&self) -> Vec<Measure<'_>> {
        let known = [("requests", &self.requests), ("bytes", &self.sizes)];
        let named = known.into_iter().filter(|(_, weights)| weights.is_some());
        let mut measures = vec![Measure {
            name: "keys",
            weights: None,
        }];
        measures.extend(named.map(|(name, weights)| Measure {
            name,
            weights: weights.as_deref(),
        }));
        measures
    }
}

/// A way to weigh keys.
#[derive(Clone, Copy, Debug)]
pub struct Measure<'a> {
    /// "keys", "requests" or "bytes".
    pub name: &'static str,
    weights: Option<&'a [u64]>,
}

impl Measure<'_> {
    /// What the key at this position weighs.
    pub fn of(&self, position: usize) -> u64 {
        self.weights.map_or(1, |weights| weights[position])
    }

    /// What all `keys` keys weigh together.
    pub fn total(&self, keys: usize) -> u64 {
        self.weights
            .map_or(keys as u64, |weights| weights.iter().sum())
    }
}

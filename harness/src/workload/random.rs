//! Random distinct keys.

use std::collections::HashSet;

use algorithms::KeyHash;
use rand::Rng;
use rand_distr::Distribution;
use rand_pcg::Pcg64;

use super::Workload;

/// A seeded stream of numbers: PCG-64, so that a seed gives the same keys with every version of
/// every library.
pub struct Random(Pcg64);

impl Random {
    /// The stream of this seed for this purpose; purposes do not share numbers.
    pub fn new(seed: u64, purpose: u64) -> Self {
        Self(Pcg64::new(seed.into(), purpose.into()))
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number below `bound`, which is above 0.
    pub fn below(&mut self, bound: usize) -> usize {
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// A value with this law.
    pub fn sample<T>(&mut self, law: &impl Distribution<T>) -> T {
        law.sample(&mut self.0)
    }

    /// Puts a slice into random order.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for end in (1..items.len()).rev() {
            items.swap(end, self.below(end + 1));
        }
    }
}

/// `count` distinct random keys of 16 hexadecimal digits.
pub fn random(count: usize, seed: u64, hash: KeyHash) -> Workload {
    let mut stream = Random::new(seed, 0);
    let mut seen = HashSet::with_capacity(count);
    let mut bytes = Vec::with_capacity(16 * count);
    while seen.len() < count {
        let number = stream.bits();
        if seen.insert(number) {
            bytes.extend(format!("{number:016x}").bytes());
        }
    }
    let ends = (1..=count).map(|key| 16 * key).collect();
    Workload::new(format!("random-{count}-seed-{seed}"), bytes, ends, hash)
}

/// `count` distinct keys of random bytes of each of these lengths, one length after another.
pub fn random_of(lengths: &[u32], count: usize, seed: u64, hash: KeyHash) -> Workload {
    let mut stream = Random::new(seed, 11);
    let (mut bytes, mut ends) = (Vec::new(), Vec::new());
    for &length in lengths {
        let mut seen = HashSet::with_capacity(count);
        while seen.len() < count {
            let key: Vec<u8> = (0..length).map(|_| stream.bits() as u8).collect();
            if !seen.contains(&key) {
                bytes.extend(&key);
                ends.push(bytes.len());
                seen.insert(key);
            }
        }
    }
    let words: Vec<String> = lengths.iter().map(u32::to_string).collect();
    let source = format!("random-{count}-of-{}-bytes-seed-{seed}", words.join("-"));
    Workload::new(source, bytes, ends, hash)
}

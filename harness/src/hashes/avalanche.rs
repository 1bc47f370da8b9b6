//! Avalanche: whether each bit of the key flips each bit of the hash in half of all cases.

use algorithms::KeyHash;
use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, Normal};

use super::{Figure, Row};
use crate::record::Metric;
use crate::theory::Against;
use crate::workload::Random;

/// Random keys in which each bit is flipped: in full, and with `--quick`.
pub(super) const KEYS: [u32; 2] = [4096, 1024];
/// Bytes of a key.
const LENGTH: usize = 16;
/// Bits of a hash.
const BITS: usize = u64::BITS as usize;
/// Pairs of a bit of the key and one of the hash.
const PAIRS: f64 = (8 * LENGTH * BITS) as f64;

/// The worst and the mean distance of a rate of flips from one half.
pub(super) fn measure(hash: &KeyHash, keys: u32, seed: u64) -> [Row; 2] {
    let distances: Vec<f64> = flips(hash, keys, seed)
        .into_iter()
        .map(|count| (f64::from(count) / f64::from(keys) - 0.5).abs())
        .collect();
    let worst = distances.iter().copied().fold(0.0, f64::max);
    let mean = distances.iter().sum::<f64>() / PAIRS;
    [
        (Figure::AvalancheWorst, worst, law_of_worst(worst, keys)),
        (Figure::AvalancheMean, mean, law_of_mean(mean, keys)),
    ]
    .map(|(figure, value, law)| Row {
        key_bytes: Some(LENGTH as u32),
        ..Row::new(hash, figure, Metric::of(value).against(law))
    })
}

/// How often each pair flipped.
fn flips(hash: &KeyHash, keys: u32, seed: u64) -> Vec<u32> {
    let mut random = Random::new(seed, 9);
    let mut counts = vec![0; 8 * LENGTH * BITS];
    for _ in 0..keys {
        let halves = [random.bits(), random.bits()].map(u64::to_le_bytes);
        let mut key = halves.concat();
        let before = hash.of(&key);
        for (bit, counts) in counts.chunks_mut(BITS).enumerate() {
            key[bit / 8] ^= 1 << (bit % 8);
            let changed = before ^ hash.of(&key);
            key[bit / 8] ^= 1 << (bit % 8);
            for (at, count) in counts.iter_mut().enumerate() {
                *count += (changed >> at & 1) as u32;
            }
        }
    }
    counts
}

/// Of independent pairs that flip with probability one half, the most that one is off: what half of
/// all random functions exceed, and how many are worse than this one.
fn law_of_worst(worst: f64, keys: u32) -> Against {
    let middle = (1.0 - 0.5f64.powf(1.0 / PAIRS)) / 2.0;
    let expected = -Normal::standard().inverse_cdf(middle) * sd(keys);
    let hits = ((0.5 - worst) * f64::from(keys)).round() as u64;
    match Binomial::new(0.5, keys.into()) {
        Ok(law) => {
            let one = 2.0 * law.cdf(hits);
            let any = -(PAIRS * (-one.min(1.0)).ln_1p()).exp_m1();
            Against::excess(expected, any)
        }
        Err(_) => Against::exact(worst, expected),
    }
}

/// A normal law, there being thousands of pairs: the mean of |x| is √(2/π) standard deviations.
fn law_of_mean(mean: f64, keys: u32) -> Against {
    let part = std::f64::consts::FRAC_2_PI;
    let sd_of_mean = sd(keys) * ((1.0 - part) / PAIRS).sqrt();
    Against::normal(mean, sd(keys) * part.sqrt(), sd_of_mean)
}

/// Standard deviation of the rate of one pair.
fn sd(keys: u32) -> f64 {
    0.5 / f64::from(keys).sqrt()
}

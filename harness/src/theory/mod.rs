//! Closed forms that measurements are held against: one file for each object that has a law, each
//! form with its source and the conditions under which it holds.
//!
//! Arcs and shares of rings are laws over names: the hash is taken for random, and a ring is one
//! draw. Counts of keys are laws over keys, the nodes being what they are.

pub mod against;
pub mod bounded;
pub mod jump;
pub mod lru;
pub mod maglev;
pub mod modulo;
pub mod ring;
pub mod scores;
pub mod shares;

pub use against::{Against, critical};

use algorithms::algorithm::Spread;
use algorithms::{Algorithm, Settings};

/// CV of the exact shares of `nodes` equal nodes that the algorithm's construction implies.
pub fn share_cv(algorithm: &Algorithm, settings: &Settings, nodes: usize) -> f64 {
    match algorithm.traits.spread {
        Spread::Even => 0.0,
        Spread::Slots(table) => maglev::cv(nodes, table.slots(settings)),
        Spread::Points(points) => ring::cv(nodes, points.unwrap_or(settings.points)),
    }
}

/// The n-th harmonic number H_n = 1 + 1/2 + … + 1/n.
pub fn harmonic(n: u64) -> f64 {
    (1..=n).rev().map(|i| 1.0 / i as f64).sum()
}

/// The greatest common divisor.
pub fn gcd(a: u64, b: u64) -> u64 {
    match b {
        0 => a,
        _ => gcd(b, a % b),
    }
}

//! What it costs to hash a key, by its length.

use std::hint::black_box;
use std::time::Instant;

use algorithms::KeyHash;

use super::{Ask, Figure, LENGTHS, Row};
use crate::progress::Progress;
use crate::record::Metric;
use crate::workload::Random;

/// Rounds: in full, and with `--quick`.
pub(super) const ROUNDS: [u32; 2] = [101, 31];
/// Keys of each length: together they fit the second cache at the longest.
const KEYS: usize = 256;
/// Times that all keys are hashed in one round.
const PASSES: usize = 16;

struct Timed<'a> {
    hash: KeyHash,
    length: u32,
    keys: &'a [Vec<u8>],
    rounds: Vec<f64>,
}

impl Timed<'_> {
    fn round(&mut self) {
        let start = Instant::now();
        let mut sum = 0;
        for key in (0..PASSES).flat_map(|_| self.keys) {
            sum ^= self.hash.of(black_box(key));
        }
        let time = start.elapsed().as_nanos() as f64;
        black_box(sum);
        self.rounds.push(time / (PASSES * KEYS) as f64);
    }
}

/// Times every hash at every length, in rounds over all of them in shuffled order; the first round
/// is not counted.
pub(super) fn measure(ask: &Ask, rounds: u32, progress: &Progress) -> Vec<Row> {
    let mut random = Random::new(ask.seed, 8);
    let keys = LENGTHS.map(|length| random_keys(&mut random, length));
    let pairs = ask
        .hashes
        .iter()
        .flat_map(|hash| LENGTHS.iter().zip(&keys).map(move |pair| (*hash, pair)));
    let mut timed: Vec<Timed<'_>> = pairs
        .map(|(hash, (&length, keys))| Timed {
            hash,
            length,
            keys,
            rounds: Vec::new(),
        })
        .collect();
    let mut order: Vec<usize> = (0..timed.len()).collect();
    for round in 0..=rounds {
        random.shuffle(&mut order);
        order.iter().for_each(|&at| timed[at].round());
        if round == 0 {
            timed.iter_mut().for_each(|timed| timed.rounds.clear());
        }
        progress.now(format!("timing, round {round} of {rounds}"));
        progress.done(u64::from(round > 0));
    }
    let row = |timed: &Timed<'_>| Row {
        key_bytes: Some(timed.length),
        ..Row::new(&timed.hash, Figure::CostNs, Metric::median(&timed.rounds))
    };
    timed.iter().map(row).collect()
}

fn random_keys(random: &mut Random, length: u32) -> Vec<Vec<u8>> {
    let mut key = || (0..length).map(|_| random.bits() as u8).collect();
    (0..KEYS).map(|_| key()).collect()
}

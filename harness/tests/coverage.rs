//! The 95 % intervals that are printed cover the true value in 94 to 96 % of simulations.

#![allow(clippy::unwrap_used)]

use algorithms::{Settings, hash, registry};
use harness::measure::{node, nodes};
use harness::stats::{fraction_interval, median};
use harness::verify::place_all;
use harness::workload::{Random, random};
use rand_distr::{Binomial, Exp1, LogNormal, StandardNormal};

const SIMULATIONS: usize = 40_000;

/// The part of simulations whose interval covers the truth, and fails when it is not near 95 %.
fn covered(what: &str, simulations: usize, mut covers: impl FnMut(usize) -> bool) {
    let hits = (0..simulations).filter(|&at| covers(at)).count();
    let part = hits as f64 / simulations as f64;
    println!("{what}: {:.2} %", 100.0 * part);
    assert!((0.94..=0.96).contains(&part), "{what}: {part}");
}

/// Rounds of timing in full, with `--quick`, and as many runs as are compared.
#[test]
fn intervals_of_medians_cover_whatever_the_distribution() {
    let mut random = Random::new(1, 11);
    let skewed = LogNormal::new(0.0, 1.0).unwrap();
    for rounds in [8, 9, 16, 31] {
        let mut cover = |what: &str, truth: f64, draw: &dyn Fn(&mut Random) -> f64| {
            covered(&format!("median of {rounds} {what}"), SIMULATIONS, |_| {
                let samples: Vec<f64> = (0..rounds).map(|_| draw(&mut random)).collect();
                let (low, high) = median(&samples).unwrap().interval.unwrap();
                low <= truth && truth <= high
            });
        };
        cover("normal", 0.0, &|random| {
            random.sample::<f64>(&StandardNormal)
        });
        cover("exponential", 2f64.ln(), &|random| {
            random.sample::<f64>(&Exp1)
        });
        cover("lognormal", 1.0, &|random| random.sample(&skewed));
    }
}

/// Moved keys as reports count them: one node more, on as many keys as are used.
#[test]
fn intervals_of_counted_fractions_cover() {
    let mut random = Random::new(2, 11);
    for keys in [100_000, 1_000_000] {
        for part in [1.0 / 11.0, 1.0 / 101.0, 1.0 / 1001.0, 2.0 / 14.0] {
            let law = Binomial::new(keys, part).unwrap();
            covered(&format!("{part:.4} of {keys} keys"), SIMULATIONS, |_| {
                let hits = random.sample(&law);
                let (low, high) = fraction_interval(hits, keys).unwrap();
                low <= part && part <= high
            });
        }
    }
}

/// The same with keys that are really placed: rendezvous moves 1/(N + 1) by symmetry.
#[test]
fn intervals_of_keys_that_really_move_cover() {
    const KEYS: usize = 4000;
    let settings = Settings::default();
    let rendezvous = registry::find("rendezvous").unwrap();
    covered("moved keys, 10 nodes and one more", 3000, |at| {
        let keys = random(KEYS, at as u64, hash::XXH3);
        let mut placement = rendezvous.build(&settings, nodes(at as u64, 10)).unwrap();
        let was = place_all(&*placement, &keys.hashes);
        placement.add(node(at as u64, 10)).unwrap();
        let is = place_all(&*placement, &keys.hashes);
        let moved = was.iter().zip(&is).filter(|(was, is)| was != is).count();
        let (low, high) = fraction_interval(moved as u64, KEYS as u64).unwrap();
        (low..=high).contains(&(1.0 / 11.0))
    });
}

//! Hash mod N.

use algorithms::{PlacementError, Settings, modulo};

use super::Reproduction;
use super::estimate::Estimate;
use super::lab::{Lab, moved};
use super::outcome::Finding;
use super::row::{Range, Row};
use crate::theory::{self, Against};
use crate::verify::place_all;

/// What is tried.
pub const ALL: &[Reproduction] = &[
    Reproduction {
        name: "modulo-moved",
        title: "mod-N: keys moved",
        claim: "From N to M nodes all but gcd(N, M)/max(N, M) of the keys move: 75 % for 3 → 4, 80 % for 4 → 5, 90.9 % for 10 → 11, 85.7 % for 12 → 14.",
        source: "folklore; exact by counting residues",
        conditions: "hash mod N, equal nodes, newcomers last in the list; each hash of one period, and random keys",
        seconds: 0.1,
        run: keys_moved,
    },
    Reproduction {
        name: "modulo-replicas",
        title: "mod-N: replica sets changed",
        claim: "With the next nodes of the list as replicas the set changes for 5/6 of the keys (3 → 4, R = 2), 0.85 (4 → 5, R = 2), 0.927 (10 → 11, R = 3) and 0.881 (12 → 14, R = 3).",
        source: "exact by counting residues",
        conditions: "replicas of hash x on nodes (x + i) mod N, i < R; each hash of one period, and random keys",
        seconds: 0.2,
        run: sets_changed,
    },
];

/// Published parts of the keys that move, with the digits that are quoted.
const MOVED: [(u64, u64, f64, f64); 4] = [
    (3, 4, 0.75, 0.0),
    (4, 5, 0.80, 0.0),
    (10, 11, 0.909, 0.0005),
    (12, 14, 0.857, 0.0005),
];

fn keys_moved(lab: &Lab) -> Result<Finding, PlacementError> {
    let keys = lab.keys("modulo", lab.trials(1_000_000));
    let mut rows = Vec::new();
    for (from, to, published, rounding) in MOVED {
        let nodes = lab.nodes("modulo", 0, to as usize);
        let build = |count: u64| {
            modulo::ALGORITHM.build(&Settings::default(), nodes[..count as usize].to_vec())
        };
        let (before, after) = (build(from)?, build(to)?);
        let expected = theory::modulo::moved(from, to);
        rows.push(
            Row::exact(
                format!("N = {from} → {to}, all hashes"),
                moved(&*before, &*after),
            )
            .fraction()
            .published(published)
            .claimed(Range::about(published, rounding))
            .equals(expected),
        );
        let (was, is) = (place_all(&*before, &keys), place_all(&*after, &keys));
        let hits = was.iter().zip(&is).filter(|(was, is)| was != is).count();
        rows.push(counted(
            format!("N = {from} → {to}, keys"),
            hits,
            keys.len(),
            expected,
        ));
    }
    Ok(Finding::of(rows))
}

/// Published parts of the replica sets that change.
const SETS: [(u64, u64, u64, f64, f64); 4] = [
    (3, 4, 2, 5.0 / 6.0, 0.0),
    (4, 5, 2, 0.85, 0.0),
    (10, 11, 3, 0.927, 0.0005),
    (12, 14, 3, 0.881, 0.0005),
];

fn sets_changed(lab: &Lab) -> Result<Finding, PlacementError> {
    let keys = lab.keys("modulo replicas", lab.trials(1_000_000));
    let mut rows = Vec::new();
    for (from, to, replicas, published, rounding) in SETS {
        let nodes = lab.nodes("modulo", 0, to as usize);
        let owners = |count: u64| {
            let placement =
                modulo::ALGORITHM.build(&Settings::default(), nodes[..count as usize].to_vec())?;
            // The replicas of x are the owners of x, x + 1, …
            Ok::<_, PlacementError>(move |key: u64| {
                let next = (0..replicas).map(|i| placement.place(key.wrapping_add(i)));
                let mut set: Vec<_> = next.collect();
                set.sort_unstable();
                set
            })
        };
        let (before, after) = (owners(from)?, owners(to)?);
        let changed = |key: &u64| before(*key) != after(*key);
        let expected = theory::modulo::set_changed(from, to, replicas);
        let period = from * to;
        let part = (0..period).filter(changed).count() as f64 / period as f64;
        let what = format!("N = {from} → {to}, R = {replicas}");
        rows.push(
            Row::exact(format!("{what}, all hashes"), part)
                .fraction()
                .published(published)
                .claimed(Range::about(published, rounding))
                .equals(expected),
        );
        let hits = keys.iter().copied().filter(changed).count();
        rows.push(counted(format!("{what}, keys"), hits, keys.len(), expected));
    }
    Ok(Finding::of(rows))
}

fn counted(what: String, hits: usize, keys: usize, expected: f64) -> Row {
    let (hits, trials) = (hits as u64, keys as u64);
    Row::sampled(what, Estimate::fraction(hits, trials), keys, "keys")
        .fraction()
        .against(Against::fraction(hits, trials, expected))
}

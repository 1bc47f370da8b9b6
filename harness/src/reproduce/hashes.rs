//! CRC-32 and MD5 as hashes of points and keys: how even they are and what they cost.

use algorithms::hash::{CRC32, MD5, XXH3};
use algorithms::{KeyHash, PlacementError, Settings, ring};

use super::Reproduction;
use super::costs::{factor, interleaved, median};
use super::estimate::{Estimate, mean_sd};
use super::lab::{Lab, shares};
use super::laws;
use super::outcome::Finding;
use super::row::{Range, Row};
use crate::stats::evenness;
use crate::theory::{against, ring as law};

/// What is tried.
pub const ALL: &[Reproduction] = &[
    Reproduction {
        name: "md5-evener",
        title: "MD5 is evener than CRC-32",
        claim: "MD5 spreads nodes and keys more evenly than CRC-32.",
        source: "articles and memcached clients",
        conditions: "the first 64 bits of MD5, the 32 of CRC-32; CV of rings of 100 nodes and 100 points, keys over 100 equal parts; holds where CRC-32 is worse by more than 1 % (CV) or than chance allows (χ²)",
        seconds: 0.7,
        run: evener,
    },
    Reproduction {
        name: "crc32-faster",
        title: "CRC-32: 2–3 times as fast as MD5",
        claim: "CRC-32 is two to three times as fast as MD5.",
        source: "articles and memcached clients",
        conditions: "medians of interleaved rounds on this machine; crates crc32fast and md-5; keys of 16, 64 and 1024 bytes",
        seconds: 0.3,
        run: faster,
    },
];

/// Squared CVs of rings whose points are placed by this hash.
fn ring_squares(lab: &Lab, hash: KeyHash) -> Result<Vec<f64>, PlacementError> {
    let settings = Settings {
        hash,
        ..Settings::default()
    };
    lab.each(lab.trials(400), |trial| {
        let nodes = lab.nodes("cache", trial, 100);
        let ring = ring::vec::ALGORITHM.build(&settings, nodes)?;
        let even = evenness(shares(&*ring).into_iter());
        Ok(even.map_or(f64::NAN, |even| even.cv * even.cv))
    })
}

/// A family of keys by number.
type Family = fn(u64) -> String;

const FAMILIES: [(&str, Family); 3] = [
    ("sequential", |i| format!("user:{i}")),
    ("dated", |i| format!("tenant/orders/2024/{i:08}")),
    ("random", |i| format!("{:016x}", algorithms::hash::mix(i))),
];

fn evener(lab: &Lab) -> Result<Finding, PlacementError> {
    let (nodes, points) = (100, 100);
    let cv = law::cv(nodes, points);
    let moments = (cv * cv, law::cv_square_sd(nodes, points));
    let (md5, crc32) = (ring_squares(lab, MD5)?, ring_squares(lab, CRC32)?);
    let mut rows = vec![laws::root_mean_square(
        "CV of rings by MD5",
        &md5,
        moments,
        "rings",
    )];
    // CRC-32 is linear, so its points are no random ones and have no law to be held against.
    let root = Estimate::mean(&crc32).map(f64::sqrt);
    rows.push(Row::sampled("CV of rings by CRC-32", root, crc32.len(), "rings").beside(cv));
    let relative = |squares: &[f64]| {
        let (mean, sd) = mean_sd(squares);
        (mean, sd / mean / (squares.len() as f64).sqrt())
    };
    let ((md5, of_md5), (crc32, of_crc32)) = (relative(&md5), relative(&crc32));
    let quotient = (crc32 / md5).sqrt();
    let error = 0.5 * quotient * of_md5.hypot(of_crc32);
    let rings = lab.trials(400);
    rows.push(
        Row::sampled(
            "CV by CRC-32 over CV by MD5",
            Estimate::normal(quotient, error),
            rings,
            "rings",
        )
        .claimed(Range::at_least(1.01)),
    );
    for (name, family) in FAMILIES {
        rows.extend(key_rows(lab, name, family));
    }
    Ok(Finding::of(rows))
}

/// χ² of keys over equal parts of the hashes, by MD5 and by CRC-32.
fn key_rows(lab: &Lab, name: &str, family: Family) -> Vec<Row> {
    const PARTS: usize = 100;
    let keys = lab.trials(200_000);
    // Other seeds have other stretches of the family.
    let first = lab.random(name).bits() >> 40;
    let mut rows = Vec::new();
    for hash in [MD5, CRC32] {
        let mut counts = vec![0; PARTS];
        for number in 0..keys as u64 {
            let hash = hash.of(family(first + number).as_bytes());
            counts[((u128::from(hash) * PARTS as u128) >> 64) as usize] += 1;
        }
        let Some((sum, freedom)) = against::chi_square(&counts, &[1.0 / PARTS as f64; PARTS])
        else {
            continue;
        };
        let what = format!("{name} keys by {}: χ²/{freedom}", hash.name());
        let beyond_chance = 1.0 + 4.0 * (2.0 / freedom).sqrt();
        rows.push(match hash.name() == MD5.name() {
            true => laws::chi_square(&what, sum, freedom, keys, "keys"),
            false => Row::exact(what, sum / freedom).claimed(Range::at_least(beyond_chance)),
        });
    }
    rows
}

fn faster(lab: &Lab) -> Result<Finding, PlacementError> {
    let mut rows = Vec::new();
    for length in [16, 64, 1024] {
        let keys: Vec<Vec<u8>> = (0..1024)
            .map(|i: u64| {
                i.to_le_bytes()
                    .iter()
                    .copied()
                    .cycle()
                    .take(length)
                    .collect()
            })
            .collect();
        let hashes = [CRC32, MD5, XXH3];
        let times = interleaved(lab, hashes.len(), |at| {
            let sum = keys
                .iter()
                .fold(0, |sum, key| sum ^ hashes[at].of(std::hint::black_box(key)));
            std::hint::black_box(sum);
            keys.len()
        });
        for (hash, times) in hashes.iter().zip(&times) {
            rows.push(median(format!("{}, {length} bytes", hash.name()), times).ns());
        }
        let what = format!("md5 over crc32, {length} bytes");
        rows.extend(
            factor(what, &times[0], &times[1]).map(|row| row.claimed(Range::between(2.0, 3.0))),
        );
    }
    Ok(Finding::of(rows))
}

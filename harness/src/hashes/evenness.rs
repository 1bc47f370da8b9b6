//! How even a ring, rendezvous, mod-N and a table are when nodes and keys are hashed so.

use algorithms::{Algorithm, KeyHash, PlacementError, Settings, maglev, modulo, rendezvous, ring};

use super::{Family, Figure, NODES, Row};
use crate::measure::nodes;
use crate::record::Metric;
use crate::stats::evenness;
use crate::theory::{Against, against, scores, shares};
use crate::verify::place_all;

/// Points per node of the ring.
pub const POINTS: u32 = 100;
/// Keys of each family: in full, and with `--quick`.
pub(super) const KEYS: [usize; 2] = [400_000, 100_000];

/// A family with its keys.
type Keys = (Family, Vec<Vec<u8>>);

/// All figures of one hash.
pub(super) fn measure(
    hash: &KeyHash,
    seed: u64,
    families: &[Keys],
) -> Result<Vec<Row>, PlacementError> {
    let hashed = families.iter().map(|(family, keys)| {
        let hashes = keys.iter().map(|key| hash.of(key));
        (*family, hashes.collect::<Vec<u64>>())
    });
    let hashed: Vec<(Family, Vec<u64>)> = hashed.collect();
    let mut rows = Vec::new();
    for algorithm in [
        ring::vec::ALGORITHM,
        rendezvous::ALGORITHM,
        modulo::ALGORITHM,
        maglev::ALGORITHM,
    ] {
        for count in NODES {
            rows.extend(placed(hash, &algorithm, count, seed, &hashed)?);
        }
    }
    Ok(rows)
}

fn placed(
    hash: &KeyHash,
    algorithm: &Algorithm,
    count: u32,
    seed: u64,
    families: &[(Family, Vec<u64>)],
) -> Result<Vec<Row>, PlacementError> {
    let settings = Settings {
        hash: *hash,
        points: POINTS,
        ..Settings::default()
    };
    let placement = algorithm.build(&settings, nodes(seed, count))?;
    let row = |figure, family, metric| Row {
        algorithm: Some(algorithm.name.into()),
        nodes: Some(count),
        family,
        ..Row::new(hash, figure, metric)
    };
    let parts: Vec<f64> = placement.shares().iter().map(|share| share.1).collect();
    let mut rows = Vec::new();
    if algorithm.name == ring::vec::ALGORITHM.name
        && let Some(seen) = evenness(parts.iter().copied())
    {
        let law = shares::evenness(parts.len(), POINTS, &seen).map(|[_, _, cv]| cv);
        let metric = Metric::of(seen.cv);
        let metric = law.map_or(metric.clone(), |law| metric.against(law));
        rows.push(row(Figure::SharesCv, None, metric));
    }
    for (family, keys) in families {
        let mut counts = vec![0; parts.len()];
        for owner in place_all(&*placement, keys).into_iter().flatten() {
            counts[owner.index()] += 1;
        }
        let metric = counted(&counts, &parts);
        rows.push(row(Figure::KeysCv, Some(*family), metric));
    }
    Ok(rows)
}

/// CV of the counts, judged by their χ² against the exact shares.
fn counted(counts: &[u64], shares: &[f64]) -> Metric {
    let even = evenness(counts.iter().map(|&count| count as f64));
    let metric = Metric::or(even.map(|even| even.cv), "there are no keys");
    match against::chi_square(counts, shares) {
        Some((sum, freedom)) => {
            let expected = scores::counted_cv(shares, counts.iter().sum());
            metric.against(Against::chi_square(sum, freedom).seen_as(expected))
        }
        None => metric,
    }
}

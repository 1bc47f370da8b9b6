//! Claims on what lookups and changes cost: timed in interleaved rounds, so they hold or fail on
//! this machine.

use std::hint::black_box;
use std::time::Instant;

use algorithms::hash::{CRC32, MD5, XXH3};
use algorithms::{Algorithm, KeyHash, NodeId, Placement, PlacementError, ring};

use super::Reproduction;
use super::estimate::Estimate;
use super::lab::{Lab, with_points};
use super::outcome::Finding;
use super::row::{Range, Row};
use crate::stats;

/// What is tried.
pub const ALL: &[Reproduction] = &[
    Reproduction {
        name: "hash-costs-more",
        title: "hashing costs more than searching",
        claim: "Hashing the key costs more than searching the ring.",
        source: "articles on consistent hashing",
        conditions: "medians of interleaved rounds on this machine; keys of 16 bytes, ring-vec of 100 nodes with 100 points, independent random keys",
        seconds: 0.2,
        run: hashing,
    },
    Reproduction {
        name: "array-or-tree",
        title: "array for lookups, tree for changes",
        claim: "A sorted array wins when lookups dominate, a tree when the membership changes often.",
        source: "articles on consistent hashing",
        conditions: "medians of interleaved rounds on this machine; ring-vec and ring-btree of N nodes with 100 points; a change is an addition and the removal after it",
        seconds: 0.4,
        run: array_or_tree,
    },
    Reproduction {
        name: "1000-points-10-times",
        title: "1000 points: changes 10 times slower",
        claim: "1000 points per node instead of 100 make changes of membership about 10 times slower.",
        source: "articles on virtual nodes",
        conditions: "medians of interleaved rounds on this machine; 100 nodes; a change is an addition and the removal after it; holds from 7 to 14 times",
        seconds: 0.3,
        run: thousand_points,
    },
];

/// Nanoseconds for each unit of work of several subjects, in rounds that take turns; the first
/// round is not counted. `work` does some work of the subject with this number and tells how much.
pub fn interleaved(
    lab: &Lab,
    subjects: usize,
    mut work: impl FnMut(usize) -> usize,
) -> Vec<Vec<f64>> {
    let mut times = vec![Vec::new(); subjects];
    for round in 0..=lab.rounds() {
        for (at, times) in times.iter_mut().enumerate() {
            let start = Instant::now();
            let done = work(at);
            let spent = start.elapsed().as_nanos() as f64 / done as f64;
            if round > 0 {
                times.push(spent);
            }
        }
    }
    times
}

/// The median of rounds.
pub fn median(what: impl Into<String>, times: &[f64]) -> Row {
    Row::timed(what, Estimate::median(times), times.len())
}

/// By how much the rounds of one subject exceed those of another.
pub fn factor(what: impl Into<String>, less: &[f64], more: &[f64]) -> Option<Row> {
    let factor = stats::factor(less, more, 0.95)?;
    let estimate = Estimate {
        value: factor.value,
        low: factor.low,
        high: factor.high,
    };
    Some(Row::timed(what, estimate, less.len()))
}

/// Lookups of one round.
const LOOKUPS: usize = 8192;

/// Looks the keys up in a batch.
fn look_up(placement: &dyn Placement, keys: &[u64], owners: &mut [Option<NodeId>]) -> usize {
    placement.place_many(black_box(keys), owners);
    black_box(owners).len()
}

fn hashing(lab: &Lab) -> Result<Finding, PlacementError> {
    let ring = lab.ring("hashing", 0, 100, 100)?;
    let keys = lab.keys("hashing", LOOKUPS);
    let texts: Vec<[u8; 16]> = keys
        .iter()
        .map(|key| u128::from(*key).to_le_bytes())
        .collect();
    let mut owners = vec![None; keys.len()];
    const HASHES: [KeyHash; 3] = [XXH3, CRC32, MD5];
    let times = interleaved(lab, 1 + HASHES.len(), |at| match at {
        0 => look_up(&*ring, &keys, &mut owners),
        _ => {
            let hash = HASHES[at - 1];
            let sum = texts
                .iter()
                .fold(0, |sum, text| sum ^ hash.of(black_box(text)));
            black_box(sum);
            texts.len()
        }
    });
    let mut rows = vec![median("searching 10,000 points", &times[0]).ns()];
    let mut slower = Vec::new();
    for (hash, times_of) in HASHES.iter().zip(&times[1..]) {
        rows.push(median(format!("hashing by {}", hash.name()), times_of).ns());
        let what = format!("{} over searching", hash.name());
        if let Some(row) = factor(what, &times[0], times_of) {
            if row.low.is_some_and(|low| low > 1.0) {
                slower.push(hash.name());
            }
            rows.push(row.claimed(Range::at_least(1.0)));
        }
    }
    Ok(Finding::of(rows).only_if(format!("keys hashed by {}", slower.join(" or "))))
}

/// One addition and the removal after it.
fn change(placement: &mut dyn Placement, lab: &Lab) -> Result<(), PlacementError> {
    let id = placement.add(lab.node("changes", 0, usize::MAX))?;
    placement.remove(id)
}

const RINGS: [Algorithm; 2] = [ring::vec::ALGORITHM, ring::btree::ALGORITHM];

fn array_or_tree(lab: &Lab) -> Result<Finding, PlacementError> {
    let keys = lab.keys("array or tree", LOOKUPS);
    let mut owners = vec![None; keys.len()];
    let mut rows = Vec::new();
    let mut dear = Vec::new();
    for nodes in [10, 100, 1000] {
        let named = lab.nodes("changes", 0, nodes);
        let build = |ring: Algorithm| ring.build(&with_points(100), named.clone());
        let mut rings = [build(RINGS[0])?, build(RINGS[1])?];
        let lookups = interleaved(lab, 2, |at| look_up(&*rings[at], &keys, &mut owners));
        let changes = changes(lab, &mut rings)?;
        let [lookup, change] = [&lookups, &changes].map(|times| (&*times[0], &*times[1]));
        rows.extend(
            factor(
                format!("N = {nodes}: lookups, tree over array"),
                lookup.0,
                lookup.1,
            )
            .map(|row| row.claimed(Range::at_least(1.0))),
        );
        let slower = factor(
            format!("N = {nodes}: changes, array over tree"),
            change.1,
            change.0,
        );
        if slower
            .as_ref()
            .is_some_and(|row| row.low.is_some_and(|low| low > 1.0))
        {
            dear.push(nodes.to_string());
        }
        rows.extend(slower.map(|row| row.claimed(Range::at_least(1.0))));
        // Lookups that make up for what a change of the array costs beyond one of the tree.
        let even = (0..lookup.0.len())
            .map(|round| (change.0[round] - change.1[round]) / (lookup.1[round] - lookup.0[round]));
        let even: Vec<f64> = even.filter(|lookups| lookups.is_finite()).collect();
        rows.push(median(
            format!("N = {nodes}: lookups per change, break-even"),
            &even,
        ));
    }
    let condition = match dear.is_empty() {
        true => "lookups: the array's changes are no slower than the tree's".into(),
        false => format!(
            "N = {}: elsewhere the array's changes are no slower than the tree's",
            dear.join(", ")
        ),
    };
    Ok(Finding::of(rows).only_if(condition))
}

/// Times of changes of several placements.
fn changes(
    lab: &Lab,
    placements: &mut [Box<dyn Placement>],
) -> Result<Vec<Vec<f64>>, PlacementError> {
    let mut refused = Ok(());
    let times = interleaved(lab, placements.len(), |at| {
        const CHANGES: usize = 4;
        for _ in 0..CHANGES {
            if let Err(error) = change(&mut *placements[at], lab) {
                refused = Err(error);
            }
        }
        CHANGES
    });
    refused.map(|()| times)
}

fn thousand_points(lab: &Lab) -> Result<Finding, PlacementError> {
    const NODES: usize = 100;
    let named = lab.nodes("changes", 0, NODES);
    let mut rows = Vec::new();
    for ring in RINGS {
        let build = |points: u32| ring.build(&with_points(points), named.clone());
        let times = changes(lab, &mut [build(100)?, build(1000)?])?;
        for (points, times) in [100, 1000].into_iter().zip(&times) {
            rows.push(median(format!("{}, {points} points", ring.name), times).ns());
        }
        let what = format!("{}, 1000 over 100", ring.name);
        rows.extend(
            factor(what, &times[0], &times[1])
                .map(|row| row.published(10.0).claimed(Range::between(7.0, 14.0))),
        );
    }
    Ok(Finding::of(rows))
}

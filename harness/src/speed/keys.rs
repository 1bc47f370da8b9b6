//! Keys of several lengths, and how many of them a placement is asked for.

use std::ops::Range;

use algorithms::Algorithm;

use crate::hashes::LENGTHS;
use crate::measure::lookup::PER_SAMPLE;
use crate::run::Plan;
use crate::workload::{Pool, Workload, affordable, random_of};

/// Keys of each length, more than a processor learns by heart: in full, and with `--quick`.
const KEYS: [usize; 2] = [128 * PER_SAMPLE, 40 * PER_SAMPLE];
/// Scores that one pass over the keys of all lengths may take where a lookup asks every node: in
/// full, and with `--quick`.
const SCORES: [usize; 2] = [40_000_000, 20_000_000];

/// Keys of each length that the hash alone is timed on.
pub(super) fn most(quick: bool) -> usize {
    KEYS[usize::from(quick)]
}

/// Keys of each length that this placement is asked for, a whole number of samples.
pub(super) fn each(quick: bool, algorithm: &Algorithm, nodes: u32) -> usize {
    let scores = SCORES[usize::from(quick)] / LENGTHS.len();
    let each = affordable(algorithm, nodes, scores, [PER_SAMPLE, most(quick)]);
    each / PER_SAMPLE * PER_SAMPLE
}

/// Keys for all of these placements.
pub(super) fn pool<'a>(plan: &Plan<'_>, cells: impl Iterator<Item = (&'a Algorithm, u32)>) -> Pool {
    let counts = cells.map(|(algorithm, nodes)| each(plan.quick, algorithm, nodes));
    Pool::new(counts.chain([most(plan.quick)]), |count| {
        random_of(&LENGTHS, count, plan.seed, plan.settings.hash)
    })
}

/// Where the keys of this length stand, `at` being its place among all lengths.
pub(super) fn positions(keys: &Workload, at: usize) -> Range<usize> {
    let each = keys.len() / LENGTHS.len();
    at * each..(at + 1) * each
}

//! Keys of several lengths, and how many of them a placement is asked for.

use std::ops::Range;

use algorithms::Algorithm;
use algorithms::growth::Growth;

use crate::hashes::LENGTHS;
use crate::measure::lookup::PER_SAMPLE;
use crate::run::Plan;
use crate::workload::{Workload, random_of};

/// Keys of each length, more than a processor learns by heart: in full, and with `--quick`.
const KEYS: [usize; 2] = [128 * PER_SAMPLE, 40 * PER_SAMPLE];
/// Scores that one pass over the keys of all lengths may take where a lookup asks every node: in
/// full, and with `--quick`.
const SCORES: [usize; 2] = [40_000_000, 20_000_000];

/// Keys for every placement, the same for those that are asked for as many.
pub(super) struct Pool {
    quick: bool,
    /// In descending order of their number.
    workloads: Vec<Workload>,
}

impl Pool {
    pub(super) fn new<'a>(
        plan: &Plan<'_>,
        cells: impl Iterator<Item = (&'a Algorithm, u32)>,
    ) -> Self {
        let wanted = cells.map(|(algorithm, nodes)| each(plan.quick, algorithm, nodes));
        // The hash alone is timed on as many as there can be.
        let mut counts: Vec<usize> = wanted.chain([KEYS[usize::from(plan.quick)]]).collect();
        counts.sort_unstable_by(|a, b| b.cmp(a));
        counts.dedup();
        let of = |&count: &usize| random_of(&LENGTHS, count, plan.seed, plan.settings.hash);
        Self {
            quick: plan.quick,
            workloads: counts.iter().map(of).collect(),
        }
    }

    /// The most keys.
    pub(super) fn most(&self) -> &Workload {
        &self.workloads[0]
    }

    /// Those that this placement is asked for.
    pub(super) fn of(&self, algorithm: &Algorithm, nodes: u32) -> &Workload {
        let wanted = LENGTHS.len() * each(self.quick, algorithm, nodes);
        let own = self.workloads.iter().find(|keys| keys.len() == wanted);
        own.unwrap_or(self.most())
    }
}

/// Keys of each length, a whole number of samples.
fn each(quick: bool, algorithm: &Algorithm, nodes: u32) -> usize {
    let quick = usize::from(quick);
    match algorithm.costs.lookup {
        Growth::N => {
            let samples = SCORES[quick] / (LENGTHS.len() * nodes as usize) / PER_SAMPLE;
            (samples * PER_SAMPLE).clamp(PER_SAMPLE, KEYS[quick])
        }
        _ => KEYS[quick],
    }
}

/// Where the keys of this length stand, `at` being its place among all lengths.
pub(super) fn positions(keys: &Workload, at: usize) -> Range<usize> {
    let each = keys.len() / LENGTHS.len();
    at * each..(at + 1) * each
}

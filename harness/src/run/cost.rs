//! Cells at settings of their own: what each costs, timed side by side.

use super::{Job, MEASURE_PASSES, Plan, build, contradiction, label, time, weight};
use crate::measure::{Candidate, memory, movement, spread};
use crate::progress::Progress;
use crate::record::Cell;
use crate::scenario::Scenario;
use crate::workload::Workload;

/// Verifies and times all jobs in the same rounds, then measures their memory, their spread and
/// what one more node moves. The settings of the plan are not used.
pub fn cost(
    plan: &Plan<'_>,
    jobs: &[Job<'_>],
    workload: &Workload,
    progress: &Progress,
) -> Vec<Cell> {
    let mut entries = build(plan, jobs, workload, progress);
    time(plan, workload, &mut entries, progress);
    for entry in &mut entries {
        progress.now(format!("measuring {}", label(&entry.cell)));
        if let Some(candidate) = &entry.candidate
            && let Err(reason) = measure(plan, workload, candidate, &mut entry.cell)
        {
            entry.fail(reason);
        }
        // A large ring is not to be kept for longer than it is needed.
        entry.candidate = None;
        progress.done(MEASURE_PASSES * weight(entry.algorithm, entry.cell.nodes, workload));
    }
    entries.into_iter().map(|entry| entry.cell).collect()
}

fn measure(
    plan: &Plan<'_>,
    workload: &Workload,
    candidate: &Candidate<'_>,
    cell: &mut Cell,
) -> Result<(), String> {
    let memory = memory::measure(candidate, &workload.hashes).map_err(|error| error.to_string())?;
    cell.metrics.extend(memory);
    cell.metrics.extend(spread::measure(candidate, workload));
    let moved = movement::measure(candidate, workload, Scenario::AddOne, plan.seed);
    cell.metrics.extend(moved);
    contradiction(cell).map_or(Ok(()), Err)
}

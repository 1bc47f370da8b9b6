//! From settings to a record: build, verify, time in interleaved rounds, then measure the rest.

mod clock;
mod cost;
mod describe;
mod plant;

use std::time::Duration;

use algorithms::algorithm::Moves;
use algorithms::growth::Growth;
use algorithms::{Algorithm, Settings};

use crate::measure::movement;
use crate::measure::{Candidate, Metrics, nodes, untimed};
use crate::progress::Progress;
use crate::record::{Cell, CellKind, Record, Status, Verified};
use crate::scenario::Scenario;
use crate::verify::{Depth, verify};
use crate::workload::Workload;

pub use cost::cost;
pub use plant::Plant;

use clock::{ROUND_WORK, time};
use describe::finish;
pub(crate) use describe::{describe, keys, record};

/// The change that people ask about: from 12 nodes to 14.
const RESIZE_FROM: u32 = 12;

/// What is to be measured.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// The algorithms, in the order of the tables.
    pub algorithms: Vec<&'a Algorithm>,
    /// Node counts.
    pub nodes: Vec<u32>,
    /// What placements are built with.
    pub settings: Settings,
    /// Seed of everything random.
    pub seed: u64,
    /// Whether the short preset was chosen.
    pub quick: bool,
    /// Rounds of timing.
    pub rounds: u32,
    /// Time for one round of one loop.
    pub round: Duration,
    /// Which figures are wanted.
    pub scope: Scope,
    /// A slowdown to plant.
    pub plant: Option<Plant>,
}

/// Which figures are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All of them.
    Everything,
    /// Those that are the same on every machine.
    Exact,
    /// Times alone; the owners are checked, but not every law.
    Times,
}

/// What one cell is about.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The kind of cell.
    pub kind: CellKind,
    /// The algorithm.
    pub algorithm: &'a Algorithm,
    /// The node count.
    pub nodes: u32,
    /// What the placement is built with.
    pub settings: Settings,
}

impl<'a> Plan<'a> {
    /// Every cell of a report.
    fn jobs(&self) -> impl Iterator<Item = Job<'a>> {
        let sizes = self.nodes.iter().map(|&nodes| (CellKind::Placement, nodes));
        let sizes = sizes.chain([(CellKind::Resize, RESIZE_FROM)]);
        sizes.flat_map(move |(kind, nodes)| {
            self.algorithms.iter().map(move |&algorithm| Job {
                kind,
                algorithm,
                nodes,
                settings: self.settings,
            })
        })
    }
}

/// A cell and, while it holds, what is measured for it.
struct Entry<'a> {
    cell: Cell,
    algorithm: &'a Algorithm,
    candidate: Option<Candidate<'a>>,
}

impl Entry<'_> {
    fn fail(&mut self, reason: String) {
        self.cell.status = Status::Failed;
        self.cell.reason = Some(reason);
        self.cell.metrics = Metrics::new();
        self.candidate = None;
    }
}

/// Verifies every cell and measures nothing.
pub fn verify_only(plan: &Plan<'_>, workload: &Workload, progress: &Progress) -> Record {
    let jobs = plan.jobs().filter(|job| job.kind == CellKind::Placement);
    let jobs: Vec<Job<'_>> = jobs.collect();
    progress.total(work(plan, &jobs, workload));
    let entries = build(plan, &jobs, workload, progress);
    finish(plan, workload, Metrics::new(), entries)
}

/// Verifies and measures every cell.
pub fn report(plan: &Plan<'_>, workload: &Workload, progress: &Progress) -> Record {
    let timed_only = plan.scope == Scope::Times;
    let wanted = |job: &Job<'_>| !timed_only || job.kind == CellKind::Placement;
    let jobs: Vec<Job<'_>> = plan.jobs().filter(wanted).collect();
    progress.total(work(plan, &jobs, workload));
    let mut entries = build(plan, &jobs, workload, progress);
    let overheads = match plan.scope {
        Scope::Exact => Metrics::new(),
        Scope::Everything | Scope::Times => time(plan, workload, &mut entries, progress),
    };
    if timed_only {
        return finish(plan, workload, overheads, entries);
    }
    for entry in &mut entries {
        progress.now(format!("measuring {}", label(&entry.cell)));
        if let Some(candidate) = &entry.candidate
            && let Err(reason) = measure(plan, workload, candidate, &mut entry.cell)
        {
            entry.fail(reason);
        }
        progress.done(MEASURE_PASSES * weight(entry.algorithm, entry.cell.nodes, workload));
    }
    finish(plan, workload, overheads, entries)
}

/// Passes over all keys that verifying and that measuring a cell takes: the scale of the progress.
const VERIFY_PASSES: u64 = 2;
const MEASURE_PASSES: u64 = 6;

/// Progress of one pass of a cell over the workload.
fn weight(algorithm: &Algorithm, nodes: u32, workload: &Workload) -> u64 {
    let linear = algorithm.costs.lookup == Growth::N;
    let per_key = 20 + if linear { u64::from(nodes) * 2 } else { 0 };
    // The laws take a sample of the keys, whatever their number.
    500 + per_key * workload.len() as u64 / 10_000
}

/// Progress of a whole run over these cells.
pub(crate) fn work(plan: &Plan<'_>, jobs: &[Job<'_>], workload: &Workload) -> u64 {
    let passes = jobs
        .iter()
        .map(|job| weight(job.algorithm, job.nodes, workload));
    let rounds = match plan.scope {
        Scope::Exact => 0,
        Scope::Everything | Scope::Times => u64::from(plan.rounds) * ROUND_WORK,
    };
    passes.sum::<u64>() * (VERIFY_PASSES + MEASURE_PASSES) + rounds
}

/// A cell as the progress names it.
fn label(cell: &Cell) -> String {
    format!("{} at {} nodes", cell.algorithm, cell.nodes)
}

fn build<'a>(
    plan: &Plan<'_>,
    jobs: &[Job<'a>],
    workload: &Workload,
    progress: &Progress,
) -> Vec<Entry<'a>> {
    let entry = |job: &Job<'a>| {
        let mut entry = Entry {
            cell: describe(workload, job),
            algorithm: job.algorithm,
            candidate: None,
        };
        progress.now(format!("verifying {}", label(&entry.cell)));
        match candidate(plan, job, workload) {
            Ok(candidate) => {
                entry.cell.verified = Some(Verified {
                    checksum: format!("{:016x}", candidate.verified.checksum),
                    keys: workload.len() as u64,
                    laws: candidate.verified.laws as u32,
                });
                entry.candidate = Some(candidate);
            }
            Err(reason) => entry.fail(reason),
        }
        progress.done(VERIFY_PASSES * weight(job.algorithm, job.nodes, workload));
        entry
    };
    jobs.iter().map(entry).collect()
}

/// Builds and verifies a placement.
pub(crate) fn candidate<'a>(
    plan: &Plan<'_>,
    job: &Job<'a>,
    workload: &Workload,
) -> Result<Candidate<'a>, String> {
    let nodes = nodes(plan.seed, job.nodes);
    let placement = job
        .algorithm
        .build(&job.settings, nodes.clone())
        .map_err(|error| error.to_string())?;
    let depth = match plan.scope {
        Scope::Everything | Scope::Exact => Depth::Laws,
        Scope::Times => Depth::Owners,
    };
    let verified = verify(
        job.algorithm,
        &job.settings,
        &nodes,
        &*placement,
        workload,
        depth,
    )?;
    Ok(Candidate {
        algorithm: job.algorithm,
        settings: job.settings,
        nodes,
        seed: plan.seed,
        placement,
        verified,
    })
}

/// Everything that is not timed.
fn measure(
    plan: &Plan<'_>,
    workload: &Workload,
    candidate: &Candidate<'_>,
    cell: &mut Cell,
) -> Result<(), String> {
    if cell.kind == CellKind::Resize {
        cell.metrics = movement::measure(candidate, workload, Scenario::AddTwo, plan.seed);
        return contradiction(cell).map_or(Ok(()), Err);
    }
    let untimed = untimed(candidate, workload, plan.seed).map_err(|error| error.to_string())?;
    cell.metrics.extend(untimed);
    contradiction(cell).map_or(Ok(()), Err)
}

/// A declared trait, or a promise of every placement, that a figure refutes.
fn contradiction(cell: &Cell) -> Option<String> {
    let refuted =
        |declared: bool, metric: &str| declared && cell.value(metric).is_some_and(|v| v > 0.0);
    let traits = &cell.traits;
    let least = [Moves::Least, Moves::Rounded]
        .map(Moves::word)
        .contains(&&*traits.moves);
    let unneeded = Scenario::ALL.map(|scenario| format!("unneeded_{}", scenario.tag()));
    let mut claims = vec![
        (traits.order_free, "order_moved".to_owned()),
        (traits.history_free, "history_moved".to_owned()),
        (least, "reweigh_unneeded".to_owned()),
        (true, "lookup_allocations".to_owned()),
    ];
    claims.extend(unneeded.map(|metric| (least, metric)));
    let (_, metric) = claims
        .into_iter()
        .find(|(declared, metric)| refuted(*declared, metric))?;
    let value = cell.value(&metric)?;
    Some(format!(
        "{metric} is {value}, which the algorithm rules out"
    ))
}

//! How costs grow with the number of nodes and of points per node: counted work beside time, and
//! the exponents of both beside what the algorithms claim. With it two questions about lookups
//! that no exponent answers: what happens around powers of two, and what caches do.

pub mod clock;
pub mod count;
pub mod fit;
pub mod naive;
mod row;

use std::collections::BTreeMap;

use algorithms::algorithm::Spread;
use algorithms::growth::{Costs, Size, Upkeep};
use algorithms::{Algorithm, PlacementError, Settings};

pub use row::{Fitted, Part, Row, Study, StudySettings};

use crate::machine::Machine;
use crate::measure::{Candidate, Metrics, lookup};
use crate::progress::Progress;
use crate::record::{CellKind, Tool, now_unix_s};
use crate::run::{Job, Plan, candidate};
use crate::workload::{Pool, Workload, affordable, random};
use clock::{Caches, Clocked, Sweeper, Timed, Tracks, rounds};
use fit::{Axis, Cost, Curve};
use naive::Naive;

/// Version of the study's shape; raised when a reader of the old shape would misread the new one.
pub const SCHEMA_VERSION: u32 = 1;
/// Nodes while the points vary.
pub const FIXED_NODES: u32 = 100;
/// Node counts around powers of two.
pub const POWERS: [u32; 8] = [511, 512, 513, 640, 768, 1023, 1024, 1025];
/// The node count that the others around powers of two are compared with.
pub const REFERENCE: u32 = 512;
/// Rounds of what is only there as a warning: in full, and in the short preset.
const NAIVE_ROUNDS: [u32; 2] = [9, 3];
/// Scores that one pass over the keys may take where a lookup asks every node: in full, and in the
/// short preset.
pub const SCORES: [usize; 2] = [1_000_000_000, 200_000_000];

/// Steps that a build may claim to take: one of more would take minutes, and every round builds.
const MOST_STEPS: f64 = 1e9;

/// What is to be measured.
#[derive(Clone, Debug)]
pub struct Scope<'a> {
    /// Algorithms, node counts in ascending order and everything else that a report is made by.
    pub plan: Plan<'a>,
    /// Points per node in ascending order.
    pub points: Vec<u32>,
    /// Number of random keys.
    pub keys: usize,
    /// Whether the costs at these node counts are all that is asked for: neither exponents nor
    /// steps, powers of two or caches.
    pub scale: bool,
}

/// An algorithm at a size, built and verified, with the orders in which its keys are looked up.
struct Subject<'a> {
    row: usize,
    candidate: Candidate<'a>,
    tracks: &'a Tracks,
}

/// Counts and times everything.
pub fn study(scope: &Scope<'_>, progress: &Progress) -> Study {
    let plan = &scope.plan;
    // Building and counting, then as many rounds over everything, over the caches, and of warnings.
    let sizes = sizes(scope);
    let keys = |case: &Case<'_>| {
        let scores = SCORES[usize::from(plan.quick)];
        affordable(case.1, case.2, scores, [lookup::PER_SAMPLE, scope.keys])
    };
    let counts: Vec<usize> = sizes.iter().map(keys).collect();
    let random = |count| random(count, plan.seed, plan.settings.hash);
    let pool = Pool::new(counts.iter().copied(), random);
    let tracks = |&count: &usize| (count, Tracks::new(pool.of(count), plan.round));
    let tracks: BTreeMap<usize, Tracks> = counts.iter().map(tracks).collect();
    let mut rows = Vec::new();
    progress.total(sizes.len() as u64 + 3 * u64::from(plan.rounds));
    let mut subjects = Vec::new();
    for (case, keys) in sizes.into_iter().zip(&counts) {
        progress.now(format!("counting {} at {} nodes", case.1.name, case.2));
        let (row, candidate) = count(scope, pool.of(*keys), case);
        if let Ok(candidate) = candidate {
            subjects.push(Subject {
                row: rows.len(),
                candidate,
                tracks: &tracks[keys],
            });
        }
        rows.push(row);
        progress.done(1);
    }
    let mut sweeper = Sweeper::new();
    time_all(plan, &subjects, &mut rows, &mut sweeper, progress);
    compare_powers(&mut rows);
    if !scope.scale {
        time_caches(plan, &subjects, &mut rows, &mut sweeper, progress);
    }
    warn(plan, &subjects, &mut rows, progress);
    Study {
        schema_version: SCHEMA_VERSION,
        tool: Tool::this(),
        created_unix_s: now_unix_s(),
        machine: Machine::detect(),
        settings: settings(scope),
        curves: curves(plan, &rows),
        rows,
    }
}

fn settings(scope: &Scope<'_>) -> StudySettings {
    let plan = &scope.plan;
    let names = plan
        .algorithms
        .iter()
        .map(|algorithm| algorithm.name.into());
    StudySettings {
        algorithms: names.collect(),
        nodes: plan.nodes.clone(),
        fixed_points: plan.settings.points,
        points: scope.points.clone(),
        fixed_nodes: FIXED_NODES,
        table: plan.settings.table,
        slots: plan.settings.slots,
        hash: plan.settings.hash.name().into(),
        seed: plan.seed,
        quick: plan.quick,
        scale: scope.scale,
        rounds: plan.rounds,
        keys: scope.keys as u64,
        lookups_per_sample: lookup::PER_SAMPLE as u32,
    }
}

/// Whether the number of points per node can be chosen.
fn has_points(algorithm: &Algorithm) -> bool {
    algorithm.traits.spread == Spread::Points(None)
}

/// An algorithm with its nodes and points, and what for.
type Case<'a> = (Part, &'a Algorithm, u32, u32);

/// Everything that is built.
fn sizes<'a>(scope: &Scope<'a>) -> Vec<Case<'a>> {
    let plan = &scope.plan;
    let fixed = plan.settings.points;
    let of = |&algorithm: &&'a Algorithm| {
        let nodes = plan.nodes.iter();
        let nodes = nodes.map(move |&n| (Part::Nodes, algorithm, n, fixed));
        let points = scope.points.iter().filter(move |_| has_points(algorithm));
        let points = points.map(move |&v| (Part::Points, algorithm, FIXED_NODES, v));
        let powers = POWERS.map(|n| (Part::Powers, algorithm, n, fixed));
        let further = points.chain(powers).filter(|_| !scope.scale);
        nodes.chain(further).collect::<Vec<_>>()
    };
    plan.algorithms.iter().flat_map(of).collect()
}

/// Builds, verifies and counts.
fn count<'a>(
    scope: &Scope<'a>,
    workload: &Workload,
    (part, algorithm, nodes, points): Case<'a>,
) -> (Row, Result<Candidate<'a>, ()>) {
    let plan = &scope.plan;
    let settings = Settings {
        points,
        ..plan.settings
    };
    let job = Job {
        kind: CellKind::Placement,
        algorithm,
        nodes,
        settings,
    };
    let built = buildable(&job).and_then(|()| candidate(plan, &job, workload));
    let counted = built.and_then(|candidate| {
        let mut metrics = count::lookup(&*candidate.placement, &workload.hashes);
        let words = |error: PlacementError| error.to_string();
        if part != Part::Powers {
            metrics.extend(count::memory(&candidate, &workload.hashes).map_err(words)?);
        }
        if part != Part::Powers && !scope.scale {
            metrics.extend(count::changes(&candidate).map_err(words)?);
        }
        Ok((candidate, metrics))
    });
    let mut row = Row {
        part,
        algorithm: algorithm.name.into(),
        nodes,
        points,
        reason: None,
        metrics: Metrics::new(),
    };
    match counted {
        Ok((candidate, metrics)) => {
            row.metrics = metrics;
            (row, Ok(candidate))
        }
        Err(reason) => {
            row.fail(reason);
            (row, Err(()))
        }
    }
}

/// Whether a build ends in reasonable time, by what the algorithm claims of it.
fn buildable(job: &Job<'_>) -> Result<(), String> {
    let size = Size {
        nodes: job.nodes.into(),
        points: job.settings.points.into(),
        slots: job.algorithm.slots(&job.settings).unwrap_or(0).into(),
    };
    let claim = job.algorithm.costs.build;
    let steps = claim.of(size);
    match steps > MOST_STEPS {
        true => Err(format!(
            "a build takes {} by its claim, {steps:.0e} steps here; more than {MOST_STEPS:.0e} are not tried",
            claim.word()
        )),
        false => Ok(()),
    }
}

fn time_all(
    plan: &Plan<'_>,
    subjects: &[Subject<'_>],
    rows: &mut [Row],
    sweeper: &mut Sweeper,
    progress: &Progress,
) {
    let mut clocked = Vec::new();
    for Subject {
        row,
        candidate,
        tracks,
    } in subjects
    {
        let churn = rows[*row].part != Part::Powers;
        match Clocked::new(candidate, tracks, churn) {
            Ok(timed) => clocked.push((*row, timed)),
            Err(reason) => rows[*row].fail(reason),
        }
    }
    time(plan, "timing", &mut clocked, rows, sweeper, progress);
}

/// Lookups at the smallest, the middle and the largest number of nodes, in rows of their own.
fn time_caches(
    plan: &Plan<'_>,
    subjects: &[Subject<'_>],
    rows: &mut Vec<Row>,
    sweeper: &mut Sweeper,
    progress: &Progress,
) {
    let last = plan.nodes.len() - 1;
    let chosen = [0, last / 2, last].map(|at| plan.nodes[at]);
    let mut clocked = Vec::new();
    for Subject {
        row,
        candidate,
        tracks,
    } in subjects
    {
        let Row {
            part,
            nodes,
            ref reason,
            ..
        } = rows[*row];
        if part != Part::Nodes || !chosen.contains(&nodes) || reason.is_some() {
            continue;
        }
        let mut new = Row {
            part: Part::Caches,
            metrics: Metrics::new(),
            ..rows[*row].clone()
        };
        match Caches::new(candidate, tracks) {
            Ok(timed) => clocked.push((rows.len(), timed)),
            Err(reason) => new.fail(reason),
        }
        rows.push(new);
    }
    time(plan, "cold caches", &mut clocked, rows, sweeper, progress);
}

fn time<T: Timed>(
    plan: &Plan<'_>,
    what: &str,
    clocked: &mut Vec<(usize, T)>,
    rows: &mut [Row],
    sweeper: &mut Sweeper,
    progress: &Progress,
) {
    let count = u64::from(plan.rounds);
    progress.now(format!("{what}, round 1 of {count}"));
    let done = |round| {
        progress.done(1);
        progress.now(format!("{what}, round {} of {count}", count.min(round + 1)));
    };
    let fail = |row: usize, reason| rows[row].fail(reason);
    rounds(clocked, sweeper, [count, plan.seed], done, fail);
    for (row, timed) in clocked {
        rows[*row].metrics.extend(timed.metrics());
    }
}

/// Times around powers of two over those at [`REFERENCE`] nodes.
fn compare_powers(rows: &mut [Row]) {
    let powers = |row: &&Row| row.part == Part::Powers;
    let references: Vec<Row> = rows.iter().filter(powers).cloned().collect();
    for row in rows.iter_mut().filter(|row| row.part == Part::Powers) {
        let same = |other: &&Row| other.algorithm == row.algorithm && other.nodes == REFERENCE;
        let Some(reference) = references.iter().find(same) else {
            continue;
        };
        for mode in ["lookup", "latency"] {
            let of = |row: &Row| row.metrics.get(&format!("{mode}_ns")).cloned();
            if let (Some(time), Some(reference)) = (of(row), of(reference)) {
                row.metrics
                    .insert(format!("{mode}_ratio"), time.over(&reference));
            }
        }
    }
}

/// Adds rows of the way that is warned of, beside the sorted array that does it in one pass.
fn warn(plan: &Plan<'_>, subjects: &[Subject<'_>], rows: &mut Vec<Row>, progress: &Progress) {
    progress.now(format!("timing {}", naive::NAME));
    for Subject { row, candidate, .. } in subjects {
        let sorted = candidate.algorithm.costs.upkeep == Upkeep::Shift;
        let of = &rows[*row];
        if !(sorted && has_points(candidate.algorithm)) || of.part == Part::Powers {
            continue;
        }
        let mut new = Row {
            algorithm: naive::NAME.into(),
            reason: None,
            ..of.clone()
        };
        match Naive::new(candidate) {
            Ok(mut naive) => {
                let rounds = NAIVE_ROUNDS[usize::from(plan.quick)].min(plan.rounds);
                (0..rounds).for_each(|_| naive.round());
                new.metrics = naive.metrics();
            }
            Err(reason) => new.fail(reason),
        }
        rows.push(new);
    }
    progress.done(plan.rounds.into());
}

/// The exponents of every algorithm along both axes.
fn curves(plan: &Plan<'_>, rows: &[Row]) -> Vec<Fitted> {
    let registered = plan.algorithms.iter();
    let registered = registered.map(|a| (a.name, a.costs, a.slots(&plan.settings)));
    let named: Vec<(&str, Costs, Option<u32>)> = registered
        .chain([(naive::NAME, naive::COSTS, None)])
        .collect();
    let mut fitted = Vec::new();
    for (part, axis) in [(Part::Nodes, Axis::Nodes), (Part::Points, Axis::Points)] {
        for (algorithm, costs, slots) in &named {
            let own = |row: &&Row| row.part == part && row.algorithm == *algorithm;
            let point = |row| (size(row, slots.unwrap_or(0)), &row.metrics);
            let points = rows.iter().filter(own).map(point).collect();
            let curve = Curve { axis, points };
            fitted.extend(Cost::ALL.into_iter().filter_map(|cost| {
                Some(Fitted {
                    part,
                    algorithm: (*algorithm).into(),
                    fit: curve.fit(cost, cost.claim(costs))?,
                })
            }));
        }
    }
    fitted
}

fn size(row: &Row, slots: u32) -> Size {
    Size {
        nodes: row.nodes.into(),
        points: row.points.into(),
        slots: slots.into(),
    }
}

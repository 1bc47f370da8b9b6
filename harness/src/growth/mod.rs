//! How costs grow with the number of nodes and of points per node: counted work beside time, and
//! the exponents of both beside what the algorithms claim. With it two questions about lookups
//! that no exponent answers: what happens around powers of two, and what caches do.

pub mod clock;
pub mod count;
pub mod fit;
pub mod naive;

use std::collections::BTreeMap;

use algorithms::algorithm::Spread;
use algorithms::growth::{Costs, Size, Upkeep};
use algorithms::{Algorithm, Settings};
use serde::{Deserialize, Serialize};

use crate::machine::Machine;
use crate::measure::{Candidate, Metrics, lookup};
use crate::progress::Progress;
use crate::record::{CellKind, Metric, Tool, now_unix_s};
use crate::run::{Job, Plan, candidate};
use crate::workload::{Workload, random};
use clock::{Caches, Clocked, Timed, Tracks, rounds};
use fit::{Axis, Cost, Curve, Fit};
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

/// What is to be measured.
#[derive(Clone, Debug)]
pub struct Scope<'a> {
    /// Algorithms, node counts in ascending order and everything else that a report is made by.
    pub plan: Plan<'a>,
    /// Points per node in ascending order.
    pub points: Vec<u32>,
    /// Number of random keys.
    pub keys: usize,
}

/// Everything that was found out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Study {
    /// Version of this shape.
    pub schema_version: u32,
    /// What measured.
    pub tool: Tool,
    /// When the study was made, in seconds since 1970-01-01 UTC.
    pub created_unix_s: u64,
    /// What was measured on.
    pub machine: Machine,
    /// What was measured.
    pub settings: StudySettings,
    /// One row for each algorithm and size.
    pub rows: Vec<Row>,
    /// The exponents.
    pub curves: Vec<Fitted>,
}

/// The settings of a study.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StudySettings {
    /// Names of the algorithms.
    pub algorithms: Vec<String>,
    /// Node counts, with `fixed_points` points per node.
    pub nodes: Vec<u32>,
    /// Points per node while the nodes vary.
    pub fixed_points: u32,
    /// Points per node, with `fixed_nodes` nodes.
    pub points: Vec<u32>,
    /// Nodes while the points vary.
    pub fixed_nodes: u32,
    /// Slots of a Maglev table.
    pub table: u32,
    /// Fixed slots that nodes share.
    pub slots: u32,
    /// The hash of keys and labels.
    pub hash: String,
    /// Seed of everything random.
    pub seed: u64,
    /// Whether the short preset was chosen.
    pub quick: bool,
    /// Rounds of timing.
    pub rounds: u32,
    /// Distinct random keys.
    pub keys: u64,
    /// Lookups in one timed sample.
    pub lookups_per_sample: u32,
}

/// What a row is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Growth with the number of nodes.
    Nodes,
    /// Growth with the points per node.
    Points,
    /// Lookups around powers of two.
    Powers,
    /// Lookups from cold caches and of one key.
    Caches,
}

impl Part {
    /// In one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Nodes => "nodes",
            Self::Points => "points",
            Self::Powers => "powers",
            Self::Caches => "caches",
        }
    }
}

/// One algorithm at one size.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What it is there for.
    pub part: Part,
    /// The algorithm, or the variant that is measured as a warning.
    pub algorithm: String,
    /// Nodes.
    pub nodes: u32,
    /// Points of a node on a vnode ring.
    pub points: u32,
    /// Why the row has no figures.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// What was counted and timed.
    pub metrics: BTreeMap<String, Metric>,
}

impl Row {
    fn fail(&mut self, reason: String) {
        self.reason = Some(reason);
        self.metrics.clear();
    }
}

/// The exponents of one cost of one algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Fitted {
    /// What varies: nodes or points.
    pub part: Part,
    /// The algorithm.
    pub algorithm: String,
    /// The exponents.
    pub fit: Fit,
}

/// An algorithm at a size, built and verified.
struct Subject<'a> {
    row: usize,
    candidate: Candidate<'a>,
}

/// Counts and times everything.
pub fn study(scope: &Scope<'_>, progress: &Progress) -> Study {
    let plan = &scope.plan;
    let workload = random(scope.keys, plan.seed, plan.settings.hash);
    let mut rows = Vec::new();
    // Building and counting, then as many rounds over everything, over the caches, and of warnings.
    let sizes = sizes(scope);
    progress.total(sizes.len() as u64 + 3 * u64::from(plan.rounds));
    let mut subjects = Vec::new();
    for (part, algorithm, nodes, points) in sizes {
        progress.now(format!("counting {} at {nodes} nodes", algorithm.name));
        let (row, subject) = count(plan, &workload, (part, algorithm, nodes, points));
        if let Ok(candidate) = subject {
            let row = rows.len();
            subjects.push(Subject { row, candidate });
        }
        rows.push(row);
        progress.done(1);
    }
    let mut tracks = Tracks::new(&workload, plan.round);
    time_all(plan, &subjects, &mut rows, &mut tracks, progress);
    compare_powers(&mut rows);
    time_caches(plan, &subjects, &mut rows, &mut tracks, progress);
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
        nodes.chain(points).chain(powers).collect::<Vec<_>>()
    };
    plan.algorithms.iter().flat_map(of).collect()
}

/// Builds, verifies and counts.
fn count<'a>(
    plan: &Plan<'a>,
    workload: &Workload,
    (part, algorithm, nodes, points): Case<'a>,
) -> (Row, Result<Candidate<'a>, ()>) {
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
    let built = candidate(plan, &job, workload);
    let counted = built.and_then(|candidate| {
        let mut metrics = count::lookup(&*candidate.placement, &workload.hashes);
        if part != Part::Powers {
            let changes = count::changes(&candidate, &workload.hashes);
            metrics.extend(changes.map_err(|error| error.to_string())?);
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

fn time_all(
    plan: &Plan<'_>,
    subjects: &[Subject<'_>],
    rows: &mut [Row],
    tracks: &mut Tracks,
    progress: &Progress,
) {
    let mut clocked = Vec::new();
    for Subject { row, candidate } in subjects {
        let churn = rows[*row].part != Part::Powers;
        match Clocked::new(candidate, &tracks.warm, churn) {
            Ok(timed) => clocked.push((*row, timed)),
            Err(reason) => rows[*row].fail(reason),
        }
    }
    time(plan, "timing", &mut clocked, rows, tracks, progress);
}

/// Lookups at the smallest, the middle and the largest number of nodes, in rows of their own.
fn time_caches(
    plan: &Plan<'_>,
    subjects: &[Subject<'_>],
    rows: &mut Vec<Row>,
    tracks: &mut Tracks,
    progress: &Progress,
) {
    let last = plan.nodes.len() - 1;
    let chosen = [0, last / 2, last].map(|at| plan.nodes[at]);
    let mut clocked = Vec::new();
    for Subject { row, candidate } in subjects {
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
    time(plan, "cold caches", &mut clocked, rows, tracks, progress);
}

fn time<T: Timed>(
    plan: &Plan<'_>,
    what: &str,
    clocked: &mut Vec<(usize, T)>,
    rows: &mut [Row],
    tracks: &mut Tracks,
    progress: &Progress,
) {
    let count = u64::from(plan.rounds);
    progress.now(format!("{what}, round 1 of {count}"));
    let done = |round| {
        progress.done(1);
        progress.now(format!("{what}, round {} of {count}", count.min(round + 1)));
    };
    let fail = |row: usize, reason| rows[row].fail(reason);
    rounds(clocked, tracks, [count, plan.seed], done, fail);
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
    for Subject { row, candidate } in subjects {
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

//! What a bound on the load buys and costs: the largest load, the requests that spill and how far,
//! and what moves when a node fails.

mod offline;

use algorithms::algorithm::{Moves, Removal, Spread};
use algorithms::bounded::Bound;
use algorithms::{Algorithm, NodeId, Placement, PlacementError};
use schemars::JsonSchema;
use serde::Serialize;

pub use offline::{Assigned, assign};

use crate::machine::Machine;
use crate::measure::{Metrics, nodes};
use crate::progress::Progress;
use crate::record::{Metric, Status, Tool, judge_all, now_unix_s};
use crate::skew::{SCHEMA_VERSION, Setup, SkewSettings, once_each};
use crate::theory::{Against, bounded as theory};
use crate::workload::{Random, Workload};

/// Requests of a skewed load: in full, and with `--quick`.
const REQUESTS: [usize; 2] = [100_000, 20_000];
/// Nodes that fail, one at a time and each from the whole set: in full, and with `--quick`.
const FAILURES: [usize; 2] = [5, 2];
/// The stream of random numbers that chooses them.
const FAILING: u64 = 12;

/// Name of the load in which each key is requested once.
pub const EVEN: &str = "even";

/// What is asked.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Placements and popularities.
    pub setup: Setup,
    /// The bounds to compare.
    pub bounds: Vec<Bound>,
}

/// What was found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Report {
    /// Version of this shape.
    pub schema_version: u32,
    /// What measured.
    pub tool: Tool,
    /// When, in seconds since 1970-01-01 UTC.
    pub created_unix_s: u64,
    /// What was measured on; no figure depends on it.
    pub machine: Machine,
    /// What was measured.
    pub settings: BoundedSettings,
    /// One row for each node count, algorithm, load and bound.
    pub rows: Vec<Row>,
}

/// The settings.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct BoundedSettings {
    /// Those of all skewed loads.
    #[serde(flatten)]
    pub skew: SkewSettings,
    /// The bounds; null for none.
    pub bounds: Vec<Option<f64>>,
    /// Requests of a skewed load.
    pub requests: usize,
    /// Nodes whose failure was tried, one at a time.
    pub failures: usize,
}

/// One placement under one load with one bound.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Row {
    /// Number of nodes.
    pub nodes: u32,
    /// The algorithm.
    pub algorithm: String,
    /// "even" for one request a key, "zipf S", or "requests" for those of the key file.
    pub load: String,
    /// The bound; null for none.
    pub bound: Option<f64>,
    /// Whether it was measured.
    pub status: Status,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The figures, by the names in [`METRICS`].
    pub metrics: Metrics,
}

/// Names of the figures and what they are.
pub const METRICS: [(&str, &str); 7] = [
    (
        "max_over_mean",
        "largest load of a node over the mean load; expected: the cap over the mean",
    ),
    (
        "spilled",
        "part of the requests that did not go to their owner; expected: as the nodes become many",
    ),
    (
        "walk_mean",
        "full nodes that a spilled request passed, in the mean",
    ),
    ("walk_p99", "the same, 99 % of the spilled requests at most"),
    ("walk_max", "the same, the longest"),
    (
        "moved",
        "part of the requests that change their node when a node fails; expected, without a bound: those of the failed node",
    ),
    (
        "moved_over_share",
        "the same over one node's mean part of the requests",
    ),
];

/// A load: what it is called, and the keys of its requests in order.
struct Load {
    name: String,
    requests: Vec<u64>,
}

/// Measures everything.
pub fn measure(ask: &Ask, workload: &Workload, progress: &Progress) -> Report {
    let setup = &ask.setup;
    let count = REQUESTS[usize::from(setup.quick)];
    let mut loads = vec![Load {
        name: EVEN.into(),
        requests: once_each(workload),
    }];
    loads.extend(setup.popularities(workload).iter().map(|popularity| Load {
        name: popularity.name.clone(),
        requests: popularity.draw(workload, count, setup.seed),
    }));
    progress.total((setup.pairs().count() * loads.len()) as u64);
    let mut rows = Vec::new();
    for load in &loads {
        for (count, algorithm) in setup.pairs() {
            progress.now(format!(
                "{} at {count} nodes, {} load",
                algorithm.name, load.name
            ));
            rows.extend(compare(ask, algorithm, count, load));
            progress.done(1);
        }
    }
    let figures = rows.iter_mut().flat_map(|row| row.metrics.values_mut());
    judge_all(figures.collect());
    Report {
        schema_version: SCHEMA_VERSION,
        tool: Tool::this(),
        created_unix_s: now_unix_s(),
        machine: Machine::detect(),
        settings: BoundedSettings {
            skew: setup.tell(workload),
            bounds: ask.bounds.iter().map(|&bound| told(bound)).collect(),
            requests: count,
            failures: FAILURES[usize::from(setup.quick)],
        },
        rows,
    }
}

/// The factor of a bound, where there is one.
fn told(bound: Bound) -> Option<f64> {
    Some(bound.factor()).filter(|factor| factor.is_finite())
}

/// One row for each bound.
fn compare(ask: &Ask, algorithm: &Algorithm, count: u32, load: &Load) -> Vec<Row> {
    let row = |bound| Row {
        nodes: count,
        algorithm: algorithm.name.into(),
        load: load.name.clone(),
        bound: told(bound),
        status: Status::Ok,
        reason: None,
        metrics: Metrics::new(),
    };
    let mut rows: Vec<Row> = ask.bounds.iter().map(|&bound| row(bound)).collect();
    let scene = Scene::build(&ask.setup, algorithm, count, load);
    for (row, &bound) in rows.iter_mut().zip(&ask.bounds) {
        let metrics = match &scene {
            Ok(scene) => scene
                .metrics(algorithm, load, bound)
                .ok_or(NO_PLACE.to_owned()),
            Err(error) => Err(error.to_string()),
        };
        match metrics {
            Ok(metrics) => row.metrics = metrics,
            Err(reason) => {
                row.status = Status::Failed;
                row.reason = Some(reason);
            }
        }
    }
    rows
}

const NO_PLACE: &str = "a request found no place, which a bound of 1 or more rules out";

/// A placement, and the same after each of the failures.
struct Scene {
    whole: Box<dyn Placement>,
    failed: Vec<(NodeId, Box<dyn Placement>)>,
}

/// Where the requests of a load go, each node having its cap.
fn outcome(placement: &dyn Placement, load: &Load, bound: Bound) -> Option<Assigned> {
    let members = placement.membership();
    let total = load.requests.len() as u64;
    let mut caps = vec![0; members.joined()];
    for member in members.members() {
        caps[member.id.index()] = bound.cap(total, member.weight, members.total_weight());
    }
    assign(&load.requests, &caps, |key, visit| {
        placement.prefer(key, visit)
    })
}

impl Scene {
    fn build(
        setup: &Setup,
        algorithm: &Algorithm,
        count: u32,
        load: &Load,
    ) -> Result<Self, PlacementError> {
        let placement = algorithm.build(&setup.settings, nodes(setup.seed, count))?;
        // What remains must hold at least one node, and only an even load has a law to compare with.
        let failures = match load.name == EVEN && count > 1 {
            true => FAILURES[usize::from(setup.quick)],
            false => 0,
        };
        let members = placement.membership().members();
        let mut failing: Vec<NodeId> = members.iter().map(|member| member.id).collect();
        match algorithm.traits.removal {
            Removal::Any => Random::new(setup.seed, FAILING).shuffle(&mut failing),
            Removal::Newest => drop(failing.drain(..failing.len() - 1)),
        }
        let failed = failing.into_iter().take(failures).map(|id| {
            let mut without = placement.boxed_clone();
            without.remove(id)?;
            Ok((id, without))
        });
        Ok(Self {
            failed: failed.collect::<Result<_, PlacementError>>()?,
            whole: placement,
        })
    }

    fn metrics(&self, algorithm: &Algorithm, load: &Load, bound: Bound) -> Option<Metrics> {
        let before = outcome(&*self.whole, load, bound)?;
        let count = self.whole.membership().len() as f64;
        let mean = load.requests.len() as f64 / count;
        let mut metrics = spread(&before, mean, bound);
        let even = matches!(algorithm.traits.spread, Spread::Even | Spread::Slots(_));
        if even && load.name == EVEN && bound != Bound::NONE {
            let cap = bound.cap(load.requests.len() as u64, 1.0, count);
            let expected = theory::spilled(mean, cap);
            metrics
                .entry("spilled".into())
                .and_modify(|metric| metric.expected = Some(expected));
        }
        if !self.failed.is_empty() {
            let mut moved = Vec::new();
            for (id, without) in &self.failed {
                let after = outcome(&**without, load, bound)?;
                moved.push((before.moved(&after), before.loads[id.index()]));
            }
            let least = bound == Bound::NONE && algorithm.traits.moves == Moves::Least;
            metrics.extend(movement(&moved, load.requests.len(), mean, least));
        }
        Some(metrics)
    }
}

/// Loads, spills and walks.
fn spread(assigned: &Assigned, mean: f64, bound: Bound) -> Metrics {
    let largest = assigned.loads.iter().copied().max().unwrap_or(0) as f64 / mean;
    let largest = match bound == Bound::NONE {
        true => Metric::of(largest),
        false => {
            let total = assigned.nodes.len() as u64;
            let cap = bound.cap(total, 1.0, total as f64 / mean) as f64 / mean;
            Metric::of(largest).against(at_most(largest, cap))
        }
    };
    let mut walks: Vec<u32> = assigned
        .walks
        .iter()
        .copied()
        .filter(|&walk| walk > 0)
        .collect();
    walks.sort_unstable();
    let spilled = walks.len() as f64;
    let sum: f64 = walks.iter().copied().map(f64::from).sum();
    // The smallest walk that 99 % of the others do not exceed.
    let p99 = walks.get((walks.len() * 99).div_ceil(100).saturating_sub(1));
    let walk = |value: Option<f64>| Metric::or(value, "nothing spilled");
    [
        ("max_over_mean", largest),
        ("spilled", Metric::of(spilled / assigned.walks.len() as f64)),
        ("walk_mean", walk((spilled > 0.0).then_some(sum / spilled))),
        ("walk_p99", walk(p99.copied().map(f64::from))),
        ("walk_max", walk(walks.last().copied().map(f64::from))),
    ]
    .map(|(name, metric)| (name.to_owned(), metric))
    .into()
}

/// A figure that contradicts its law only above a limit.
pub(crate) fn at_most(value: f64, limit: f64) -> Against {
    Against::exact(value.max(limit), limit)
}

/// What moved in failures, each with the requests that the failed node had: in the mean over them.
fn movement(moved: &[(usize, u64)], requests: usize, mean: f64, least: bool) -> Metrics {
    let failures = moved.len() as f64;
    let requests = requests as f64;
    let count = moved.iter().map(|failure| failure.0 as f64).sum::<f64>() / failures;
    let lost = moved.iter().map(|failure| failure.1 as f64).sum::<f64>() / failures;
    let part = match least {
        true => {
            Metric::of(count / requests).against(Against::exact(count / requests, lost / requests))
        }
        false => Metric::of(count / requests),
    };
    [
        ("moved", part),
        ("moved_over_share", Metric::of(count / mean)),
    ]
    .map(|(name, metric)| (name.to_owned(), metric))
    .into()
}

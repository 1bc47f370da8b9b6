//! What helps against a hot key: the load of the hottest node under each remedy.

mod pairs;
mod remedy;

use std::collections::BTreeMap;

use algorithms::Algorithm;
use algorithms::bounded::Bound;
use schemars::JsonSchema;
use serde::Serialize;

pub use pairs::shared;
pub use remedy::{MORE_POINTS, Remedy};

use crate::bounded::at_most;
use crate::machine::Machine;
use crate::measure::Metrics;
use crate::progress::Progress;
use crate::record::{Metric, Status, Tool, judge_all, now_unix_s};
use crate::skew::{Popularity, SCHEMA_VERSION, Setup, SkewSettings};
use crate::stats::evenness;
use crate::workload::Workload;
use remedy::Scene;

/// Requests that a bounded placement serves: in full, and with `--quick`.
const REQUESTS: [usize; 2] = [100_000, 20_000];
/// Pairs of close keys: in full, and with `--quick`.
const PAIRS: [usize; 2] = [2000, 500];

/// What is asked.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Placements and popularities.
    pub setup: Setup,
    /// How many keys are taken for hot and get the remedies that are for single keys.
    pub hottest: usize,
    /// Keys that a hot key is split into.
    pub pieces: u32,
    /// Nodes that serve a hot key.
    pub replicas: usize,
    /// Bound on the load.
    pub bound: Bound,
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
    pub settings: HotSettings,
    /// One row for each node count, algorithm, load and remedy, and two for each pair case.
    pub rows: Vec<Row>,
}

/// The settings.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HotSettings {
    /// Those of all skewed loads.
    #[serde(flatten)]
    pub skew: SkewSettings,
    /// Keys that are taken for hot.
    pub hottest: usize,
    /// Keys that a hot key is split into.
    pub pieces: u32,
    /// Nodes that serve a hot key.
    pub replicas: usize,
    /// Bound on the load; null for none.
    pub bound: Option<f64>,
    /// Requests that the bounded placements served.
    pub requests: usize,
    /// Pairs of close keys.
    pub pairs: usize,
    /// Part of all requests that the hottest key gets, by load.
    pub hottest_key: BTreeMap<String, f64>,
}

/// One placement under one load with one remedy, or what close keys share of it.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct Row {
    /// Number of nodes.
    pub nodes: u32,
    /// The algorithm.
    pub algorithm: String,
    /// "zipf S", or "requests" for those of the key file; "pair" for two close keys.
    pub load: String,
    /// The remedy, by the names in [`Remedy::ALL`].
    pub remedy: Remedy,
    /// Whether it was measured.
    pub status: Status,
    /// Why not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The figures, by the names in [`METRICS`].
    pub metrics: Metrics,
}

/// Load of the rows about two close keys.
pub const PAIR: &str = "pair";

/// Names of the figures and what they are.
pub const METRICS: [(&str, &str); 3] = [
    (
        "hottest",
        "part of all requests that the hottest node serves",
    ),
    (
        "max_over_mean",
        "the same over the mean part; expected, with a bound: the cap over the mean",
    ),
    (
        "shared",
        "part of the nodes of a hot key that a close key has too; expected: of two random sets",
    ),
];

/// Measures everything.
pub fn measure(ask: &Ask, workload: &Workload, progress: &Progress) -> Report {
    let setup = &ask.setup;
    let quick = usize::from(setup.quick);
    let popularities = setup.popularities(workload);
    progress.total((setup.pairs().count() * popularities.len()) as u64);
    let mut rows = Vec::new();
    for popularity in &popularities {
        let requests = popularity.draw(workload, REQUESTS[quick], setup.seed);
        for (count, algorithm) in setup.pairs() {
            progress.now(format!(
                "{} at {count} nodes, {}",
                algorithm.name, popularity.name
            ));
            let scene = Scene {
                ask,
                workload,
                popularity,
                requests: &requests,
                algorithm,
                count,
            };
            rows.extend(Remedy::ALL.map(|remedy| remedied(&scene, remedy)));
            progress.done(1);
        }
    }
    for (count, algorithm) in setup.pairs() {
        rows.extend(pair(ask, algorithm, count, PAIRS[quick]));
    }
    let figures = rows.iter_mut().flat_map(|row| row.metrics.values_mut());
    judge_all(figures.collect());
    Report {
        schema_version: SCHEMA_VERSION,
        tool: Tool::this(),
        created_unix_s: now_unix_s(),
        machine: Machine::detect(),
        settings: HotSettings {
            skew: setup.tell(workload),
            hottest: ask.hottest,
            pieces: ask.pieces,
            replicas: ask.replicas,
            bound: Some(ask.bound.factor()).filter(|factor| factor.is_finite()),
            requests: REQUESTS[quick],
            pairs: PAIRS[quick],
            hottest_key: popularities.iter().map(hottest_key).collect(),
        },
        rows,
    }
}

fn hottest_key(popularity: &Popularity) -> (String, f64) {
    let parts = popularity.parts.iter().copied();
    (popularity.name.clone(), parts.fold(0.0, f64::max))
}

/// The row of one remedy.
fn remedied(scene: &Scene<'_>, remedy: Remedy) -> Row {
    let row = row(scene.algorithm, scene.count, &scene.popularity.name, remedy);
    match scene.loads(remedy) {
        Ok(Some(served)) => {
            let largest = served.loads.iter().copied().fold(0.0, f64::max);
            let even = evenness(served.loads.iter().copied()).map(|even| even.max_mean);
            let mut over_mean = Metric::or(even, "there are no requests");
            if let (Some(even), Some(limit)) = (even, served.limit) {
                over_mean = over_mean.against(at_most(even, limit));
            }
            Row {
                metrics: [
                    ("hottest", Metric::of(largest)),
                    ("max_over_mean", over_mean),
                ]
                .map(|(name, metric)| (name.to_owned(), metric))
                .into(),
                ..row
            }
        }
        Ok(None) => Row {
            metrics: ["hottest", "max_over_mean"]
                .map(|name| {
                    (
                        name.to_owned(),
                        Metric::none("the algorithm has no points to set"),
                    )
                })
                .into(),
            ..row
        },
        Err(reason) => failed(row, reason),
    }
}

/// The rows of the two orders in which a hot key's nodes can be chosen.
fn pair(ask: &Ask, algorithm: &Algorithm, count: u32, pairs: usize) -> [Row; 2] {
    let orders = [Remedy::Replicas, Remedy::OwnOrder];
    let rows = orders.map(|remedy| row(algorithm, count, PAIR, remedy));
    match shared(&ask.setup, algorithm, count, ask.replicas, pairs) {
        Ok(metrics) => {
            let mut metrics = metrics.into_iter();
            rows.map(|row| Row {
                metrics: metrics
                    .next()
                    .map(|metric| ("shared".to_owned(), metric))
                    .into_iter()
                    .collect(),
                ..row
            })
        }
        Err(error) => rows.map(|row| failed(row, error.to_string())),
    }
}

fn row(algorithm: &Algorithm, count: u32, load: &str, remedy: Remedy) -> Row {
    Row {
        nodes: count,
        algorithm: algorithm.name.into(),
        load: load.into(),
        remedy,
        status: Status::Ok,
        reason: None,
        metrics: Metrics::new(),
    }
}

fn failed(row: Row, reason: String) -> Row {
    Row {
        status: Status::Failed,
        reason: Some(reason),
        ..row
    }
}

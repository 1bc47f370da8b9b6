//! The answer of a command that measures in its own way: what was asked on what ground, and rows.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Keys, Metric, Tool, now_unix_s};
use crate::machine::Machine;
use crate::run::{self, Plan};
use crate::theory::critical;
use crate::workload::Workload;

/// What was asked, `S`, and what was found, one `R` per row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Answer<S, R> {
    /// Version of this shape.
    pub schema_version: u32,
    /// What measured.
    pub tool: Tool,
    /// When it was made, in seconds since 1970-01-01 UTC.
    pub created_unix_s: u64,
    /// What was measured on.
    pub machine: Machine,
    /// What was asked.
    pub settings: S,
    /// What was found.
    pub rows: Vec<R>,
}

impl<S, R> Answer<S, R> {
    /// The answer of this program, here and now.
    pub fn new(schema_version: u32, settings: S, rows: Vec<R>) -> Self {
        Self {
            schema_version,
            tool: Tool::this(),
            created_unix_s: now_unix_s(),
            machine: Machine::detect(),
            settings,
            rows,
        }
    }
}

/// The placements and keys of a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ground {
    /// Names of the algorithms.
    pub algorithms: Vec<String>,
    /// Node counts.
    pub nodes: Vec<u32>,
    /// Points on a vnode ring of a node of weight 1.
    pub points: u32,
    /// Slots of a Maglev table.
    pub table: u32,
    /// Fixed slots.
    pub slots: u32,
    /// The hash of keys and labels.
    pub hash: String,
    /// Seed of everything random.
    pub seed: u64,
    /// Whether the short preset was chosen.
    pub quick: bool,
    /// The keys.
    pub keys: Keys,
}

impl Ground {
    /// That of a plan on these keys.
    pub fn of(plan: &Plan<'_>, workload: &Workload) -> Self {
        let names = plan.algorithms.iter().map(|one| one.name.into());
        Self {
            algorithms: names.collect(),
            nodes: plan.nodes.clone(),
            points: plan.settings.points,
            table: plan.settings.table,
            slots: plan.settings.slots,
            hash: plan.settings.hash.name().into(),
            seed: plan.seed,
            quick: plan.quick,
            keys: run::keys(workload),
        }
    }
}

/// More figures with a law than a full run of one of these commands has: so a figure has the same
/// mark in a small run.
const WHOLE: usize = 500;

/// Marks every figure that has a distance from its law: whether it agrees, as one of all of them.
pub fn judge_all(metrics: Vec<&mut Metric>) {
    let held = metrics.iter().filter(|metric| metric.distance.is_some());
    let critical = critical(held.count().max(WHOLE));
    for metric in metrics {
        metric.agrees = metric.distance.map(|distance| distance.abs() <= critical);
    }
}

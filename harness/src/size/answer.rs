//! The answer: one model that every output is made from.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Ask, Target};
use crate::machine::Machine;
use crate::measure::Metrics;
use crate::record::{Keys, Metric, Tool, Unit, Verified, now_unix_s, units};
use crate::run::{self, Plant};
use crate::workload::Workload;

/// Version of the shape of [`Sizes`].
pub const SCHEMA_VERSION: u32 = 1;

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Sizes {
    /// Version of this shape.
    pub schema_version: u32,
    /// What measured.
    pub tool: Tool,
    /// When it was made, in seconds since 1970-01-01 UTC.
    pub created_unix_s: u64,
    /// What was measured on.
    pub machine: Machine,
    /// What was asked.
    pub settings: SizeSettings,
    /// Unit, direction and kind of every metric that occurs.
    pub units: BTreeMap<String, Unit>,
    /// One row per algorithm and node count.
    pub rows: Vec<Row>,
}

/// What was asked, for the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SizeSettings {
    /// The unevenness that is allowed.
    pub target: Target,
    /// Part of all sets of node names that are to meet it.
    pub confidence: f64,
    /// Names of the algorithms.
    pub algorithms: Vec<String>,
    /// Node counts.
    pub nodes: Vec<u32>,
    /// The hash of keys and labels.
    pub hash: String,
    /// Seed of everything random.
    pub seed: u64,
    /// Whether the short preset was chosen.
    pub quick: bool,
    /// A slowdown that was planted on purpose.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub planted: Option<String>,
    /// The keys of the timed lookups and of the counts.
    pub keys: Keys,
}

/// What an algorithm lets one set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Knob {
    /// Points per node.
    Points,
    /// Slots of the table.
    Slots,
    /// Nothing: shares are even by design.
    Nothing,
}

/// How a row came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// A setting meets the target, or none is needed.
    Ok,
    /// A setting meets the target by theory, and is too large to be built here.
    Unmeasured,
    /// No setting meets the target.
    Cannot,
    /// What was measured contradicts theory.
    Contradicted,
    /// The placement failed its verification.
    Failed,
}

/// One algorithm at one number of nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// The algorithm.
    pub algorithm: String,
    /// Number of nodes.
    pub nodes: u32,
    /// How it came out.
    pub status: Status,
    /// Why not otherwise.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// What can be set.
    pub knob: Knob,
    /// The smallest setting that meets the target in the mean over node names; of a table, which is
    /// the same for all names, the smallest at exactly this number of nodes.
    pub mean: Option<Found>,
    /// The smallest setting with which the wanted part of all sets of names meets the target; of a
    /// table, the smallest from which on every one does, for any nodes up to one more than these.
    pub safe: Option<Found>,
    /// Keys from which on their counts, too, meet the target in the mean, at the safe setting.
    pub keys_mean: Option<u64>,
    /// Keys from which on the counts meet it with the wanted confidence; null for a ring, whose
    /// shares alone use the confidence up.
    pub keys_safe: Option<u64>,
    /// Rounds of timing.
    pub rounds: u32,
    /// Proof that the timed placement gave the right owners.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub verified: Option<Verified>,
    /// What was measured at the safe setting.
    pub metrics: Metrics,
}

/// A setting that meets the target.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Found {
    /// Points per node, or slots.
    pub setting: u32,
    /// The setting that theory alone would give.
    pub by_theory: u32,
    /// The figure that theory expects at the setting: the mean, or the quantile.
    pub expected: f64,
    /// The same figure as measured.
    pub measured: Metric,
    /// Independent sets of node names that were measured.
    pub sets: u32,
    /// How many of them met the target.
    pub met: u32,
}

impl Sizes {
    /// The answer that these rows make.
    pub fn new(ask: &Ask<'_>, workload: &Workload, rows: Vec<Row>) -> Self {
        let mut units = units();
        units.retain(|name, _| rows.iter().any(|row| row.metrics.contains_key(name)));
        let plan = &ask.plan;
        let names = plan.algorithms.iter().map(|one| one.name.into());
        Self {
            schema_version: SCHEMA_VERSION,
            tool: Tool::this(),
            created_unix_s: now_unix_s(),
            machine: Machine::detect(),
            settings: SizeSettings {
                target: ask.target,
                confidence: ask.confidence,
                algorithms: names.collect(),
                nodes: plan.nodes.clone(),
                hash: plan.settings.hash.name().into(),
                seed: plan.seed,
                quick: plan.quick,
                planted: plan.plant.as_ref().map(Plant::words),
                keys: run::keys(workload),
            },
            units,
            rows,
        }
    }

    /// Rows that failed or contradict theory.
    pub fn wrong(&self) -> usize {
        let wrong = |row: &&Row| matches!(row.status, Status::Contradicted | Status::Failed);
        self.rows.iter().filter(wrong).count()
    }
}

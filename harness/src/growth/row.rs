//! What a study of growth found out: one row for each algorithm and size, and the exponents.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::fit::Fit;
use crate::machine::Machine;
use crate::record::{Metric, Tool};

/// Everything that was found out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// Whether the costs at these node counts are all that was asked for.
    #[serde(default)]
    pub scale: bool,
    /// Rounds of timing.
    pub rounds: u32,
    /// Distinct random keys; fewer are looked up where a lookup asks every node.
    pub keys: u64,
    /// Lookups in one timed sample.
    pub lookups_per_sample: u32,
}

/// What a row is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    pub(super) fn fail(&mut self, reason: String) {
        self.reason = Some(reason);
        self.metrics.clear();
    }
}

/// The exponents of one cost of one algorithm.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fitted {
    /// What varies: nodes or points.
    pub part: Part,
    /// The algorithm.
    pub algorithm: String,
    /// The exponents.
    pub fit: Fit,
}

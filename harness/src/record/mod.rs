//! The results of a run: one model that every output is made from, and the JSON that is kept.
//!
//! Numbers are in base units (ns, bytes, fractions) and named with their unit in [`units`]. A value
//! that does not exist is null beside a reason; there is no NaN and no infinity.

mod answer;
mod figures;
mod metric;
mod read;
mod units;

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use algorithms::algorithm;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use answer::{Answer, Ground, judge_all};
pub use figures::OVERHEAD;
pub use metric::Metric;
pub use read::read;
pub use units::{Better, Kind, Unit, units};

use crate::machine::Machine;

/// Version of the record's shape; raised when a reader of the old shape would misread the new one.
pub const SCHEMA_VERSION: u32 = 1;

/// Everything that one run found out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Record {
    /// Version of this shape.
    pub schema_version: u32,
    /// What measured.
    pub tool: Tool,
    /// When the record was made, in seconds since 1970-01-01 UTC.
    pub created_unix_s: u64,
    /// What was measured on.
    pub machine: Machine,
    /// What was measured.
    pub settings: RunSettings,
    /// What the measuring itself costs: the clock, the empty loop, hashing a key.
    pub overheads: BTreeMap<String, Metric>,
    /// Unit, direction and kind of every metric that occurs.
    pub units: BTreeMap<String, Unit>,
    /// One result per algorithm and size.
    pub cells: Vec<Cell>,
}

/// The program that made the record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Tool {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// The commit that it was built from, where known.
    pub commit: Option<String>,
    /// Whether the source differed from that commit.
    pub dirty: Option<bool>,
}

/// The settings of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunSettings {
    /// Names of the algorithms.
    #[serde(default)]
    pub algorithms: Vec<String>,
    /// Node counts.
    pub nodes: Vec<u32>,
    /// Points on a vnode ring of a node of weight 1.
    pub points: u32,
    /// Slots of a Maglev table.
    pub table: u32,
    /// Fixed slots that nodes share, where the record's program knew them.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub slots: Option<u32>,
    /// The hash of keys and labels.
    pub hash: String,
    /// Seed of everything random.
    pub seed: u64,
    /// Whether the short preset was chosen.
    pub quick: bool,
    /// "exact" or "times" where only one kind of figures was measured.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub only: Option<String>,
    /// Rounds of timing, interleaved over all cells in shuffled order.
    pub rounds: u32,
    /// Runs that this record was merged from; 1 for a single run.
    pub runs: u32,
    /// A slowdown that was planted on purpose, to try whether a comparison finds it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub planted: Option<String>,
    /// Lookups in one timed sample.
    pub lookups_per_sample: u32,
    /// The keys.
    pub keys: Keys,
}

/// The keys of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Keys {
    /// Where they come from.
    pub source: String,
    /// Distinct keys.
    pub distinct: u64,
    /// Bytes of all distinct keys together.
    pub key_bytes: u64,
    /// Requests for them, where known.
    pub requests: Option<u64>,
    /// Bytes of their objects, where known.
    pub object_bytes: Option<u64>,
}

/// Whether a cell holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Verified and measured.
    Ok,
    /// Not built, not verified, or contradicted by its own timing; it has no metrics.
    Failed,
}

/// What a cell is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum CellKind {
    /// An algorithm at one size, with everything that is measured.
    Placement,
    /// The change from 12 to 14 nodes alone.
    Resize,
    /// An algorithm at one size, with what Callgrind counted.
    Callgrind,
    /// An algorithm of ours or of a published crate at one size, timed with the hashing of keys.
    Peer,
}

/// One algorithm at one size on one set of keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cell {
    /// The parameters that make the cell; equal ids mean equal work.
    pub id: String,
    /// What it is about.
    pub kind: CellKind,
    /// The algorithm.
    pub algorithm: String,
    /// Version of the algorithm's mapping.
    pub algorithm_version: u32,
    /// Number of nodes.
    pub nodes: u32,
    /// Whether it holds.
    pub status: Status,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What the algorithm declares.
    pub traits: Traits,
    /// What was checked before measuring.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verified: Option<Verified>,
    /// What was measured.
    pub metrics: BTreeMap<String, Metric>,
}

/// What an algorithm declares; where laws were checked and dependences measured, it holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Traits {
    /// Owners depend on the set of nodes alone.
    pub order_free: bool,
    /// Removing a node and adding it back restores every owner.
    pub history_free: bool,
    /// Which nodes can be removed: "any" or "newest".
    pub removal: String,
    /// "none", "exact" or "rounded".
    pub weights: String,
    /// Movement on a change: "least", "rounded" to whole slots, "approximate" or "unbounded".
    pub moves: String,
}

impl From<algorithm::Traits> for Traits {
    fn from(traits: algorithm::Traits) -> Self {
        Self {
            order_free: traits.order_free,
            history_free: traits.history_free,
            removal: traits.removal.word().into(),
            weights: traits.weights.word().into(),
            moves: traits.moves.word().into(),
        }
    }
}

/// The proof that the timed code placed the keys rightly.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Verified {
    /// Checksum of the owners of all keys in order, in hexadecimal: a fingerprint of the mapping.
    pub checksum: String,
    /// Keys whose owners were checked.
    pub keys: u64,
    /// Laws that hold on these nodes and a sample of these keys.
    pub laws: u32,
}

/// The time, in seconds since 1970-01-01 UTC.
pub fn now_unix_s() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.unwrap_or_default().as_secs()
}

impl Tool {
    /// This program.
    pub fn this() -> Self {
        let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Self {
            name: "harness".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            commit: text(env!("HARNESS_COMMIT")),
            dirty: env!("HARNESS_CHANGES").parse().ok(),
        }
    }

    /// The commit, shortened, and whether the source differed from it.
    pub fn revision(&self) -> String {
        let commit: String = match &self.commit {
            Some(commit) => commit.chars().take(9).collect(),
            None => "unknown commit".into(),
        };
        match self.dirty {
            Some(true) => commit + " with changes",
            _ => commit,
        }
    }
}

/// Marks every figure of the cells that has a distance from its law.
pub fn judge(cells: &mut [Cell]) {
    let figures = cells.iter_mut().flat_map(|cell| cell.metrics.values_mut());
    judge_all(figures.collect());
}

impl Cell {
    /// The value of a metric, where it has one.
    pub fn value(&self, metric: &str) -> Option<f64> {
        self.metrics.get(metric).and_then(|metric| metric.value)
    }
}

impl RunSettings {
    /// Names of the fields in which two runs differ, but for those in `except`.
    pub fn differences(&self, other: &Self, except: &[&str]) -> Vec<String> {
        let fields = |settings: &Self| match serde_json::to_value(settings) {
            Ok(serde_json::Value::Object(fields)) => fields,
            _ => serde_json::Map::new(),
        };
        let (mine, theirs) = (fields(self), fields(other));
        let names: std::collections::BTreeSet<&String> = mine.keys().chain(theirs.keys()).collect();
        let differs = |name: &&String| {
            !except.contains(&name.as_str()) && mine.get(*name) != theirs.get(*name)
        };
        names.into_iter().filter(differs).cloned().collect()
    }
}

impl Record {
    /// The JSON text, indented, with a final line feed.
    ///
    /// # Errors
    /// When a map has a key that is no text, which the types rule out.
    pub fn to_json(&self) -> serde_json::Result<String> {
        Ok(serde_json::to_string_pretty(self)? + "\n")
    }

    /// Whether every cell holds.
    pub fn all_hold(&self) -> bool {
        self.cells.iter().all(|cell| cell.status == Status::Ok)
    }
}

//! Lookups while the membership changes, and what clients disagree on meanwhile.
//!
//! The same placement behind two handles: [`algorithms::Live`], where a reader takes a pointer, and
//! a lock that readers share and a writer holds for the length of a change. Readers look up batches
//! as fast as they can; a writer adds a node and removes it again, so often a second. Every batch is
//! held against the owners of the membership that its version names.

mod handle;
mod readers;
mod skew;

use std::time::Duration;

use algorithms::{Algorithm, Settings};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::machine::Machine;
use crate::progress::Progress;
use crate::record::{Metric, Tool, now_unix_s};
use crate::workload::Workload;

pub use handle::Handle;
pub use skew::{INFORMED, Skew, SkewRow, skew};

/// Version of the shape of [`LiveReport`].
pub const SCHEMA_VERSION: u32 = 1;

/// What is measured.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Algorithms.
    pub algorithms: Vec<&'static Algorithm>,
    /// What placements are built with.
    pub settings: Settings,
    /// Nodes before the first change.
    pub nodes: u32,
    /// Numbers of threads that look up.
    pub threads: Vec<u32>,
    /// Changes a second.
    pub changes: Vec<u32>,
    /// Length of one round in milliseconds, where a node joins and leaves in less.
    pub round_ms: u64,
    /// Rounds, interleaved over all rows.
    pub rounds: u32,
    /// Seed of names and keys.
    pub seed: u64,
}

impl Plan {
    /// Length of a round with so many changes a second: as long as it takes for a node to join and
    /// leave as often as fits, and at least once.
    fn round(&self, changes: u32) -> Duration {
        let length = Duration::from_millis(self.round_ms);
        match Duration::from_secs(2).checked_div(changes) {
            Some(both) => both * length.div_duration_f64(both).ceil() as u32,
            None => length,
        }
    }
}

/// All rows and what they were measured on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LiveReport {
    /// Version of this shape.
    pub schema_version: u32,
    /// What measured.
    pub tool: Tool,
    /// When, in seconds since 1970-01-01 UTC.
    pub created_unix_s: u64,
    /// On what.
    pub machine: Machine,
    /// The settings.
    pub settings: LiveSettings,
    /// One row per algorithm, handle, number of threads and rate of changes.
    pub rows: Vec<Row>,
}

/// The settings of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LiveSettings {
    /// Nodes before the first change.
    pub nodes: u32,
    /// Points on a ring of a node of weight 1.
    pub points: u32,
    /// Slots of a Maglev table.
    pub table: u32,
    /// Fixed slots.
    pub slots: u32,
    /// The hash of keys and labels.
    pub hash: String,
    /// Seed of names and keys.
    pub seed: u64,
    /// Distinct keys.
    pub keys: u64,
    /// Lookups in one view.
    pub batch: u32,
    /// Length of one round in milliseconds, or longer until a node has joined and left.
    pub round_ms: u64,
    /// Rounds.
    pub rounds: u32,
}

/// Lookups by some threads while the membership changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// The algorithm.
    pub algorithm: String,
    /// "live", or "lock" for a lock that readers share.
    pub handle: String,
    /// Threads that look up.
    pub threads: u32,
    /// Changes a second that were asked for.
    pub changes: u32,
    /// Changes a second that were made.
    pub changed: Metric,
    /// Lookups of all threads together, in millions a second.
    pub lookups: Metric,
    /// Views that could not be had at once, of a million.
    pub waited: Metric,
    /// The longest time for taking a view and looking up a batch, in µs.
    pub longest: Metric,
    /// Batches whose owners are not those of their version's membership.
    pub torn: u64,
    /// Why there are no figures.
    pub reason: Option<String>,
}

impl LiveReport {
    /// Rows that have no figures, or a batch of no single membership.
    pub fn failed(&self) -> usize {
        let failed = |row: &&Row| row.torn > 0 || row.reason.is_some();
        self.rows.iter().filter(failed).count()
    }
}

/// Measures every row, in rounds over all of them.
pub fn report(plan: &Plan, workload: &Workload, progress: &Progress) -> LiveReport {
    let rows = readers::measure(plan, workload, progress);
    LiveReport {
        schema_version: SCHEMA_VERSION,
        tool: Tool::this(),
        created_unix_s: now_unix_s(),
        machine: Machine::detect(),
        settings: settings(plan, workload),
        rows,
    }
}

fn settings(plan: &Plan, workload: &Workload) -> LiveSettings {
    LiveSettings {
        nodes: plan.nodes,
        points: plan.settings.points,
        table: plan.settings.table,
        slots: plan.settings.slots,
        hash: plan.settings.hash.name().into(),
        seed: plan.seed,
        keys: workload.len() as u64,
        batch: readers::BATCH as u32,
        round_ms: plan.round_ms,
        rounds: plan.rounds,
    }
}

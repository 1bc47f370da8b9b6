//! How fast lookups are: from the bytes of a key to its owner, with the hash given, and on several
//! threads; beside a floor that no table can go below.

mod clock;
mod end_to_end;
mod keys;
mod threads;

use algorithms::Algorithm;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::hashes::LENGTHS;
use crate::measure::{Metrics, lookup};
use crate::progress::Progress;
use crate::record::{Answer, CellKind, Ground};
use crate::run::{Job, Plan, candidate};
use clock::{Subject, time};
use keys::{each, most, pool};

/// Version of the shape of [`Speed`].
pub const SCHEMA_VERSION: u32 = 1;

/// The answer.
pub type Speed = Answer<SpeedSettings, Row>;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Ask<'a> {
    /// Algorithms, node counts and settings.
    pub plan: Plan<'a>,
    /// Threads that look up at the same time, each number once and 1 first.
    pub threads: Vec<u32>,
}

/// What was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SpeedSettings {
    /// Lengths of the keys in bytes.
    pub key_bytes: Vec<u32>,
    /// Numbers of threads.
    pub threads: Vec<u32>,
    /// Rounds of timing, interleaved over all rows in shuffled order.
    pub rounds: u32,
    /// Lookups in one timed sample, and in one batch.
    pub lookups_per_sample: u32,
    /// Placements and keys.
    #[serde(flatten)]
    pub ground: Ground,
}

/// One algorithm at one number of nodes, or the hash alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// The algorithm; none where keys are only hashed.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub algorithm: Option<String>,
    /// Number of nodes.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub nodes: Option<u32>,
    /// Keys that were looked up, fewer where a lookup asks every node.
    pub keys: u64,
    /// Checksum of their verified owners, in hexadecimal.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub checksum: Option<String>,
    /// Bytes of what decides the owners: those of the table that the floor reads from.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub table_bytes: Option<u64>,
    /// Why there are no figures.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// Figures by name.
    pub metrics: Metrics,
}

impl Row {
    fn of(algorithm: Option<(&Algorithm, u32)>, keys: usize) -> Self {
        Self {
            algorithm: algorithm.map(|(algorithm, _)| algorithm.name.into()),
            nodes: algorithm.map(|(_, nodes)| nodes),
            keys: keys as u64,
            checksum: None,
            table_bytes: None,
            reason: None,
            metrics: Metrics::new(),
        }
    }

    fn fail(&mut self, reason: String) {
        self.reason = Some(reason);
        self.metrics.clear();
    }
}

/// Verifies and times everything. The first row is that of the hash alone.
pub fn find(ask: &Ask<'_>, progress: &Progress) -> Speed {
    let plan = &ask.plan;
    let cells = || {
        let sizes = plan.nodes.iter();
        sizes.flat_map(|&nodes| plan.algorithms.iter().map(move |&one| (one, nodes)))
    };
    progress.total(cells().count() as u64 + u64::from(plan.rounds));
    let pool = pool(plan, cells());
    let most = pool.of(most(plan.quick));
    let mut rows = vec![Row::of(None, most.len())];
    let mut subjects = Vec::new();
    for (algorithm, nodes) in cells() {
        progress.now(format!("verifying {} at {nodes} nodes", algorithm.name));
        let keys = pool.of(each(plan.quick, algorithm, nodes));
        let mut row = Row::of(Some((algorithm, nodes)), keys.len());
        let job = Job {
            kind: CellKind::Placement,
            algorithm,
            nodes,
            settings: plan.settings,
        };
        match candidate(plan, &job, keys) {
            Ok(candidate) => {
                let subject = Subject::new(rows.len(), candidate, keys);
                row.checksum = Some(format!("{:016x}", subject.checksum()));
                row.table_bytes = Some(subject.table_bytes());
                subjects.push(subject);
            }
            Err(reason) => row.fail(reason),
        }
        rows.push(row);
        progress.done(1);
    }
    time(ask, most, &subjects, &mut rows, progress);
    let settings = SpeedSettings {
        key_bytes: LENGTHS.into(),
        threads: ask.threads.clone(),
        rounds: plan.rounds,
        lookups_per_sample: lookup::PER_SAMPLE as u32,
        ground: Ground::of(plan, most),
    };
    Answer::new(SCHEMA_VERSION, settings, rows)
}

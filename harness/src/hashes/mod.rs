//! What the choice of the hash does: to the cost of a key, to the evenness of placements by family of
//! keys, and how well it mixes.

mod avalanche;
mod cost;
mod evenness;
mod family;

use algorithms::KeyHash;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use evenness::POINTS;
pub use family::Family;

use crate::machine::Machine;
use crate::progress::Progress;
use crate::record::{Metric, Tool, now_unix_s};
use crate::theory::critical;

/// Version of the survey's shape; raised when a reader of the old shape would misread the new one.
pub const SCHEMA_VERSION: u32 = 1;
/// Lengths of the keys that are timed, in bytes.
pub const LENGTHS: [u32; 4] = [8, 16, 64, 256];
/// Node counts.
pub const NODES: [u32; 2] = [10, 100];

/// What is asked.
#[derive(Clone, Debug)]
pub struct Ask {
    /// The hashes, each once.
    pub hashes: Vec<KeyHash>,
    /// Seed of everything random, and of the nodes' names.
    pub seed: u64,
    /// Whether the short preset was chosen.
    pub quick: bool,
}

/// Everything that was found out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Survey {
    /// Version of this shape.
    pub schema_version: u32,
    /// What measured.
    pub tool: Tool,
    /// When the survey was made, in seconds since 1970-01-01 UTC.
    pub created_unix_s: u64,
    /// What was measured on.
    pub machine: Machine,
    /// What was measured.
    pub settings: SurveySettings,
    /// One row per figure.
    pub rows: Vec<Row>,
}

/// The settings of a survey.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SurveySettings {
    /// Names of the hashes.
    pub hashes: Vec<String>,
    /// Seed of everything random.
    pub seed: u64,
    /// Whether the short preset was chosen.
    pub quick: bool,
    /// Keys of each family.
    pub keys: u64,
    /// Points per node of the ring.
    pub points: u32,
    /// Rounds of timing, interleaved over all hashes and lengths in shuffled order.
    pub rounds: u32,
    /// Keys in which each bit was flipped, one after another.
    pub flipped_keys: u32,
}

/// What a figure tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Figure {
    /// Time of hashing one key, in ns.
    CostNs,
    /// CV of the exact shares of the nodes: what the hash does to their points.
    SharesCv,
    /// CV of the counts of keys per node; its distance is that of χ² of the counts by the exact
    /// shares.
    KeysCv,
    /// Largest distance from one half of the rate at which an input bit flips an output bit.
    AvalancheWorst,
    /// Mean of these distances.
    AvalancheMean,
}

/// One figure of one hash.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// The hash.
    pub hash: String,
    /// What the figure tells.
    pub figure: Figure,
    /// Length of the key, of costs and avalanches.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub key_bytes: Option<u32>,
    /// The algorithm, of evenness.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub algorithm: Option<String>,
    /// Nodes, of evenness.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub nodes: Option<u32>,
    /// The family of keys, of their counts.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub family: Option<Family>,
    /// The figure, beside its law.
    pub metric: Metric,
}

impl Row {
    fn new(hash: &KeyHash, figure: Figure, metric: Metric) -> Self {
        Self {
            hash: hash.name().into(),
            figure,
            key_bytes: None,
            algorithm: None,
            nodes: None,
            family: None,
            metric,
        }
    }

    /// Whether the figure contradicts its law.
    pub fn is_wrong(&self) -> bool {
        self.metric.agrees == Some(false)
    }
}

/// Measures all hashes.
///
/// # Errors
/// When a placement cannot be built.
pub fn survey(ask: &Ask, progress: &Progress) -> Result<Survey, algorithms::PlacementError> {
    let quick = usize::from(ask.quick);
    let settings = SurveySettings {
        hashes: ask.hashes.iter().map(|hash| hash.name().into()).collect(),
        seed: ask.seed,
        quick: ask.quick,
        keys: evenness::KEYS[quick] as u64,
        points: POINTS,
        rounds: cost::ROUNDS[quick],
        flipped_keys: avalanche::KEYS[quick],
    };
    progress.total(2 * ask.hashes.len() as u64 + u64::from(settings.rounds));
    let mut rows = cost::measure(ask, settings.rounds, progress);
    let families = Family::ALL.map(|family| (family, family.keys(settings.keys, ask.seed)));
    for hash in &ask.hashes {
        progress.now(format!("{}: evenness", hash.name()));
        rows.extend(evenness::measure(hash, ask.seed, &families)?);
        progress.done(1);
        progress.now(format!("{}: avalanche", hash.name()));
        rows.extend(avalanche::measure(hash, settings.flipped_keys, ask.seed));
        progress.done(1);
    }
    judge(&mut rows);
    Ok(Survey {
        schema_version: SCHEMA_VERSION,
        tool: Tool::this(),
        created_unix_s: now_unix_s(),
        machine: Machine::detect(),
        settings,
        rows,
    })
}

/// Marks every figure that has a distance from its law, as one of all of them.
fn judge(rows: &mut [Row]) {
    let critical = critical(judged(rows));
    for metric in rows.iter_mut().map(|row| &mut row.metric) {
        metric.agrees = metric.distance.map(|distance| distance.abs() <= critical);
    }
}

/// Figures that are held against a law.
pub fn judged(rows: &[Row]) -> usize {
    let distances = rows.iter().filter_map(|row| row.metric.distance);
    distances.count()
}

//! The answer: one model that every output is made from.

use algorithms::Algorithm;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Ask, Fall, load};
use crate::machine::Machine;
use crate::record::{Keys, Tool, now_unix_s};
use crate::run;
use crate::workload::Workload;

/// Version of the shape of [`Cascades`].
pub const SCHEMA_VERSION: u32 = 1;

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cascades {
    /// Version of this shape.
    pub schema_version: u32,
    /// What measured.
    pub tool: Tool,
    /// When it was made, in seconds since 1970-01-01 UTC.
    pub created_unix_s: u64,
    /// What was measured on.
    pub machine: Machine,
    /// What was asked.
    pub settings: CascadeSettings,
    /// One row per algorithm, node count and headroom.
    pub rows: Vec<Row>,
}

/// What was asked, for the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CascadeSettings {
    /// Names of the algorithms.
    pub algorithms: Vec<String>,
    /// Node counts.
    pub nodes: Vec<u32>,
    /// Capacities of a node over the mean load.
    pub headrooms: Vec<f64>,
    /// Sets of node names, each with another node that leaves first.
    pub sets: u32,
    /// What load is counted in: "keys" or "requests".
    pub load: String,
    /// Points on a vnode ring of a node.
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

/// One algorithm at one number of nodes and one headroom, over all sets of names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// The algorithm.
    pub algorithm: String,
    /// Number of nodes before the first leaves.
    pub nodes: u32,
    /// Capacity of a node over the mean load.
    pub headroom: f64,
    /// Why there are no figures.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// Which node leaves first: "any", drawn at random, or the "newest".
    pub first: String,
    /// Sets of names.
    pub sets: u32,
    /// Sets in which no other node followed the first.
    pub held: u32,
    /// Sets in which no node was left.
    pub collapsed: u32,
    /// Sets in which a node above its capacity could not leave.
    pub stuck: u32,
    /// Why it could not, the first time.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub refusal: Option<String>,
    /// Nodes above their capacity before any left, in the mean.
    pub over_before: f64,
    /// Largest load over the mean after the first node has left, in the mean.
    pub needed: f64,
    /// Nodes that are left, in the mean.
    pub survivors: f64,
    /// Nodes that are left in the worst set.
    pub survivors_worst: u32,
    /// Waves of overload after the first node, in the mean.
    pub waves: f64,
    /// Most waves.
    pub waves_worst: u32,
    /// Part of the load that no node has capacity for in the end, in the mean.
    pub lost: f64,
    /// The same in the worst set.
    pub lost_worst: f64,
    /// Part of the load that is not on the node where it was, in the mean.
    pub moved: f64,
}

impl Row {
    /// The row of these cascades, of which there is at least one.
    pub fn of(algorithm: &Algorithm, nodes: u32, headroom: f64, falls: &[&Fall]) -> Self {
        let sets = falls.len() as f64;
        let mean =
            |figure: fn(&Fall) -> f64| falls.iter().map(|fall| figure(fall)).sum::<f64>() / sets;
        let count =
            |holds: fn(&Fall) -> bool| falls.iter().filter(|fall| holds(fall)).count() as u32;
        let survivors = falls.iter().map(|fall| fall.survivors.len() as u32);
        let lost = falls.iter().map(|fall| fall.lost);
        Self {
            sets: falls.len() as u32,
            held: count(|fall| fall.waves == 0 && fall.stuck.is_none()),
            collapsed: count(|fall| fall.survivors.is_empty()),
            stuck: count(|fall| fall.stuck.is_some()),
            refusal: falls.iter().find_map(|fall| fall.stuck.clone()),
            over_before: mean(|fall| fall.over_before as f64),
            needed: mean(|fall| fall.needed),
            survivors: mean(|fall| fall.survivors.len() as f64),
            survivors_worst: survivors.min().unwrap_or(0),
            waves: mean(|fall| fall.waves.into()),
            waves_worst: falls.iter().map(|fall| fall.waves).max().unwrap_or(0),
            lost: mean(|fall| fall.lost),
            lost_worst: lost.fold(0.0, f64::max),
            moved: mean(|fall| fall.moved),
            ..Self::named(algorithm, nodes, headroom)
        }
    }

    /// A row without figures, and why.
    pub fn failed(algorithm: &Algorithm, nodes: u32, headroom: f64, reason: String) -> Self {
        Self {
            reason: Some(reason),
            ..Self::named(algorithm, nodes, headroom)
        }
    }

    fn named(algorithm: &Algorithm, nodes: u32, headroom: f64) -> Self {
        Self {
            algorithm: algorithm.name.into(),
            nodes,
            headroom,
            first: algorithm.traits.removal.word().into(),
            ..Self::default()
        }
    }
}

impl Cascades {
    /// The answer that these rows make.
    pub fn new(ask: &Ask<'_>, workload: &Workload, rows: Vec<Row>) -> Self {
        let plan = &ask.plan;
        let names = plan.algorithms.iter().map(|one| one.name.into());
        Self {
            schema_version: SCHEMA_VERSION,
            tool: Tool::this(),
            created_unix_s: now_unix_s(),
            machine: Machine::detect(),
            settings: CascadeSettings {
                algorithms: names.collect(),
                nodes: plan.nodes.clone(),
                headrooms: ask.headrooms.clone(),
                sets: ask.sets,
                load: load(workload).name.into(),
                points: plan.settings.points,
                table: plan.settings.table,
                slots: plan.settings.slots,
                hash: plan.settings.hash.name().into(),
                seed: plan.seed,
                quick: plan.quick,
                keys: run::keys(workload),
            },
            rows,
        }
    }
}

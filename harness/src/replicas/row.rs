//! The answer about copies: what was asked, and one row per algorithm and node count.

use algorithms::Algorithm;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{OverNames, Pairs, Zones};
use crate::record::{Ground, Metric};

/// Version of the shape of [`super::Copies`].
pub const SCHEMA_VERSION: u32 = 1;

/// What was asked.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CopySettings {
    /// Copies of each key.
    pub replicas: u32,
    /// How the nodes stand in zones.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub zones: Option<Zones>,
    /// Placements and keys.
    #[serde(flatten)]
    pub ground: Ground,
}

/// How a row came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    /// Every key has as many copies as were asked for.
    Ok,
    /// There are fewer nodes than copies were asked for: each has one.
    Shortage,
    /// Not built, not verified, or contradicted; it has no figures.
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
    /// How the further copies are found: "ordered" or "rehashed".
    pub order: String,
    /// Copies that each key has.
    pub copies: u32,
    /// Keys whose copies were followed.
    pub keys: u64,
    /// The largest number of owned keys of a node over the mean.
    pub owners_max_mean: Metric,
    /// The largest number of copies on a node over the mean.
    pub copies_max_mean: Metric,
    /// One node joins.
    pub join: Change,
    /// One node leaves: a random one, or the newest where no other can.
    pub leave: Change,
    /// What is lost with a zone.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub zones: Option<Zoned>,
    /// What is lost with two nodes; of vnode rings at several numbers of points.
    pub pairs: Vec<Pairs>,
}

/// What a change of membership does to the copies, in parts of all keys.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Change {
    /// Keys whose owner changed.
    pub owner: Metric,
    /// Keys whose set of nodes changed.
    pub set: Metric,
    /// Keys whose owner stayed and whose set changed.
    pub hidden: Metric,
    /// New pairs of key and node, per key: the copies to make.
    pub made: Metric,
    /// The fewest for the same loads of the nodes.
    pub least: Metric,
    /// The law of a ring is one over names: the same on rings of other names.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub over_names: Option<OverNames>,
}

/// Copies in zones.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Zoned {
    /// Nodes of each zone.
    pub sizes: Vec<u32>,
    /// By the order of preference alone.
    pub plain: Selection,
    /// With distinct zones first.
    pub across: Selection,
    /// One node joins: with distinct zones first.
    pub join: Change,
    /// One node leaves: with distinct zones first.
    pub leave: Change,
}

/// How a selection of nodes takes the loss of one zone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Selection {
    /// Keys with two copies in one zone.
    pub shared: Metric,
    /// Part of all copies that is lost with the zone that holds the most.
    pub lost: Metric,
    /// Keys that lose a majority with the worst zone.
    pub majority: Metric,
    /// Keys that lose every copy with the worst zone.
    pub all: Metric,
}

impl Row {
    pub(super) fn new(algorithm: &Algorithm, nodes: u32, copies: u32) -> Self {
        Self {
            algorithm: algorithm.name.into(),
            nodes,
            status: Status::Ok,
            reason: None,
            order: algorithm.traits.replicas.word().into(),
            copies,
            keys: 0,
            owners_max_mean: Metric::default(),
            copies_max_mean: Metric::default(),
            join: Change::default(),
            leave: Change::default(),
            zones: None,
            pairs: Vec::new(),
        }
    }

    /// Takes all figures back.
    pub(super) fn fail(&mut self, reason: String) {
        *self = Self {
            algorithm: std::mem::take(&mut self.algorithm),
            order: std::mem::take(&mut self.order),
            status: Status::Failed,
            reason: Some(reason),
            keys: 0,
            owners_max_mean: Metric::default(),
            copies_max_mean: Metric::default(),
            join: Change::default(),
            leave: Change::default(),
            zones: None,
            pairs: Vec::new(),
            ..*self
        };
    }

    /// Every figure that may have a law.
    pub(super) fn metrics(&mut self) -> Vec<&mut Metric> {
        let mut metrics = Vec::new();
        for change in [&mut self.join, &mut self.leave] {
            metrics.extend([&mut change.owner, &mut change.set, &mut change.hidden]);
            if let Some(names) = &mut change.over_names {
                metrics.push(&mut names.set);
            }
        }
        if let Some(zones) = &mut self.zones {
            metrics.extend([&mut zones.plain.shared, &mut zones.across.shared]);
        }
        metrics.extend(self.pairs.iter_mut().flat_map(Pairs::metrics));
        metrics
    }
}

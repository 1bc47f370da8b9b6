//! The remedies, and the loads of all nodes under each.

use algorithms::algorithm::Spread;
use algorithms::bounded::Bound;
use algorithms::hash::mix;
use algorithms::{Algorithm, KeyHash, Membership, NodeId, Placement, Settings};
use schemars::JsonSchema;
use serde::Serialize;

use super::Ask;
use crate::bounded::assign;
use crate::measure::nodes;
use crate::skew::Popularity;
use crate::workload::Workload;

/// Points of a node are multiplied by this.
pub const MORE_POINTS: u32 = 10;

/// What is done about hot keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Remedy {
    /// Nothing.
    None,
    /// Ten times as many points on a vnode ring.
    MorePoints,
    /// A bound on the load of every node.
    Bound,
    /// The hottest keys become `key:0`, `key:1`, ….
    Split,
    /// The hottest keys are served by the first nodes that they could spill to.
    Replicas,
    /// The hottest keys are served by the first nodes of an order of their own.
    OwnOrder,
}

impl Remedy {
    /// All of them, in the order of the tables.
    pub const ALL: [Self; 6] = [
        Self::None,
        Self::MorePoints,
        Self::Bound,
        Self::Split,
        Self::Replicas,
        Self::OwnOrder,
    ];

    /// Its name in CSV and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::MorePoints => "more-points",
            Self::Bound => "bound",
            Self::Split => "split",
            Self::Replicas => "replicas",
            Self::OwnOrder => "own-order",
        }
    }
}

/// One placement under one load.
pub(super) struct Scene<'a> {
    pub ask: &'a Ask,
    pub workload: &'a Workload,
    pub popularity: &'a Popularity,
    /// Hashes of the keys of random requests.
    pub requests: &'a [u64],
    pub algorithm: &'a Algorithm,
    pub count: u32,
}

/// What the nodes serve, as parts of all requests.
pub(super) struct Served {
    pub loads: Vec<f64>,
    /// The largest that one may be, over the mean.
    pub limit: Option<f64>,
}

impl Scene<'_> {
    /// What the nodes serve under a remedy; `None` where the algorithm has no use for it.
    pub fn loads(&self, remedy: Remedy) -> Result<Option<Served>, String> {
        let mut settings = self.ask.setup.settings;
        if remedy == Remedy::MorePoints {
            if self.algorithm.traits.spread != Spread::Points(None) {
                return Ok(None);
            }
            settings.points = settings.points.saturating_mul(MORE_POINTS);
        }
        let placement = self.build(&settings)?;
        match remedy {
            Remedy::Bound => self.bounded(&*placement).map(Some),
            Remedy::None | Remedy::MorePoints => {
                Ok(Some(self.spread(&*placement, 0, |_| Vec::new())))
            }
            Remedy::Split | Remedy::Replicas | Remedy::OwnOrder => {
                let servers = |key| match remedy {
                    Remedy::Split => self.pieces(&*placement, key),
                    Remedy::Replicas => {
                        adjacent(&*placement, self.workload.hashes[key], self.ask.replicas)
                    }
                    _ => own_order(
                        placement.membership(),
                        settings.hash,
                        self.workload.hashes[key],
                        self.ask.replicas,
                    ),
                };
                Ok(Some(self.spread(&*placement, self.ask.hottest, servers)))
            }
        }
    }

    fn build(&self, settings: &Settings) -> Result<Box<dyn Placement>, String> {
        let nodes = nodes(self.ask.setup.seed, self.count);
        let built = self.algorithm.build(settings, nodes);
        built.map_err(|error| error.to_string())
    }

    /// The loads when the `hottest` keys are served by `servers` in turns, and others by their owner.
    fn spread(
        &self,
        placement: &dyn Placement,
        hottest: usize,
        servers: impl Fn(usize) -> Vec<NodeId>,
    ) -> Served {
        let mut loads = vec![0.0; self.count as usize];
        let mut owners = vec![None; self.workload.len()];
        placement.place_many(&self.workload.hashes, &mut owners);
        let parts = &self.popularity.parts;
        for key in self.popularity.hottest(hottest) {
            owners[key] = None;
            let servers = servers(key);
            for node in &servers {
                loads[node.index()] += parts[key] / servers.len() as f64;
            }
        }
        for (owner, part) in owners.iter().zip(parts) {
            if let Some(owner) = owner {
                loads[owner.index()] += part;
            }
        }
        Served { loads, limit: None }
    }

    /// Owners of the pieces of a key.
    fn pieces(&self, placement: &dyn Placement, key: usize) -> Vec<NodeId> {
        let hash = self.ask.setup.settings.hash;
        let key = self.workload.keys().nth(key).unwrap_or_default();
        let piece = |piece| {
            let suffix = format!(":{piece}");
            placement.place(hash.of(&[key, suffix.as_bytes()].concat()))
        };
        (0..self.ask.pieces).filter_map(piece).collect()
    }

    fn bounded(&self, placement: &dyn Placement) -> Result<Served, String> {
        let total = self.requests.len() as u64;
        let cap = self.ask.bound.cap(total, 1.0, f64::from(self.count));
        let caps = vec![cap; self.count as usize];
        let assigned = assign(self.requests, &caps, |key, visit| {
            placement.prefer(key, visit)
        })
        .ok_or("a request found no place, which a bound of 1 or more rules out")?;
        let part = |load: u64| load as f64 / total as f64;
        let limit = part(cap) * f64::from(self.count);
        Ok(Served {
            loads: assigned.loads.into_iter().map(part).collect(),
            limit: (self.ask.bound != Bound::NONE).then_some(limit),
        })
    }
}

/// The nodes that would hold `count` copies of a key: on a ring those that follow clockwise.
pub(super) fn adjacent(placement: &dyn Placement, key: u64, count: usize) -> Vec<NodeId> {
    let mut owners = vec![None; count];
    placement.replicas(key, &mut owners);
    owners.into_iter().flatten().collect()
}

/// The `count` nodes with the highest scores for a key, as in rendezvous hashing: the key, and not
/// its place on a ring, decides their order.
pub(super) fn own_order(
    membership: &Membership,
    hash: KeyHash,
    key: u64,
    count: usize,
) -> Vec<NodeId> {
    let members = membership.by_name();
    let scored = members.map(|member| (mix(key ^ hash.of(member.name.as_bytes())), member.id));
    let mut scored: Vec<(u64, NodeId)> = scored.collect();
    scored.sort_by_key(|scored| std::cmp::Reverse(scored.0));
    scored
        .into_iter()
        .take(count)
        .map(|scored| scored.1)
        .collect()
}

//! What `bounded` and `hot` share: the placements that they build and how unequal requests are.

use algorithms::hash::mix;
use algorithms::{Algorithm, Settings};
use rand_distr::weighted::WeightedAliasIndex;
use schemars::JsonSchema;
use serde::Serialize;

use crate::record::Keys;
use crate::run::keys;
use crate::workload::{Random, Workload};

/// Version of the shape of both commands' JSON.
pub const SCHEMA_VERSION: u32 = 1;

/// Streams of random numbers, beside that of the keys.
const DRAWS: u64 = 11;

/// What is built.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The algorithms, in the order of the tables.
    pub algorithms: Vec<&'static Algorithm>,
    /// Node counts.
    pub nodes: Vec<u32>,
    /// What placements are built with.
    pub settings: Settings,
    /// Seed of everything random.
    pub seed: u64,
    /// Whether the short preset was chosen.
    pub quick: bool,
    /// Exponents of the Zipf laws.
    pub zipf: Vec<f64>,
}

/// The settings as the JSON tells them.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SkewSettings {
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
    /// Exponents of the Zipf laws.
    pub zipf: Vec<f64>,
    /// The keys.
    pub keys: Keys,
}

impl Setup {
    /// Every pair of a node count and an algorithm, in the order of the tables.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, &'static Algorithm)> {
        let nodes = self.nodes.iter();
        nodes.flat_map(|&count| self.algorithms.iter().map(move |&one| (count, one)))
    }

    /// The settings, told.
    pub fn tell(&self, workload: &Workload) -> SkewSettings {
        SkewSettings {
            algorithms: self.algorithms.iter().map(|one| one.name.into()).collect(),
            nodes: self.nodes.clone(),
            points: self.settings.points,
            table: self.settings.table,
            slots: self.settings.slots,
            hash: self.settings.hash.name().into(),
            seed: self.seed,
            quick: self.quick,
            zipf: self.zipf.clone(),
            keys: keys(workload),
        }
    }

    /// How popular the keys are: by each Zipf law, and by their own requests where those are known.
    pub fn popularities(&self, workload: &Workload) -> Vec<Popularity> {
        let mut all: Vec<Popularity> = self
            .zipf
            .iter()
            .map(|&exponent| Popularity::zipf(workload.len(), exponent))
            .collect();
        let known = workload.requests.as_deref().unwrap_or_default();
        all.extend(Popularity::of_requests(known));
        all
    }
}

/// How requests are spread over the keys of a workload.
#[derive(Clone, Debug)]
pub struct Popularity {
    /// "zipf 1" or "requests".
    pub name: String,
    /// Part of all requests that each key gets; together 1.
    pub parts: Vec<f64>,
}

impl Popularity {
    /// The i-th key gets requests in proportion to 1/i^exponent.
    pub fn zipf(keys: usize, exponent: f64) -> Self {
        // The same bits on every platform, which the standard library does not promise.
        let weights = (1..=keys).map(|rank| libm::pow(rank as f64, -exponent));
        Self::scaled(format!("zipf {exponent}"), weights.collect())
    }

    /// Counted requests; `None` when there are none at all.
    fn of_requests(requests: &[u64]) -> Option<Self> {
        let any = requests.iter().any(|&count| count > 0);
        let weights = requests.iter().map(|&count| count as f64).collect();
        any.then(|| Self::scaled("requests".into(), weights))
    }

    fn scaled(name: String, weights: Vec<f64>) -> Self {
        let total: f64 = weights.iter().sum();
        Self {
            name,
            parts: weights.iter().map(|weight| weight / total).collect(),
        }
    }

    /// Positions of the `count` keys with the most requests, the most popular first.
    pub fn hottest(&self, count: usize) -> Vec<usize> {
        let mut positions: Vec<usize> = (0..self.parts.len()).collect();
        positions.sort_by(|&a, &b| self.parts[b].total_cmp(&self.parts[a]));
        positions.truncate(count);
        positions
    }

    /// Hashes of the keys of `count` random requests, in the order in which they come.
    pub fn draw(&self, workload: &Workload, count: usize, seed: u64) -> Vec<u64> {
        let mut random = Random::new(seed, DRAWS);
        // The parts are positive and finite in sum, which is all that the alias table asks.
        let Ok(law) = WeightedAliasIndex::new(self.parts.clone()) else {
            return Vec::new();
        };
        (0..count)
            .map(|_| workload.hashes[random.sample(&law)])
            .collect()
    }
}

/// One request for each key, in an order that depends on the keys alone and in which neighbours on
/// a ring are not neighbours: served in the order of the ring, twice as many requests would find
/// their owner full.
pub fn once_each(workload: &Workload) -> Vec<u64> {
    let mut hashes = workload.hashes.clone();
    hashes.sort_unstable_by_key(|&hash| mix(hash));
    hashes
}

//! The answer: one model that every output is made from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::memcached::Program;
use super::real::Real;
use super::simulate::Played;
use super::stream::Popularity;
use super::{Ask, Cache, Sized};
use crate::machine::Machine;
use crate::record::{Keys, Metric, Tool, now_unix_s};
use crate::run;
use crate::theory::Against;
use crate::workload::Workload;

/// Version of the shape of [`Hits`].
pub const SCHEMA_VERSION: u32 = 1;
/// Part of the old hit rate at which caches count as recovered.
pub const RECOVERED: f64 = 0.99;

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Hits {
    /// Version of this shape.
    pub schema_version: u32,
    /// What measured.
    pub tool: Tool,
    /// When it was made, in seconds since 1970-01-01 UTC.
    pub created_unix_s: u64,
    /// What was measured on.
    pub machine: Machine,
    /// What was asked.
    pub settings: HitsSettings,
    /// What simulated caches gave: one row per cache, node count, algorithm and change.
    pub rows: Vec<Row>,
    /// What real servers gave when a node was added, where they were asked for.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub memcached: Vec<Real>,
}

/// What was asked, for the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct HitsSettings {
    /// Names of the algorithms.
    pub algorithms: Vec<String>,
    /// Node counts.
    pub nodes: Vec<u32>,
    /// Hit rate before the change, for caches that do not have a given size.
    pub base: f64,
    /// "unlimited", "fitted", or objects per node.
    pub caches: Vec<String>,
    /// Where the popularity of keys comes from.
    pub popularity: String,
    /// Requests in a window.
    pub window: u64,
    /// Windows after the change.
    pub windows: u64,
    /// Sets of node names, each with its own stream of requests.
    pub sets: u32,
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
    /// The program that real servers ran.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub memcached: Option<String>,
}

/// A change of nodes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Change {
    /// One joins.
    #[default]
    Add,
    /// One leaves.
    Remove,
}

impl Change {
    /// Both.
    pub const ALL: [Self; 2] = [Self::Add, Self::Remove];

    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Add => "add",
            Self::Remove => "remove",
        }
    }
}

/// One algorithm at one number of nodes with one kind of cache, over all sets of names.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// The algorithm.
    pub algorithm: String,
    /// Number of nodes before the change.
    pub nodes: u32,
    /// Objects that a node's cache holds; null without a limit.
    pub objects: Option<u64>,
    /// The change.
    pub change: Change,
    /// Which node can leave: "any", drawn at random, or the "newest".
    pub removal: String,
    /// Why there are no figures.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// Part of the requests whose key moved.
    pub moved: f64,
    /// Hit rate before the change.
    pub before: f64,
    /// Hit rate straight after it, before any object was fetched again. With a law where caches are
    /// unlimited: base × (1 − moved); elsewhere that of the rate before is what is expected.
    pub straight: Metric,
    /// Hit rate in the first window.
    pub first: f64,
    /// The first window with 99 % of the hits of unchanged nodes, counted from 1.
    pub recovered: Option<u32>,
    /// Misses in all windows that unchanged nodes would not have had, in the mean over sets.
    pub extra: f64,
    /// Hit rates in some windows, counted from 1.
    pub curve: Vec<(u32, f64)>,
}

impl Row {
    /// With the figures of these sets, of which there is at least one.
    pub(super) fn of(self, ask: &Ask<'_>, sized: Sized, sets: &[&Played]) -> Self {
        let count = sets.len() as f64;
        let sum = |part: &dyn Fn(&Played) -> u64| sets.iter().map(|set| part(set)).sum::<u64>();
        let rate = |of: fn(&Played) -> [u64; 2]| {
            sum(&|set| of(set)[0]) as f64 / sum(&|set| of(set)[1]) as f64
        };
        let moved = sets.iter().map(|set| set.moved).sum::<f64>() / count;
        let before = rate(|set| set.before);
        let hits = |window: usize| sum(&|set| set.windows[window]);
        let unchanged = |window: usize| sum(&|set| set.unchanged[window]);
        let in_window = |window: usize| hits(window) as f64 / (ask.window as f64 * count);
        let mut windows = 0..ask.windows;
        let recovered = windows.find(|&at| hits(at) as f64 >= RECOVERED * unchanged(at) as f64);
        let total = |of: fn(&Played) -> &[u64]| sum(&|set| of(set).iter().sum()) as f64;
        let shown = |at: &usize| *at <= ask.windows;
        let tens = (0..).map(|power| 10usize.pow(power)).take_while(shown);
        let straight = Metric::of(rate(|set| set.straight));
        Self {
            moved,
            before,
            straight: match sized.objects {
                None => straight.against(law(sized.cacheable, sets)),
                Some(_) => straight.expecting(before * (1.0 - moved)),
            },
            first: in_window(0),
            recovered: recovered.map(|at| at as u32 + 1),
            extra: (total(|set| &set.unchanged) - total(|set| &set.windows)) / count,
            curve: tens.map(|at| (at as u32, in_window(at - 1))).collect(),
            ..self
        }
    }
}

/// Hits straight after a change: each request hits with probability base × (1 − moved).
fn law(base: f64, sets: &[&Played]) -> Against {
    let (mut hits, mut requests, mut expected, mut variance) = (0.0, 0.0, 0.0, 0.0);
    for set in sets {
        let [hit, all] = set.straight.map(|count| count as f64);
        let chance = base * (1.0 - set.moved);
        hits += hit;
        requests += all;
        expected += all * chance;
        variance += all * (chance * (1.0 - chance)).max(0.0);
    }
    Against::normal(
        hits / requests,
        expected / requests,
        variance.sqrt() / requests,
    )
}

impl Hits {
    /// The answer that these rows make.
    pub fn new(
        ask: &Ask<'_>,
        workload: &Workload,
        popularity: &Popularity,
        rows: Vec<Row>,
        real: Option<(&Program, Vec<Real>)>,
    ) -> Self {
        let plan = &ask.plan;
        let names = plan.algorithms.iter().map(|one| one.name.into());
        let (program, memcached) = real.unzip();
        Self {
            schema_version: SCHEMA_VERSION,
            tool: Tool::this(),
            created_unix_s: now_unix_s(),
            machine: Machine::detect(),
            settings: HitsSettings {
                algorithms: names.collect(),
                nodes: plan.nodes.clone(),
                base: ask.base,
                caches: ask.caches.iter().copied().map(Cache::word).collect(),
                popularity: popularity.source.clone(),
                window: ask.window as u64,
                windows: ask.windows as u64,
                sets: ask.sets,
                points: plan.settings.points,
                table: plan.settings.table,
                slots: plan.settings.slots,
                hash: plan.settings.hash.name().into(),
                seed: plan.seed,
                quick: plan.quick,
                keys: run::keys(workload),
                memcached: program.map(|program| program.version.clone()),
            },
            rows,
            memcached: memcached.unwrap_or_default(),
        }
    }

    /// Rows that failed, or in which simulated caches differ from the real servers.
    pub fn failed(&self) -> usize {
        let failed = self.rows.iter().filter(|row| row.reason.is_some());
        let differ = self.memcached.iter().filter(|real| !real.agrees);
        failed.count() + differ.count()
    }
}

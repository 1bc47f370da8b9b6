//! The same requests through real servers and through simulated caches, before and after a node is
//! added.

use std::num::NonZeroUsize;

use algorithms::Algorithm;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::answer::Change;
use super::fleet::{Fleet, Simulated, play, probe};
use super::memcached::{MemcachedError, Program, Servers};
use super::stream::{Popularity, Request};
use super::{Ask, Placed};
use crate::progress::Progress;
use crate::workload::{Random, Workload};

/// How far a hit rate of servers that evict may be from the simulated one: memcached keeps what was
/// asked for more than once in a segment of its own and so is no plain LRU cache.
pub const TOLERANCE: f64 = 0.05;
/// Requests before the change, straight after it, and from then on: in full, and with `--quick`.
const REQUESTS: [[usize; 3]; 2] = [[5000, 5000, 10_000], [2000, 2000, 4000]];
/// Megabytes and bytes of an object where objects are to be evicted.
const SCARCE: (u32, usize) = (2, 2000);
/// Objects that no server with so little memory can hold together.
const MANY: usize = 10_000;

/// One algorithm on real servers.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Real {
    /// The algorithm.
    pub algorithm: String,
    /// Number of nodes before one is added.
    pub nodes: u32,
    /// Objects that a server holds, counted on one; null where all fit.
    pub objects: Option<u64>,
    /// Why there are no figures.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// Objects that the servers evicted, those included that did not fit from the start.
    pub evictions: u64,
    /// What the servers gave.
    pub measured: Rates,
    /// What simulated caches gave.
    pub simulated: Rates,
    /// The largest difference of two rates, with its sign.
    pub difference: f64,
    /// How large it may be: 0 where nothing was evicted.
    pub tolerance: f64,
    /// Whether it is no larger.
    pub agrees: bool,
}

/// Hit rates of one run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Rates {
    /// Before the node was added.
    pub before: f64,
    /// Straight after, before any object was fetched again.
    pub straight: f64,
    /// From then on.
    pub after: f64,
}

/// What is played.
struct Script {
    fill: Vec<u32>,
    requests: [Vec<Request>; 3],
}

impl Script {
    fn play<F: Fleet>(
        &self,
        fleet: &mut F,
        was: &[usize],
        is: &[usize],
    ) -> Result<Rates, F::Error> {
        fleet.fill(was, &self.fill)?;
        let [before, straight, after] = &self.requests;
        let rate = |hits: u64, requests: &[Request]| hits as f64 / requests.len() as f64;
        Ok(Rates {
            before: rate(play(fleet, was, before)?, before),
            straight: rate(probe(fleet, is, straight)?, straight),
            after: rate(play(fleet, is, after)?, after),
        })
    }
}

/// Plays everything on servers that hold all objects, and on servers that do not.
///
/// # Errors
/// When a server does not start, or does not answer as it should.
pub fn try_memcached(
    ask: &Ask<'_>,
    program: &Program,
    workload: &Workload,
    popularity: &Popularity,
    progress: &Progress,
) -> Result<Vec<Real>, MemcachedError> {
    let plan = &ask.plan;
    progress.total((2 * plan.nodes.len() * plan.algorithms.len()) as u64);
    let keys = popularity.ascending();
    let mut random = Random::new(plan.seed, 34);
    let mut script = |cacheable, most: usize| Script {
        fill: keys[keys.len().saturating_sub(most)..].into(),
        requests: REQUESTS[usize::from(plan.quick)]
            .map(|count| popularity.draw(count, cacheable, &mut random)),
    };
    let capacity = capacity(program, &keys)?;
    // Each server has room for all keys, at some 200 bytes each.
    let ample = (64 + (keys.len() / 5000) as u32, 1);
    let mut rows = Vec::new();
    for &nodes in &plan.nodes {
        let memories = [
            (ample, None, script(ask.base, usize::MAX)),
            (SCARCE, capacity, script(1.0, MANY * nodes as usize)),
        ];
        for (memory, objects, script) in &memories {
            for algorithm in &plan.algorithms {
                progress.now(format!(
                    "{}, {}, {nodes} nodes",
                    program.version, algorithm.name
                ));
                let row = Real {
                    algorithm: algorithm.name.into(),
                    nodes,
                    objects: objects.map(|objects| objects.get() as u64),
                    ..Real::default()
                };
                let placed = owners(ask, algorithm, nodes, workload);
                rows.push(match placed {
                    Ok(owners) => row.tried(program, *memory, *objects, script, &owners)?,
                    Err(reason) => Real {
                        reason: Some(reason),
                        ..row
                    },
                });
                progress.done(1);
            }
        }
    }
    Ok(rows)
}

/// Nodes of all keys, before and after one is added.
fn owners(
    ask: &Ask<'_>,
    algorithm: &Algorithm,
    nodes: u32,
    workload: &Workload,
) -> Result<[Vec<usize>; 2], String> {
    let hashes = &workload.hashes;
    let was = Placed::new(ask, algorithm, nodes, ask.plan.seed, hashes);
    let was = was.map_err(|error| error.to_string())?;
    let is = was.after(Change::Add, algorithm, hashes);
    let is = is.map_err(|error| error.to_string())?;
    Ok([was.owners, is.owners])
}

/// Objects that a server with little memory holds, counted on one; `None` where all keys fit.
fn capacity(program: &Program, keys: &[u32]) -> Result<Option<NonZeroUsize>, MemcachedError> {
    let mut server = Servers::start(program, 1, SCARCE.0, SCARCE.1)?;
    let fill = &keys[keys.len().saturating_sub(MANY)..];
    let most = keys.iter().max().map_or(0, |&key| key as usize + 1);
    server.fill(&vec![0; most], fill)?;
    let held = NonZeroUsize::new(server.count("curr_items")? as usize);
    Ok(held.filter(|held| held.get() < fill.len()))
}

impl Real {
    fn tried(
        self,
        program: &Program,
        (megabytes, bytes): (u32, usize),
        objects: Option<NonZeroUsize>,
        script: &Script,
        [was, is]: &[Vec<usize>; 2],
    ) -> Result<Self, MemcachedError> {
        let nodes = self.nodes as usize + 1;
        let mut servers = Servers::start(program, nodes, megabytes, bytes)?;
        let measured = script.play(&mut servers, was, is)?;
        let evictions = servers.count("evictions")?;
        let Ok(simulated) = script.play(&mut Simulated::new(nodes, objects), was, is);
        let differences = [
            measured.before - simulated.before,
            measured.straight - simulated.straight,
            measured.after - simulated.after,
        ];
        let largest = differences
            .into_iter()
            .max_by(|a, b| a.abs().total_cmp(&b.abs()));
        let difference = largest.unwrap_or(0.0);
        let tolerance = if evictions == 0 { 0.0 } else { TOLERANCE };
        Ok(Self {
            evictions,
            measured,
            simulated,
            difference,
            tolerance,
            agrees: difference.abs() <= tolerance,
            ..self
        })
    }
}

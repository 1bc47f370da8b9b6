//! Cache hit rates straight after a change of nodes, and how they recover.
//!
//! Every node is a cache. Requests are played through caches that have reached a steady state; then
//! a node joins or leaves, and the same requests are played on through the changed placement and
//! through the old one. What the two differ by is the cost of the change.

mod answer;
mod fleet;
pub mod memcached;
mod real;
mod simulate;
mod stream;

pub use answer::{Change, Hits, HitsSettings, Row, SCHEMA_VERSION};
pub use fleet::{Fleet, Simulated, play, probe};
pub use real::{Real, TOLERANCE, try_memcached};
pub use simulate::simulate;
pub use stream::{Popularity, Request};

use std::num::NonZeroUsize;

use algorithms::algorithm::Removal;
use algorithms::{Algorithm, NodeId, Placement, PlacementError};

use crate::measure;
use crate::run::Plan;
use crate::theory::lru;
use crate::workload::Random;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Ask<'a> {
    /// Algorithms, node counts and seed; nothing is timed.
    pub plan: Plan<'a>,
    /// Hit rate before the change, for caches that do not have a given size.
    pub base: f64,
    /// The caches.
    pub caches: Vec<Cache>,
    /// Requests in a window.
    pub window: usize,
    /// Windows after the change.
    pub windows: usize,
    /// Sets of node names, each with its own stream of requests.
    pub sets: u32,
}

/// How much a cache holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cache {
    /// Everything; a part of the requests is for what cannot be cached.
    Unlimited,
    /// As many objects as the base rate takes, alike for all nodes.
    Fitted,
    /// So many objects.
    Objects(NonZeroUsize),
}

/// A cache, as large as it is for one popularity and one number of nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sized {
    /// Objects that a node's cache holds, unless it is unlimited.
    pub objects: Option<NonZeroUsize>,
    /// Part of the requests that is for what can be cached.
    pub cacheable: f64,
    /// Requests after which it is in a steady state.
    pub settled: usize,
}

impl Ask<'_> {
    /// Requests after the change.
    pub fn horizon(&self) -> usize {
        self.window * self.windows
    }

    /// How large a cache is. Sizes and times of limited ones are by Che's approximation, as if the
    /// caches of all nodes were one.
    pub fn size(&self, cache: Cache, nodes: u32, popularity: &Popularity) -> Sized {
        let (parts, nodes) = (&*popularity.parts, nodes as usize);
        // In so long, nearly every key is asked for.
        let most = 1e4 * parts.len() as f64;
        let limited = |objects: usize, time: f64| Sized {
            objects: NonZeroUsize::new(objects.max(1)),
            cacheable: 1.0,
            settled: (2.0 * time) as usize,
        };
        let sized = match cache {
            Cache::Unlimited => Sized {
                objects: None,
                cacheable: self.base,
                settled: 0,
            },
            Cache::Fitted => {
                let time = lru::time(parts, most, |fit| fit.hit_rate >= self.base);
                let objects = lru::che(parts, time).objects / nodes as f64;
                limited(objects.ceil() as usize, time)
            }
            Cache::Objects(objects) => {
                let all = (nodes * objects.get()) as f64;
                let time = lru::time(parts, most, |fit| fit.objects >= all);
                limited(objects.get(), time)
            }
        };
        Sized {
            settled: sized.settled.min(self.horizon()),
            ..sized
        }
    }
}

/// A placement of one set of names, and the nodes by position of the key.
pub(crate) struct Placed {
    placement: Box<dyn Placement>,
    /// Node of each key.
    pub owners: Vec<usize>,
    seed: u64,
}

impl Placed {
    /// Builds the placement.
    ///
    /// # Errors
    /// When it cannot be built.
    pub fn new(
        ask: &Ask<'_>,
        algorithm: &Algorithm,
        nodes: u32,
        seed: u64,
        hashes: &[u64],
    ) -> Result<Self, PlacementError> {
        let names = measure::nodes(seed, nodes);
        let placement = algorithm.build(&ask.plan.settings, names)?;
        Ok(Self::of(placement, seed, hashes))
    }

    fn of(placement: Box<dyn Placement>, seed: u64, hashes: &[u64]) -> Self {
        let mut owners = vec![None; hashes.len()];
        placement.place_many(hashes, &mut owners);
        // Where there are nodes, all of weight 1, no key is without.
        let index = |owner: Option<NodeId>| owner.map_or(0, NodeId::index);
        Self {
            owners: owners.into_iter().map(index).collect(),
            placement,
            seed,
        }
    }

    /// The placement after the change: a further node, or one less; a random one unless only the
    /// newest can go.
    ///
    /// # Errors
    /// When the change is refused.
    pub fn after(
        &self,
        change: Change,
        algorithm: &Algorithm,
        hashes: &[u64],
    ) -> Result<Self, PlacementError> {
        let mut placement = self.placement.boxed_clone();
        let members = self.placement.membership().members();
        match (change, algorithm.traits.removal) {
            (Change::Add, _) => {
                placement.add(measure::node(self.seed, members.len()))?;
            }
            (Change::Remove, Removal::Any) => {
                let at = Random::new(self.seed, 32).below(members.len());
                placement.remove(members[at].id)?;
            }
            (Change::Remove, Removal::Newest) => placement.remove(members[members.len() - 1].id)?,
        }
        Ok(Self::of(placement, self.seed, hashes))
    }

    /// Part of the requests whose key has another owner.
    pub fn moved(&self, after: &Self, popularity: &Popularity) -> f64 {
        let owners = self.owners.iter().zip(&after.owners);
        let parts = owners.zip(&popularity.parts);
        let moved = parts.filter(|((was, is), _)| was != is);
        moved.map(|(_, part)| part).sum()
    }
}

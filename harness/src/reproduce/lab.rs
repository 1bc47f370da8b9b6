//! What reproductions are made with: seeded nodes and keys, and both hands on the work.

use std::thread;

use algorithms::hash::XXH3;
use algorithms::{Node, Placement, PlacementError, Settings, ring};

use crate::workload::Random;

/// How much is tried, and on which seed.
#[derive(Clone, Copy, Debug)]
pub struct Lab {
    /// Seed of everything random.
    pub seed: u64,
    /// Whether fewer trials are wanted.
    pub quick: bool,
}

/// By how much `--quick` cuts the trials.
const QUICK: usize = 10;

impl Lab {
    /// So many trials, fewer when in a hurry; always enough for a mean.
    pub fn trials(&self, full: usize) -> usize {
        match self.quick {
            true => (full / QUICK).max(full.min(30)),
            false => full,
        }
    }

    /// Rounds of timing.
    pub fn rounds(&self) -> usize {
        match self.quick {
            true => 31,
            false => 75,
        }
    }

    /// The stream of random numbers of this purpose.
    pub fn random(&self, purpose: &str) -> Random {
        Random::new(self.seed, XXH3.of(purpose.as_bytes()) >> 8)
    }

    /// Random key hashes of this purpose.
    pub fn keys(&self, purpose: &str, count: usize) -> Vec<u64> {
        let mut random = self.random(purpose);
        (0..count).map(|_| random.bits()).collect()
    }

    /// Names of one trial: other purposes, trials and seeds have other names, and so draw other
    /// rings and tables.
    pub fn nodes(&self, purpose: &str, trial: usize, count: usize) -> Vec<Node> {
        let named = |number| self.node(purpose, trial, number);
        (0..count).map(named).collect()
    }

    /// The node with this number in one trial.
    pub fn node(&self, purpose: &str, trial: usize, number: usize) -> Node {
        Node::new(format!("{purpose}-{}-{trial}-{number}", self.seed))
    }

    /// A vnode ring of one trial.
    ///
    /// # Errors
    /// When it would have too many points.
    pub fn ring(
        &self,
        purpose: &str,
        trial: usize,
        nodes: usize,
        points: u32,
    ) -> Result<Box<dyn Placement>, PlacementError> {
        let settings = with_points(points);
        // Another number of points under the same names would be another part of one draw.
        let purpose = format!("{purpose}/{nodes}x{points}");
        ring::vec::ALGORITHM.build(&settings, self.nodes(&purpose, trial, nodes))
    }

    /// The results of independent trials, in their order, made on all processors.
    ///
    /// # Errors
    /// The first error of a trial.
    pub fn each<T: Send>(
        &self,
        trials: usize,
        trial: impl Fn(usize) -> Result<T, PlacementError> + Sync,
    ) -> Result<Vec<T>, PlacementError> {
        let threads = thread::available_parallelism().map_or(1, usize::from);
        let chunk = trials.div_ceil(threads).max(1);
        let run = |start: usize| {
            let own = start..(start + chunk).min(trials);
            own.map(&trial).collect::<Result<Vec<T>, _>>()
        };
        let run = &run;
        let parts: Vec<_> = thread::scope(|scope| {
            let starts = (0..trials).step_by(chunk);
            let handles: Vec<_> = starts
                .map(|start| scope.spawn(move || run(start)))
                .collect();
            let join = |handle: thread::ScopedJoinHandle<'_, _>| match handle.join() {
                Ok(part) => part,
                Err(panic) => std::panic::resume_unwind(panic),
            };
            handles.into_iter().map(join).collect()
        });
        let parts = parts.into_iter().collect::<Result<Vec<_>, _>>()?;
        Ok(parts.into_iter().flatten().collect())
    }
}

/// Exact shares in joining order.
pub fn shares(placement: &dyn Placement) -> Vec<f64> {
    placement.shares().iter().map(|share| share.1).collect()
}

/// Default settings with so many points per node.
pub fn with_points(points: u32) -> Settings {
    Settings {
        points,
        ..Settings::default()
    }
}

/// Default settings with a table of so many slots.
pub fn with_table(table: u32) -> Settings {
    Settings {
        table,
        ..Settings::default()
    }
}

/// Exact part of the key space whose owner differs; not a number, which agrees with no law, where it
/// cannot be counted.
pub fn moved(before: &dyn Placement, after: &dyn Placement) -> f64 {
    let mut moved = 0;
    let count = |_, _, size| moved += size;
    let whole = before.layout().each_move(&after.layout(), count);
    whole.map_or(f64::NAN, |whole| moved as f64 / whole as f64)
}

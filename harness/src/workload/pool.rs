//! Keys for placements of which some can be asked for fewer than others.

use std::collections::BTreeMap;

use algorithms::Algorithm;
use algorithms::growth::Growth;

use super::Workload;

/// How many of `keys` keys a placement is asked for, `fewest` at least: all, unless a lookup asks
/// every node and all lookups together would ask for more than so many scores.
pub fn affordable(
    algorithm: &Algorithm,
    nodes: u32,
    scores: usize,
    [fewest, keys]: [usize; 2],
) -> usize {
    match algorithm.costs.lookup {
        Growth::N => (scores / nodes as usize).clamp(fewest.min(keys), keys),
        _ => keys,
    }
}

/// Workloads by their number of keys.
pub struct Pool(BTreeMap<usize, Workload>);

impl Pool {
    /// One workload for each of these numbers.
    pub fn new(counts: impl IntoIterator<Item = usize>, make: impl Fn(usize) -> Workload) -> Self {
        let mut pool = BTreeMap::new();
        for count in counts {
            pool.entry(count).or_insert_with(|| make(count));
        }
        Self(pool)
    }

    /// The workload of this number.
    ///
    /// # Panics
    /// When there is none.
    pub fn of(&self, count: usize) -> &Workload {
        &self.0[&count]
    }
}

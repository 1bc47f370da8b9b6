//! Caches that requests are played through: simulated ones here, real ones in `memcached`.

use std::convert::Infallible;
use std::num::NonZeroUsize;

use lru::LruCache;

use super::stream::Request;

/// One cache per node.
pub trait Fleet {
    /// What can go wrong.
    type Error;

    /// Whether the node's cache holds the object of the key, which then is its latest.
    ///
    /// # Errors
    /// When the cache does not answer.
    fn get(&mut self, node: usize, key: u32) -> Result<bool, Self::Error>;

    /// Puts the object of the key into the node's cache.
    ///
    /// # Errors
    /// When the cache does not answer.
    fn set(&mut self, node: usize, key: u32) -> Result<(), Self::Error>;

    /// Asks a node for something that no cache holds.
    ///
    /// # Errors
    /// When the cache does not answer, or holds it.
    fn miss(&mut self, node: usize) -> Result<(), Self::Error>;

    /// Puts these keys where they belong, in this order.
    ///
    /// # Errors
    /// When a cache does not answer.
    fn fill(&mut self, owners: &[usize], keys: &[u32]) -> Result<(), Self::Error> {
        keys.iter()
            .try_for_each(|&key| self.set(owners[key as usize], key))
    }
}

/// Plays requests through the caches and counts the hits. A missed object is put where it was
/// missed. `owners` are nodes by position of the key.
///
/// # Errors
/// As the caches.
pub fn play<F: Fleet>(
    fleet: &mut F,
    owners: &[usize],
    requests: &[Request],
) -> Result<u64, F::Error> {
    let mut hits = 0;
    for (number, request) in requests.iter().enumerate() {
        let Some(key) = *request else {
            fleet.miss(owners[number % owners.len()])?;
            continue;
        };
        let node = owners[key as usize];
        match fleet.get(node, key)? {
            true => hits += 1,
            false => fleet.set(node, key)?,
        }
    }
    Ok(hits)
}

/// Asks for the objects and puts none anywhere: the hits straight after a change.
///
/// # Errors
/// As the caches.
pub fn probe<F: Fleet>(
    fleet: &mut F,
    owners: &[usize],
    requests: &[Request],
) -> Result<u64, F::Error> {
    let mut hits = 0;
    for key in requests.iter().flatten() {
        hits += u64::from(fleet.get(owners[*key as usize], *key)?);
    }
    Ok(hits)
}

/// Caches in memory that drop what was not asked for the longest.
#[derive(Clone)]
pub struct Simulated(Vec<LruCache<u32, ()>>);

impl Simulated {
    /// Empty caches of so many objects each, or without a limit.
    pub fn new(nodes: usize, objects: Option<NonZeroUsize>) -> Self {
        let cache = || objects.map_or_else(LruCache::unbounded, LruCache::new);
        Self((0..nodes).map(|_| cache()).collect())
    }
}

impl Fleet for Simulated {
    type Error = Infallible;

    fn get(&mut self, node: usize, key: u32) -> Result<bool, Infallible> {
        Ok(self.0[node].get(&key).is_some())
    }

    fn set(&mut self, node: usize, key: u32) -> Result<(), Infallible> {
        self.0[node].put(key, ());
        Ok(())
    }

    fn miss(&mut self, _: usize) -> Result<(), Infallible> {
        Ok(())
    }
}

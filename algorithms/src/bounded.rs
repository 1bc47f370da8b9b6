//! Bounded loads: no node serves more than c times its part of the requests in flight.
//!
//! With m requests in flight, a node of weight w takes a further one only while its load is below
//! ceil(c·(m+1)·w/Σw). A request goes to the owner of its key or, while that is full, to the next
//! node of the key's order of preference ([`Placement::prefer`]): clockwise on a ring, as in the
//! paper. [`Bounded`] wraps any placement. What is bounded are requests that
//! are being served, not keys: [`Bounded::acquire`] takes a place and its [`Lease`] gives it back.
//!
//! A place always exists for c ≥ 1: the caps add up to m+1 at least. It is always found: the
//! order of preference ends with every node. A membership change can leave a node above its new cap; it then
//! takes nothing until it has fallen below.
//!
//! | acquire | give back | memory |
//! |---|---|---|
//! | a lookup, O(log N), and for a spilled request the candidates that it passes | O(log N) | 24 bytes a node |
//!
//! Choose it where requests cost about the same and one busy node holds up the rest: c between 1.1
//! and 1.5. A small c spills much, and moves many more keys when a node leaves.
//!
//! Source: Mirrokni, Thorup and Zadimoghaddam, "Consistent Hashing with Bounded Loads", SODA 2018
//! (arXiv 1608.01350), c being its 1+ε; Vimeo's and HAProxy's form for requests in flight.
//! Deviations: weights; placements that are no ring; requests stay where they began, while the paper
//! moves them so that the outcome does not depend on the order of arrival.

use std::ops::ControlFlow;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::error::PlacementError;
use crate::membership::{Member, Node};
use crate::placement::{NodeId, Placement};

/// The load factor c: at least 1, and infinite where there is no bound.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Bound(f64);

/// A load factor that leaves some request without a place, or is no number.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("a load bound is a number of at least 1, such as 1.25, but this one is {0}")]
pub struct InvalidBound(pub f64);

/// Products this close to a whole number, relatively, are that number: 1.1·100/10 is 11, although
/// the nearest floating-point number to 1.1 is above it.
const ROUNDING: f64 = 1e-12;

impl Bound {
    /// No bound.
    pub const NONE: Self = Self(f64::INFINITY);

    /// The bound c.
    ///
    /// # Errors
    /// When it is below 1 or not a number.
    pub fn new(c: f64) -> Result<Self, InvalidBound> {
        match c >= 1.0 {
            true => Ok(Self(c)),
            false => Err(InvalidBound(c)),
        }
    }

    /// The factor c.
    pub fn factor(self) -> f64 {
        self.0
    }

    /// The most of `requests` requests that a node of this weight may have: ceil(c·m·w/Σw), or
    /// `u64::MAX` without a bound; 0 for weight 0. Together the caps hold `requests` requests, up to
    /// 10^12 of them.
    pub fn cap(self, requests: u64, weight: f64, total_weight: f64) -> u64 {
        let exact = self.0 * requests as f64 * weight / total_weight;
        // The cast saturates, and makes 0 of no bound times no weight.
        (exact * (1.0 - ROUNDING)).ceil() as u64
    }
}

impl Default for Bound {
    /// 1.25.
    fn default() -> Self {
        Self(1.25)
    }
}

/// A placement whose nodes serve a bounded number of requests at once.
///
/// Threads acquire and give back through a shared reference; a membership change takes an exclusive
/// one, so with threads it stands in an `RwLock`. Leases do not borrow it and outlive changes.
///
/// ```
/// use algorithms::bounded::{Bound, Bounded};
/// use algorithms::{Node, Settings, registry};
///
/// let settings = Settings::default();
/// let nodes = (0..10).map(|n| Node::new(format!("cache-{n}"))).collect();
/// let ring = registry::find("ring-vec").expect("registered").build(&settings, nodes)?;
/// let mut caches = Bounded::new(ring, Bound::default());
///
/// let key = settings.hash.of(b"user:42");
/// let first = caches.acquire(key).expect("ten nodes are eligible");
/// let second = caches.acquire(key).expect("and one of them has room");
/// assert_ne!(first.node(), second.node(), "of two requests a node may have ceil(1.25·2/10) = 1");
///
/// caches.remove(first.node())?; // takes its one request out of the total
/// assert_eq!(caches.in_flight(), 1);
/// drop(first); // harmless
/// second.finish(); // the same as dropping it
/// assert_eq!(caches.in_flight(), 0);
/// # Ok::<(), algorithms::PlacementError>(())
/// ```
pub struct Bounded {
    placement: Box<dyn Placement>,
    bound: Bound,
    loads: Arc<Mutex<Loads>>,
}

/// What is in flight. A cap depends on the total, so a load and the total must be seen and changed
/// together: hence one lock, held for a few comparisons, and not an atomic for each node.
#[derive(Debug, Default)]
struct Loads {
    /// In the order of ids.
    nodes: Vec<Load>,
    total_weight: f64,
    /// Requests of all nodes together.
    in_flight: u64,
    spills: u64,
}

#[derive(Debug)]
struct Load {
    id: NodeId,
    weight: f64,
    requests: u64,
}

impl Loads {
    fn get(&mut self, id: NodeId) -> Option<&mut Load> {
        let at = self.nodes.binary_search_by_key(&id, |node| node.id);
        at.ok().map(|at| &mut self.nodes[at])
    }

    /// The cap of a member for the next request.
    fn cap(&self, weight: f64, bound: Bound) -> u64 {
        bound.cap(self.in_flight + 1, weight, self.total_weight)
    }

    /// Takes a place at a node that has one.
    fn take(&mut self, id: NodeId, bound: Bound) -> bool {
        let Ok(at) = self.nodes.binary_search_by_key(&id, |node| node.id) else {
            return false;
        };
        let free = self.nodes[at].requests < self.cap(self.nodes[at].weight, bound);
        self.nodes[at].requests += u64::from(free);
        self.in_flight += u64::from(free);
        free
    }

    /// Gives a place back, unless the node has left and taken it along.
    fn give_back(&mut self, id: NodeId) {
        if let Some(node) = self.get(id) {
            node.requests -= 1;
            self.in_flight -= 1;
        }
    }

    /// Follows a change of membership.
    fn update(&mut self, members: &[Member]) {
        let nodes = members.iter().map(|member| Load {
            id: member.id,
            weight: member.weight,
            requests: self.get(member.id).map_or(0, |node| node.requests),
        });
        self.nodes = nodes.collect();
        self.total_weight = self.nodes.iter().map(|node| node.weight).sum();
        self.in_flight = self.nodes.iter().map(|node| node.requests).sum();
    }
}

/// Nothing panics while it holds the lock, so a poisoned one guards sound loads.
fn lock(loads: &Mutex<Loads>) -> MutexGuard<'_, Loads> {
    loads.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Bounded {
    /// Bounds the loads of a placement, with nothing in flight.
    pub fn new(placement: Box<dyn Placement>, bound: Bound) -> Self {
        let mut loads = Loads::default();
        loads.update(placement.membership().members());
        Self {
            placement,
            bound,
            loads: Arc::new(Mutex::new(loads)),
        }
    }

    /// Takes a place for a request with this key at the first of its candidates that has one;
    /// `None` when no node is eligible. Allocates nothing.
    pub fn acquire(&self, key: u64) -> Option<Lease> {
        let owner = self.placement.place(key)?;
        let mut loads = lock(&self.loads);
        let mut place = loads.take(owner, self.bound).then_some(owner);
        if place.is_none() {
            let _ = self
                .placement
                .prefer(key, &mut |node| match loads.take(node, self.bound) {
                    true => {
                        place = Some(node);
                        ControlFlow::Break(())
                    }
                    false => ControlFlow::Continue(()),
                });
            loads.spills += 1;
        }
        Some(Lease {
            loads: Arc::clone(&self.loads),
            node: place?,
        })
    }

    /// The placement, for lookups without a bound and for its membership.
    pub fn placement(&self) -> &dyn Placement {
        &*self.placement
    }

    /// The bound.
    pub fn bound(&self) -> Bound {
        self.bound
    }

    /// Requests that a member is serving.
    ///
    /// # Errors
    /// When the id is not of a member.
    pub fn load(&self, id: NodeId) -> Result<u64, PlacementError> {
        let mut loads = lock(&self.loads);
        let node = loads.get(id).ok_or(PlacementError::UnknownNode { id })?;
        Ok(node.requests)
    }

    /// Requests that a member may serve once there is one more in flight; `u64::MAX` without a bound.
    ///
    /// # Errors
    /// When the id is not of a member.
    pub fn cap(&self, id: NodeId) -> Result<u64, PlacementError> {
        let weight = self.placement.membership().get(id)?.weight;
        Ok(lock(&self.loads).cap(weight, self.bound))
    }

    /// Requests that all members together are serving.
    pub fn in_flight(&self) -> u64 {
        lock(&self.loads).in_flight
    }

    /// Requests that so far did not go to the owner of their key.
    pub fn spills(&self) -> u64 {
        lock(&self.loads).spills
    }

    /// Adds several nodes in one change, as [`Placement::extend`].
    ///
    /// # Errors
    /// As [`Placement::extend`].
    pub fn extend(&mut self, nodes: Vec<Node>) -> Result<Vec<NodeId>, PlacementError> {
        self.change(|placement| placement.extend(nodes))
    }

    /// Adds one node, as [`Placement::add`].
    ///
    /// # Errors
    /// As [`Placement::add`].
    pub fn add(&mut self, node: Node) -> Result<NodeId, PlacementError> {
        self.change(|placement| placement.add(node))
    }

    /// Removes one node, whose requests no longer count; their leases may still end.
    ///
    /// # Errors
    /// As [`Placement::remove`].
    pub fn remove(&mut self, id: NodeId) -> Result<(), PlacementError> {
        self.change(|placement| placement.remove(id))
    }

    /// Changes the weight of one node; at 0 it keeps what it serves and takes nothing more.
    ///
    /// # Errors
    /// As [`Placement::reweigh`].
    pub fn reweigh(&mut self, id: NodeId, weight: f64) -> Result<(), PlacementError> {
        self.change(|placement| placement.reweigh(id, weight))
    }

    fn change<T>(
        &mut self,
        change: impl FnOnce(&mut dyn Placement) -> Result<T, PlacementError>,
    ) -> Result<T, PlacementError> {
        let done = change(&mut *self.placement)?;
        lock(&self.loads).update(self.placement.membership().members());
        Ok(done)
    }
}

/// A place at a node. Dropping it gives the place back, so it cannot be given back twice, nor be
/// forgotten on the way of an error or a panic.
#[derive(Debug)]
#[must_use = "a lease that is dropped gives its place back at once"]
pub struct Lease {
    loads: Arc<Mutex<Loads>>,
    node: NodeId,
}

impl Lease {
    /// The node that serves the request. It may have left since.
    pub fn node(&self) -> NodeId {
        self.node
    }

    /// Gives the place back: the same as dropping it, in a word.
    pub fn finish(self) {}
}

impl Drop for Lease {
    fn drop(&mut self) {
        lock(&self.loads).give_back(self.node);
    }
}

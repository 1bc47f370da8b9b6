//! The trait that every algorithm implements, and the id it answers with.

use std::fmt;
use std::num::NonZeroU32;
use std::ops::ControlFlow;

use crate::error::PlacementError;
use crate::layout::Layout;
use crate::membership::{Membership, Node};
use crate::replicas::{self, Visit};
use crate::work::Work;

/// A node within one placement: a small integer given when the node joins.
///
/// An id never changes while its node is a member and is never given to another node of the
/// same placement, so a stale id is an error and not another node. Ids are private to one
/// placement; what identifies a node everywhere is its name.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(NonZeroU32);

impl NodeId {
    /// The id of the node that joined as the `index`-th, counted from 0. Memberships end before
    /// `u32::MAX`, so no two indices share an id.
    pub fn from_index(index: u32) -> Self {
        Self(NonZeroU32::MIN.saturating_add(index))
    }

    /// How many nodes had joined this placement before this one: 0 for the first.
    pub fn index(self) -> usize {
        self.0.get() as usize - 1
    }

    /// The index plus 1, so that 0 is left for no node.
    pub(crate) fn number(self) -> u32 {
        self.0.get()
    }

    /// The id of this number; none of 0.
    #[inline]
    pub(crate) fn of_number(number: u32) -> Option<Self> {
        NonZeroU32::new(number).map(Self)
    }
}

impl fmt::Debug for NodeId {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "NodeId({})", self.index())
    }
}

/// Where keys belong: the one interface of every algorithm.
///
/// Keys are hashed once, outside, so that hashing and placing can be chosen and measured apart:
///
/// ```
/// use algorithms::{Node, Settings, registry};
///
/// let settings = Settings::default();
/// let nodes = ["cache-a", "cache-b", "cache-c"].map(Node::new).to_vec();
/// let mut ring = registry::find("ring-vec").expect("registered").build(&settings, nodes)?;
///
/// let key = settings.hash.of(b"user:42");
/// let owner = ring.place(key).expect("three nodes are eligible");
/// println!("user:42 is on {}", ring.membership().name(owner));
///
/// ring.add(Node::new("cache-d"))?; // moves about a quarter of the keys, all to cache-d
/// # Ok::<(), algorithms::PlacementError>(())
/// ```
///
/// A change that returns an error leaves the placement as it was.
pub trait Placement: Send + Sync {
    /// Owner of the key with this 64-bit hash; `None` when no node is eligible.
    fn place(&self, key: u64) -> Option<NodeId>;

    /// Owners of many keys: `owners[i]` becomes the owner of `keys[i]`.
    ///
    /// The loop is compiled for each algorithm, so one virtual call serves the whole batch. It gains
    /// on single calls from some dozens of keys on, and nearly all that it can from some hundreds.
    ///
    /// # Panics
    /// When the two slices differ in length.
    fn place_many(&self, keys: &[u64], owners: &mut [Option<NodeId>]) {
        assert_eq!(keys.len(), owners.len(), "one owner per key");
        for (key, owner) in keys.iter().zip(owners) {
            *owner = self.place(*key);
        }
    }

    /// What [`Placement::place`] does for this key, counted by the same code.
    fn work(&self, key: u64) -> Work;

    /// Calls `visit` with the nodes for this key in order of preference, the owner first, until it
    /// breaks off or every eligible node was visited; a node may come again.
    ///
    /// The default asks again with further hashes of the key, see [`crate::replicas`].
    fn prefer(&self, key: u64, visit: &mut Visit<'_>) -> ControlFlow<()> {
        replicas::again(self, key, visit)
    }

    /// The nodes that hold the copies of a key: the first `owners.len()` distinct ones in order of
    /// preference, the owner first. Returns how many there are; where fewer nodes are eligible than
    /// copies are wanted, the rest of `owners` is `None`.
    ///
    /// ```
    /// use algorithms::{Node, Settings, registry};
    ///
    /// let settings = Settings::default();
    /// let nodes = (0..10).map(|n| Node::new(format!("cache-{n}"))).collect();
    /// let ring = registry::find("ring-vec").expect("registered").build(&settings, nodes)?;
    ///
    /// let key = settings.hash.of(b"user:42");
    /// let mut copies = [None; 3];
    /// assert_eq!(ring.replicas(key, &mut copies), 3);
    /// assert_eq!(copies[0], ring.place(key));
    /// # Ok::<(), algorithms::PlacementError>(())
    /// ```
    fn replicas(&self, key: u64, owners: &mut [Option<NodeId>]) -> usize {
        replicas::distinct(self, key, owners)
    }

    /// As [`Placement::replicas`], with the nodes of distinct zones first: no zone has two copies
    /// more than another that still has a node without one. A node without a zone is a zone of its
    /// own.
    ///
    /// ```
    /// use algorithms::{Node, Settings, registry};
    ///
    /// let settings = Settings::default();
    /// let in_zone = |n: usize| {
    ///     let zone = ["east", "west"][n % 2];
    ///     Node::new(format!("{zone}-{n}")).in_zone(zone)
    /// };
    /// let ring = registry::find("ring-vec").expect("registered");
    /// let ring = ring.build(&settings, (0..10).map(in_zone).collect())?;
    ///
    /// let mut copies = [None; 2];
    /// ring.replicas_across_zones(settings.hash.of(b"user:42"), &mut copies);
    /// let names = copies.map(|node| ring.membership().name(node.expect("there are ten nodes")));
    /// assert_ne!(names[0].starts_with("east"), names[1].starts_with("east"));
    /// # Ok::<(), algorithms::PlacementError>(())
    /// ```
    fn replicas_across_zones(&self, key: u64, owners: &mut [Option<NodeId>]) -> usize {
        replicas::across_zones(self, key, owners)
    }

    /// The nodes, their names, weights and zones, and the version of the set.
    fn membership(&self) -> &Membership;

    /// Adds several nodes in one change; the ids come in the order of `nodes`.
    ///
    /// # Errors
    /// When a name is taken or given twice, a weight is out of range or not supported, or the
    /// algorithm has no room for so many nodes or points.
    fn extend(&mut self, nodes: Vec<Node>) -> Result<Vec<NodeId>, PlacementError>;

    /// Adds one node.
    ///
    /// # Errors
    /// As [`Placement::extend`].
    fn add(&mut self, node: Node) -> Result<NodeId, PlacementError> {
        Ok(self.extend(vec![node])?[0])
    }

    /// Removes one node.
    ///
    /// # Errors
    /// When the id is not of a member, or the algorithm cannot remove this node.
    fn remove(&mut self, id: NodeId) -> Result<(), PlacementError>;

    /// Changes the weight of one node; 0 keeps it listed and gives it no keys.
    ///
    /// # Errors
    /// When the id is not of a member, the weight is out of range, or the algorithm has no weights.
    fn reweigh(&mut self, id: NodeId, weight: f64) -> Result<(), PlacementError>;

    /// What decides the owners, spread out for inspection: shares and movements are computed
    /// from it. Costs time and memory in proportion to the placement.
    fn layout(&self) -> Layout;

    /// Bytes that the placement holds on the heap, its membership included.
    fn heap_bytes(&self) -> usize;

    /// A copy with the same nodes under the same ids.
    fn boxed_clone(&self) -> Box<dyn Placement>;

    /// Exact fraction of the key space that each member owns, in joining order. All are 0 when
    /// no node is eligible; otherwise they add up to 1.
    fn shares(&self) -> Vec<(NodeId, f64)> {
        self.layout().shares(self.membership())
    }
}

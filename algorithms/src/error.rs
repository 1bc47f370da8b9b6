//! What a placement refuses, why, and what to do instead.

use crate::membership::{MAX_WEIGHT, MIN_WEIGHT};
use crate::placement::NodeId;

/// Why a placement could not be built or changed. Nothing has changed when one is returned.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlacementError {
    /// A name is taken already, or stands twice in one list.
    #[error("node {name:?} is there already; names identify nodes, so give this one another name")]
    DuplicateName {
        /// The name that stands twice.
        name: String,
    },
    /// No member has this name.
    #[error("no node is named {name:?}")]
    UnknownName {
        /// The name that was asked for.
        name: String,
    },
    /// No member has this id; it may have been removed.
    #[error("no node has the id {id:?}; it was removed, or comes from another placement")]
    UnknownNode {
        /// The id that was asked for.
        id: NodeId,
    },
    /// A weight is neither 0 nor a finite number within the limits.
    #[error(
        "node {name:?} has weight {weight:?}; a weight is 0 or lies between {MIN_WEIGHT:e} and {MAX_WEIGHT:e}"
    )]
    InvalidWeight {
        /// The node.
        name: String,
        /// Its weight.
        weight: f64,
    },
    /// A weight so small that the node would get no point at all.
    #[error(
        "node {name:?} has weight {weight:?}, which at {points} points per node is less than half a point; \
         raise the points, or use weight 0 to keep it listed without keys"
    )]
    WeightTooSmall {
        /// The node.
        name: String,
        /// Its weight.
        weight: f64,
        /// Points of a node of weight 1.
        points: u32,
    },
    /// The algorithm treats all nodes alike.
    #[error(
        "{algorithm} has no weights, and node {name:?} has weight {weight}; \
         leave all weights at 1, or choose a weighted algorithm such as weighted-rendezvous"
    )]
    WeightsUnsupported {
        /// The algorithm.
        algorithm: &'static str,
        /// The node.
        name: String,
        /// Its weight.
        weight: f64,
    },
    /// The algorithm numbers its nodes and can only drop the last number.
    #[error(
        "{algorithm} can only remove its newest node, {newest:?}, but {asked:?} was asked for; \
         remove the newer nodes first, or choose an algorithm that lets any node go, such as rendezvous or a ring"
    )]
    OnlyNewest {
        /// The algorithm.
        algorithm: &'static str,
        /// Name of the newest node.
        newest: String,
        /// Name of the node that was to go.
        asked: String,
    },
    /// A ring without points owns nothing.
    #[error("a ring needs at least 1 point per node")]
    ZeroPoints,
    /// More points than the cap, refused before any memory is taken.
    #[error(
        "the ring would have {points} points; at most {cap} are allowed: lower the points per node or the weights"
    )]
    TooManyPoints {
        /// Points that were asked for in all.
        points: u64,
        /// The most that a ring holds.
        cap: u64,
    },
    /// A table size for which a node's walk does not reach every slot.
    #[error("table size {size} is not a prime number; {next} is the next one")]
    TableNotPrime {
        /// The size that was asked for.
        size: u32,
        /// The smallest prime above it.
        next: u32,
    },
    /// A walk that does not reach every slot, or of a node that takes none.
    #[error(
        "walk {index} over a table of {size} slots begins at a slot below {size}, steps by 1 to {size} − 1, and has a positive, finite weight"
    )]
    InvalidWalk {
        /// Its place in the list.
        index: usize,
        /// Slots.
        size: u32,
    },
    /// Fewer slots than eligible nodes.
    #[error(
        "a table of {size} slots cannot serve {nodes} nodes; choose a prime of at least 100 times the nodes"
    )]
    TableTooSmall {
        /// Slots.
        size: u32,
        /// Eligible nodes.
        nodes: usize,
    },
    /// More slots than the cap, refused before any memory is taken.
    #[error("a table of {size} slots is too large; at most {cap} are allowed")]
    TableTooLarge {
        /// Slots that were asked for.
        size: u32,
        /// The most that a table holds.
        cap: u32,
    },
    /// No slots, or more than the cap, refused before any memory is taken.
    #[error("{slots} fixed slots cannot be shared; there are between 1 and {cap}")]
    SlotCount {
        /// Slots that were asked for.
        slots: u32,
        /// The most that there are.
        cap: u32,
    },
    /// Fewer fixed slots than eligible nodes.
    #[error("{slots} fixed slots cannot serve {nodes} nodes; each needs one")]
    TooFewSlots {
        /// Slots.
        slots: u32,
        /// Eligible nodes.
        nodes: usize,
    },
    /// Node ids are used up.
    #[error("{joined} nodes have joined this placement, and ids end there; build a new one")]
    TooManyNodes {
        /// Nodes that ever joined.
        joined: u64,
    },
}

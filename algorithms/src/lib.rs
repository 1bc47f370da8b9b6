//! Key placement: which node owns which key, and what a change of membership moves.
//!
//! Every algorithm stands behind one trait, [`Placement`], and in one list, [`registry::ALL`].
//! Nothing here reads a clock, prints or does input and output.
//!
//! ```
//! use algorithms::{Node, Placement, jump::Jump};
//!
//! let mut shards = Jump::new();
//! shards.extend((0..10).map(|n| Node::new(format!("shard-{n}"))).collect())?;
//! let owner = shards.place(algorithms::hash::XXH3.of(b"order:1001")).expect("ten shards are eligible");
//! assert!(shards.membership().name(owner).starts_with("shard-"));
//! # Ok::<(), algorithms::PlacementError>(())
//! ```
//!
//! # How to add an algorithm
//!
//! 1. Write one file, `src/NAME.rs`, and declare it below. It implements [`Placement`] and has a
//!    `pub const ALGORITHM: Algorithm` with its traits, its claimed costs and a naive twin that recomputes
//!    owners from the node list.
//! 2. Add the line `NAME::ALGORITHM,` to [`registry::ALL`].
//!
//! There is no third step: the laws in [`laws`] are checked for every entry of the registry
//! according to its declared traits, against its naive twin; the report, the list and the
//! benchmarks show it; and the test of pinned fingerprints prints the line to pin for it.

pub mod algorithm;
pub mod bounded;
pub mod error;
pub mod growth;
pub mod hash;
pub mod laws;
pub mod layout;
pub mod live;
pub mod membership;
mod owners;
pub mod placement;
pub mod registry;
mod remainder;
pub mod replicas;
pub mod simd;
pub mod work;

pub mod hierarchical_rendezvous;
pub mod jump;
pub mod maglev;
pub mod modulo;
pub mod rendezvous;
pub mod rendezvous_32;
pub mod ring;
pub mod slots;
pub mod weighted_rendezvous;

pub use algorithm::{Algorithm, Settings};
pub use error::PlacementError;
pub use hash::KeyHash;
pub use layout::{Flow, Layout};
pub use live::{Live, View};
pub use membership::{Member, Membership, Node};
pub use placement::{NodeId, Placement};
pub use work::Work;

/// The examples of the README are tests as well.
#[cfg(doctest)]
#[doc = include_str!("../../README.md")]
struct Readme;

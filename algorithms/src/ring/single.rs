//! Ring with one point per node: consistent hashing without virtual nodes.
//!
//! Each node has a single point, the hash of its name. A key belongs to the first node at or after
//! its hash. A node that leaves hands all its keys to one neighbour.
//!
//! | lookup | build | add | remove | memory | moved by one node added to N |
//! |---|---|---|---|---|---|
//! | O(log N) | O(N log N) | O(N) | O(N) | 12 bytes a node and the membership | its share: 1/(N+1) in the mean, anything between 0 and several times that in one case |
//!
//! Choose it to see why virtual nodes exist. Do not where load must be shared: the coefficient of
//! variation is near 100 % at any N, and the largest arc is about ln N times the mean.
//!
//! Source: Karger et al., "Consistent Hashing and Random Trees", STOC 1997. Deviations: none.

use crate::algorithm::{Algorithm, Moves, Removal, Replicas, Settings, Spread, Traits, Weights};
use crate::growth::{Costs, Growth, Upkeep};
use crate::membership::Node;
use crate::ring::naive;
use crate::ring::vec::VecRing;

/// Registry entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "ring-1",
    title: "ring, one point per node",
    source: "Karger et al. 1997",
    version: 1,
    traits: Traits {
        order_free: true,
        history_free: true,
        traceless: true,
        moves: Moves::Least,
        removal: Removal::Any,
        weights: Weights::None,
        spread: Spread::Points(Some(1)),
        replicas: Replicas::Ordered,
    },
    costs: Costs {
        lookup: Growth::LogN,
        build: Growth::NLogN,
        change: Growth::N,
        memory: Growth::N,
        upkeep: Upkeep::Shift,
    },
    empty: |settings| Ok(Box::new(VecRing::of(&ALGORITHM, settings.hash, 1)?)),
    naive: naive_single,
};

fn naive_single(settings: &Settings, nodes: &[Node], keys: &[u64]) -> Vec<Option<usize>> {
    let settings = Settings {
        points: 1,
        ..*settings
    };
    naive(&settings, nodes, keys)
}

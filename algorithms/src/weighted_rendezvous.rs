//! Weighted rendezvous: every node bids for every key, and a weight of 2 wins twice as often.
//!
//! The mix of key and node gives a number U, uniform between 0 and 1. The node with the smallest
//! −ln(U)/w wins, which happens with probability exactly w/Σw: these are arrival times of
//! processes with rates w. A change of one weight changes that node's scores alone.
//!
//! | lookup | build | add | remove | memory | moved by one equal node added to N |
//! |---|---|---|---|---|---|
//! | O(N), mostly with one logarithm | O(N log N) | O(N) | O(N) | 28 bytes a node, in blocks of 16, and the membership | 1/(N+1), the least possible |
//!
//! Choose it when capacities differ or change: shares follow the weights exactly and a change
//! moves the least possible. Do not when lookups among many nodes must be fast.
//!
//! Source: Schindelhauer and Schomaker, "Weighted Distributed Hash Tables", SPAA 2005. Deviations:
//! U is ((h >> 12) + ½)/2^52, strictly inside (0, 1); with 53 bits the largest draw would round up
//! to the bound. 1 − U never exceeds −ln U and so bounds each score: a logarithm is taken for the
//! lowest bound, and for all nodes only where another bound is below that score; the winner is the same.

use std::ops::ControlFlow;

use crate::algorithm::{Algorithm, Moves, Removal, Replicas, Settings, Spread, Traits, Weights};
use crate::error::PlacementError;
use crate::growth::{Costs, Growth, Upkeep};
use crate::hash::{KeyHash, Purpose, mix};
use crate::layout::Layout;
use crate::membership::{Membership, Node};
use crate::placement::{NodeId, Placement};
use crate::rendezvous::ranks;
use crate::replicas::Visit;
use crate::simd::Level;
use crate::simd::bids::{self, Bidders};
use crate::work::{Tally, Work};

/// Registry entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "weighted-rendezvous",
    title: "weighted rendezvous",
    source: "Schindelhauer & Schomaker 2005",
    version: 1,
    traits: Traits {
        order_free: true,
        history_free: true,
        traceless: true,
        moves: Moves::Least,
        removal: Removal::Any,
        weights: Weights::Exact,
        spread: Spread::Even,
        replicas: Replicas::Ordered,
    },
    costs: Costs {
        lookup: Growth::N,
        build: Growth::NLogN,
        change: Growth::N,
        memory: Growth::N,
        upkeep: Upkeep::Shift,
    },
    empty: |settings| Ok(Box::new(WeightedRendezvous::new(settings.hash))),
    naive,
};

/// −ln(U)/w for a mixed hash: the node with the smallest score wins. `weight` is above 0.
#[inline]
pub fn score(hash: u64, weight: f64) -> f64 {
    -libm::log(uniform(hash)) / weight
}

/// U strictly between 0 and 1, exact in a double.
fn uniform(hash: u64) -> f64 {
    ((hash >> 12) as f64 + 0.5) / (1u64 << 52) as f64
}

/// 1 − U, exact in a double as well.
fn complement(hash: u64) -> f64 {
    ((!hash >> 12) as f64 + 0.5) / (1u64 << 52) as f64
}

/// Above every rounding error of the quotient, the product and the logarithm together.
const SLACK: f64 = 1.0 + 1e-12;

/// The position of the node that wins `key`, the first among equals. Weights of 0 never win.
#[inline]
pub fn winner(key: u64, seeds: &[u64], weights: &[f64]) -> Option<usize> {
    tallied_winner(key, seeds, weights, &mut ())
}

#[inline]
pub(crate) fn tallied_winner(
    key: u64,
    seeds: &[u64],
    weights: &[f64],
    tally: &mut impl Tally,
) -> Option<usize> {
    let (mut best, mut best_score) = (None, f64::INFINITY);
    let mut bar = f64::INFINITY;
    for (position, (seed, &weight)) in seeds.iter().zip(weights).enumerate() {
        tally.draw();
        let hash = mix(key ^ seed);
        if complement(hash) < bar * weight {
            let score = score(hash, weight);
            if score < best_score {
                (best, best_score) = (Some(position), score);
                bar = score * SLACK;
            }
        }
    }
    best
}

/// Score and position of the best node after `last`: by score, then by position.
fn next_best(
    key: u64,
    seeds: &[u64],
    weights: &[f64],
    last: Option<(f64, usize)>,
) -> Option<(f64, usize)> {
    let bids = seeds.iter().zip(weights).enumerate();
    let bids = bids.filter(|(_, (_, weight))| **weight > 0.0);
    let bids = bids.map(|(at, (seed, &weight))| (score(mix(key ^ seed), weight), at));
    let order = |a: &(f64, usize), b: &(f64, usize)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    let left = bids.filter(|bid| last.is_none_or(|last| order(&last, bid).is_lt()));
    left.min_by(order)
}

/// Seeds and weights of the nodes, in the order of names.
#[derive(Clone, Debug)]
pub struct WeightedRendezvous {
    membership: Membership,
    hash: KeyHash,
    bidders: Bidders,
    nodes: Vec<NodeId>,
}

impl WeightedRendezvous {
    /// Without nodes; names are hashed with `hash`.
    pub fn new(hash: KeyHash) -> Self {
        Self {
            membership: Membership::new(ALGORITHM.name, ALGORITHM.traits.weights),
            hash,
            bidders: Bidders::default(),
            nodes: Vec::new(),
        }
    }

    fn position(&self, id: NodeId) -> Option<usize> {
        self.nodes.iter().position(|&node| node == id)
    }
}

impl Placement for WeightedRendezvous {
    #[inline]
    fn place(&self, key: u64) -> Option<NodeId> {
        let position = bids::winner(Level::in_use(), key, &self.bidders)?;
        Some(self.nodes[position])
    }

    fn work(&self, key: u64) -> Work {
        Work::of(|work| {
            let (seeds, weights) = (self.bidders.seeds(), self.bidders.weights());
            let position = tallied_winner(key, seeds, weights, work)?;
            work.read();
            Some(self.nodes[position])
        })
    }

    fn prefer(&self, key: u64, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let mut last = None;
        while let Some((score, position)) =
            next_best(key, self.bidders.seeds(), self.bidders.weights(), last)
        {
            visit(self.nodes[position])?;
            last = Some((score, position));
        }
        ControlFlow::Continue(())
    }

    fn membership(&self) -> &Membership {
        &self.membership
    }

    fn extend(&mut self, nodes: Vec<Node>) -> Result<Vec<NodeId>, PlacementError> {
        self.membership.check(&nodes)?;
        let ids = self.membership.admit(nodes);
        for (at, member) in ranks(&self.membership, &ids) {
            let seed = self.hash.label(Purpose::Score, &member.name);
            self.bidders.insert(at, seed, member.weight);
            self.nodes.insert(at, member.id);
        }
        Ok(ids)
    }

    fn remove(&mut self, id: NodeId) -> Result<(), PlacementError> {
        self.membership.remove(id)?;
        if let Some(at) = self.position(id) {
            self.bidders.remove(at);
            self.nodes.remove(at);
        }
        Ok(())
    }

    fn reweigh(&mut self, id: NodeId, weight: f64) -> Result<(), PlacementError> {
        self.membership.reweigh(id, weight)?;
        if let Some(at) = self.position(id) {
            self.bidders.reweigh(at, weight);
        }
        Ok(())
    }

    fn layout(&self) -> Layout {
        let weights = self.bidders.weights();
        let total: f64 = weights.iter().sum();
        let eligible = self.nodes.iter().zip(weights).filter(|pair| *pair.1 > 0.0);
        Layout::Law(eligible.map(|(&id, weight)| (id, weight / total)).collect())
    }

    fn heap_bytes(&self) -> usize {
        self.membership.heap_bytes()
            + self.bidders.heap_bytes()
            + self.nodes.capacity() * size_of::<NodeId>()
    }

    fn boxed_clone(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}

/// A logarithm for every pair; the smallest score wins, then the smaller name.
fn naive(settings: &Settings, nodes: &[Node], keys: &[u64]) -> Vec<Option<usize>> {
    let seed = |node: &Node| settings.hash.label(Purpose::Score, &node.name);
    let seeds: Vec<u64> = nodes.iter().map(seed).collect();
    let owner = |key: &u64| {
        let bid = |at: usize| -libm::log(uniform(mix(key ^ seeds[at]))) / nodes[at].weight;
        let eligible = (0..nodes.len()).filter(|&at| nodes[at].weight > 0.0);
        eligible.min_by(|&a, &b| {
            let by_name = || nodes[a].name.cmp(&nodes[b].name);
            bid(a).total_cmp(&bid(b)).then_with(by_name)
        })
    };
    keys.iter().map(owner).collect()
}

//! Rendezvous hashing (highest random weight, HRW): every node bids for every key.
//!
//! A node's score for a key is a mix of the key hash and a seed made from the node's name. The
//! highest score wins, and the smaller name where two are equal. A node that joins or leaves
//! changes no other node's score, so only its own keys move.
//!
//! | lookup | build | add | remove | memory | moved by one node added to N |
//! |---|---|---|---|---|---|
//! | O(N) | O(N log N) | O(N) | O(N) | about 12 bytes a node and the membership | 1/(N+1), the least possible |
//!
//! Choose it for up to some dozens of nodes: it is even by design, any node may leave, and each
//! survivor takes an equal part of a lost node's keys. Do not when lookups among many hundreds of
//! nodes must be fast.
//!
//! Source: Thaler and Ravishankar, "A Name-Based Mapping Scheme for Rendezvous", CSE-TR-316-96,
//! 1996. Deviations: the score is `mix(key ^ seed)` with splitmix64's finaliser in place of the
//! report's 31-bit congruential generator.

use std::cmp::Reverse;
use std::fmt;
use std::ops::ControlFlow;

use crate::algorithm::{Algorithm, Moves, Removal, Replicas, Settings, Spread, Traits, Weights};
use crate::error::PlacementError;
use crate::growth::{Costs, Growth, Upkeep};
use crate::hash::{KeyHash, Purpose, mix};
use crate::layout::Layout;
use crate::membership::{Member, Membership, Node};
use crate::placement::{NodeId, Placement};
use crate::replicas::Visit;
use crate::simd::{Level, scores};
use crate::work::{Tally, Work};

/// Registry entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "rendezvous",
    title: "rendezvous (HRW)",
    source: "Thaler & Ravishankar 1996",
    version: 1,
    traits: Traits {
        order_free: true,
        history_free: true,
        traceless: true,
        moves: Moves::Least,
        removal: Removal::Any,
        weights: Weights::None,
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
    empty: |settings| Ok(Box::new(Rendezvous::new(settings.hash))),
    naive,
};

/// The position of the seed whose score `mixer(key ^ seed)` is highest, the first among equals.
#[inline]
pub fn winner(
    key: u64,
    seeds: impl IntoIterator<Item = u64>,
    mut mixer: impl FnMut(u64) -> u64,
) -> Option<usize> {
    let (mut best, mut best_score) = (None, 0);
    for (position, seed) in seeds.into_iter().enumerate() {
        let score = mixer(key ^ seed);
        if score > best_score || best.is_none() {
            (best, best_score) = (Some(position), score);
        }
    }
    best
}

/// How nodes bid: their seeds, and the score of each for a key.
pub trait Bids: Default + Clone + fmt::Debug + Send + Sync + 'static {
    /// Registry entry of the placement that bids so.
    const ALGORITHM: &'static Algorithm;

    /// The score of a node whose seed, exclusive-or the key, is this number.
    fn score(seeded: u64) -> u64;

    /// The seeds of all nodes.
    fn seeds(&self) -> impl Iterator<Item = u64>;

    /// The position of the highest score, the first among equals; there is at least one node.
    fn winner(&self, key: u64) -> usize;

    /// Puts a seed before that at a position.
    fn insert(&mut self, at: usize, seed: u64);

    /// Takes the seed at a position out.
    fn remove(&mut self, at: usize);

    /// Bytes of the seeds on the heap.
    fn heap_bytes(&self) -> usize;
}

impl Bids for scores::Seeds {
    const ALGORITHM: &'static Algorithm = &ALGORITHM;

    fn score(seeded: u64) -> u64 {
        mix(seeded)
    }

    fn seeds(&self) -> impl Iterator<Item = u64> {
        self.as_slice().iter().copied()
    }

    #[inline]
    fn winner(&self, key: u64) -> usize {
        scores::winner(Level::in_use(), key, self)
    }

    fn insert(&mut self, at: usize, seed: u64) {
        self.insert(at, seed);
    }

    fn remove(&mut self, at: usize) {
        self.remove(at);
    }

    fn heap_bytes(&self) -> usize {
        self.heap_bytes()
    }
}

/// Rendezvous with scores of 64 bits.
pub type Rendezvous = Bidding<scores::Seeds>;

/// The seeds of the nodes, in the order of names, so that the first among equals is the right one.
#[derive(Clone, Debug)]
pub struct Bidding<B> {
    membership: Membership,
    hash: KeyHash,
    bids: B,
    nodes: Vec<NodeId>,
}

impl<B: Bids> Bidding<B> {
    /// Without nodes; names are hashed with `hash`.
    pub fn new(hash: KeyHash) -> Self {
        Self {
            membership: Membership::new(B::ALGORITHM.name, B::ALGORITHM.traits.weights),
            hash,
            bids: B::default(),
            nodes: Vec::new(),
        }
    }

    /// Score and position of the best node after `last`: by score, then by position.
    fn next_best(&self, key: u64, last: Option<(u64, usize)>) -> Option<(u64, usize)> {
        let scored = self.bids.seeds().enumerate();
        let scored = scored.map(|(position, seed)| (B::score(key ^ seed), Reverse(position)));
        let last = last.map(|(score, position)| (score, Reverse(position)));
        let left = scored.filter(|one| last.is_none_or(|last| *one < last));
        left.max()
            .map(|(score, Reverse(position))| (score, position))
    }
}

impl<B: Bids> Placement for Bidding<B> {
    #[inline]
    fn place(&self, key: u64) -> Option<NodeId> {
        match self.nodes.is_empty() {
            true => None,
            false => Some(self.nodes[self.bids.winner(key)]),
        }
    }

    fn work(&self, key: u64) -> Work {
        Work::of(|work| {
            let score = |seeded| {
                work.draw();
                B::score(seeded)
            };
            let position = winner(key, self.bids.seeds(), score)?;
            work.read();
            Some(self.nodes[position])
        })
    }

    fn prefer(&self, key: u64, visit: &mut Visit<'_>) -> ControlFlow<()> {
        let mut last = None;
        while let Some((score, position)) = self.next_best(key, last) {
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
            self.bids.insert(at, seed);
            self.nodes.insert(at, member.id);
        }
        Ok(ids)
    }

    fn remove(&mut self, id: NodeId) -> Result<(), PlacementError> {
        self.membership.remove(id)?;
        if let Some(at) = self.nodes.iter().position(|&node| node == id) {
            self.bids.remove(at);
            self.nodes.remove(at);
        }
        Ok(())
    }

    fn reweigh(&mut self, id: NodeId, weight: f64) -> Result<(), PlacementError> {
        self.membership.reweigh(id, weight).map(drop)
    }

    fn layout(&self) -> Layout {
        let share = 1.0 / self.nodes.len() as f64;
        Layout::Law(self.nodes.iter().map(|&id| (id, share)).collect())
    }

    fn heap_bytes(&self) -> usize {
        self.membership.heap_bytes()
            + self.bids.heap_bytes()
            + self.nodes.capacity() * size_of::<NodeId>()
    }

    fn boxed_clone(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}

/// Newcomers with their ranks by name, in ascending order: inserting them one after another keeps
/// a list by name complete.
pub(crate) fn ranks<'a>(
    membership: &'a Membership,
    newcomers: &[NodeId],
) -> impl Iterator<Item = (usize, &'a Member)> {
    let first = newcomers.first().copied();
    let by_name = membership.by_name().enumerate();
    by_name.filter(move |(_, member)| first.is_some_and(|first| member.id >= first))
}

/// Scores every pair and sorts: the highest score first, then the smaller name.
fn naive(settings: &Settings, nodes: &[Node], keys: &[u64]) -> Vec<Option<usize>> {
    naive_by(settings, nodes, keys, mix)
}

/// The same for any score.
pub(crate) fn naive_by(
    settings: &Settings,
    nodes: &[Node],
    keys: &[u64],
    score: fn(u64) -> u64,
) -> Vec<Option<usize>> {
    let seed = |node: &Node| settings.hash.label(Purpose::Score, &node.name);
    let seeds: Vec<u64> = nodes.iter().map(seed).collect();
    let owner =
        |&key: &u64| (0..nodes.len()).min_by_key(|&at| (!score(key ^ seeds[at]), &nodes[at].name));
    keys.iter().map(owner).collect()
}

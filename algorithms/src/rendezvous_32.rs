//! Rendezvous hashing with 32-bit scores: every node bids for every key, sixteen nodes at a time.
//!
//! A node's score is made of the two halves of the key hash and of the node's seed by three 32-bit
//! multiplications, which vectors do for eight or sixteen nodes at once. The highest score wins, and
//! the smaller name where two are equal. A node that joins or leaves changes no other node's score.
//!
//! | lookup | build | add | remove | memory | moved by one node added to N |
//! |---|---|---|---|---|---|
//! | O(N), 16 nodes a step with AVX-512 | O(N log N) | O(N) | O(N) | about 12 bytes a node and the membership | 1/(N+1), the least possible |
//!
//! Choose it in place of `rendezvous` where lookups among a hundred nodes or more count: the same
//! guarantees in two thirds to half of the time with AVX-512, and in a sixth with AVX2, which has no
//! 64-bit multiplication. Do not on processors with neither, where it is slower by a fifth, nor where
//! owners must be those of `rendezvous`, nor among many thousands of nodes: there see
//! `hierarchical-rendezvous`.
//!
//! Source: Thaler and Ravishankar, "A Name-Based Mapping Scheme for Rendezvous", CSE-TR-316-96,
//! 1996. Deviations: the score is 32 bits wide. Two nodes tie at the top of a key with probability
//! below N/2^32, which gives the smaller name that much more; seeds stay 64 bits wide, so that two
//! nodes do not share all their scores.

use crate::algorithm::{Algorithm, Moves, Removal, Replicas, Settings, Spread, Traits, Weights};
use crate::growth::{Costs, Growth, Upkeep};
use crate::membership::Node;
use crate::rendezvous::{Bidding, Bids, naive_by};
use crate::simd::{Level, scores_32};

/// Registry entry.
pub const ALGORITHM: Algorithm = Algorithm {
    name: "rendezvous-32",
    title: "rendezvous, 32-bit scores",
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
    empty: |settings| Ok(Box::new(Rendezvous32::new(settings.hash))),
    naive,
};

/// Rendezvous with scores of 32 bits.
pub type Rendezvous32 = Bidding<scores_32::Seeds>;

impl Bids for scores_32::Seeds {
    const ALGORITHM: &'static Algorithm = &ALGORITHM;

    fn score(seeded: u64) -> u64 {
        u64::from(scores_32::score(seeded))
    }

    fn seeds(&self) -> impl Iterator<Item = u64> {
        self.iter()
    }

    #[inline]
    fn winner(&self, key: u64) -> usize {
        scores_32::winner(Level::in_use(), key, self)
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

/// Scores every pair and sorts: the highest score first, then the smaller name.
fn naive(settings: &Settings, nodes: &[Node], keys: &[u64]) -> Vec<Option<usize>> {
    naive_by(settings, nodes, keys, |seeded| {
        let (low, high) = (seeded as u32, (seeded >> 32) as u32);
        let first = low.wrapping_mul(0x85eb_ca6b);
        let second = (first ^ first >> 15 ^ high).wrapping_mul(0xc2b2_ae35);
        u64::from((second ^ second >> 13).wrapping_mul(0x27d4_eb2f))
    })
}

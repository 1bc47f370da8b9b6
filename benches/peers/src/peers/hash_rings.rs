//! `hash-rings`: several algorithms, whose hasher has other keys in every process by default.

use std::hash::BuildHasher;

use hash_rings::{consistent, jump, maglev, rendezvous, weighted_rendezvous};

use crate::case::{Case, POINTS, borrowed};
use crate::hash::{Hash, Mix, SIP13, SIP24, Sip};
use crate::row::{Family, Row};
use crate::subject::Peer;

/// 8 bytes for each slot and node: 0.05 GB at 100 nodes.
pub const PERMUTATIONS: &str =
    "it stores a permutation of all slots for each node: 5.2 GB at 1000 nodes, 52 GB at 10,000";

pub fn rows() -> Vec<Row> {
    let table = |case: &Case, names: Vec<u32>| {
        let nodes = names.into_iter().map(borrowed).collect();
        Table(maglev::Ring::with_capacity_hint(
            nodes,
            case.table() as usize,
        ))
    };
    let table = Row::peer(Family::Maglev, ("hash-rings", "1.1.0 maglev"), SIP24, table);
    [under::<Sip>(SIP13), under::<Mix>(Hash::Mix64)]
        .into_iter()
        .flatten()
        .chain([table.at_most(100, PERMUTATIONS)])
        .collect()
}

/// All that take a hasher.
fn under<S: BuildHasher + Default + 'static>(hash: Hash) -> [Row; 4] {
    let ring = |_: &Case, names| {
        let empty = consistent::Ring::with_hasher(S::default());
        grown(Ring(empty), names)
    };
    let scores = |_: &Case, names| {
        let empty = rendezvous::Ring::with_hasher(S::default());
        grown(Scores(empty), names)
    };
    let weighted = |case: &Case, names| {
        let empty = weighted_rendezvous::Ring::with_hasher(S::default());
        grown(Weighted(*case, empty), names)
    };
    let jump = |case: &Case, _| Jump(jump::Ring::with_hasher(S::default(), case.nodes));
    let row = |version| ("hash-rings", version);
    [
        Row::peer(Family::Ring, row("1.1.0 consistent"), hash, ring),
        Row::peer(Family::Rendezvous, row("1.1.0 rendezvous"), hash, scores),
        Row::peer(
            Family::WeightedRendezvous,
            row("1.1.0 weighted_rendezvous"),
            hash,
            weighted,
        ),
        Row::peer(Family::Jump, row("1.1.0 jump"), hash, jump),
    ]
}

fn grown<P: Peer>(mut ring: P, names: Vec<u32>) -> P {
    for name in names {
        ring.add(name);
    }
    ring
}

struct Ring<S>(consistent::Ring<'static, u32, S>);

impl<S: BuildHasher> Peer for Ring<S> {
    #[inline]
    fn place(&self, key: u64) -> u32 {
        *self.0.get_node(&key)
    }

    fn add(&mut self, name: u32) -> bool {
        self.0.insert_node(borrowed(name), POINTS as usize);
        true
    }

    fn remove(&mut self, name: u32) -> bool {
        self.0.remove_node(&name);
        true
    }
}

struct Scores<S>(rendezvous::Ring<'static, u32, S>);

impl<S: BuildHasher> Peer for Scores<S> {
    #[inline]
    fn place(&self, key: u64) -> u32 {
        *self.0.get_node(&key)
    }

    fn add(&mut self, name: u32) -> bool {
        self.0.insert_node(borrowed(name), 1);
        true
    }

    fn remove(&mut self, name: u32) -> bool {
        self.0.remove_node(&name);
        true
    }
}

struct Weighted<S>(Case, weighted_rendezvous::Ring<'static, u32, S>);

impl<S: BuildHasher> Peer for Weighted<S> {
    #[inline]
    fn place(&self, key: u64) -> u32 {
        *self.1.get_node(&key)
    }

    fn add(&mut self, name: u32) -> bool {
        self.1
            .insert_node(borrowed(name), self.0.weight(name).into());
        true
    }

    fn remove(&mut self, name: u32) -> bool {
        self.1.remove_node(&name);
        true
    }
}

struct Jump<S>(jump::Ring<S>);

impl<S: BuildHasher> Peer for Jump<S> {
    #[inline]
    fn place(&self, key: u64) -> u32 {
        self.0.get_node(&key) + 1
    }
}

struct Table(maglev::Ring<'static, u32>);

impl Peer for Table {
    #[inline]
    fn place(&self, key: u64) -> u32 {
        *self.0.get_node(&key)
    }
}

//! `consistent_hash_ring`: points in a sorted Vec, each the hash of the one before.

use std::hash::BuildHasher;

use consistent_hash_ring::{Ring, RingBuilder};

use crate::case::{NOBODY, POINTS};
use crate::hash::{Hash, Mix};
use crate::row::{Family, Row};
use crate::subject::Peer;

const TOO_SLOW: &str = "a build inserts each point into a sorted Vec and so takes time with their square: about half an hour at 10,000 nodes";

pub fn rows() -> Vec<Row> {
    let krate = ("consistent_hash_ring", "0.8.0");
    let fnv = Hash::Own("FNV-1a");
    [
        Row::peer(Family::Ring, krate, fnv, |_, names| {
            build(RingBuilder::default(), names)
        }),
        Row::peer(Family::Ring, krate, Hash::Mix64, |_, names| {
            build(RingBuilder::new(Mix::default()), names)
        }),
    ]
    .map(|row| row.at_most(1000, TOO_SLOW))
    .into()
}

fn build<S: BuildHasher>(builder: RingBuilder<u32, S>, names: Vec<u32>) -> Ring<u32, S> {
    builder.vnodes(POINTS as usize).nodes_iter(names).build()
}

impl<S: BuildHasher> Peer for Ring<u32, S> {
    #[inline]
    fn place(&self, key: u64) -> u32 {
        self.try_get(key).copied().unwrap_or(NOBODY)
    }

    fn add(&mut self, name: u32) -> bool {
        self.insert(name)
    }

    fn remove(&mut self, name: u32) -> bool {
        Self::remove(self, &name)
    }
}

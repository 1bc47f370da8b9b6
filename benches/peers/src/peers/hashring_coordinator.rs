//! `hashring_coordinator`: copies the whole ring for each lookup.

use std::hash::BuildHasher;

use hashring_coordinator::HashRing;

use crate::case::{NOBODY, POINTS};
use crate::hash::{Hash, Mix, SIP24};
use crate::row::{Family, Row};
use crate::subject::Peer;

const TOO_SLOW: &str =
    "each lookup copies the whole ring: above 100 nodes that is all one would time";

pub fn rows() -> Vec<Row> {
    let krate = ("hashring_coordinator", "0.3.3");
    [
        Row::peer(Family::Ring, krate, SIP24, |_, names| {
            build(HashRing::new(0, POINTS as usize), names)
        }),
        Row::peer(Family::Ring, krate, Hash::Mix64, |_, names| {
            build(
                HashRing::with_hasher(0, POINTS as usize, Mix::default()),
                names,
            )
        }),
    ]
    .map(|row| row.with_linear(true).at_most(100, TOO_SLOW))
    .into()
}

struct Ring<S>(HashRing<u32, S>);

fn build<S: BuildHasher>(mut ring: HashRing<u32, S>, names: Vec<u32>) -> Ring<S> {
    ring.batch_add(names);
    Ring(ring)
}

impl<S: BuildHasher> Peer for Ring<S> {
    #[inline]
    fn place(&self, key: u64) -> u32 {
        self.0.get(&key).first().copied().unwrap_or(NOBODY)
    }

    fn add(&mut self, name: u32) -> bool {
        self.0.add(name);
        true
    }

    fn remove(&mut self, name: u32) -> bool {
        self.0.remove(&name);
        true
    }
}

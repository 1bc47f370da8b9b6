//! `hash_ring`: copies the list of points for each lookup and searches it from the start.

use hash_ring::HashRing;

use crate::case::{NOBODY, POINTS};
use crate::hash::Hash;
use crate::row::{Family, Row};
use crate::subject::Peer;

const TOO_SLOW: &str = "each lookup copies all points and searches them from the start, and each node added sorts them anew: above 100 nodes that is all one would time";

pub fn rows() -> Vec<Row> {
    let hash = Hash::Own("xxh64 of a String");
    let build = |_: &_, names| Ring(HashRing::new(names, POINTS as isize));
    let row = Row::peer(Family::Ring, ("hash_ring", "0.2.0"), hash, build);
    vec![row.with_linear(true).at_most(100, TOO_SLOW)]
}

struct Ring(HashRing<u32>);

impl Peer for Ring {
    #[inline]
    fn place(&self, key: u64) -> u32 {
        self.0.get_node(key.to_string()).copied().unwrap_or(NOBODY)
    }

    fn add(&mut self, name: u32) -> bool {
        self.0.add_node(&name);
        true
    }

    fn remove(&mut self, name: u32) -> bool {
        self.0.remove_node(&name);
        true
    }
}

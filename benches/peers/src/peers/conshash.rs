//! `conshash`: a BTreeMap that is searched from the start.

use conshash::Ring;

use crate::case::{NOBODY, POINTS};
use crate::hash::SIP13;
use crate::row::{Family, Row};
use crate::subject::Peer;

const TOO_SLOW: &str =
    "each lookup searches all points from the start: above 100 nodes that is all one would time";

pub fn rows() -> Vec<Row> {
    let row = Row::peer(Family::Ring, ("conshash", "0.1.4"), SIP13, |_, names| {
        let mut ring = Ring::new(POINTS as usize);
        ring.add_nodes(&names);
        ring
    });
    vec![row.with_linear(true).at_most(100, TOO_SLOW)]
}

impl Peer for Ring<u32> {
    #[inline]
    fn place(&self, key: u64) -> u32 {
        self.get_node(conshash::hash(&key))
            .copied()
            .unwrap_or(NOBODY)
    }

    fn add(&mut self, name: u32) -> bool {
        self.add_node(&name);
        true
    }

    fn remove(&mut self, name: u32) -> bool {
        self.remove_node(&name);
        true
    }
}

//! `conshash`: a BTreeMap that is searched from the start.

use std::fmt;

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
        for name in names {
            ring.add_node(&Name(name));
        }
        ring
    });
    vec![row.with_linear(true).at_most(100, TOO_SLOW)]
}

/// The crate puts the number of a point right behind the name: 1 and 10 would meet 11 and 0.
#[derive(Clone, Debug)]
struct Name(u32);

impl fmt::Display for Name {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:", self.0)
    }
}

impl Peer for Ring<Name> {
    #[inline]
    fn place(&self, key: u64) -> u32 {
        self.get_node(conshash::hash(&key))
            .map_or(NOBODY, |name| name.0)
    }

    fn add(&mut self, name: u32) -> bool {
        self.add_node(&Name(name));
        true
    }

    fn remove(&mut self, name: u32) -> bool {
        self.remove_node(&Name(name));
        true
    }
}

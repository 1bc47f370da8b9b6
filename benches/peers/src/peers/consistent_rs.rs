//! `consistent-rs`: a ring of 32 bits that is searched from the start; names are Strings.

use consistent_rs::Consistant;

use crate::case::{NOBODY, POINTS};
use crate::hash::Hash;
use crate::row::{Family, Row};
use crate::subject::Peer;

const TOO_SLOW: &str =
    "each lookup searches all points from the start: above 100 nodes that is all one would time";

pub fn rows() -> Vec<Row> {
    let hash = Hash::Own("CRC-32 of a String");
    let row = Row::peer(
        Family::Ring,
        ("consistent-rs", "0.1.1"),
        hash,
        |_, names| {
            let mut ring = Ring(Consistant::new(POINTS as usize));
            for name in names {
                ring.add(name);
            }
            ring
        },
    );
    vec![row.with_linear(true).at_most(100, TOO_SLOW)]
}

struct Ring(Consistant);

/// The crate puts the number of a point right behind the name: 1 and 10 would meet 11 and 0.
fn named(name: u32) -> String {
    format!("{name}:")
}

fn numbered(name: &str) -> u32 {
    name.trim_end_matches(':').parse().unwrap_or(NOBODY)
}

impl Peer for Ring {
    #[inline]
    fn place(&self, key: u64) -> u32 {
        let owner = self.0.get(key.to_string());
        owner.map_or(NOBODY, |name| numbered(&name))
    }

    fn add(&mut self, name: u32) -> bool {
        self.0.add(named(name));
        true
    }

    fn remove(&mut self, name: u32) -> bool {
        self.0.remove(named(name));
        true
    }
}

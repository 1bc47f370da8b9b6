//! `maglev`: a table of 8 bytes a slot, built anew for every change.

use std::hash::BuildHasher;

use maglev::{ConsistentHasher, Maglev};

use super::hash_rings::PERMUTATIONS;
use crate::case::{Case, NOBODY};
use crate::hash::{Hash, Mix, SIP13, Sip};
use crate::row::{Family, Row};
use crate::subject::Peer;

pub fn rows() -> Vec<Row> {
    vec![row::<Sip>(SIP13), row::<Mix>(Hash::Mix64)]
}

fn row<S: BuildHasher + Default + 'static>(hash: Hash) -> Row {
    let row = Row::peer(
        Family::Maglev,
        ("maglev", "0.2.1"),
        hash,
        |case: &Case, names| {
            Maglev::with_capacity_and_hasher(names, case.table() as usize, S::default())
        },
    );
    row.at_most(100, PERMUTATIONS)
}

impl<S: BuildHasher> Peer for Maglev<u32, S> {
    #[inline]
    fn place(&self, key: u64) -> u32 {
        self.get(&key).copied().unwrap_or(NOBODY)
    }
}

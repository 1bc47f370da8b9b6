//! `maglev-hash`: a table of 8 bytes a slot, built anew for every change.

use maglev_hash::MaglevTable;

use crate::case::{Case, NOBODY};
use crate::hash::SIP13;
use crate::row::{Family, Row};
use crate::subject::Peer;

pub fn rows() -> Vec<Row> {
    vec![Row::peer(
        Family::Maglev,
        ("maglev-hash", "0.1.0"),
        SIP13,
        |case: &Case, names| MaglevTable::with_capacity(names, case.table() as usize),
    )]
}

impl Peer for MaglevTable<u32> {
    #[inline]
    fn place(&self, key: u64) -> u32 {
        self.get(&key).copied().unwrap_or(NOBODY)
    }
}

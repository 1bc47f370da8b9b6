//! `hrw`: hashes key and node for each node of a HashSet.

use std::hash::BuildHasher;

use hrw::Rendezvous;

use crate::case::NOBODY;
use crate::hash::{Hash, Mix, SIP13, Sip};
use crate::row::{Family, Row};
use crate::subject::Peer;

pub fn rows() -> Vec<Row> {
    let krate = ("hrw", "0.1.2");
    vec![
        Row::peer(Family::Rendezvous, krate, SIP13, |_, names| {
            Rendezvous::from_nodes_and_hasher(names, Sip::default())
        }),
        Row::peer(Family::Rendezvous, krate, Hash::Mix64, |_, names| {
            Rendezvous::from_nodes_and_hasher(names, Mix::default())
        }),
    ]
}

impl<S: BuildHasher + Clone> Peer for Rendezvous<u32, S> {
    #[inline]
    fn place(&self, key: u64) -> u32 {
        self.pick_top(&key).copied().unwrap_or(NOBODY)
    }

    fn add(&mut self, name: u32) -> bool {
        self.add_node(name)
    }

    fn remove(&mut self, name: u32) -> bool {
        self.remove_node(&name)
    }
}

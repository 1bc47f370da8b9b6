//! Crates with jump consistent hash alone, which is a function of a key and the number of nodes.

use jumphash::{CustomJumpHasher, JumpHasher};

use algorithms::hash::mix;

use crate::hash::{Hash, MixHasher, SIP13};
use crate::row::{Family, Row};
use crate::subject::Peer;

pub fn rows() -> Vec<Row> {
    // Its default draws other keys in every process.
    let sip = JumpHasher::new_with_keys(0, 0);
    let fmix = CustomJumpHasher::new(MixHasher::default());
    vec![
        function("jumpconsistenthash", "0.1.0", Hash::Mix64, |key, nodes| {
            jumpconsistenthash::jump_hash_from_u64(mix(key), nodes)
        }),
        function("jumpch", "2.0.0", Hash::Mix64, |key, nodes| {
            jumpch::hash(mix(key), nodes)
        }),
        function(
            "jump-consistent-hash",
            "0.1.0",
            Hash::Mix64,
            |key, nodes| jump_consistent_hash::hash(mix(key), nodes as usize),
        ),
        function("jumphash", "0.1.9", SIP13, move |key, nodes| {
            sip.slot(&key, nodes)
        }),
        function("jumphash", "0.1.9", Hash::Mix64, move |key, nodes| {
            fmix.slot(&key, nodes)
        }),
    ]
}

fn function<F: Fn(u64, u32) -> u32 + Copy + 'static>(
    name: &'static str,
    version: &str,
    hash: Hash,
    of: F,
) -> Row {
    Row::peer(Family::Jump, (name, version), hash, move |case, _| Jump {
        of,
        nodes: case.nodes,
    })
}

struct Jump<F> {
    of: F,
    nodes: u32,
}

impl<F: Fn(u64, u32) -> u32> Peer for Jump<F> {
    #[inline]
    fn place(&self, key: u64) -> u32 {
        (self.of)(key, self.nodes) + 1
    }
}

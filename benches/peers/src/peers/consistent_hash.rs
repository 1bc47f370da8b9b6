//! `consistent_hash`: a sorted Vec that never changes; a lookup begins a list of candidates.

use consistent_hash::{DefaultHash, Node, RingHash, StaticHashRing};

use crate::case::{NOBODY, POINTS};
use crate::hash::{Hash, Mix, SIP13};
use crate::row::{Family, Row};
use crate::subject::Peer;

pub fn rows() -> Vec<Row> {
    let krate = ("consistent_hash", "0.1.4");
    vec![
        Row::peer(Family::Ring, krate, SIP13, |_, names| {
            build(DefaultHash, names)
        }),
        Row::peer(Family::Ring, krate, Hash::Mix64, |_, names| {
            build(OneMix, names)
        }),
    ]
}

/// [`Mix`] in the crate's interface.
struct OneMix;

impl RingHash for OneMix {
    fn hash_item<T: std::hash::Hash>(&self, item: &T) -> u64 {
        std::hash::BuildHasher::hash_one(&Mix::default(), item)
    }
}

struct Ring<H>(StaticHashRing<'static, u32, (), H>);

fn build<H: RingHash>(hash: H, names: Vec<u32>) -> Ring<H> {
    let node = |name| Node::new(name).quantity(POINTS as usize);
    Ring(StaticHashRing::new(hash, names.into_iter().map(node)))
}

impl<H: RingHash> Peer for Ring<H> {
    #[inline]
    fn place(&self, key: u64) -> u32 {
        let first = self.0.calc_candidates(&key).next();
        first.map_or(NOBODY, |node| node.key)
    }
}

//! `hrw-hash`: weighted, sorts all nodes for each lookup, and is built anew for every change.

use std::hash::BuildHasher;

use hrw_hash::{DefaultHasher, HrwNode, HrwNodes};

use crate::case::{Case, NOBODY};
use crate::hash::{Hash, Mix};
use crate::row::{Family, Row};
use crate::subject::Peer;

type Default = std::hash::BuildHasherDefault<DefaultHasher>;

pub fn rows() -> Vec<Row> {
    vec![
        row::<Default>(Hash::Own("rapidhash")),
        row::<Mix>(Hash::Mix64),
    ]
}

fn row<S: BuildHasher + std::default::Default + 'static>(hash: Hash) -> Row {
    let krate = ("hrw-hash", "2.0.3");
    Row::peer(
        Family::WeightedRendezvous,
        krate,
        hash,
        |case: &Case, names| {
            let weighing = |name| Weighing(name, case.weight(name) as usize);
            let nodes = names.into_iter().map(weighing);
            HrwNodes::with_build_hasher(S::default(), nodes)
        },
    )
}

/// A node and its weight.
#[derive(PartialEq, Eq)]
struct Weighing(u32, usize);

impl std::hash::Hash for Weighing {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl HrwNode for Weighing {
    fn capacity(&self) -> usize {
        self.1
    }
}

impl<S: BuildHasher> Peer for HrwNodes<Weighing, S> {
    #[inline]
    fn place(&self, key: u64) -> u32 {
        self.sorted(&key).next().map_or(NOBODY, |node| node.0)
    }
}

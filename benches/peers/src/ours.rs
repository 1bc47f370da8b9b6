//! Our algorithms, on their concrete types as peers are.

use std::marker::PhantomData;

use algorithms::growth::Growth;
use algorithms::{
    Algorithm, Node, NodeId, Placement, PlacementError, Settings,
    hierarchical_rendezvous::HierarchicalRendezvous, jump::Jump, maglev::Maglev, modulo::Modulo,
    rendezvous::Rendezvous, rendezvous_32::Rendezvous32, ring::btree::BTreeRing,
    ring::index::IndexRing, ring::vec::VecRing, slots::Slots,
    weighted_rendezvous::WeightedRendezvous,
};
use algorithms::{
    hierarchical_rendezvous, jump, maglev, modulo, rendezvous, rendezvous_32, ring, slots,
    weighted_rendezvous,
};

use crate::case::{Case, NOBODY};
use crate::hash::{HashKey, Mix64, Xxh3};
use crate::row::{Family, Row, Whose};
use crate::subject::Peer;

/// Keys in one call of [`Placement::place_many`].
pub const BATCH: usize = 512;

/// All rows of ours.
#[rustfmt::skip]
pub fn rows() -> Vec<Row> {
    [
        ours(Family::Ring, &ring::vec::ALGORITHM, |with| VecRing::new(with.hash, with.points)),
        ours(Family::Ring, &ring::index::ALGORITHM, |with| IndexRing::new(with.hash, with.points)),
        ours(Family::Ring, &ring::btree::ALGORITHM, |with| BTreeRing::new(with.hash, with.points)),
        ours(Family::Rendezvous, &rendezvous::ALGORITHM, |with| Ok(Rendezvous::new(with.hash))),
        ours(Family::Rendezvous, &rendezvous_32::ALGORITHM, |with| Ok(Rendezvous32::new(with.hash))),
        ours(Family::WeightedRendezvous, &weighted_rendezvous::ALGORITHM, |with| Ok(WeightedRendezvous::new(with.hash))),
        ours(Family::WeightedRendezvous, &hierarchical_rendezvous::ALGORITHM, |with| Ok(HierarchicalRendezvous::new(with.hash))),
        ours(Family::Jump, &jump::ALGORITHM, |_| Ok(Jump::new())),
        ours(Family::Maglev, &maglev::ALGORITHM, |with| Maglev::new(with.hash, with.table)),
        ours(Family::Modulo, &modulo::ALGORITHM, |_| Ok(Modulo::new())),
        ours(Family::Slots, &slots::ALGORITHM, |with| Slots::new(with.slots)),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// An algorithm under both hashes of keys.
fn ours<P: Placement + 'static>(
    family: Family,
    algorithm: &'static Algorithm,
    empty: fn(&Settings) -> Result<P, PlacementError>,
) -> [Row; 2] {
    [
        hashed::<P, Mix64>(family, algorithm, empty),
        hashed::<P, Xxh3>(family, algorithm, empty),
    ]
}

fn hashed<P: Placement + 'static, H: HashKey>(
    family: Family,
    algorithm: &'static Algorithm,
    empty: fn(&Settings) -> Result<P, PlacementError>,
) -> Row {
    let list = |case: &Case| case.names().map(|name| node(case, name)).collect();
    let build = move |case: &Case, nodes: Vec<Node>| {
        let mut placement = empty(&case.settings()).unwrap_or_else(|error| panic!("{error}"));
        if let Err(error) = placement.extend(nodes) {
            panic!("{error}");
        }
        Ours::<P, H> {
            placement,
            case: *case,
            newcomer: None,
            joined: None,
            hash: PhantomData,
        }
    };
    Row::new((Whose::Ours, family, algorithm.name, H::HASH), list, build)
        .with_linear(algorithm.costs.lookup == Growth::N)
}

fn node(case: &Case, name: u32) -> Node {
    Node::weighing(format!("node-{name}"), case.weight(name).into())
}

/// One of ours behind a hash of keys.
struct Ours<P, H> {
    placement: P,
    case: Case,
    newcomer: Option<Node>,
    joined: Option<NodeId>,
    hash: PhantomData<H>,
}

/// Names count from 1 in joining order.
#[inline]
fn name(owner: Option<NodeId>) -> u32 {
    owner.map_or(NOBODY, |id| id.index() as u32 + 1)
}

impl<P: Placement, H: HashKey> Peer for Ours<P, H> {
    #[inline]
    fn place(&self, key: u64) -> u32 {
        name(self.placement.place(H::of(key)))
    }

    fn batch(&self, keys: &[u64]) -> Option<u64> {
        let (mut hashes, mut owners) = ([0; BATCH], [None; BATCH]);
        let mut sum = 0;
        for keys in keys.chunks(BATCH) {
            let (hashes, owners) = (&mut hashes[..keys.len()], &mut owners[..keys.len()]);
            H::of_many(keys, hashes);
            self.placement.place_many(hashes, owners);
            sum += owners.iter().map(|&id| u64::from(name(id))).sum::<u64>();
        }
        Some(sum)
    }

    fn add(&mut self, name: u32) -> bool {
        // Spelled out once, as the other nodes are before they are added.
        let case = &self.case;
        let newcomer = self.newcomer.get_or_insert_with(|| node(case, name));
        self.joined = self.placement.add(newcomer.clone()).ok();
        self.joined.is_some()
    }

    fn remove(&mut self, _: u32) -> bool {
        let joined = self.joined.take();
        joined.is_some_and(|id| self.placement.remove(id).is_ok())
    }

    fn table_bytes(&self) -> Option<usize> {
        let members = self.placement.membership().heap_bytes();
        Some(self.placement.heap_bytes() - members)
    }
}

//! `rendezvous_hash`: sorts all nodes for each lookup.

use std::hash::BuildHasher;

use rendezvous_hash::{
    Capacity, DefaultNodeHasher, IdNode, Node, NodeHasher, RendezvousNodes, WeightedNode,
};

use crate::case::{Case, NOBODY};
use crate::hash::{Hash, Mix, SIP13};
use crate::row::{Family, Row};
use crate::subject::Peer;

pub fn rows() -> Vec<Row> {
    vec![
        equal(SIP13, DefaultNodeHasher::new),
        equal(Hash::Mix64, || OneMix),
        weighted(SIP13, DefaultNodeHasher::new),
        weighted(Hash::Mix64, || OneMix),
    ]
}

fn equal<H: NodeHasher<u32> + 'static>(hash: Hash, hasher: fn() -> H) -> Row {
    let krate = ("rendezvous_hash", "0.3.0");
    Row::peer(Family::Rendezvous, krate, hash, move |case, names| {
        build(case, hasher(), |_, name| IdNode::new(name), names)
    })
}

fn weighted<H: NodeHasher<u32> + 'static>(hash: Hash, hasher: fn() -> H) -> Row {
    let krate = ("rendezvous_hash", "0.3.0 weighted");
    Row::peer(
        Family::WeightedRendezvous,
        krate,
        hash,
        move |case, names| {
            let node = |case: &Case, name| {
                let weight =
                    Capacity::new(case.weight(name).into()).expect("weights are from 1 to 4");
                WeightedNode::new(IdNode::new(name), weight)
            };
            build(case, hasher(), node, names)
        },
    )
}

/// [`Mix`] in the crate's interface, in the order in which its own hasher reads.
struct OneMix;

impl NodeHasher<u32> for OneMix {
    #[inline]
    fn hash<T: std::hash::Hash>(&self, node: &u32, item: &T) -> u64 {
        Mix::default().hash_one((item, node))
    }
}

struct Nodes<N: Node, H> {
    case: Case,
    node: fn(&Case, u32) -> N,
    nodes: RendezvousNodes<N, H>,
}

fn build<N: Node<NodeId = u32>, H: NodeHasher<u32>>(
    case: &Case,
    hasher: H,
    node: fn(&Case, u32) -> N,
    names: Vec<u32>,
) -> Nodes<N, H> {
    let mut nodes = RendezvousNodes::new(hasher);
    for name in names {
        nodes.insert(node(case, name));
    }
    Nodes {
        case: *case,
        node,
        nodes,
    }
}

impl<N: Node<NodeId = u32>, H: NodeHasher<u32>> Peer for Nodes<N, H> {
    #[inline]
    fn place(&self, key: u64) -> u32 {
        let first = self.nodes.calc_candidates(&key).next();
        first.map_or(NOBODY, |node| *node.node_id())
    }

    fn add(&mut self, name: u32) -> bool {
        self.nodes.insert((self.node)(&self.case, name)).is_none()
    }

    fn remove(&mut self, name: u32) -> bool {
        self.nodes.remove(&name).is_some()
    }
}

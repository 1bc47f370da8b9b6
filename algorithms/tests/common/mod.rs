//! Nodes, keys and hashes that have provoked faults in placement algorithms.

// Each test binary uses a part of this.
#![allow(dead_code)]

use algorithms::hash::{XXH3, XXH64, mix};
use algorithms::{KeyHash, Node};

/// The real hashes, and hashes cut to so few bits that rare collisions are certain.
pub const HASHES: [KeyHash; 6] = [
    XXH3,
    XXH64,
    KeyHash::new("xxh3-4bit", |bytes| XXH3.of(bytes) & 0xf),
    KeyHash::new("xxh3-8bit", |bytes| XXH3.of(bytes) & 0xff),
    KeyHash::new("xxh3-10bit", |bytes| XXH3.of(bytes) & 0x3ff),
    // The bits at the other end: equal points with wide arcs between them.
    KeyHash::new("xxh3-high8bit", |bytes| XXH3.of(bytes) & 0xff << 56),
];

/// Names that bite: prefixes of each other, digits at the end, separators, no text at all.
pub fn biting_names() -> Vec<String> {
    let mut names: Vec<String> = [
        "n", "n1", "n11", "node", "node1", "1", "11", "a:1", "a:11", "", "µ", "a\0b", "-", "#",
    ]
    .map(String::from)
    .to_vec();
    names.push("long".repeat(75));
    names
}

/// The biting names first, in an order that is not sorted, then generated ones.
pub fn named_nodes(count: usize) -> Vec<Node> {
    let more = (0..count).map(|i| format!("member-{i}"));
    biting_names()
        .into_iter()
        .chain(more)
        .take(count)
        .map(Node::new)
        .collect()
}

/// Gives the nodes weights of 1, 2, 3, a half, 0 and others, beginning differently for each `case`.
pub fn mixed_weights(nodes: &mut [Node], case: usize) {
    const WEIGHTS: [f64; 8] = [1.0, 2.0, 0.0, 0.5, 3.0, 1.0, 0.34, 1.7];
    for (at, node) in nodes.iter_mut().enumerate() {
        node.weight = WEIGHTS[(at + case) % WEIGHTS.len()];
    }
}

/// Gives the nodes random weights over six decades.
pub fn wide_weights(nodes: &mut [Node], seed: u64) {
    let draws = random_keys(seed, nodes.len() as u64);
    for (node, draw) in nodes.iter_mut().zip(draws) {
        node.weight = 10f64.powf((draw >> 11) as f64 / (1u64 << 53) as f64 * 6.0 - 3.0);
    }
}

/// Named sets of key hashes: edges, small numbers, hashes of texts with a common prefix, random.
pub fn key_families(hash: &KeyHash) -> Vec<(&'static str, Vec<u64>)> {
    let prefixed = |i: u32| hash.of(format!("user:profile:{i}").as_bytes());
    vec![
        ("edge", edge_keys()),
        ("sequential", (0..200).chain(edge_keys()).collect()),
        ("common prefix", (0..200).map(prefixed).collect()),
        ("random", random_keys(7, 200)),
    ]
}

/// The ends of the key space and what stands around powers of two.
pub fn edge_keys() -> Vec<u64> {
    let powers = (0..64).map(|bit| 1u64 << bit);
    let around = powers.flat_map(|power| [power - 1, power, power + 1]);
    around.chain([u64::MAX, u64::MAX - 1]).collect()
}

/// Keys from a counter-based generator.
pub fn random_keys(seed: u64, count: u64) -> Vec<u64> {
    (1..=count).map(|i| mix(mix(seed) ^ i)).collect()
}

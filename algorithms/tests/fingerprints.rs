//! Every algorithm's own mapping is pinned, so that no change of owners goes unnoticed.

// What tests call may unwrap as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use algorithms::algorithm::Weights;
use algorithms::hash::{XXH3, XXH64};
use algorithms::{Algorithm, Node, Placement, Settings, registry};
use common::named_nodes;

/// Keys that go into a fingerprint.
const KEYS: u32 = 100_000;

/// Owners' names over all keys, for several memberships and both key hashes, hashed together.
fn fingerprint(algorithm: &Algorithm) -> String {
    let mut bytes = Vec::new();
    for key_hash in [XXH3, XXH64] {
        let keys: Vec<u64> = (0..KEYS)
            .map(|i| key_hash.of(format!("key-{i}").as_bytes()))
            .collect();
        for nodes in memberships(algorithm) {
            let settings = Settings {
                hash: key_hash,
                ..Settings::default()
            };
            let placement = algorithm.build(&settings, nodes).unwrap();
            bytes.extend(mapping(&*placement, &keys).to_le_bytes());
        }
    }
    format!("{:016x}", XXH3.of(&bytes))
}

fn memberships(algorithm: &Algorithm) -> Vec<Vec<Node>> {
    let numbered = |count| (0..count).map(|i| Node::new(format!("node-{i}"))).collect();
    let mut memberships = vec![named_nodes(1), named_nodes(18), numbered(10), numbered(97)];
    if algorithm.traits.weights != Weights::None {
        let weights = [1.0, 2.0, 3.0, 0.5, 0.0, 0.1, 12.0];
        let nodes = weights.iter().enumerate();
        memberships.push(
            nodes
                .map(|(i, &w)| Node::weighing(format!("node-{i}"), w))
                .collect(),
        );
    }
    memberships
}

/// Hash of the owners' names, each ended by a byte that no name contains.
fn mapping(placement: &dyn Placement, keys: &[u64]) -> u64 {
    let mut names = Vec::new();
    let mut owners = vec![None; keys.len()];
    placement.place_many(keys, &mut owners);
    for owner in owners {
        names.extend(
            owner
                .map_or("", |id| placement.membership().name(id))
                .as_bytes(),
        );
        names.push(0xff);
    }
    XXH3.of(&names)
}

/// What is pinned: fingerprints by algorithm and version.
fn pins() -> BTreeMap<String, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/fingerprints.json");
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn pin(algorithm: &Algorithm) -> String {
    format!("{} version {}", algorithm.name, algorithm.version)
}

#[test]
fn every_algorithm_maps_keys_as_its_version_always_did() {
    let pins = pins();
    let mut lines = Vec::new();
    for algorithm in registry::ALL {
        let (pin, seen) = (pin(algorithm), fingerprint(algorithm));
        if pins.get(&pin) != Some(&seen) {
            let pinned = pins.get(&pin).map_or("nothing", |pinned| pinned);
            lines.push(format!("  \"{pin}\": \"{seen}\",   (pinned is {pinned})"));
        }
    }
    assert!(
        lines.is_empty(),
        "a changed mapping moves the keys of everyone who uses it. If it is meant, raise `version` \
         in the algorithm's registry entry. For a new version or a new algorithm, pin the line in \
         tests/data/fingerprints.json:\n{}",
        lines.join("\n")
    );
}

/// A pin that no algorithm has would only seem to protect something.
#[test]
fn every_pin_belongs_to_an_algorithm_of_its_version() {
    let pins = pins();
    let known: Vec<String> = registry::ALL.iter().map(pin).collect();
    let stale: Vec<&String> = pins.keys().filter(|name| !known.contains(name)).collect();
    assert!(
        stale.is_empty(),
        "nobody has the mappings pinned as {stale:?}"
    );
    let rings = ["ring-vec", "ring-index", "ring-btree"]
        .map(|name| pins.get(&pin(registry::find(name).unwrap())));
    assert!(
        rings.iter().all(|ring| *ring == rings[0]),
        "all vnode rings give the same owners"
    );
}

//! Ids that outgrow the two bytes in which tables and rings keep them.

// What tests call may unwrap as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use algorithms::algorithm::Weights;
use algorithms::{Algorithm, Node, Placement, Settings, registry};
use common::random_keys;

/// More nodes than two bytes count, none of which owns anything.
fn strangers() -> Vec<Node> {
    (0..66_000)
        .map(|number| Node::weighing(format!("stranger-{number}"), 0.0))
        .collect()
}

fn nodes(numbers: std::ops::Range<u32>) -> Vec<Node> {
    numbers
        .map(|number| Node::new(format!("node-{number}")))
        .collect()
}

fn owners(placement: &dyn Placement, keys: &[u64]) -> Vec<String> {
    let mut owners = vec![None; keys.len()];
    placement.place_many(keys, &mut owners);
    for (key, owner) in keys.iter().zip(&owners) {
        assert_eq!(placement.place(*key), *owner);
    }
    let name = |owner: &Option<_>| placement.membership().name(owner.unwrap()).to_owned();
    owners.iter().map(name).collect()
}

fn built(algorithm: &Algorithm, lists: impl IntoIterator<Item = Vec<Node>>) -> Box<dyn Placement> {
    let mut placement = algorithm.build(&Settings::default(), Vec::new()).unwrap();
    for nodes in lists {
        placement.extend(nodes).unwrap();
    }
    placement
}

/// Before, between and behind the nodes that own the keys.
#[test]
fn nodes_that_own_nothing_change_no_owner_however_many_they_are() {
    let keys = random_keys(23, 3000);
    for algorithm in registry::ALL {
        if algorithm.traits.weights == Weights::None {
            continue;
        }
        let plain = built(algorithm, [nodes(0..10), nodes(10..14)]);
        let wanted = owners(&*plain, &keys);
        for lists in [
            vec![strangers(), nodes(0..10), nodes(10..14)],
            vec![nodes(0..10), strangers(), nodes(10..14)],
            vec![nodes(0..10), nodes(10..14), strangers()],
        ] {
            let mut crowded = built(algorithm, lists);
            assert_eq!(owners(&*crowded, &keys), wanted, "{}", algorithm.name);
            // And still when one leaves and comes again.
            let id = crowded.membership().find("node-3").unwrap();
            crowded.remove(id).unwrap();
            crowded.add(Node::new("node-3")).unwrap();
            let mut plain = plain.boxed_clone();
            plain
                .remove(plain.membership().find("node-3").unwrap())
                .unwrap();
            plain.add(Node::new("node-3")).unwrap();
            assert_eq!(
                owners(&*crowded, &keys),
                owners(&*plain, &keys),
                "{}",
                algorithm.name
            );
        }
    }
}

//! What a placement says of its memory against what the allocator counted.

#![allow(clippy::unwrap_used)]

use algorithms::algorithm::Removal;
use algorithms::{Node, Settings, registry};
use harness::alloc;

fn nodes(count: usize) -> Vec<Node> {
    (0..count).map(|n| Node::new(format!("node-{n}"))).collect()
}

/// Largest deviation of `heap_bytes` from the counted bytes that is let pass: nothing but for the
/// tree, whose blocks the standard library keeps to itself.
fn tolerance(algorithm: &str, changed: bool) -> f64 {
    match (algorithm, changed) {
        ("ring-btree", false) => 0.05,
        ("ring-btree", true) => 0.20,
        _ => 0.0,
    }
}

#[test]
fn reported_bytes_are_those_that_the_allocator_counted() {
    for algorithm in registry::ALL {
        for count in [0, 1, 10, 100, 500] {
            let settings = Settings::default();
            let (placement, heap) = alloc::measure(|| algorithm.build(&settings, nodes(count)));
            let mut placement = placement.unwrap();
            // The box itself is counted and is not a part of what it holds.
            let shell = size_of_val(&*placement) as f64;
            let check = |reported: usize, counted: isize, changed: bool| {
                let counted = counted as f64 - shell;
                let off = (reported as f64 - counted).abs();
                let allowed = tolerance(algorithm.name, changed) * counted.max(400.0);
                assert!(
                    off <= allowed,
                    "{} at {count}: {reported} reported, {counted} counted",
                    algorithm.name
                );
            };
            check(placement.heap_bytes(), heap.live, false);
            let (_, change) = alloc::measure(|| {
                placement
                    .extend((0..50).map(|n| Node::new(format!("late-{n}"))).collect())
                    .unwrap();
                let gone = match algorithm.traits.removal {
                    Removal::Any => placement.membership().members()[0].id,
                    Removal::Newest => placement.membership().members().last().unwrap().id,
                };
                placement.remove(gone).unwrap();
            });
            check(placement.heap_bytes(), heap.live + change.live, true);
        }
    }
}

#[test]
fn lookups_allocate_nothing() {
    for algorithm in registry::ALL {
        let placement = algorithm.build(&Settings::default(), nodes(25)).unwrap();
        let keys: Vec<u64> = (0..1000u64).map(algorithms::hash::mix).collect();
        let mut owners = vec![None; keys.len()];
        let (_, heap) = alloc::measure(|| {
            placement.place_many(&keys, &mut owners);
            keys.iter().filter_map(|&key| placement.place(key)).count()
        });
        assert_eq!((heap.allocations, heap.live), (0, 0), "{}", algorithm.name);
    }
}

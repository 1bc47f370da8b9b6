//! All laws for all algorithms, over nodes, keys, hashes and sizes that provoke faults.

// What tests call may unwrap as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use std::thread;

use algorithms::algorithm::{Spread, Weights};
use algorithms::laws::{self, Subject};
use algorithms::maglev;
use algorithms::{Algorithm, Node, PlacementError, Settings, registry};
use common::{HASHES, edge_keys, key_families, mixed_weights, named_nodes, wide_weights};

/// Numbers of nodes around which faults have been met.
const COUNTS: [usize; 10] = [0, 1, 2, 3, 5, 7, 10, 25, 61, 100];

/// Points and table sizes that go together: the smallest, odd ones, and usual ones.
const SIZES: [(u32, u32); 6] = [
    (1, 2),
    (1, 7),
    (3, 101),
    (3, 251),
    (100, 1009),
    (100, 65_537),
];

#[test]
fn every_law_holds_for_every_algorithm() {
    let results: Vec<(usize, Vec<String>)> = thread::scope(|scope| {
        let check = |algorithm| scope.spawn(move || check_grid(algorithm));
        let threads: Vec<_> = registry::ALL.iter().map(check).collect();
        let joined = threads.into_iter().map(|thread| thread.join().unwrap());
        joined.collect()
    });
    let violations: Vec<String> = results.iter().flat_map(|r| r.1.clone()).collect();
    assert!(
        violations.is_empty(),
        "{} violations:\n{}",
        violations.len(),
        violations.join("\n")
    );
    let fewest = results.iter().map(|result| result.0).min();
    assert!(fewest > Some(100), "only {fewest:?} subjects were checked");
}

/// Checks all laws on the whole grid; returns the number of subjects and the violations.
fn check_grid(algorithm: &Algorithm) -> (usize, Vec<String>) {
    let (mut subjects, mut violations) = (0, Vec::new());
    for (case, &count) in COUNTS.iter().enumerate() {
        for (hash, settings) in settings_of(count) {
            for (weights, nodes) in weighted(algorithm, named_nodes(count), case) {
                let families = key_families(&settings.hash);
                let (family, keys) = &families[(case + hash) % families.len()];
                let subject = Subject {
                    algorithm,
                    settings,
                    nodes: &nodes,
                    keys,
                };
                let built = algorithm.build(&settings, nodes.clone());
                if let Err(PlacementError::WeightTooSmall { .. }) = built {
                    continue;
                }
                subjects += 1;
                for law in laws::ALL {
                    if let Err(seen) = (law.check)(&subject) {
                        violations.push(format!(
                            "{}: {}: {seen} ({count} nodes, {settings:?}, {family} keys, {weights} weights)",
                            algorithm.name, law.name
                        ));
                    }
                }
            }
        }
    }
    (subjects, violations)
}

/// The nodes with the kinds of weights that the algorithm takes.
fn weighted(
    algorithm: &Algorithm,
    nodes: Vec<Node>,
    case: usize,
) -> Vec<(&'static str, Vec<Node>)> {
    let mut lists = vec![("equal", nodes.clone())];
    if algorithm.traits.weights != Weights::None {
        let mut mixed = nodes.clone();
        mixed_weights(&mut mixed, case);
        lists.push(("mixed", mixed));
        // A ring would have a thousand times its points.
        if !matches!(algorithm.traits.spread, Spread::Points(_)) {
            let mut wide = nodes;
            wide_weights(&mut wide, case as u64);
            lists.push(("wide", wide));
        }
    }
    lists
}

/// Every hash with every pair of sizes that has room for the nodes. The largest table comes with
/// whole hashes only: with narrow ones its walks are all alike and slow.
fn settings_of(count: usize) -> impl Iterator<Item = (usize, Settings)> {
    let sizes = SIZES
        .into_iter()
        .filter(move |size| size.1 as usize >= count);
    sizes.flat_map(move |(points, table)| {
        let hashes = HASHES.into_iter().enumerate();
        let settings = hashes.map(move |(at, hash)| {
            let settings = Settings {
                hash,
                points,
                table,
                // Any number will do, powers of two as well.
                slots: table.next_power_of_two(),
            };
            (at, settings)
        });
        settings.filter(move |(at, _)| table < 60_000 || *at < 2)
    })
}

/// Sizes and settings that cannot serve, or only just.
#[test]
fn impossible_sizes_are_refused_with_the_reason() {
    use PlacementError as E;
    let nodes = named_nodes(10);
    let build = |name: &str, points, table, nodes: &[Node]| {
        let settings = Settings {
            points,
            table,
            ..Settings::default()
        };
        let built = registry::find(name)
            .unwrap()
            .build(&settings, nodes.to_vec());
        built.map(|placement| placement.membership().len())
    };
    for ring in ["ring-vec", "ring-btree"] {
        let asked = |points| build(ring, points, 7, &nodes);
        let too_many = |points| {
            Err(E::TooManyPoints {
                points,
                cap: 1 << 26,
            })
        };
        assert_eq!(asked(0), Err(E::ZeroPoints));
        assert_eq!(asked(1 << 26), too_many(10 << 26));
        assert_eq!(asked(u32::MAX), too_many(u64::from(u32::MAX)));
    }
    assert_eq!(
        build("ring-1", 0, 0, &nodes),
        Ok(10),
        "it has no such setting"
    );
    for (size, next) in [(0, 2), (1, 2), (4, 5), (1024, 1031), (65_536, 65_537)] {
        for nodes in [&nodes[..0], &nodes[..1], &nodes] {
            let expected = Err(E::TableNotPrime { size, next });
            assert_eq!(build("maglev", 1, size, nodes), expected);
        }
    }
    for size in [(1 << 26) + 1, u32::MAX] {
        let cap = maglev::MAX_TABLE;
        assert_eq!(
            build("maglev", 1, size, &nodes),
            Err(E::TableTooLarge { size, cap })
        );
    }
    let too_small = E::TableTooSmall { size: 7, nodes: 10 };
    assert_eq!(build("maglev", 1, 7, &nodes), Err(too_small));
    assert_eq!(build("maglev", 1, 7, &nodes[..7]), Ok(7));
    assert_eq!(build("maglev", 1, 2, &nodes[..2]), Ok(2));
    let drained: Vec<Node> = nodes
        .iter()
        .map(|n| Node::weighing(&*n.name, 0.0))
        .collect();
    assert_eq!(
        build("maglev", 1, 7, &drained),
        Ok(10),
        "they need no slots"
    );
    let small = [Node::weighing("a", 0.0049)];
    let refused = E::WeightTooSmall {
        name: "a".into(),
        weight: 0.0049,
        points: 100,
    };
    assert_eq!(build("ring-vec", 100, 7, &small), Err(refused));
}

/// A full table takes no further node until there is a free slot, and stays right meanwhile.
#[test]
fn a_full_table_refuses_newcomers_until_a_node_is_drained() {
    let settings = Settings {
        table: 7,
        ..Settings::default()
    };
    let maglev = registry::find("maglev").unwrap();
    let mut full = maglev.build(&settings, named_nodes(7)).unwrap();
    let first = full.membership().members()[0].id;
    let refused = Err(PlacementError::TableTooSmall { size: 7, nodes: 8 });
    assert_eq!(full.add(Node::new("eighth")), refused);
    full.reweigh(first, 0.0).unwrap();
    let eighth = full.add(Node::new("eighth")).unwrap();
    assert!((0..7).any(|slot| full.place(slot) == Some(eighth)));
    assert_eq!(full.reweigh(first, 1.0), refused.map(drop));
    let infinite = full.reweigh(first, f64::INFINITY);
    assert!(matches!(
        infinite,
        Err(PlacementError::InvalidWeight { .. })
    ));
}

/// Nobody is eligible: there is no owner, no share, and no figure that is not a number.
#[test]
fn without_eligible_nodes_nobody_owns_anything() {
    for algorithm in registry::ALL {
        let weighted = algorithm.traits.weights != Weights::None;
        for count in [0, 1, 3]
            .into_iter()
            .filter(|&count| weighted || count == 0)
        {
            let names = named_nodes(count).into_iter();
            let nodes = names.map(|node| Node::weighing(node.name, 0.0)).collect();
            let placement = algorithm.build(&Settings::default(), nodes).unwrap();
            assert!(
                edge_keys()
                    .iter()
                    .all(|&key| placement.place(key).is_none())
            );
            assert!(placement.shares().iter().all(|share| share.1 == 0.0));
            assert_eq!(placement.shares().len(), count);
            let layout = placement.layout();
            assert_eq!(
                (layout.entries(), layout.clashes()),
                (0, 0),
                "{}",
                algorithm.name
            );
            assert_eq!(layout.changed(&layout), 0);
        }
    }
}

//! All laws for all algorithms, over nodes, keys, hashes and sizes that provoke faults.

mod common;

use algorithms::laws::{self, Subject};
use algorithms::{Algorithm, Node, PlacementError, Settings, registry};
use common::{HASHES, key_families, mixed_weights, named_nodes};

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
    let mut violations = Vec::new();
    let mut checked = 0;
    for algorithm in registry::ALL {
        for (case, &count) in COUNTS.iter().enumerate() {
            for (settings, hash) in settings_of(count) {
                for weighted in [false, true] {
                    if weighted && algorithm.traits.weights == algorithms::algorithm::Weights::None
                    {
                        continue;
                    }
                    let mut nodes = named_nodes(count);
                    if weighted {
                        mixed_weights(&mut nodes, case);
                    }
                    let families = key_families(&settings.hash);
                    let (family, keys) = &families[(case + hash) % families.len()];
                    let what =
                        format!("{count} nodes, {settings:?}, {family} keys, weighted: {weighted}");
                    checked += check(algorithm, settings, &nodes, keys, &what, &mut violations);
                }
            }
        }
    }
    assert!(
        violations.is_empty(),
        "{} violations:\n{}",
        violations.len(),
        violations.join("\n")
    );
    assert!(checked > 1000, "only {checked} subjects were checked");
}

/// Every hash with every pair of sizes that has room for the nodes; the large table with full and
/// with narrow hashes only for few nodes, since all of its walks are one.
fn settings_of(count: usize) -> impl Iterator<Item = (Settings, usize)> {
    let sizes = SIZES
        .into_iter()
        .filter(move |size| size.1 as usize >= count);
    sizes.flat_map(move |(points, table)| {
        let hashes = HASHES.iter().enumerate();
        hashes.filter_map(move |(at, &hash)| {
            let slow = table > 60_000 && at >= 2 && count > 10;
            (!slow).then_some((
                Settings {
                    hash,
                    points,
                    table,
                },
                at,
            ))
        })
    })
}

/// Checks all laws, and returns 1, or 0 for nodes that do not fit.
fn check(
    algorithm: &Algorithm,
    settings: Settings,
    nodes: &[Node],
    keys: &[u64],
    what: &str,
    violations: &mut Vec<String>,
) -> usize {
    if let Err(PlacementError::WeightTooSmall { .. }) = algorithm.build(&settings, nodes.to_vec()) {
        return 0;
    }
    let subject = Subject {
        algorithm,
        settings,
        nodes,
        keys,
    };
    for law in laws::ALL {
        if let Err(seen) = (law.check)(&subject) {
            violations.push(format!("{}: {}: {seen} ({what})", algorithm.name, law.name));
        }
    }
    1
}

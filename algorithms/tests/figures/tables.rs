//! Tables: mod-N and Maglev.

use algorithms::algorithm::Moves;
use algorithms::{Layout, Node, Settings, registry};

use crate::common::random_keys;
use crate::{build, close, moved, set, with_table};

fn gcd(a: usize, b: usize) -> usize {
    match b {
        0 => a,
        _ => gcd(b, a % b),
    }
}

#[test]
fn modulo_moves_all_but_gcd_over_max() {
    let layouts: Vec<Layout> = (1..=40)
        .map(|count| build("mod-n", Settings::default(), set(0, count)).layout())
        .collect();
    for (n, before) in (1..).zip(&layouts) {
        for (m, after) in (1..).zip(&layouts) {
            let kept = gcd(n, m) as f64 / n.max(m) as f64;
            close(
                &format!("{n} to {m}"),
                moved(before, after),
                1.0 - kept,
                1e-12,
            );
        }
    }
}

#[test]
fn maglev_nodes_own_whole_parts_of_the_table() {
    for (nodes, size) in [
        (1, 7),
        (3, 7),
        (7, 7),
        (10, 1021),
        (100, 10_007),
        (1000, 65_537),
    ] {
        let shares = build("maglev", with_table(size), set(1, nodes)).shares();
        for (_, share) in shares {
            let (slots, fair) = (share * f64::from(size), f64::from(size) / nodes as f64);
            let whole = [fair.floor(), fair.ceil()]
                .iter()
                .any(|whole| (slots - whole).abs() < 1e-6);
            assert!(whole, "{nodes} nodes, {size} slots: {slots}");
        }
    }
}

#[test]
fn maglev_turns_follow_the_weights() {
    for (weights, expected) in [
        (vec![1.0, 2.0], vec![21_846.0, 43_691.0]),
        (vec![1.0, 2.0, 3.0], vec![10_923.0, 21_846.0, 32_768.0]),
    ] {
        let nodes = set(2, weights.len()).into_iter().zip(&weights);
        let nodes = nodes
            .map(|(node, &weight)| Node::weighing(node.name, weight))
            .collect();
        let shares = build("maglev", with_table(65_537), nodes).shares();
        for ((_, share), expected) in shares.into_iter().zip(expected) {
            let tolerance = match weights.len() {
                2 => 1e-6,
                _ => 2.0,
            };
            close(
                &format!("{weights:?}"),
                share * 65_537.0,
                expected,
                tolerance,
            );
        }
    }
}

/// Slots that change when one of the nodes leaves, and when one joins.
#[test]
fn maglev_moves_more_than_it_must_by_the_known_amount() {
    for (nodes, size, sets, left, tolerance) in [
        (10, 1021, 12, 0.1239, 0.015),
        (10, 65_537, 4, 0.1027, 0.0032),
        (100, 10_007, 4, 0.0261, 0.004),
        (100, 65_537, 2, 0.0155, 0.0013),
        (1000, 65_537, 2, 0.0068, 0.0006),
        (1000, 655_373, 1, 0.0042, 0.0004),
    ] {
        let losses = (0..sets).map(|number| {
            let mut table = build("maglev", with_table(size), set(number, nodes));
            let before = table.layout();
            let id = table.membership().members()[nodes / 2].id;
            table.remove(id).unwrap();
            moved(&before, &table.layout())
        });
        let mean = losses.sum::<f64>() / sets as f64;
        close(
            &format!("{nodes} nodes, {size} slots"),
            mean,
            left,
            tolerance,
        );
    }
    for (nodes, gained) in [(100, 0.0157), (1000, 0.0067)] {
        let mut table = build("maglev", with_table(65_537), set(3, nodes));
        let before = table.layout();
        table.add(Node::new("newcomer")).unwrap();
        let seen = moved(&before, &table.layout());
        close(&format!("one added to {nodes}"), seen, gained, 0.0015);
    }
}

/// What is declared of unneeded moves holds in the mean over names, at the smallest tables for
/// which it is declared.
#[test]
fn unneeded_moves_stay_within_what_is_declared_in_the_mean() {
    let keys = random_keys(17, 5000);
    for algorithm in registry::ALL {
        let Moves::Approximate { unneeded } = algorithm.traits.moves else {
            continue;
        };
        for (nodes, size) in [(3, 307), (5, 503), (10, 1009), (25, 2503), (150, 15_013)] {
            const SETS: usize = 200;
            let mut total = 0.0;
            for number in 0..SETS {
                let mut table = algorithm
                    .build(&with_table(size), set(number, nodes))
                    .unwrap();
                let before = table.boxed_clone();
                let id = table.membership().members()[number % nodes].id;
                table.remove(id).unwrap();
                total += match before.layout().flows(&table.layout()) {
                    Some(flows) => {
                        let others = flows.iter().filter(|flow| flow.from != id);
                        others.map(|flow| flow.share).sum::<f64>()
                    }
                    // Without a layout the moves are counted.
                    None => {
                        let moves = |key: &&u64| {
                            let from = before.place(**key);
                            from != Some(id) && from != table.place(**key)
                        };
                        keys.iter().filter(moves).count() as f64 / keys.len() as f64
                    }
                };
            }
            let mean = total / SETS as f64;
            assert!(
                mean <= unneeded,
                "{}: {mean} at {nodes} nodes",
                algorithm.name
            );
        }
    }
}

//! Figures that follow from theory or from the definitions: spread, movement, weights.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use algorithms::algorithm::Moves;
use algorithms::hash::{Purpose, XXH3, encode, mix};
use algorithms::{KeyHash, Layout, Node, Placement, Settings, registry, weighted_rendezvous};
use common::random_keys;

fn build(algorithm: &str, settings: Settings, nodes: Vec<Node>) -> Box<dyn Placement> {
    let algorithm = registry::find(algorithm).unwrap();
    algorithm.build(&settings, nodes).unwrap()
}

/// Nodes of one of many sets of names.
fn set(number: usize, count: usize) -> Vec<Node> {
    (0..count)
        .map(|i| Node::new(format!("set{number}-{i}")))
        .collect()
}

fn with_points(points: u32) -> Settings {
    Settings {
        points,
        ..Settings::default()
    }
}

fn with_table(table: u32) -> Settings {
    Settings {
        table,
        ..Settings::default()
    }
}

fn close(what: &str, seen: f64, expected: f64, tolerance: f64) {
    assert!(
        (seen - expected).abs() <= tolerance,
        "{what}: {seen}, where {expected} ± {tolerance} was expected"
    );
}

/// Slots or arcs that change their owner, as a fraction.
fn moved(before: &Layout, after: &Layout) -> f64 {
    let flows = before.flows(after).unwrap();
    flows.iter().map(|flow| flow.share).sum()
}

/// Root mean square, over sets of names, of the coefficient of variation of exact shares.
fn ring_variation(nodes: usize, points: u32) -> f64 {
    const SETS: usize = 200;
    let mut squares = 0.0;
    for number in 0..SETS {
        let ring = build("ring-vec", with_points(points), set(number, nodes));
        let deviations = ring
            .shares()
            .into_iter()
            .map(|(_, share)| share * nodes as f64 - 1.0);
        squares += deviations
            .map(|deviation| deviation * deviation)
            .sum::<f64>();
    }
    (squares / (SETS * nodes) as f64).sqrt()
}

#[test]
fn shares_of_a_ring_vary_as_random_arcs_do() {
    for (nodes, points) in [(10, 100), (100, 1), (50, 10), (3, 100), (10, 1), (10, 16)] {
        let (n, v) = (nodes as f64, f64::from(points));
        let theory = ((n - 1.0) / (n * v + 1.0)).sqrt();
        let seen = ring_variation(nodes, points);
        close(
            &format!("{nodes} nodes, {points} points"),
            seen / theory,
            1.0,
            0.15,
        );
    }
}

#[test]
fn a_ring_that_grows_from_12_to_14_nodes_moves_a_seventh() {
    let rings = (0..60).map(|number| {
        let mut ring = build("ring-vec", with_points(100), set(number, 12));
        let before = ring.layout();
        ring.extend(set(number + 1000, 2)).unwrap();
        moved(&before, &ring.layout())
    });
    let moved: Vec<f64> = rings.collect();
    assert!(
        moved.iter().all(|moved| (0.105..0.185).contains(moved)),
        "{moved:?}"
    );
    let mean = moved.iter().sum::<f64>() / moved.len() as f64;
    close("in the mean", mean, 1.0 / 7.0, 4.0 * 0.00935 / 60f64.sqrt());
}

/// Points of chosen positions: the boundaries of arcs, to the key.
#[test]
fn a_ring_gives_a_key_to_the_point_at_or_after_it_and_wraps() {
    // The position of a point is its node's name.
    let named = KeyHash::new("named", |label| {
        let digits = label[9..label.len() - 8].iter();
        digits.fold(0, |position, digit| position * 10 + u64::from(digit - b'0'))
    });
    let settings = Settings {
        hash: named,
        ..with_points(1)
    };
    for ring in ["ring-1", "ring-vec", "ring-btree"] {
        let ring = build(ring, settings, ["30", "10", "20"].map(Node::new).to_vec());
        let owner = |key| ring.membership().name(ring.place(key).unwrap());
        let keys = [0, 5, 10, 11, 15, 20, 21, 30, 31, u64::MAX];
        let owners = ["10", "10", "10", "20", "20", "20", "30", "30", "10", "10"];
        assert_eq!(keys.map(owner), owners);
    }
}

/// The same with points of the default hash, found here from the labels alone.
#[test]
fn points_of_a_ring_stand_where_the_hashes_of_labels_are() {
    let nodes = set(0, 7);
    let label = |node: &Node, index| XXH3.of(&encode(Purpose::Point, &node.name, index));
    let of_node = |node| (0..100).map(move |index| (label(node, index), &*node.name));
    let mut points: Vec<(u64, &str)> = nodes.iter().flat_map(of_node).collect();
    points.sort_unstable();
    for ring in ["ring-vec", "ring-btree"] {
        let ring = build(ring, with_points(100), nodes.clone());
        let owner = |key| ring.membership().name(ring.place(key).unwrap());
        for (at, (point, name)) in points.iter().enumerate() {
            assert_eq!(owner(*point), *name);
            assert_eq!(owner(point + 1), points[(at + 1) % points.len()].1);
        }
        assert_eq!(owner(0), points[0].1);
        assert_eq!(owner(u64::MAX), points[0].1);
    }
}

/// n draws among R positions: n − R(1 − (1 − 1/R)^n) meet an earlier one.
#[test]
fn points_meet_as_often_as_chance_has_it() {
    let narrow = Settings {
        hash: KeyHash::new("xxh3-16bit", |bytes| XXH3.of(bytes) & 0xffff),
        ..with_points(1)
    };
    let clashes = (0..20).map(|number| {
        let nodes = set(number, 3000);
        let counts = ["ring-1", "ring-vec", "ring-btree"]
            .map(|ring| build(ring, narrow, nodes.clone()).layout().clashes());
        assert!(counts.iter().all(|count| *count == counts[0]), "{counts:?}");
        counts[0] as f64
    });
    let mean = clashes.sum::<f64>() / 20.0;
    close("clashes", mean, 67.6, 4.0 * 8.2 / 20f64.sqrt());
}

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
    for algorithm in registry::ALL {
        let Moves::Approximate { unneeded } = algorithm.traits.moves else {
            continue;
        };
        for (nodes, size) in [(3, 307), (5, 503), (10, 1009), (25, 2503)] {
            const SETS: usize = 200;
            let mut total = 0.0;
            for number in 0..SETS {
                let mut table = algorithm
                    .build(&with_table(size), set(number, nodes))
                    .unwrap();
                let before = table.layout();
                let id = table.membership().members()[number % nodes].id;
                table.remove(id).unwrap();
                let flows = before.flows(&table.layout()).unwrap();
                let others = flows.iter().filter(|flow| flow.from != id);
                total += others.map(|flow| flow.share).sum::<f64>();
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

/// A node that comes fourth in the list renames all buckets after it.
#[test]
fn jump_keeps_positions_and_not_names() {
    let mut nodes = set(0, 10);
    let keys = random_keys(11, 100_000);
    let before = build("jump", Settings::default(), nodes.clone());
    for (at, expected) in [(0, 0.991), (3, 0.717), (10, 1.0 / 11.0)] {
        nodes.insert(at, Node::new("newcomer"));
        let after = build("jump", Settings::default(), nodes.clone());
        nodes.remove(at);
        let name = |placement: &'_ dyn Placement, key: u64| {
            let owner = placement.place(key).unwrap();
            placement.membership().name(owner).to_owned()
        };
        let differ = |key: &&u64| name(&*before, **key) != name(&*after, **key);
        let moved = keys.iter().filter(differ).count() as f64 / keys.len() as f64;
        close(&format!("inserted at {at}"), moved, expected, 0.006);
    }
}

/// Families of keys, as texts.
fn key_texts(count: u32) -> Vec<(&'static str, Vec<Vec<u8>>)> {
    let text = |i: u32| format!("tenant/orders/2024/{i:08}").into_bytes();
    let last = |i: u32| [&b"same-prefix-"[..], &i.to_le_bytes()].concat();
    let random = random_keys(3, u64::from(count)).into_iter();
    vec![
        (
            "sequential",
            (0..count).map(|i| i.to_string().into_bytes()).collect(),
        ),
        ("common prefix", (0..count).map(text).collect()),
        (
            "differing in the last bytes",
            (0..count).map(last).collect(),
        ),
        (
            "random",
            random.map(|key| key.to_le_bytes().to_vec()).collect(),
        ),
    ]
}

/// Families of node names, ten of each.
fn node_families() -> [(&'static str, Vec<String>); 3] {
    let letters = || ('a'..='j').map(String::from);
    [
        (
            "last byte",
            letters()
                .map(|letter| format!("10.0.0.1:808{letter}"))
                .collect(),
        ),
        (
            "first byte",
            letters()
                .map(|letter| format!("{letter}.cache.internal"))
                .collect(),
        ),
        (
            "NODE1 to NODE6",
            (1..=6).map(|i| format!("NODE{i}")).collect(),
        ),
    ]
}

#[test]
fn counts_of_keys_scatter_as_chance_has_it_whatever_keys_and_names_look_like() {
    const KEYS: u32 = 40_000;
    for algorithm in ["rendezvous", "weighted-rendezvous", "jump", "maglev"] {
        for (names, list) in node_families() {
            let nodes: Vec<Node> = list.iter().map(Node::new).collect();
            let placement = build(algorithm, Settings::default(), nodes);
            for (family, texts) in key_texts(KEYS) {
                let keys: Vec<u64> = texts.iter().map(|text| XXH3.of(text)).collect();
                let what = format!("{algorithm}, {names}, {family}");
                assert_chi_square(&what, &*placement, &keys);
            }
        }
    }
}

/// Fails when the counts lie farther from the shares than six standard deviations of chi-square.
fn assert_chi_square(what: &str, placement: &dyn Placement, keys: &[u64]) {
    let mut owners = vec![None; keys.len()];
    placement.place_many(keys, &mut owners);
    let square = |(id, share)| {
        let mean: f64 = share * keys.len() as f64;
        let count = owners.iter().filter(|&&owner| owner == Some(id)).count();
        (count as f64 - mean).powi(2) / mean
    };
    let chi_square: f64 = placement.shares().into_iter().map(square).sum();
    let freedom = placement.membership().len() as f64 - 1.0;
    let bound = freedom + 6.0 * (2.0 * freedom).sqrt();
    assert!(
        chi_square < bound,
        "{what}: chi-square is {chi_square}, above {bound}"
    );
}

#[test]
fn weighted_rendezvous_shares_keys_in_the_ratio_of_weights() {
    let weights = [0.25, 1.0, 1.0, 7.0, 30.0];
    let nodes = set(5, weights.len()).into_iter().zip(weights);
    let nodes = nodes
        .map(|(node, weight)| Node::weighing(node.name, weight))
        .collect();
    let placement = build("weighted-rendezvous", Settings::default(), nodes);
    assert_chi_square("weights", &*placement, &random_keys(8, 400_000));
}

/// A logarithm is left out where it cannot win: the winner is the one with all logarithms.
#[test]
fn leaving_out_logarithms_changes_no_winner() {
    const NODES: usize = 12;
    for round in 0..60u64 {
        let draws = random_keys(1000 + round, NODES as u64);
        let seeds = random_keys(2000 + round, NODES as u64);
        // Weights from 10^-3 to 10^3; in every third round equal ones, and in some a few zeros.
        let weight = |draw: u64| match (round % 3, draw % 10) {
            (0, _) => 1.0,
            (1, 0) => 0.0,
            _ => 10f64.powf((draw >> 11) as f64 / (1u64 << 53) as f64 * 6.0 - 3.0),
        };
        let weights: Vec<f64> = draws.into_iter().map(weight).collect();
        for key in (0..6000).map(|i| mix(round << 32 | i)) {
            let eligible = (0..NODES).filter(|&at| weights[at] > 0.0);
            let bid = |at: usize| weighted_rendezvous::score(mix(key ^ seeds[at]), weights[at]);
            let plain = eligible.min_by(|&a, &b| bid(a).total_cmp(&bid(b)));
            let seen = weighted_rendezvous::winner(key, &seeds, &weights);
            assert_eq!(seen, plain, "key {key:#x}, weights {weights:?}");
        }
    }
}

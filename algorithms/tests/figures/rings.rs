//! Rings: arcs between random points.

use algorithms::hash::{Purpose, XXH3, encode};
use algorithms::{KeyHash, Node, Settings};

use crate::{build, close, moved, set, with_points};

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
        // In joining order 30, 10, 20; to the single position of 2^64.
        let ten = 10.0 / 2f64.powi(64);
        let shares: Vec<f64> = ring.shares().iter().map(|share| share.1).collect();
        assert_eq!(shares, [ten, 1.0 - 2.0 * ten, ten]);
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

//! Scores and jumps: each key draws by itself.

use algorithms::hash::{XXH3, mix};
use algorithms::{Node, Placement, Settings, weighted_rendezvous};

use crate::common::random_keys;
use crate::{build, close, set};

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

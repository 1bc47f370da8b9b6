//! Hot keys: exact figures, the laws of the remedies, formats, and what is refused.

#![allow(clippy::unwrap_used)]

mod common;

use algorithms::algorithm::Spread;
use algorithms::{Algorithm, Settings, registry};
use common::call;
use harness::hot::shared;
use harness::skew::Setup;
use serde_json::Value;

const SMALL: [&str; 5] = [
    "--keys=2000",
    "--nodes=10,30",
    "--table=1009",
    "--seed=7",
    "--quick",
];

fn small(further: &[&str]) -> (i32, String, String) {
    call(&[&["hot"], &SMALL[..], further].concat(), "")
}

fn report(further: &[&str]) -> Value {
    let (code, json, error) = small(&[&["--format=json"], further].concat());
    assert_eq!(code, 0, "{error}");
    serde_json::from_str(&json).unwrap()
}

/// Figures of the rows with this load and remedy, by placement.
fn figures(report: &Value, load: &str, remedy: &str, metric: &str) -> Vec<Option<f64>> {
    let rows = report["rows"].as_array().unwrap().iter();
    let rows = rows.filter(|row| row["load"] == load && row["remedy"] == remedy);
    rows.map(|row| row["metrics"][metric]["value"].as_f64())
        .collect()
}

#[test]
fn the_figures_of_small_placements_are_these() {
    let further = [
        "--format=csv",
        "--zipf=1",
        "--algorithms=ring-vec,rendezvous,maglev",
    ];
    let (code, csv, _) = small(&further);
    assert_eq!(code, 0);
    insta::assert_snapshot!("hot-csv", csv);
}

#[test]
fn no_node_is_colder_than_its_hottest_key_however_many_points_there_are() {
    let report = report(&["--zipf=0.8,1.2"]);
    assert_eq!(report["schema_version"], 1);
    for load in ["zipf 0.8", "zipf 1.2"] {
        let key = report["settings"]["hottest_key"][load].as_f64().unwrap();
        for remedy in ["none", "more-points"] {
            let hottest = figures(&report, load, remedy, "hottest");
            assert_eq!(hottest.len(), 2 * registry::ALL.len());
            assert!(hottest.iter().flatten().all(|&node| node >= key - 1e-12));
        }
        // Only the vnode rings have points to set.
        let set = figures(&report, load, "more-points", "hottest");
        let vnodes = |algorithm: &&Algorithm| algorithm.traits.spread == Spread::Points(None);
        let rings = registry::ALL.iter().filter(vnodes).count();
        assert_eq!(set.iter().flatten().count(), 2 * rings);
    }
}

#[test]
fn a_key_that_is_hot_enough_is_helped_by_all_that_divides_it_and_by_nothing_else() {
    let report = report(&["--zipf=2", "--algorithms=ring-vec,rendezvous,jump,maglev"]);
    let of = |remedy| figures(&report, "zipf 2", remedy, "max_over_mean");
    let unhelped = of("none");
    for remedy in ["bound", "split", "replicas", "own-order"] {
        for (helped, unhelped) in of(remedy).iter().zip(&unhelped) {
            assert!(helped.unwrap() < 0.7 * unhelped.unwrap(), "{remedy}");
        }
    }
    assert!(of("more-points")[0].unwrap() > 0.95 * unhelped[0].unwrap());
}

#[test]
fn a_bound_holds_and_requests_are_kept_whole() {
    let report = report(&["--bound=1.1"]);
    let rows = report["rows"].as_array().unwrap();
    let bounded: Vec<&Value> = rows.iter().filter(|row| row["remedy"] == "bound").collect();
    assert_eq!(bounded.len(), 3 * 2 * registry::ALL.len());
    for row in bounded {
        assert_eq!(row["metrics"]["max_over_mean"]["agrees"], true, "{row}");
    }
    let unbounded = self::report(&["--bound=none", "--zipf=1.2"]);
    let none = figures(&unbounded, "zipf 1.2", "none", "max_over_mean");
    let bound = figures(&unbounded, "zipf 1.2", "bound", "max_over_mean");
    for (exact, drawn) in none.iter().zip(bound) {
        assert!(
            (drawn.unwrap() / exact.unwrap() - 1.0).abs() < 0.05,
            "20,000 requests drawn"
        );
    }
}

/// One piece, or one node, is the key itself where the key's first candidate is its owner.
#[test]
fn serving_a_key_from_its_owner_alone_changes_nothing() {
    let report = report(&["--replicas=1", "--zipf=1"]);
    let none = figures(&report, "zipf 1", "none", "max_over_mean");
    let one = figures(&report, "zipf 1", "replicas", "max_over_mean");
    for (none, one) in none.iter().zip(one) {
        assert!((none.unwrap() - one.unwrap()).abs() < 1e-9);
    }
}

#[test]
fn close_keys_share_the_next_nodes_of_a_ring_and_not_those_of_their_own_orders() {
    let setup = Setup {
        algorithms: Vec::new(),
        nodes: Vec::new(),
        settings: Settings::default(),
        seed: 5,
        quick: false,
        zipf: Vec::new(),
    };
    for name in ["ring-1", "ring-vec", "ring-btree"] {
        let ring = registry::find(name).unwrap();
        let [next, own] = shared(&setup, ring, 50, 3, 2000).unwrap();
        assert!(next.value.unwrap() > 0.98, "{name}: {next:?}");
        assert_eq!(own.expected, Some(3.0 / 50.0));
        assert!(own.distance.unwrap().abs() < 4.0, "{name}: {own:?}");
        let [next, own] = shared(&setup, ring, 3, 3, 100).unwrap();
        assert_eq!(
            (next.value, own.value, own.distance),
            (Some(1.0), Some(1.0), Some(0.0))
        );
    }
}

#[test]
fn requests_of_a_key_file_are_a_load_of_their_own() {
    let keys = "hot\t97\nwarm\t2\ncold\t1\n";
    let arguments = [
        "hot",
        "--keys-file=-",
        "--keys-columns=key,count",
        "--nodes=4",
        "--format=json",
        "--hottest=1",
        "--replicas=2",
        "--algorithms=rendezvous",
        "--quick",
    ];
    let (code, json, _) = call(&arguments, keys);
    assert_eq!(code, 0);
    let report: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["settings"]["hottest_key"]["requests"], 0.97);
    let hottest = |remedy| figures(&report, "requests", remedy, "hottest")[0].unwrap();
    assert!(hottest("none") >= 0.97);
    assert!((0.485..=0.515).contains(&hottest("replicas")));
}

#[test]
fn tables_say_what_helps() {
    let (code, text, _) = small(&["--width=150"]);
    assert_eq!(code, 0);
    for said in [
        "What helps against a hot key",
        "1,000 points",
        "split in 10",
        "Two hot keys whose hashes lie close",
    ] {
        assert!(text.contains(said), "{said}");
    }
    assert!(!text.contains('✗'));
    let (code, text, _) = call(
        &[
            "hot",
            "--nodes=10",
            "--table=7",
            "--keys=100",
            "--algorithms=maglev",
            "--quick",
        ],
        "",
    );
    assert_eq!(code, 4);
    assert!(text.contains("FAILED") && text.contains("a table of 7 slots cannot serve 10 nodes"));
}

#[test]
fn options_without_sense_are_refused_with_the_reason() {
    for (options, said) in [
        (&["--replicas=0"][..], "--replicas"),
        (
            &["--replicas=11", "--nodes=10"],
            "--replicas 11: of 10 nodes no 11 can serve a key; ask for at most 10",
        ),
        (&["--hottest=0"], "--hottest"),
        (&["--pieces=0"], "--pieces"),
        (&["--bound=0.5"], "a number from 1 to 1000000"),
        (&["--bound=NaN"], "such as 1.25, or none"),
        (&["--zipf=-1"], "a Zipf exponent is a number from 0"),
        (&["--zipf=inf"], "a Zipf exponent is a number from 0"),
        (&["--algorithms=jump,jump"], "--algorithms names jump twice"),
    ] {
        let (code, out, error) = call(&[&["hot"], options].concat(), "");
        assert_eq!((code, &*out), (2, ""), "{options:?}");
        assert!(error.contains(said), "{options:?}: {error}");
    }
}

//! `harness live`: every batch is of one membership, views never wait, and clients disagree on what
//! moves.

#![allow(clippy::unwrap_used)]

mod common;

use common::call;
use serde_json::Value;

/// What a call that works prints.
fn shown(arguments: &[&str]) -> String {
    let (code, out, error) = call(arguments, "");
    assert_eq!(code, 0, "{arguments:?}: {error}");
    out
}

fn json_of(arguments: &[&str]) -> Value {
    serde_json::from_str(&shown(&[arguments, &["--format", "json"]].concat())).unwrap()
}

#[test]
fn every_batch_is_of_one_membership_and_a_view_never_waits() {
    let report = json_of(&[
        "live",
        "--quick",
        "--rounds",
        "2",
        "--nodes",
        "20",
        "--changes",
        "0,25",
        "--table",
        "251",
    ]);
    let rows = report["rows"].as_array().unwrap();
    // 2 handles, 2 numbers of threads, 2 rates for each algorithm.
    assert_eq!(rows.len() % 8, 0);
    for row in rows {
        assert_eq!(row["torn"], 0, "{row}");
        assert!(row["reason"].is_null(), "{row}");
        assert!(row["lookups"]["value"].as_f64().unwrap() > 0.0, "{row}");
        if row["handle"] == "live" {
            assert_eq!(row["waited"]["value"], 0.0, "{row}");
        }
        let made = row["changed"]["value"].as_f64().unwrap();
        // However short the rounds are, a node joins and leaves in each where that was asked for.
        assert_eq!(made > 0.0, row["changes"] != 0, "{row}");
    }
}

/// Between two versions the keys disagree that a join moves: counted here once more.
#[test]
fn clients_disagree_on_the_keys_that_a_join_moves() {
    let report = json_of(&[
        "live",
        "--version-skew",
        "--quick",
        "--nodes",
        "10",
        "--versions",
        "2",
    ]);
    for row in report["rows"].as_array().unwrap() {
        let disagree = row["disagree"]["value"].as_f64().unwrap();
        let joined = row["versions"].as_f64().unwrap();
        let least = joined / (10.0 + joined);
        match row["algorithm"].as_str().unwrap() {
            "mod-n" => assert!(disagree > 0.8, "{row}"),
            "ring-1" => {}
            // A ring of 100 points: five standard deviations of its newcomers' share.
            _ => assert!((disagree - least).abs() < 0.08, "{row}"),
        }
        let half = row["pairs"][1]["value"].as_f64().unwrap();
        assert!((half - disagree / 2.0).abs() < 1e-12, "{row}");
    }
}

#[test]
fn the_exact_figures_of_a_skew_are_these() {
    let text = shown(&[
        "live",
        "--version-skew",
        "--quick",
        "--nodes",
        "10",
        "--versions",
        "2",
        "--algorithms",
        "mod-n,ring-vec,maglev",
        "--format",
        "csv",
    ]);
    insta::assert_snapshot!("skew", text);
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (arguments, problem) in [
        (&["--threads", "0"][..], "a whole number from 1 to 64"),
        (&["--threads", "2,2"], "--threads names 2 twice"),
        (&["--changes", "-1"], "a whole number from 0 to 1000000"),
        (&["--versions", "2"], "--version-skew"),
        (&["--version-skew", "--threads", "1"], "cannot be used with"),
        (&["--nodes", "0"], "a node count is a whole number"),
        (&["--table", "100"], "not a prime"),
    ] {
        let arguments = [&["live"][..], arguments].concat();
        let (code, out, error) = call(&arguments, "");
        assert_eq!(code, 2, "{arguments:?}: {error}");
        assert!(error.contains(problem), "{arguments:?}: {error}");
        assert!(out.is_empty());
    }
}

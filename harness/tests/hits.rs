//! Cache hits after a change: laws of the simulation, and the command.

#![allow(clippy::unwrap_used)]

mod common;

use std::num::NonZeroUsize;

use algorithms::Settings;
use common::call;
use harness::hits::{Change, Fleet, Hits, Popularity, Row, Simulated, play, probe};
use harness::theory::lru;
use harness::workload::{Random, Workload, random};

fn keys(count: usize) -> Workload {
    random(count, 7, Settings::default().hash)
}

#[test]
fn a_full_cache_drops_what_was_not_asked_for_the_longest() {
    let mut fleet = Simulated::new(1, NonZeroUsize::new(2));
    let owners = [0; 3];
    let requests = [0, 1, 0, 2, 1, 2, 0].map(Some);
    // 0 and 1 miss, 0 hits, 2 drops 1, 1 drops 0, 2 hits, 0 drops 1.
    assert_eq!(play(&mut fleet, &owners, &requests), Ok(2));
    assert_eq!(
        probe(&mut fleet, &owners, &[Some(0), Some(2), Some(1), None]),
        Ok(2)
    );
}

#[test]
fn a_probe_puts_nothing_anywhere() {
    let mut fleet = Simulated::new(2, None);
    fleet.fill(&[0, 1], &[0]).unwrap();
    for _ in 0..3 {
        assert_eq!(probe(&mut fleet, &[0, 1], &[Some(0), Some(1)]), Ok(1));
    }
    // The object of key 0 is not where another owner would look.
    assert_eq!(probe(&mut fleet, &[1, 1], &[Some(0)]), Ok(0));
}

#[test]
fn requests_are_drawn_by_popularity_and_the_uncacheable_part_is_as_large_as_asked() {
    let keys = keys(100);
    let popularity = Popularity::of(&keys, Some(1.0)).unwrap();
    assert!((popularity.parts[0] / popularity.parts[9] - 10.0).abs() < 1e-9);
    let requests = popularity.draw(200_000, 0.75, &mut Random::new(1, 1));
    let part = |wanted: &dyn Fn(&Option<u32>) -> bool| {
        requests.iter().filter(|request| wanted(request)).count() as f64 / 200_000.0
    };
    assert!((part(&|request| request.is_none()) - 0.25).abs() < 0.005);
    let first = part(&|request| *request == Some(0));
    assert!(
        (first / 0.75 - popularity.parts[0]).abs() < 0.005,
        "{first}"
    );
    let ascending = popularity.ascending();
    assert_eq!((ascending[0], ascending[99]), (99, 0));
}

#[test]
fn one_cache_hits_as_often_as_ches_approximation_says() {
    let keys = keys(5000);
    for (exponent, rate) in [(0.0, 0.5), (0.8, 0.7), (1.0, 0.9)] {
        let popularity = Popularity::of(&keys, Some(exponent)).unwrap();
        let time = lru::time(&popularity.parts, 1e9, |fit| fit.hit_rate >= rate);
        let objects = lru::che(&popularity.parts, time).objects.round() as usize;
        let mut fleet = Simulated::new(1, NonZeroUsize::new(objects));
        let owners = vec![0; 5000];
        let mut random = Random::new(2, 1);
        let mut draw = || popularity.draw(60_000, 1.0, &mut random);
        play(&mut fleet, &owners, &draw()).unwrap();
        let hits = play(&mut fleet, &owners, &draw()).unwrap() as f64 / 60_000.0;
        assert!((hits - rate).abs() < 0.01, "{exponent}: {hits}");
    }
}

fn call_hits(more: &[&str], input: &str) -> (i32, String, String) {
    call(
        &[&["hits", "--quick", "--windows", "100"], more].concat(),
        input,
    )
}

fn answer(more: &[&str]) -> Hits {
    let (code, stdout, stderr) = call_hits(&[&["--format", "json"], more].concat(), "");
    assert_eq!((code, &*stderr), (0, ""), "{stdout}");
    serde_json::from_str(&stdout).unwrap()
}

#[test]
fn straight_after_a_change_the_rate_is_base_times_what_did_not_move() {
    let hits = answer(&["--keys", "5000", "--nodes", "4,12", "--zipf", "0.5"]);
    for row in &hits.rows {
        let straight = row.straight.value.unwrap();
        let off = straight - row.before * (1.0 - row.moved);
        // A full cache on a node with too large a share hits less, and so do the keys that it has.
        let even = row.algorithm != "ring-1" || row.objects.is_none();
        assert!(!even || off.abs() < 0.03, "{row:?}");
        match row.objects {
            None => assert_eq!(row.straight.agrees, Some(true), "{row:?}"),
            Some(_) => assert_eq!(row.straight.distance, None),
        }
    }
}

#[test]
fn mod_n_collapses_and_the_others_lose_about_one_part_of_n_plus_one() {
    let hits = answer(&[
        "--keys",
        "5000",
        "--nodes",
        "9",
        "--zipf",
        "0",
        "--cache",
        "unlimited",
    ]);
    let added = hits.rows.iter().filter(|row| row.change == Change::Add);
    for row in added {
        let straight = row.straight.value.unwrap();
        match &*row.algorithm {
            "mod-n" => assert!((straight - 0.09).abs() < 0.02, "{straight}"),
            "ring-1" => {}
            name => assert!((straight - 0.81).abs() < 0.05, "{name}: {straight}"),
        }
    }
    let extra = |name: &str| {
        let row = |row: &&Row| row.algorithm == name && row.change == Change::Add;
        hits.rows.iter().find(row).unwrap().extra
    };
    assert!(extra("mod-n") > 5.0 * extra("rendezvous"));
}

#[test]
fn without_a_limit_each_moved_key_costs_one_miss_at_most() {
    let hits = answer(&[
        "--keys",
        "2000",
        "--cache",
        "unlimited",
        "--zipf",
        "0",
        "--base",
        "100%",
    ]);
    for row in &hits.rows {
        assert!(
            row.extra >= 0.0 && row.extra <= 2000.0 * row.moved + 1e-6,
            "{row:?}"
        );
        assert_eq!(row.before, 1.0);
        let last = row.curve[row.curve.len() - 1].1;
        assert!(row.straight.value.unwrap() < last, "{row:?}");
        assert!(row.curve.is_sorted_by(|a, b| a.0 < b.0));
    }
}

#[test]
fn limited_caches_start_from_the_base_rate() {
    let arguments = [
        "--algorithms",
        "rendezvous,maglev",
        "--cache",
        "fitted",
        "--windows",
        "1000",
    ];
    for base in ["0.5", "80%"] {
        let command = ["hits", "--quick", "--base", base, "--format", "json"];
        let (_, stdout, _) = call(&[&command[..], &arguments].concat(), "");
        let hits: Hits = serde_json::from_str(&stdout).unwrap();
        for row in &hits.rows {
            assert!((row.before - hits.settings.base).abs() < 0.02, "{row:?}");
        }
    }
}

#[test]
fn real_counts_of_a_key_file_are_the_popularity() {
    let counts: String = (1..=500)
        .map(|key| format!("item {key}\t{}\n", 1000 / key))
        .collect();
    let file = ["--keys-file", "-", "--keys-columns", "key,count"];
    let (code, stdout, stderr) = call_hits(&[&file[..], &["--format", "json"]].concat(), &counts);
    assert_eq!((code, &*stderr), (0, ""));
    let hits: Hits = serde_json::from_str(&stdout).unwrap();
    assert_eq!(hits.settings.popularity, "real counts");
    let (code, stdout, stderr) = call_hits(&[&file[..], &["--zipf", "1"]].concat(), &counts);
    assert_eq!((code, &*stdout), (2, ""));
    assert!(stderr.contains("has real counts"), "{stderr}");
}

#[test]
fn the_exact_figures_of_a_small_answer() {
    let (code, text, _) = call_hits(&["--keys", "3000", "--format", "csv"], "");
    assert_eq!(code, 0);
    let rounded = |cell: &str| match cell.parse::<f64>() {
        Ok(number) => format!("{}", (number * 1e4).round() / 1e4),
        Err(_) => cell.to_owned(),
    };
    let mut table = csv::ReaderBuilder::new();
    let mut table = table.has_headers(false).from_reader(text.as_bytes());
    let lines = table.records().map(|line| {
        // Of real servers there is nothing, and the last column is the commit.
        let line = line.unwrap();
        let cells = line.iter().take(16).map(rounded);
        cells.collect::<Vec<String>>().join(",")
    });
    insta::assert_snapshot!("hits-csv", lines.collect::<Vec<String>>().join("\n"));
}

#[test]
fn a_placement_that_cannot_be_built_is_a_failed_row_and_exit_code_4() {
    let arguments = ["--algorithms", "maglev", "--table", "7", "--keys", "100"];
    let markdown = ["--format", "markdown"];
    let (code, stdout, stderr) = call_hits(&[&arguments[..], &markdown].concat(), "");
    assert_eq!(code, 4);
    assert!(stderr.contains("4 of 4 rows failed"), "{stderr}");
    assert!(
        stdout.contains("FAILED") && stdout.contains("cannot serve 10 nodes"),
        "{stdout}"
    );
}

/// Chance marks a figure now and then: that is shown, and fails nothing.
#[test]
fn a_mark_is_no_failure_and_a_row_without_figures_is_one() {
    let arguments = ["--algorithms", "jump", "--keys", "100", "--format", "json"];
    let (_, json, _) = call_hits(&arguments, "");
    let mut hits: Hits = serde_json::from_str(&json).unwrap();
    hits.rows[0].straight.agrees = Some(false);
    assert_eq!(hits.failed(), 0);
    hits.rows[0].reason = Some("it was not built".into());
    assert_eq!(hits.failed(), 1);
}

#[test]
fn bad_input_gets_one_clear_line_and_no_output() {
    for (arguments, words) in [
        (vec!["--base", "90"], "such as 0.9 or 90%"),
        (vec!["--base=-1%"], "from 0% to 100%"),
        (vec!["--base", "101%"], "from 0% to 100%"),
        (vec!["--zipf=-0.1"], "a number from 0"),
        (vec!["--zipf", "nan"], "a number from 0"),
        (vec!["--cache", "0"], "a number of objects from 1"),
        (
            vec!["--cache", "fitted,fitted"],
            "--cache names fitted twice",
        ),
        (vec!["--nodes", "1"], "ask for 2 or more"),
        (
            vec!["--nodes", "33", "--memcached", "auto"],
            "give --nodes up to 32",
        ),
        (vec!["--window", "0"], "--window"),
        (vec!["--rounds", "5"], "nothing is timed here"),
    ] {
        let (code, stdout, stderr) = call(&[&["hits"], &*arguments].concat(), "");
        assert_eq!((code, &*stdout), (2, ""), "{arguments:?}: {stderr}");
        assert!(stderr.contains(words), "{arguments:?}: {stderr}");
    }
    let file = ["--keys-file", "-", "--keys-columns", "key,count"];
    let (code, stdout, stderr) = call_hits(&file, "a\t0\n");
    assert_eq!((code, &*stdout), (1, ""));
    assert!(
        stderr.contains("standard input has no requests"),
        "{stderr}"
    );
}

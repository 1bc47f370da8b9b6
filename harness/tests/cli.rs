//! The command line as its users meet it: exit codes, messages, files.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;

use common::call;

const QUICK: [&str; 6] = [
    "--report",
    "--quick",
    "--nodes",
    "3",
    "--algorithms",
    "jump,maglev",
];

fn quick<'a>(more: &[&'a str]) -> Vec<&'a str> {
    let mut arguments: Vec<&str> = QUICK.to_vec();
    arguments.extend(more);
    arguments
}

#[test]
fn bad_input_gets_one_clear_line_the_right_code_and_no_output() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (empty, bad, missing) = (path("empty"), path("bad.tsv"), path("missing"));
    fs::write(&empty, "").unwrap();
    fs::write(&bad, "a\t1\nb\tmany\n").unwrap();
    let here = path("");
    let nowhere = path("no/such/folder/report.json");
    for (arguments, code, words) in [
        (vec![], 2, "Usage: harness"),
        (vec!["--quick"], 2, "say --report"),
        (vec!["reprot"], 2, "unrecognized subcommand"),
        (vec!["--report", "--nodes", "0"], 2, "from 1 to 1000000"),
        (vec!["--report", "--nodes", "10,x"], 2, "'x' for '--nodes"),
        (vec!["--report", "--nodes", "10,10"], 2, "names 10 twice"),
        (vec!["--report", "--nodes", ""], 2, "--nodes"),
        (vec!["--report", "--points", "0"], 2, "--points"),
        (vec!["--report", "--keys", "0"], 2, "--keys"),
        (
            vec!["--report", "--table", "65536"],
            2,
            "65537 is the next one",
        ),
        (vec!["--report", "--algorithms", "magelv"], 2, "'maglev'"),
        (
            vec!["--report", "--algorithms", "jump,jump"],
            2,
            "names jump twice",
        ),
        (vec!["--report", "--hash", "xxh"], 2, "xxh3"),
        (vec!["--report", "--format", "xml"], 2, "possible values"),
        (vec!["--report", "--keys-columns", "key"], 2, "--keys-file"),
        (
            vec!["--report", "--keys", "5", "--keys-file", &bad],
            2,
            "cannot be used with",
        ),
        (
            vec!["--report", "--keys-file", &bad, "--keys-columns", "count"],
            2,
            "no column named key",
        ),
        (
            vec!["--report", "--keys-file", &bad, "--keys-columns", "key,key"],
            2,
            "twice",
        ),
        (vec!["--report", "--keys-file", &missing], 1, "cannot read"),
        (vec!["--report", "--keys-file", &here], 1, "cannot read"),
        (vec!["--report", "--keys-file", &empty], 1, "has no keys"),
        (
            vec![
                "--report",
                "--keys-file",
                &bad,
                "--keys-columns",
                "key,count",
            ],
            1,
            "bad.tsv:2: count \"many\" is not a whole number",
        ),
        (quick(&["--output", &nowhere]), 1, "there is no directory"),
        (quick(&["--output", &here]), 1, "cannot write"),
        (
            vec!["schema", "--output", &nowhere],
            1,
            "there is no directory",
        ),
        (vec!["callgrind", &missing], 1, "cannot read"),
        (vec!["callgrind", &bad], 1, "bad.tsv:1: not JSON"),
        (vec!["callgrind", "-"], 1, "there are no counts"),
        (
            vec!["callgrind", &bad, "--output", &nowhere],
            1,
            "there is no directory",
        ),
    ] {
        let (got, stdout, stderr) = call(&arguments, "");
        assert_eq!(got, code, "{arguments:?}: {stderr}");
        assert!(stderr.contains(words), "{arguments:?}: {stderr}");
        assert!(!stderr.contains("panicked"), "{arguments:?}: {stderr}");
        assert_eq!(stdout, "", "{arguments:?}");
    }
    let left: Vec<_> = fs::read_dir(folder.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    assert_eq!(left.len(), 2, "only what the test wrote: {left:?}");
}

#[test]
fn a_placement_that_cannot_be_built_is_a_failed_row_and_exit_code_4() {
    let (code, stdout, _) = call(&quick(&["--table", "2", "--format", "csv"]), "");
    assert_eq!(code, 4);
    let failed: Vec<&str> = stdout
        .lines()
        .filter(|line| line.contains(",failed,"))
        .collect();
    assert_eq!(
        failed.len(),
        2,
        "the placement and the change from 12 to 14: {failed:?}"
    );
    assert!(
        failed
            .iter()
            .all(|line| line.contains("maglev") && line.contains("cannot serve"))
    );
    assert!(
        stdout
            .lines()
            .any(|line| line.contains("jump") && line.contains(",ok,"))
    );
    let (code, stdout, _) = call(&["verify", "--quick", "--nodes", "3", "--table", "2"], "");
    assert_eq!(code, 4);
    assert!(stdout.contains("FAILED") && stdout.contains("cannot serve 3 nodes"));
}

#[test]
fn a_file_is_replaced_whole_and_holds_what_standard_output_would() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("list.md");
    fs::write(&path, "old").unwrap();
    let to_file = [
        "list",
        "--format",
        "markdown",
        "--output",
        path.to_str().unwrap(),
    ];
    let (code, stdout, _) = call(&to_file, "");
    assert_eq!((code, &*stdout), (0, ""));
    let (_, stdout, _) = call(&["list", "--format", "markdown"], "");
    assert_eq!(fs::read_to_string(&path).unwrap(), stdout);
    assert!(stdout.contains("| jump | jump | Lamping & Veach 2014 |"));
}

#[test]
fn keys_come_from_standard_input_with_requests_and_sizes() {
    let input = "a\t5\t100\r\nb\t1\t200\nc\t0\t300\n";
    let columns = [
        "--keys-file",
        "-",
        "--keys-columns",
        "key,count,size",
        "--format",
        "json",
    ];
    let (code, stdout, stderr) = call(&quick(&columns), input);
    assert_eq!(code, 0, "{stderr}");
    let record: harness::record::Record = serde_json::from_str(&stdout).unwrap();
    let keys = &record.settings.keys;
    assert_eq!(
        (keys.distinct, keys.requests, keys.object_bytes),
        (3, Some(6), Some(600))
    );
    let metrics = &record.cells[0].metrics;
    for metric in [
        "moved_keys_add_1",
        "moved_requests_add_1",
        "moved_bytes_add_1",
        "requests_cv",
        "bytes_cv",
    ] {
        assert!(metrics[metric].value.is_some(), "{metric}");
    }
}

/// A report of everything has times beside exact figures, in every row.
#[test]
fn a_whole_report_has_every_kind_of_figure() {
    let (code, stdout, stderr) = call(&quick(&["--format", "json"]), "");
    assert_eq!(code, 0, "{stderr}");
    let record: serde_json::Value = serde_json::from_str(&stdout).unwrap();
    let cells = record["cells"].as_array().unwrap();
    let placements: Vec<_> = cells
        .iter()
        .filter(|cell| cell["kind"] == "placement")
        .collect();
    assert!(!placements.is_empty());
    for cell in placements {
        for metric in [
            "lookup_ns",
            "single_ns",
            "single_p50_ns",
            "latency_ns",
            "add_ns",
            "heap_bytes",
            "moved_add_1",
            "keys_cv",
        ] {
            let value = &cell["metrics"][metric]["value"];
            assert!(value.is_number(), "{}: {metric} is {value}", cell["id"]);
        }
    }
}

#[test]
fn tables_keep_to_the_width_and_pipes_get_no_escapes_and_no_progress() {
    for width in ["80", "120", "160"] {
        let (code, stdout, stderr) = call(&quick(&["--width", width]), "");
        assert_eq!((code, &*stderr), (0, ""));
        assert!(!stdout.contains('\u{1b}'));
        let limit: usize = width.parse().unwrap();
        for line in stdout.lines() {
            assert!(line.chars().count() <= limit, "{width}: {line}");
        }
        for algorithm in ["jump", "maglev"] {
            assert!(stdout.contains(algorithm));
        }
    }
}

#[test]
fn every_algorithm_is_listed_in_every_format() {
    for format in ["table", "markdown", "csv", "json"] {
        let (code, stdout, _) = call(&["list", "--format", format], "");
        assert_eq!(code, 0);
        for algorithm in algorithms::registry::ALL {
            assert!(
                stdout.contains(algorithm.name),
                "{format}: {}",
                algorithm.name
            );
        }
    }
}

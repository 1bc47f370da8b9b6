//! Trends over a small series: order, gaps, machines, mappings that change, and what is refused.

#![allow(clippy::unwrap_used)]

mod common;

use std::fs;
use std::path::PathBuf;

use common::call;
use harness::record::{Record, Status};
use serde_json::Value;
use tempfile::TempDir;

/// The record that the tests begin with.
const RECORD: &str = include_str!("data/record.json");

const DAY: u64 = 24 * 60 * 60;

/// A record made `day` days after the first, with all lookups `factor` times as long.
fn record(day: u64, commit: char, factor: f64) -> Record {
    let mut record: Record = serde_json::from_str(RECORD).unwrap();
    record.created_unix_s += day * DAY;
    record.tool.commit = Some(commit.to_string().repeat(40));
    record.tool.dirty = Some(false);
    for cell in &mut record.cells {
        if let Some(metric) = cell.metrics.get_mut("lookup_ns") {
            metric.value = metric.value.map(|value| value * factor);
        }
    }
    record
}

/// Five records, of which the second lacks a cell, the third has a failed one and a new mapping,
/// the fourth is from another machine, and the last has made memory from nothing.
fn series() -> Vec<Record> {
    let mut records = vec![
        record(0, 'a', 1.0),
        record(1, 'b', 1.5),
        record(2, 'c', 1.25),
        record(3, 'd', 0.5),
        record(4, 'e', 2.0),
    ];
    let at = |records: &Vec<Record>, algorithm: &str| {
        let cells = &records[0].cells;
        cells
            .iter()
            .position(|cell| cell.algorithm == algorithm)
            .unwrap()
    };
    let (ring, jump, maglev) = (
        at(&records, "ring-vec"),
        at(&records, "jump"),
        at(&records, "maglev"),
    );
    for record in &mut records[2..] {
        let verified = record.cells[maglev].verified.as_mut().unwrap();
        verified.checksum = "0123456789abcdef".into();
    }
    records[1].cells.remove(ring);
    let failed = &mut records[2].cells[jump];
    failed.status = Status::Failed;
    failed.metrics.clear();
    failed.verified = None;
    records[3].machine.id = "feedfacefeedface".into();
    records[2].tool.dirty = Some(true);
    let unneeded = records[4].cells[jump].metrics.get_mut("unneeded_add_1");
    unneeded.unwrap().value = Some(0.25);
    records
}

/// The series in files, in an order that is not that of time.
fn files() -> (TempDir, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let mut paths = Vec::new();
    for (index, record) in series().iter().enumerate() {
        let path: PathBuf = folder.path().join(format!("{}.json", (index * 3) % 5));
        fs::write(&path, record.to_json().unwrap()).unwrap();
        paths.push(path.to_str().unwrap().to_owned());
    }
    paths.sort();
    (folder, paths)
}

fn trend(more: &[&str]) -> (i32, String, String) {
    let (_folder, paths) = files();
    let paths: Vec<&str> = paths.iter().map(|path| &**path).collect();
    call(&[&["trend"], &*paths, more].concat(), "")
}

fn shown(more: &[&str]) -> String {
    let (code, stdout, stderr) = trend(more);
    assert_eq!((code, &*stderr), (0, ""));
    stdout
}

#[test]
fn the_trend_in_every_form() {
    let small = ["--cell", "nodes=10/"];
    let csv = [
        "--cell",
        "maglev/nodes=10/",
        "--metric",
        "lookup_ns,checksum",
    ];
    for (name, more) in [
        ("trend-table", [&small[..], &["--format", "table"]].concat()),
        (
            "trend-markdown",
            [&small[..], &["--format", "markdown"]].concat(),
        ),
        ("trend-csv", [&csv[..], &["--format", "csv"]].concat()),
        (
            "trend-json",
            [&csv[..2], &["--metric", "lookup_ns", "--format", "json"]].concat(),
        ),
    ] {
        insta::assert_snapshot!(name, shown(&more));
    }
}

/// The series of one metric of one cell.
fn one(cell: &str, metric: &str) -> Vec<Value> {
    let json = shown(&["--cell", cell, "--metric", metric, "--format", "json"]);
    let value: Value = serde_json::from_str(&json).unwrap();
    value["series"].as_array().unwrap().clone()
}

fn values(series: &Value) -> Vec<Option<f64>> {
    let points = series["points"].as_array().unwrap().iter();
    points.map(|point| point["value"].as_f64()).collect()
}

#[test]
fn records_stand_in_the_order_of_time_whatever_the_order_of_files() {
    let exact = &one("mod-n/nodes=10/", "heap_bytes")[0];
    let commits = exact["points"].as_array().unwrap().iter();
    let commits: String = commits
        .map(|point| &point["commit"].as_str().unwrap()[..1])
        .collect();
    assert_eq!(commits, "abcde");
    let dates: Vec<&Value> = exact["points"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| &p["date"])
        .collect();
    assert_eq!(dates[0], "2026-11-29T22:48:37Z");
    assert_eq!(dates[4], "2026-12-03T22:48:37Z");
}

#[test]
fn times_are_apart_by_machine_and_exact_figures_are_not() {
    let times = one("mod-n/nodes=10/", "lookup_ns");
    let machines: Vec<&str> = times
        .iter()
        .map(|s| s["machine"].as_str().unwrap())
        .collect();
    assert_eq!(machines, ["1d68ec312109b06e", "feedfacefeedface"]);
    assert_eq!([values(&times[0]).len(), values(&times[1]).len()], [4, 1]);
    assert_eq!(times[0]["change"], 1.0, "twice as long");
    let exact = one("mod-n/nodes=10/", "heap_bytes");
    assert_eq!((exact.len(), values(&exact[0]).len()), (1, 5));
    assert!(exact[0]["machine"].is_null());
}

#[test]
fn a_missing_and_a_failed_cell_leave_a_gap() {
    let gaps = |cell: &str| -> Vec<bool> {
        values(&one(cell, "heap_bytes")[0])
            .iter()
            .map(Option::is_none)
            .collect()
    };
    assert_eq!(
        gaps("ring-vec/nodes=10/"),
        [false, true, false, false, false]
    );
    assert_eq!(gaps("jump/nodes=10/"), [false, false, true, false, false]);
    let table = shown(&["--cell", "ring-vec/nodes=10/", "--metric", "heap_bytes"]);
    assert!(table.contains("▄ ▄▄▄"), "{table}");
}

#[test]
fn a_change_from_nothing_has_no_percentage() {
    let series = &one("jump/nodes=10/", "unneeded_add_1")[0];
    assert!(series["change"].is_null());
    let table = shown(&["--cell", "jump/nodes=10/", "--metric", "unneeded_add_1"]);
    assert!(table.contains("∞"), "{table}");
}

#[test]
fn a_mapping_that_changed_is_told_with_its_commit() {
    let table = shown(&["--metric", "checksum"]);
    assert_eq!(
        table
            .matches("mapping changed at ccccccccc with changes")
            .count(),
        1
    );
    let kept = shown(&["--metric", "checksum", "--cell", "jump"]);
    assert!(kept.contains("No mapping changed."), "{kept}");
}

#[test]
fn what_measuring_costs_has_a_trend_too() {
    assert_eq!(one("overhead", "clock_ns")[0]["cell"], "overhead");
}

#[test]
fn what_is_not_there_is_an_error_that_names_what_is_near() {
    for (more, words) in [
        (
            vec!["--metric", "lokup_ns"],
            "error: no chosen cell has the metric lokup_ns; the nearest: lookup_ns, ",
        ),
        (
            vec!["--metric", "clock_ns", "--cell", "jump"],
            "error: no chosen cell has the metric clock_ns; the nearest: ",
        ),
        (
            vec!["--cell", "rign-vec"],
            "error: no cell has \"rign-vec\" in its id; the nearest: ring-vec, ",
        ),
        (
            vec!["--cell", "jump", "--cell", "mglev/nodes=10"],
            "error: no cell has \"mglev/nodes=10\" in its id; the nearest: maglev/nodes=10, ",
        ),
    ] {
        let (code, stdout, stderr) = trend(&more);
        assert_eq!((code, &*stdout), (1, ""));
        assert!(stderr.starts_with(words), "{stderr}");
        assert_eq!(stderr.lines().count(), 1);
    }
}

#[test]
fn one_file_that_is_no_record_is_named_and_ends_the_command() {
    for (arguments, input, code, words) in [
        (vec!["trend"], "", 2, "<FILES>..."),
        (vec!["trend", "-"], "[]", 1, "error: - is not a record"),
        (
            vec!["trend", "-", "no/such.json"],
            RECORD,
            1,
            "cannot read no/such.json",
        ),
        (
            vec!["trend", "-", "--output", "no/such/folder/x"],
            RECORD,
            1,
            "there is no directory",
        ),
    ] {
        let (got, stdout, stderr) = call(&arguments, input);
        assert_eq!((got, &*stdout), (code, ""), "{stderr}");
        assert!(stderr.contains(words), "{stderr}");
    }
}

#[test]
fn a_single_record_is_a_series_of_one() {
    let (code, stdout, _) = call(&["trend", "-"], RECORD);
    assert_eq!(code, 0);
    assert!(stdout.starts_with("1 record: 2026-11-29T22:48:37Z, 5e166d25b with changes\n"));
}

#[test]
fn the_history_has_a_trend() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../results/history");
    let schema = serde_json::from_str(include_str!("../../results/schema.json")).unwrap();
    let mut arguments = vec!["trend".to_owned()];
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let record = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
        jsonschema::validate(&schema, &record).unwrap();
        arguments.push(path.to_str().unwrap().into());
    }
    let arguments: Vec<&str> = arguments.iter().map(|argument| &**argument).collect();
    let (code, stdout, stderr) = call(&arguments, "");
    assert_eq!((code, &*stderr), (0, ""));
    assert!(stdout.contains("lookup_ns") && stdout.contains("heap_bytes"));
}

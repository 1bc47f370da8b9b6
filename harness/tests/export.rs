//! Exports: each against the published shape of its format, and nothing lost in silence.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;
use std::fs;

use common::call;
use harness::record::{Better, Record, Status};
use serde_json::Value;

/// The record that the tests begin with.
const RECORD: &str = include_str!("data/record.json");

fn valid(schema: &str, text: &str) -> Value {
    let value = serde_json::from_str(text).unwrap();
    jsonschema::validate(&serde_json::from_str(schema).unwrap(), &value).unwrap();
    value
}

fn bencher(input: &str) -> (Value, String) {
    let (code, stdout, stderr) = call(&["export", "--to", "bencher", "-"], input);
    assert_eq!(code, 0, "{stderr}");
    let schema = include_str!("data/bencher.schema.json");
    (valid(schema, &stdout), stderr)
}

fn github_action(input: &str, better: &[&str]) -> Vec<Value> {
    let arguments = [&["export", "--to", "github-action", "-"], better].concat();
    let (code, stdout, stderr) = call(&arguments, input);
    assert_eq!(code, 0, "{stderr}");
    let schema = include_str!("data/github-action.schema.json");
    valid(schema, &stdout).as_array().unwrap().clone()
}

fn record() -> Record {
    serde_json::from_str(RECORD).unwrap()
}

#[test]
fn bencher_gets_every_figure_that_has_a_value_and_no_other() {
    let record = record();
    let (value, stderr) = bencher(RECORD);
    assert_eq!(stderr, "");
    assert_eq!(value.as_object().unwrap().len(), record.cells.len() + 1);
    for cell in &record.cells {
        let measures = value[&cell.id].as_object().unwrap();
        let valued = cell
            .metrics
            .values()
            .filter(|metric| metric.value.is_some());
        assert_eq!(measures.len(), valued.count(), "{}", cell.id);
        for (name, metric) in &cell.metrics {
            let part = |part: &str| value[&cell.id][name][part].as_f64();
            let got = (part("value"), part("lower_value"), part("upper_value"));
            assert_eq!(got, (metric.value, metric.low, metric.high), "{name}");
        }
    }
    let clock = value["overhead"]["clock_ns"]["value"].as_f64();
    assert_eq!(clock, record.overheads["clock_ns"].value);
}

#[test]
fn github_action_gets_the_figures_of_one_direction_under_names_of_their_own() {
    let record = record();
    let smaller = github_action(RECORD, &[]);
    assert_eq!(smaller, github_action(RECORD, &["--better", "smaller"]));
    let bigger = github_action(RECORD, &["--better", "bigger"]);
    for (figures, better) in [(&smaller, Better::Lower), (&bigger, Better::Higher)] {
        let names: BTreeSet<&str> = figures
            .iter()
            .map(|f| f["name"].as_str().unwrap())
            .collect();
        assert_eq!(names.len(), figures.len());
        let wanted = record
            .figures()
            .filter(|figure| record.units[figure.1].better == better);
        let wanted: Vec<String> = wanted
            .map(|(id, name, ..)| format!("{id}/{name}"))
            .collect();
        assert_eq!(names, wanted.iter().map(|name| &**name).collect());
    }
}

#[test]
fn what_github_action_shows_of_a_figure() {
    let figures = github_action(RECORD, &[]);
    let shown: Vec<&Value> = figures
        .iter()
        .filter(|figure| {
            let name = figure["name"].as_str().unwrap();
            let cell = name.starts_with("placement/jump/nodes=10/") || name.starts_with("overhead");
            let metrics = ["/lookup_ns", "/moved_add_1", "/heap_bytes", "/clock_ns"];
            cell && metrics.iter().any(|metric| name.ends_with(metric))
        })
        .collect();
    insta::assert_snapshot!(
        "github-action",
        serde_json::to_string_pretty(&shown).unwrap()
    );
}

#[test]
fn failed_cells_are_left_out_and_counted() {
    let mut record = record();
    let id = record.cells[0].id.clone();
    for cell in &mut record.cells[..2] {
        cell.status = Status::Failed;
        cell.reason = Some("planted".into());
        cell.metrics.clear();
    }
    let (value, stderr) = bencher(&record.to_json().unwrap());
    assert_eq!(stderr, "note: 2 of 12 cells failed and are left out\n");
    assert!(value.get(id).is_none());
}

#[test]
fn a_file_gets_what_standard_output_would() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let (from, to) = (path("record.json"), path("bmf.json"));
    fs::write(&from, RECORD).unwrap();
    let (code, stdout, _) = call(&["export", "--to", "bencher", &from, "--output", &to], "");
    assert_eq!((code, &*stdout), (0, ""));
    let (_, stdout, _) = call(&["export", "--to", "bencher", &from], "");
    assert_eq!(fs::read_to_string(&to).unwrap(), stdout);
}

#[test]
fn bad_input_gets_one_clear_line_the_right_code_and_no_output() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path().to_str().unwrap();
    let missing = format!("{here}/missing");
    let later = RECORD.replacen("\"schema_version\": 1", "\"schema_version\": 9", 1);
    let to = |more: &[&'static str]| [&["export", "--to"], more].concat();
    let version = "- is of schema version 9; this harness reads 1";
    let direction = "--better is for --to github-action";
    for (arguments, input, code, words) in [
        (
            vec!["export", "--to", "bencher", &missing],
            "",
            1,
            "cannot read",
        ),
        (
            vec!["export", "--to", "bencher", here],
            "",
            1,
            "cannot read",
        ),
        (to(&["bencher", "-"]), "", 1, "- is empty"),
        (
            to(&["bencher", "-"]),
            "{",
            1,
            "- is not JSON: EOF while parsing an object at line 1",
        ),
        (to(&["bencher", "-"]), "{}", 1, "- is not a record"),
        (to(&["github-action", "-"]), &later, 1, version),
        (
            to(&["bencher", "-", "--better", "bigger"]),
            RECORD,
            2,
            direction,
        ),
        (
            to(&["grafana", "-"]),
            RECORD,
            2,
            "possible values: bencher, github-action",
        ),
        (vec!["export", "-"], RECORD, 2, "--to <SERVICE>"),
    ] {
        let (got, stdout, stderr) = call(&arguments, input);
        assert_eq!((got, &*stdout), (code, ""), "{arguments:?}: {stderr}");
        assert!(stderr.contains(words), "{arguments:?}: {stderr}");
    }
}

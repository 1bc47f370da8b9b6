//! The record: its schema, its JSON, and that equal settings give equal figures.

#![allow(clippy::unwrap_used)]

mod common;

use std::time::Duration;

use algorithms::{Settings, registry};
use common::call;
use harness::progress::Progress;
use harness::record::{Kind, Record, Status};
use harness::run::{Plan, Scope, report};
use harness::workload::random;

fn small_report(seed: u64) -> Record {
    let settings = Settings::default();
    let plan = Plan {
        algorithms: registry::ALL.iter().collect(),
        nodes: vec![1, 2, 10],
        settings,
        seed,
        quick: true,
        rounds: 7,
        round: Duration::from_micros(50),
        scope: Scope::Everything,
        plant: None,
    };
    report(
        &plan,
        &random(2000, seed, settings.hash),
        &Progress::hidden(),
    )
}

#[test]
fn the_committed_schema_is_the_one_that_the_types_give() {
    let committed = include_str!("../../results/schema.json");
    assert!(
        committed == call(&["schema"], "").1,
        "renew it: cargo run -p harness -- schema --output results/schema.json"
    );
}

#[test]
fn a_report_round_trips_and_has_a_unit_for_every_metric() {
    let record = small_report(7);
    let json = record.to_json().unwrap();
    let again: Record = serde_json::from_str(&json).unwrap();
    assert_eq!(again, record);
    assert_eq!(again.to_json().unwrap(), json);
    assert!(
        record.all_hold(),
        "{:?}",
        record
            .cells
            .iter()
            .filter_map(|c| c.reason.as_ref())
            .collect::<Vec<_>>()
    );
    for (name, metric) in record.cells.iter().flat_map(|cell| &cell.metrics) {
        assert!(record.units.contains_key(name), "{name} has no unit");
        assert!(
            metric.value.is_some() != metric.reason.is_some(),
            "{name}: {metric:?}"
        );
    }
}

#[test]
fn fields_that_a_later_version_adds_are_ignored() {
    let text = small_report(7).to_json().unwrap();
    let mut value: serde_json::Value = serde_json::from_str(&text).unwrap();
    value["later"] = 1.into();
    value["cells"][0]["later"] = "x".into();
    let record: Record = serde_json::from_value(value).unwrap();
    assert_eq!(record.to_json().unwrap(), text);
}

#[test]
fn the_same_seed_gives_the_same_exact_figures_and_another_seed_others() {
    let exact = |record: &Record| {
        let kept = record.cells.iter().flat_map(|cell| {
            let exact = cell
                .metrics
                .iter()
                .filter(|(name, _)| record.units[*name].kind == Kind::Exact);
            exact.map(|(name, metric)| (format!("{} {name}", cell.id), metric.clone()))
        });
        let checksums = record
            .cells
            .iter()
            .map(|cell| cell.verified.as_ref().unwrap().checksum.clone());
        (kept.collect::<Vec<_>>(), checksums.collect::<Vec<_>>())
    };
    let (first, second, other) = (small_report(7), small_report(7), small_report(8));
    assert_eq!(exact(&first), exact(&second));
    assert_ne!(exact(&first).1, exact(&other).1);
}

#[test]
fn a_change_that_cannot_be_made_is_null_with_its_reason() {
    let record = small_report(7);
    let cell = |algorithm: &str, nodes: u32| {
        let found = record
            .cells
            .iter()
            .find(|cell| cell.algorithm == algorithm && cell.nodes == nodes);
        found.unwrap().clone()
    };
    assert_eq!(cell("jump", 10).status, Status::Ok);
    let refused = &cell("jump", 10).metrics["moved_remove_oldest"];
    assert!(refused.value.is_none() && refused.reason.as_ref().unwrap().contains("newest"));
    let empty = &cell("ring-vec", 1).metrics["moved_remove_newest"];
    assert!(
        empty.value.is_none()
            && empty
                .reason
                .as_ref()
                .unwrap()
                .contains("no node would be left")
    );
}

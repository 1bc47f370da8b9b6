//! Snapshots of every form of one record.

use super::{report, verification};
use crate::options::{Format, OutputOptions, OutputPath};
use crate::record::{Cell, Record, Status};
use crate::speed::Speed;

fn record() -> Record {
    let mut record: Record = serde_json::from_str(include_str!("../../tests/data/record.json"))
        .expect("a record of the current schema");
    let failed = &mut record.cells[3];
    failed.status = Status::Failed;
    failed.reason = Some("planted: this row has no figures".into());
    failed.metrics.clear();
    failed.verified = None;
    if let Some(uneven) = record.cells[5].metrics.get_mut("shares_cv") {
        uneven.distance = Some(6.1);
        uneven.agrees = Some(false);
    }
    record
}

fn options(format: Format, width: u16) -> OutputOptions {
    OutputOptions {
        format,
        path: OutputPath { output: None },
        width: Some(width),
    }
}

#[test]
fn the_report_in_every_form() {
    for (name, format, width) in [
        ("table-80", Format::Table, 80),
        ("table-160", Format::Table, 160),
        ("markdown", Format::Markdown, 80),
        ("csv", Format::Csv, 80),
    ] {
        let text = report(&record(), &options(format, width)).expect("renders");
        insta::assert_snapshot!(name, text);
    }
}

/// Three node counts, the third made of the second.
#[test]
fn growth_over_the_node_counts_of_a_record() {
    let mut record = record();
    record.settings.nodes.push(1000);
    let second = record.cells.iter().filter(|cell| cell.nodes == 100);
    let mut third: Vec<Cell> = second.cloned().collect();
    for cell in &mut third {
        cell.nodes = 1000;
        for metric in cell.metrics.values_mut() {
            let ends = [&mut metric.value, &mut metric.low, &mut metric.high];
            let samples = metric.samples.iter_mut().flatten();
            let values = ends.into_iter().flatten().chain(samples);
            values.for_each(|value| *value *= 8.0);
        }
    }
    record.cells.extend(third);
    let sections = [super::growth::section(&record)];
    insta::assert_snapshot!("growth", super::table::sections(&sections, 100));
    record.settings.nodes.clear();
    record.cells.retain(|cell| cell.nodes != 1000);
    assert!(super::growth::section(&record).is_empty());
}

/// An answer with a placement that could not be built.
#[test]
fn speed_in_every_form() {
    let answer: Speed = serde_json::from_str(include_str!("../../tests/data/speed.json"))
        .expect("an answer of the current shape");
    for (name, format, width) in [
        ("speed-table", Format::Table, 100),
        ("speed-markdown", Format::Markdown, 80),
        ("speed-csv", Format::Csv, 80),
    ] {
        let text = super::speed::report(&answer, &options(format, width)).expect("renders");
        insta::assert_snapshot!(name, text);
    }
}

#[test]
fn the_verification_as_a_table() {
    let text = verification(&record(), &options(Format::Table, 100)).expect("renders");
    insta::assert_snapshot!("verification", text);
}

//! Snapshots of every form of one record.

use super::{report, verification};
use crate::options::{Format, OutputOptions, OutputPath};
use crate::record::{Record, Status};

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

#[test]
fn the_verification_as_a_table() {
    let text = verification(&record(), &options(Format::Table, 100)).expect("renders");
    insta::assert_snapshot!("verification", text);
}

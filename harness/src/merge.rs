//! Several runs of one program made into one record: every run becomes one round of its times.
//!
//! What differs between processes (where memory lies, what else the machine does) is in none of a
//! single run's intervals. With one figure per run it is.

use std::collections::BTreeMap;

use crate::record::{Cell, Kind, Metric, Record, Status, Unit};

/// Why records cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MergeError {
    /// There is nothing to merge.
    #[error("there are no records to merge")]
    Nothing,
    /// Runs of different programs, machines or settings.
    #[error(
        "{name} differs from {first} in its {what}; only runs of one program with the same settings can be merged"
    )]
    Different {
        /// The record that differs.
        name: String,
        /// The first record.
        first: String,
        /// What differs.
        what: String,
    },
    /// One run counted twice.
    #[error("{name} is the same run as {first}; merge different runs")]
    Twice {
        /// The record that comes again.
        name: String,
        /// Where it came before.
        first: String,
    },
}

/// Merges named records of one program, machine and set of settings.
///
/// A cell that failed in any run is failed, and so is one whose exact figures or owners differ
/// between runs.
///
/// # Errors
/// When there is no record, they are not runs of the same thing, or one is there twice.
pub fn merge(records: &[(String, Record)]) -> Result<Record, MergeError> {
    let (first_name, first) = records.first().ok_or(MergeError::Nothing)?;
    for (index, (name, record)) in records.iter().enumerate() {
        if let Some(what) = difference(first, record) {
            return Err(MergeError::Different {
                name: name.clone(),
                first: first_name.clone(),
                what,
            });
        }
        if let Some((before, _)) = records[..index].iter().find(|(_, other)| other == record) {
            return Err(MergeError::Twice {
                name: name.clone(),
                first: before.clone(),
            });
        }
    }
    let runs: Vec<&Record> = records.iter().map(|(_, record)| record).collect();
    let mut merged = first.clone();
    merged.settings.runs = runs.iter().map(|record| record.settings.runs).sum();
    for (name, metric) in &mut merged.overheads {
        let metrics: Vec<&Metric> = runs
            .iter()
            .filter_map(|run| run.overheads.get(name))
            .collect();
        *metric = combine(&metrics);
    }
    for cell in &mut merged.cells {
        let same = |run: &&Record| run.cells.iter().find(|other| other.id == cell.id).cloned();
        let cells: Vec<Cell> = runs.iter().filter_map(same).collect();
        *cell = merge_cell(&cells, &merged.units);
    }
    Ok(merged)
}

/// What makes two records runs of different things.
fn difference(first: &Record, other: &Record) -> Option<String> {
    let ids = |record: &Record| -> Vec<String> {
        record.cells.iter().map(|cell| cell.id.clone()).collect()
    };
    let settings = first.settings.differences(&other.settings, &["runs"]);
    if first.tool != other.tool {
        Some("program".into())
    } else if first.machine != other.machine {
        Some("machine or build".into())
    } else if !settings.is_empty() {
        Some(format!("settings ({})", settings.join(", ")))
    } else {
        (ids(first) != ids(other)).then(|| "cells".into())
    }
}

fn merge_cell(runs: &[Cell], units: &BTreeMap<String, Unit>) -> Cell {
    let mut merged = runs[0].clone();
    let differ = |what: &str| format!("two runs found different figures for {what}");
    let mut failure = runs
        .iter()
        .find(|cell| cell.status == Status::Failed)
        .map(|failed| failed.reason.clone().unwrap_or_default());
    if runs.iter().any(|cell| cell.verified != merged.verified) {
        failure.get_or_insert_with(|| "two runs placed the keys differently".into());
    }
    for (name, metric) in &mut merged.metrics {
        let metrics: Vec<&Metric> = runs
            .iter()
            .filter_map(|cell| cell.metrics.get(name))
            .collect();
        if units
            .get(name)
            .is_some_and(|unit| unit.kind == Kind::Sampled)
        {
            *metric = combine(&metrics);
        } else if metrics.len() < runs.len() || metrics.iter().any(|other| *other != metric) {
            failure.get_or_insert_with(|| differ(name));
        }
    }
    if let Some(reason) = failure {
        merged.status = Status::Failed;
        merged.reason = Some(reason);
        merged.metrics = BTreeMap::new();
    }
    merged
}

/// One figure from several runs: the median of theirs.
fn combine(metrics: &[&Metric]) -> Metric {
    let values: Vec<f64> = metrics.iter().filter_map(|metric| metric.value).collect();
    let merged = Metric::median(&values);
    match metrics.iter().any(|metric| metric.samples.is_some()) {
        true => merged,
        false => Metric {
            samples: None,
            ..merged
        },
    }
}

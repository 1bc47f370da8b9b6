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
        "record {number} differs from the first in its {what}; only runs of one program with the same settings can be merged"
    )]
    Different {
        /// Which record, counted from 1.
        number: usize,
        /// What differs.
        what: &'static str,
    },
}

/// Merges records of one program, machine and set of settings.
///
/// A cell that failed in any run is failed, and so is one whose exact figures or owners differ
/// between runs.
///
/// # Errors
/// When there is no record, or they are not runs of the same thing.
pub fn merge(records: &[Record]) -> Result<Record, MergeError> {
    let first = records.first().ok_or(MergeError::Nothing)?;
    for (index, record) in records.iter().enumerate() {
        let what = [
            ("program", record.tool != first.tool),
            ("machine", record.machine != first.machine),
            ("settings", record.settings != first.settings),
        ];
        if let Some((what, _)) = what.into_iter().find(|(_, differs)| *differs) {
            return Err(MergeError::Different {
                number: index + 1,
                what,
            });
        }
    }
    let mut merged = first.clone();
    merged.settings.runs = records.iter().map(|record| record.settings.runs).sum();
    let all = |get: &dyn Fn(&Record) -> Option<Metric>| {
        records.iter().filter_map(get).collect::<Vec<_>>()
    };
    for (name, metric) in &mut merged.overheads {
        *metric = combine(&all(&|record| record.overheads.get(name).cloned()));
    }
    for (index, cell) in merged.cells.iter_mut().enumerate() {
        let runs: Vec<&Cell> = records
            .iter()
            .filter_map(|record| record.cells.get(index))
            .collect();
        *cell = merge_cell(&runs, &merged.units);
    }
    Ok(merged)
}

fn merge_cell(runs: &[&Cell], units: &BTreeMap<String, Unit>) -> Cell {
    let mut merged = runs[0].clone();
    let fail = |merged: &mut Cell, reason: String| {
        merged.status = Status::Failed;
        merged.reason = Some(reason);
        merged.metrics = BTreeMap::new();
    };
    if let Some(failed) = runs.iter().find(|cell| cell.status == Status::Failed) {
        fail(&mut merged, failed.reason.clone().unwrap_or_default());
        return merged;
    }
    if runs.iter().any(|cell| cell.verified != merged.verified) {
        fail(&mut merged, "two runs placed the keys differently".into());
        return merged;
    }
    let names: Vec<String> = merged.metrics.keys().cloned().collect();
    for name in names {
        let metrics: Vec<Metric> = runs
            .iter()
            .filter_map(|cell| cell.metrics.get(&name).cloned())
            .collect();
        if units
            .get(&name)
            .is_some_and(|unit| unit.kind == Kind::Sampled)
        {
            merged.metrics.insert(name, combine(&metrics));
        } else if metrics.iter().any(|metric| *metric != metrics[0]) {
            fail(
                &mut merged,
                format!("two runs found different figures for {name}"),
            );
            return merged;
        }
    }
    merged
}

/// One figure from several runs: the median of theirs.
fn combine(metrics: &[Metric]) -> Metric {
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

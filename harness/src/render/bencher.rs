//! Bencher Metric Format: measures by name in benchmarks by name.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::record::Record;

#[derive(Serialize)]
struct Measure {
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    lower_value: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upper_value: Option<f64>,
}

/// Every figure: a cell is a benchmark, a metric is a measure.
pub fn record(record: &Record) -> serde_json::Result<String> {
    let mut benchmarks: BTreeMap<&str, BTreeMap<&str, Measure>> = BTreeMap::new();
    for (id, name, value, metric) in record.figures() {
        let measure = Measure {
            value,
            lower_value: metric.low,
            upper_value: metric.high,
        };
        benchmarks.entry(id).or_default().insert(name, measure);
    }
    Ok(serde_json::to_string_pretty(&benchmarks)? + "\n")
}

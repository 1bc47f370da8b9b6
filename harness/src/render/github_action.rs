//! The custom format of github-action-benchmark: a list of figures that share one direction.

use serde::Serialize;

use crate::record::{Better, Kind, Metric, Record, Unit};

#[derive(Serialize)]
struct Figure<'a> {
    name: String,
    unit: &'a str,
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    range: Option<String>,
    extra: String,
}

/// Every figure of which `better` is better.
pub fn record(record: &Record, better: Better) -> serde_json::Result<String> {
    let figure = |(id, name, value, metric)| {
        let unit = record.units.get(name)?;
        (unit.better == better).then(|| Figure {
            name: format!("{id}/{name}"),
            unit: &unit.unit,
            value,
            range: range(value, metric),
            extra: extra(id, metric, unit),
        })
    };
    let figures: Vec<Figure> = record.figures().filter_map(figure).collect();
    Ok(serde_json::to_string_pretty(&figures)? + "\n")
}

/// The larger half of the interval, to four digits.
fn range(value: f64, metric: &Metric) -> Option<String> {
    let half = (metric.high? - value).max(value - metric.low?);
    let half: f64 = format!("{half:.3e}").parse().unwrap_or(half);
    Some(format!("± {half:?}"))
}

/// What the service shows beside the figure.
fn extra(id: &str, metric: &Metric, unit: &Unit) -> String {
    let kind = match unit.kind {
        Kind::Exact => "exact",
        Kind::Sampled => "sampled",
    };
    let theory = metric.expected.map(|theory| format!("\ntheory: {theory}"));
    format!("kind: {kind}{}\nid: {id}", theory.unwrap_or_default())
}

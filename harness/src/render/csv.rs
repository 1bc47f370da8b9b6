//! Comma-separated values: one line per figure, for spreadsheets and data frames.

use super::section::Section;
use crate::compare::Comparison;
use crate::record::{Better, Cell, Kind, Metric, OVERHEAD, Record, Status};

const HEADS: [&str; 18] = [
    "id",
    "kind",
    "algorithm",
    "nodes",
    "status",
    "checksum",
    "metric",
    "value",
    "low",
    "high",
    "expected",
    "distance",
    "agrees",
    "unit",
    "better",
    "exactness",
    "reason",
    "tool_commit",
];

/// All figures of a record. A cell without figures has one line, which tells its status.
pub fn record(record: &Record) -> csv::Result<String> {
    let mut rows = vec![HEADS.map(String::from)];
    for (name, metric) in &record.overheads {
        rows.push(figure(record, None, name, metric));
    }
    for cell in &record.cells {
        if cell.metrics.is_empty() {
            let metric = Metric {
                reason: cell.reason.clone(),
                ..Metric::default()
            };
            rows.push(figure(record, Some(cell), "", &metric));
        }
        for (name, metric) in &cell.metrics {
            rows.push(figure(record, Some(cell), name, metric));
        }
    }
    write(rows)
}

/// All rows of a comparison.
pub fn comparison(comparison: &Comparison) -> csv::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    comparison
        .rows
        .iter()
        .try_for_each(|row| writer.serialize(row))?;
    text(writer)
}

/// A table as it is.
pub fn section(section: &Section) -> csv::Result<String> {
    write([&section.heads].into_iter().chain(section.rows()))
}

/// Rows, the first of which are the heads.
pub fn write<R: IntoIterator<Item: AsRef<[u8]>>>(
    rows: impl IntoIterator<Item = R>,
) -> csv::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    rows.into_iter()
        .try_for_each(|row| writer.write_record(row))?;
    text(writer)
}

fn text(writer: csv::Writer<Vec<u8>>) -> csv::Result<String> {
    let bytes = writer.into_inner().map_err(|error| error.into_error())?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

fn figure(record: &Record, cell: Option<&Cell>, name: &str, metric: &Metric) -> [String; 18] {
    let of_cell = |get: &dyn Fn(&Cell) -> String| cell.map(get).unwrap_or_default();
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let unit = record.units.get(name);
    let better = unit.map(|unit| match unit.better {
        Better::Lower => "lower",
        Better::Higher => "higher",
        Better::Neither => "neither",
    });
    let kind = unit.map(|unit| match unit.kind {
        Kind::Exact => "exact",
        Kind::Sampled => "sampled",
    });
    let status = |cell: &Cell| match cell.status {
        Status::Ok => "ok".to_owned(),
        Status::Failed => "failed".to_owned(),
    };
    let checksum = |cell: &Cell| {
        cell.verified
            .as_ref()
            .map(|v| v.checksum.clone())
            .unwrap_or_default()
    };
    [
        cell.map_or_else(|| OVERHEAD.into(), |cell| cell.id.clone()),
        of_cell(&|cell| format!("{:?}", cell.kind).to_lowercase()),
        of_cell(&|cell| cell.algorithm.clone()),
        of_cell(&|cell| cell.nodes.to_string()),
        of_cell(&status),
        of_cell(&checksum),
        name.into(),
        number(metric.value),
        number(metric.low),
        number(metric.high),
        number(metric.expected),
        number(metric.distance),
        metric
            .agrees
            .map(|agrees| agrees.to_string())
            .unwrap_or_default(),
        unit.map(|unit| unit.unit.clone()).unwrap_or_default(),
        better.unwrap_or_default().into(),
        kind.unwrap_or_default().into(),
        metric.reason.clone().unwrap_or_default(),
        record.tool.commit.clone().unwrap_or_default(),
    ]
}

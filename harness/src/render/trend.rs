//! A trend as tables: one for each metric, with a row for each cell.

use super::numbers::{grouped, percent, short};
use super::section::{NOTHING, Section};
use crate::trend::{CHECKSUM, Mapping, Origin, Point, Series, Trend};

/// The change from nothing to something.
const INFINITE: &str = "∞";

/// Letters of a date without the time of day.
const DAY: usize = "2026-01-31".len();

/// Which records, and how to read the tables.
pub fn lines(trend: &Trend) -> Vec<String> {
    let origin = |origin: &Origin| format!("{}, {}", date(origin), origin.revision);
    let (first, last) = (trend.records.first(), trend.records.last());
    let count = trend.records.len();
    let mut lines = match (first, last) {
        (Some(first), Some(_)) if count == 1 => vec![format!("1 record: {}", origin(first))],
        (Some(first), Some(last)) => vec![format!(
            "{count} records: {} → {}",
            origin(first),
            origin(last)
        )],
        _ => Vec::new(),
    };
    let timed = trend
        .series
        .iter()
        .filter(|series| series.machine.is_some());
    let origins = timed.filter_map(|series| series.points.first());
    let mut machines: Vec<String> = origins.map(|point| machine(&point.origin)).collect();
    machines.sort_unstable();
    machines.dedup();
    if machines.len() > 1 {
        lines.push(format!(
            "Times belong to one machine: those of {} are in rows of their own.",
            machines.join(", ")
        ));
    }
    let common = common(trend);
    if !common.is_empty() {
        lines.push(format!("In every row: {}", common.join(", ")));
    }
    let kept = |mapping: &Mapping| mapping.changes.is_empty();
    if !trend.mappings.is_empty() && trend.mappings.iter().all(kept) {
        lines.push("No mapping changed.".into());
    }
    lines
}

/// A table for each metric, and one of the mappings that changed. `gap` stands in a sparkline for a
/// record without the figure.
pub fn sections(trend: &Trend, gap: char) -> Vec<Section> {
    let common = common(trend);
    let tables = trend
        .series
        .chunk_by(|a, b| a.metric == b.metric)
        .map(|series| table(series, &common, gap));
    tables.chain([mappings(trend, &common)]).collect()
}

fn table(series: &[Series], common: &[&str], gap: char) -> Section {
    let heads = [
        "cell", "machine", "records", "first", "last", "change %", "min", "max", "trend",
    ];
    let first = &series[0];
    // Other units are in the words already, or are none.
    let unit = match &*first.unit.unit {
        "fraction" => "; in %",
        "ns" => "; in ns",
        _ => "",
    };
    let rows = series.iter().map(|series| row(series, common, gap));
    let section = Section {
        title: first.metric.clone(),
        about: format!("{}{unit}", first.unit.about),
        names: 1,
        heads: heads.map(String::from).into(),
        groups: vec![rows.collect()],
    };
    section.without_empty_columns()
}

fn row(series: &Series, common: &[&str], gap: char) -> Vec<String> {
    let show = match &*series.unit.unit {
        "fraction" => percent,
        "bytes" => grouped,
        _ => short,
    };
    let origin = series.points.first().map(|point| &point.origin);
    let machine = origin.filter(|_| series.machine.is_some()).map(machine);
    let valued = series.points.iter().filter(|point| point.value.is_some());
    vec![
        brief(&series.cell, common),
        machine.unwrap_or(NOTHING.into()),
        valued.count().to_string(),
        show(series.first),
        show(series.last),
        series.change.map_or(INFINITE.into(), signed),
        show(series.minimum),
        show(series.maximum),
        sparkline(series, gap),
    ]
}

fn mappings(trend: &Trend, common: &[&str]) -> Section {
    let rows = trend.mappings.iter().flat_map(|mapping| {
        mapping.changes.iter().map(|change| {
            vec![
                brief(&mapping.cell, common),
                format!("mapping changed at {}", change.origin.revision),
                date(&change.origin).chars().take(DAY).collect(),
                change.from.clone(),
                change.to.clone(),
            ]
        })
    });
    Section {
        title: "Mappings that changed".into(),
        about: "Other owners for the same keys and nodes.".into(),
        names: 1,
        heads: ["cell", "change", "date", "old checksum", "new checksum"]
            .map(String::from)
            .into(),
        groups: vec![rows.collect()],
    }
}

/// One bar for each point between the smallest and the largest value.
fn sparkline(series: &Series, gap: char) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let range = series.maximum - series.minimum;
    let bar = |value: f64| match range > 0.0 {
        true => BARS[((value - series.minimum) / range * 7.0).round() as usize],
        false => BARS[3],
    };
    let bars = series
        .points
        .iter()
        .map(|point| point.value.map_or(gap, bar));
    bars.collect()
}

/// Every value of every record, one a line.
pub fn rows(trend: &Trend) -> Vec<[String; 8]> {
    let heads = [
        "cell", "metric", "unit", "machine", "commit", "dirty", "date", "value",
    ];
    let mut rows = vec![heads.map(String::from)];
    for series in &trend.series {
        let names = [&*series.cell, &series.metric, &series.unit.unit];
        rows.extend(series.points.iter().map(|point| line(names, point)));
    }
    for mapping in &trend.mappings {
        let names = [&*mapping.cell, CHECKSUM, ""];
        rows.extend(mapping.points.iter().map(|point| line(names, point)));
    }
    rows
}

fn line<T: ToString>([cell, metric, unit]: [&str; 3], point: &Point<T>) -> [String; 8] {
    fn text<T: ToString>(value: Option<&T>) -> String {
        value.map(T::to_string).unwrap_or_default()
    }
    let origin = &point.origin;
    [
        cell.into(),
        metric.into(),
        unit.into(),
        origin.machine.clone(),
        text(origin.commit.as_ref()),
        text(origin.dirty.as_ref()),
        text(origin.date.as_ref()),
        text(point.value.as_ref()),
    ]
}

/// Parameters that all shown cells have, which need not be repeated in each row.
fn common(trend: &Trend) -> Vec<&str> {
    let cells = || {
        let series = trend.series.iter().map(|series| &*series.cell);
        series.chain(trend.mappings.iter().map(|mapping| &*mapping.cell))
    };
    let parameters = cells().next().into_iter().flat_map(|id| id.split('/'));
    parameters
        .filter(|part| part.contains('='))
        .filter(|part| cells().all(|id| id.split('/').any(|other| other == *part)))
        .collect()
}

fn brief(id: &str, common: &[&str]) -> String {
    let own: Vec<&str> = id
        .split('/')
        .filter(|part| !common.contains(part))
        .collect();
    own.join("/")
}

fn date(origin: &Origin) -> String {
    origin.date.clone().unwrap_or("unknown date".into())
}

fn machine(origin: &Origin) -> String {
    origin.machine.chars().take(8).collect()
}

fn signed(change: f64) -> String {
    let sign = if change > 0.0 { "+" } else { "" };
    format!("{sign}{}", percent(change))
}

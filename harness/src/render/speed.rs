//! How fast lookups are, as tables and as lines of CSV.

use super::header::ground;
use super::numbers::{grouped, metric, plain, short};
use super::section::{FAILED, NOTHING, Section};
use super::{Page, csv, json};
use crate::error::Error;
use crate::options::OutputOptions;
use crate::speed::{Row, Speed};

/// How fast lookups are, in the wanted form.
///
/// # Errors
/// When JSON or CSV cannot be made.
pub(crate) fn report(speed: &Speed, options: &OutputOptions) -> Result<String, Error> {
    let page = Page {
        lines: lines(speed),
        sections: sections(speed),
        lists: vec![
            ("Failed", failures(speed)),
            ("How to read this", legend(speed)),
        ],
    };
    page.show(options, || Ok(csv::write(rows(speed))?), || json(speed))
}

fn lines(speed: &Speed) -> Vec<String> {
    ground(&speed.tool, &speed.machine, &speed.settings.ground)
}

fn sections(speed: &Speed) -> Vec<Section> {
    vec![
        hash(speed),
        end_to_end(speed),
        floor(speed),
        structure(speed),
        throughput(speed),
    ]
}

/// A column: its head, and how it is made from a row.
type Column = (String, Box<dyn Fn(&Row) -> String>);

/// A metric with its interval.
fn figure(head: impl Into<String>, name: impl Into<String>) -> Column {
    let name = name.into();
    let show = move |row: &Row| metric(row.metrics.get(&name), 1.0, short);
    (head.into(), Box::new(show))
}

/// A table with a group of rows per node count.
fn by_nodes(speed: &Speed, title: &str, about: &str, columns: &[Column]) -> Section {
    let placements = speed.rows.iter().filter(|row| row.nodes.is_some());
    let placements: Vec<&Row> = placements.collect();
    let groups = placements.chunk_by(|a, b| a.nodes == b.nodes);
    let row = |row: &&Row| {
        let figures = columns
            .iter()
            .enumerate()
            .map(|(at, (_, show))| match (&row.reason, at) {
                (None, _) => show(row),
                (Some(_), 0) => FAILED.into(),
                (Some(_), _) => NOTHING.into(),
            });
        let nodes = row.nodes.map_or(String::new(), |nodes| nodes.to_string());
        let algorithm = row.algorithm.clone().unwrap_or_default();
        [nodes, algorithm].into_iter().chain(figures).collect()
    };
    let names = ["N", "algorithm"].map(String::from).into_iter();
    Section {
        title: title.into(),
        about: about.into(),
        names: 2,
        heads: names
            .chain(columns.iter().map(|column| column.0.clone()))
            .collect(),
        groups: groups.map(|rows| rows.iter().map(row).collect()).collect(),
    }
}

fn hash(speed: &Speed) -> Section {
    let columns = speed.settings.key_bytes.iter();
    let columns =
        columns.map(|length| figure(format!("{length} bytes"), format!("hash_{length}_ns")));
    let columns: Vec<Column> = columns.collect();
    let hash = &speed.settings.ground.hash;
    let alone = speed.rows.iter().filter(|row| row.nodes.is_none());
    let row = |row: &Row| {
        let figures = columns.iter().map(|(_, show)| show(row));
        [hash.clone()].into_iter().chain(figures).collect()
    };
    Section {
        title: "The hash alone, ns a key".into(),
        about: String::new(),
        names: 1,
        heads: ["hash".to_owned()]
            .into_iter()
            .chain(columns.iter().map(|column| column.0.clone()))
            .collect(),
        groups: vec![alone.map(row).collect()],
    }
}

fn end_to_end(speed: &Speed) -> Section {
    let lengths = speed.settings.key_bytes.iter();
    let columns =
        lengths.map(|length| figure(format!("{length} bytes"), format!("key_{length}_ns")));
    let columns: Vec<Column> = columns.collect();
    let about = "From the bytes of the key over its hash to its owner, one key per call; by length of the key.";
    by_nodes(speed, "End to end, ns a key", about, &columns)
}

fn floor(speed: &Speed) -> Section {
    let bytes = |row: &Row| {
        row.table_bytes
            .map_or(NOTHING.into(), |n| grouped(n as f64))
    };
    let mut columns: Vec<Column> = vec![("table bytes".into(), Box::new(bytes))];
    for length in &speed.settings.key_bytes {
        let ratio = format!("floor_{length}_ratio");
        let times = move |row: &Row| plain(row.metrics.get(&ratio), 1.0, short);
        columns.push(figure(
            format!("{length} bytes"),
            format!("floor_{length}_ns"),
        ));
        columns.push(("×".into(), Box::new(times)));
    }
    let about = "The floor hashes the key and reads once from a table as large as the placement is without its list of nodes, in ns a key; ×: how many times as long the placement takes from the key to its owner, round by round.";
    by_nodes(speed, "Beside the floor", about, &columns)
}

fn structure(speed: &Speed) -> Section {
    let columns = [
        figure("batch", "lookup_ns"),
        figure("one key per call", "single_ns"),
        figure("latency", "latency_ns"),
    ];
    let about = "The key's hash is given. In latency each key depends on the answer before.";
    by_nodes(speed, "The structure alone, ns a key", about, &columns)
}

fn throughput(speed: &Speed) -> Section {
    let mut columns = Vec::new();
    for threads in &speed.settings.threads {
        let head = match threads {
            1 => "1 thread".into(),
            _ => format!("{threads} threads"),
        };
        columns.push(figure(head, format!("threads_{threads}_mlps")));
        if *threads > 1 {
            columns.push(figure("factor", format!("threads_{threads}_factor")));
        }
    }
    let about = "Batches, the key's hash given; all threads look up in one placement.";
    by_nodes(
        speed,
        "Throughput, million lookups a second",
        about,
        &columns,
    )
}

/// Why rows have no figures.
fn failures(speed: &Speed) -> Vec<String> {
    let reason = |row: &Row| {
        let reason = row.reason.as_deref()?;
        Some(match (row.nodes, &row.algorithm) {
            (Some(nodes), Some(algorithm)) => format!("N = {nodes}, {algorithm}: {reason}"),
            _ => format!("{}: {reason}", speed.settings.ground.hash),
        })
    };
    speed.rows.iter().filter_map(reason).collect()
}

/// How to read the tables.
fn legend(speed: &Speed) -> Vec<String> {
    let settings = &speed.settings;
    let fewer: Vec<&Row> = speed
        .rows
        .iter()
        .filter(|row| row.keys < settings.ground.keys.distinct)
        .collect();
    let mut legend = vec![
        format!(
            "Medians over {} rounds, interleaved over all rows in shuffled order; ± is the larger half of a 95 % interval. A sample is {} keys between two readings of the clock.",
            settings.rounds, settings.lookups_per_sample
        ),
        "The bytes of the keys are in the caches, as those of a request that has just arrived; the keys are so many that the processor does not learn them. Where calls do not wait for one another the processor begins the next before the last is done, so the hash and the structure together take less than the sum of both.".into(),
        "The floor is no algorithm: nobody can place a key without a hash, and what has a table cannot read it less than once. What computes the owner instead, or holds more than it reads for a key, may be below it.".into(),
        "A second thread gains nothing while another program has its processor: factors near 1 in every row, or wide intervals, tell of the machine and not of the placements.".into(),
        "Every timed loop gave the verified owners.".into(),
    ];
    if let Some(least) = fewer.iter().map(|row| row.keys).min() {
        legend.push(format!(
            "Where a lookup asks every node, fewer keys are looked up: {} at least.",
            grouped(least as f64)
        ));
    }
    legend
}

/// One line per figure, below the heads. A row without figures has one line, which tells why.
fn rows(speed: &Speed) -> Vec<[String; 10]> {
    let heads = [
        "algorithm",
        "nodes",
        "keys",
        "checksum",
        "metric",
        "value",
        "low",
        "high",
        "reason",
        "tool_commit",
    ];
    let mut lines = vec![heads.map(String::from)];
    for row in &speed.rows {
        let text = |text: &Option<String>| text.clone().unwrap_or_default();
        let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
        let line = |name: &str, values: [Option<f64>; 3], reason: &Option<String>| {
            let [value, low, high] = values.map(number);
            [
                text(&row.algorithm),
                row.nodes.map(|nodes| nodes.to_string()).unwrap_or_default(),
                row.keys.to_string(),
                text(&row.checksum),
                name.into(),
                value,
                low,
                high,
                text(reason),
                text(&speed.tool.commit),
            ]
        };
        if row.reason.is_some() {
            lines.push(line("", [None; 3], &row.reason));
        }
        let figures = row.metrics.iter();
        lines.extend(figures.map(|(name, metric)| {
            line(
                name,
                [metric.value, metric.low, metric.high],
                &metric.reason,
            )
        }));
    }
    lines
}

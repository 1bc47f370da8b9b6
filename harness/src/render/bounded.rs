//! Bounded loads as tables and as lines of CSV.

use super::header::{keys_in_words, origin, sizes_in_words};
use super::numbers::{grouped, mark, percent, plain, short};
use super::section::{FAILED, NOTHING, Section};
use crate::bounded::{EVEN, METRICS, Report, Row};
use crate::machine::Machine;
use crate::record::{Metric, Status, Tool};
use crate::skew::SkewSettings;

/// What was measured, and on which keys.
pub fn lines(report: &Report) -> Vec<String> {
    let mut lines = skew_lines(&report.tool, &report.machine, &report.settings.skew);
    lines.push(format!(
        "Even load: one request a key. Skewed loads: {} random requests. Failures: {} nodes, one at a time.",
        grouped(report.settings.requests as f64),
        report.settings.failures
    ));
    lines
}

/// What ran, on which placements and keys.
pub(super) fn skew_lines(tool: &Tool, machine: &Machine, settings: &SkewSettings) -> Vec<String> {
    let mut lines = origin(tool, machine);
    lines.push(format!(
        "{}, hash {}, seed {}; {}",
        keys_in_words(&settings.keys),
        settings.hash,
        settings.seed,
        sizes_in_words(settings.points, settings.table, Some(settings.slots))
    ));
    lines
}

/// All tables: four of each load, one below the other.
pub fn sections(report: &Report) -> Vec<Section> {
    let loads = report.rows.chunk_by(|a, b| a.load == b.load);
    loads.flat_map(|rows| of_load(report, rows)).collect()
}

fn of_load(report: &Report, rows: &[Row]) -> Vec<Section> {
    let name = rows[0].load.as_str();
    let load = match name {
        EVEN => "even load".into(),
        "requests" => "the requests of the key file".into(),
        _ => format!("{name} load"),
    };
    let table = |what: &str, about: &str, show: &dyn Fn(&Row) -> String| {
        pivot(report, rows, format!("{what}, {load}"), about, show)
    };
    let mut sections = vec![
        table(
            "Largest load over the mean",
            "✓: not above the cap, which is rounded up to whole requests.",
            &|row| largest(metric(row, "max_over_mean")),
        ),
        table(
            "Requests that spill",
            "In % of all requests: those whose owner was full.",
            &|row| plain(metric(row, "spilled"), 1.0, percent),
        ),
        table(
            "How far they walk",
            "Full nodes that a spilled request passed: mean / 99 % at most / longest.",
            &walk,
        ),
    ];
    if name == EVEN {
        sections.push(table(
            "Moved when a node fails",
            "Requests that change their node, over one node's mean part; × is how many times as many as without a bound. ✓: without a bound, exactly those of the failed node.",
            &|row| moved(rows, row),
        ));
    }
    sections
}

fn metric<'a>(row: &'a Row, name: &str) -> Option<&'a Metric> {
    row.metrics.get(name)
}

/// A largest load with its mark, where it has a cap.
pub(super) fn largest(metric: Option<&Metric>) -> String {
    plain(metric, 1.0, short) + &marked(metric)
}

/// The mark of a figure that has a law.
fn marked(metric: Option<&Metric>) -> String {
    let agrees = metric.and_then(|metric| metric.agrees);
    agrees.map_or(String::new(), |agrees| format!(" {}", mark(agrees)))
}

fn walk(row: &Row) -> String {
    let value = |name| metric(row, name).and_then(|metric| metric.value);
    match ["walk_mean", "walk_p99", "walk_max"].map(value) {
        [Some(mean), Some(p99), Some(longest)] => {
            format!("{} / {} / {}", short(mean), grouped(p99), grouped(longest))
        }
        _ => NOTHING.into(),
    }
}

fn moved(rows: &[Row], row: &Row) -> String {
    let value = |row: &Row| metric(row, "moved_over_share")?.value;
    let without = rows.iter().find(|other| {
        other.bound.is_none() && (other.nodes, &other.algorithm) == (row.nodes, &row.algorithm)
    });
    match (value(row), without.and_then(value)) {
        (Some(moved), Some(without)) if row.bound.is_some() => {
            format!("{} ×{}", short(moved), short(moved / without))
        }
        (Some(moved), _) => short(moved) + &marked(metric(row, "moved")),
        (None, _) => NOTHING.into(),
    }
}

/// One row for each placement, one column for each bound.
fn pivot(
    report: &Report,
    rows: &[Row],
    title: String,
    about: &str,
    show: &dyn Fn(&Row) -> String,
) -> Section {
    let names = ["N", "algorithm"].map(String::from);
    let bounds = report.settings.bounds.iter();
    let heads = bounds.map(|bound| bound.map_or("no bound".into(), |c| format!("c {c}")));
    let cell = |row: &Row| match row.status {
        Status::Ok => show(row),
        Status::Failed => FAILED.into(),
    };
    let placement = |rows: &[Row]| {
        let names = [rows[0].nodes.to_string(), rows[0].algorithm.clone()];
        names.into_iter().chain(rows.iter().map(cell)).collect()
    };
    let of_one = |rows: &[Row]| -> Vec<Vec<String>> {
        let placements = rows.chunk_by(|a, b| a.algorithm == b.algorithm);
        placements.map(placement).collect()
    };
    Section {
        title,
        about: about.into(),
        names: names.len(),
        heads: names.into_iter().chain(heads).collect(),
        groups: rows
            .chunk_by(|a, b| a.nodes == b.nodes)
            .map(of_one)
            .collect(),
    }
}

/// Why rows have no figures.
pub fn failures(report: &Report) -> Vec<String> {
    let reason = |row: &Row| {
        let reason = row.reason.as_deref()?;
        Some(format!("N = {}, {}: {reason}", row.nodes, row.algorithm))
    };
    let mut reasons: Vec<String> = report.rows.iter().filter_map(reason).collect();
    reasons.dedup();
    reasons
}

/// How to read the tables.
pub fn legend(report: &Report) -> Vec<String> {
    let parts = report.settings.skew.nodes.iter();
    let parts = parts.map(|&n| format!("{} % at N = {n}", percent(1.0 / f64::from(n))));
    vec![
        "With m requests and N nodes, no node gets more than ceil(c·m/N). Requests come in a fixed order, and each goes to the first of its candidates that has room: its owner, then on a ring the next node clockwise, elsewhere the owner of another hash of the key. So the outcome does not depend on history, and what a failure moves is exact for these keys.".into(),
        format!(
            "When a node fails, its requests push others on. For a ring, Mirrokni, Thorup and Zadimoghaddam (2018) expect O(1/ε²) times one node's part of the requests to move with c = 1 + ε up to 2, and 1 + O(log c / c²) times with a larger c. One node's part is {}.",
            parts.collect::<Vec<_>>().join(", ")
        ),
        "Jump can only lose its newest node. mod-n moves nearly all keys whatever the bound.".into(),
    ]
}

/// One line for each row.
pub fn rows(report: &Report) -> Vec<Vec<String>> {
    let names = ["nodes", "algorithm", "load", "bound", "status", "reason"];
    let laws = [
        "cap_over_mean",
        "within_cap",
        "spilled_expected",
        "moved_expected",
        "moved_agrees",
    ];
    let heads = names
        .into_iter()
        .chain(METRICS.map(|metric| metric.0))
        .chain(laws);
    let mut lines = vec![heads.map(String::from).collect()];
    for row in &report.rows {
        let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
        let truth = |value: Option<bool>| value.map(|value| value.to_string()).unwrap_or_default();
        let expected = |name| number(metric(row, name).and_then(|metric| metric.expected));
        let agrees = |name| truth(metric(row, name).and_then(|metric| metric.agrees));
        let mut line = vec![
            row.nodes.to_string(),
            row.algorithm.clone(),
            row.load.clone(),
            row.bound.map_or("none".into(), |bound| bound.to_string()),
            status(row.status).into(),
            row.reason.clone().unwrap_or_default(),
        ];
        line.extend(METRICS.map(|(name, _)| number(metric(row, name).and_then(|m| m.value))));
        line.extend([
            expected("max_over_mean"),
            agrees("max_over_mean"),
            expected("spilled"),
            expected("moved"),
            agrees("moved"),
        ]);
        lines.push(line);
    }
    lines
}

/// A status in CSV.
pub(super) fn status(status: Status) -> &'static str {
    match status {
        Status::Ok => "ok",
        Status::Failed => "failed",
    }
}

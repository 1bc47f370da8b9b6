//! What helps against hot keys, as tables and as lines of CSV.

use super::bounded::{largest, skew_lines, status};
use super::numbers::{grouped, law, percent, plain, short};
use super::section::{FAILED, NOTHING, Section};
use crate::hot::{METRICS, MORE_POINTS, PAIR, Remedy, Report, Row};
use crate::record::{Metric, Status};

/// What was measured, and on which keys.
pub fn lines(report: &Report) -> Vec<String> {
    let settings = &report.settings;
    let mut lines = skew_lines(&report.tool, &report.machine, &settings.skew);
    let shares = settings.hottest_key.iter();
    let shares = shares.map(|(load, part)| format!("{} % ({load})", percent(*part)));
    lines.push(format!(
        "Requests for the hottest key: {}",
        shares.collect::<Vec<_>>().join(", ")
    ));
    lines
}

/// The table of the remedies and that of close keys.
pub fn sections(report: &Report) -> Vec<Section> {
    vec![remedies(report), pairs(report)]
}

fn remedies(report: &Report) -> Section {
    let settings = &report.settings;
    let remedy = |remedy: Remedy| match remedy {
        Remedy::None => "as it is".to_owned(),
        Remedy::MorePoints => {
            let points = settings.skew.points.saturating_mul(MORE_POINTS);
            format!("{} points", grouped(points.into()))
        }
        Remedy::Bound => settings
            .bound
            .map_or("no bound".into(), |c| format!("c {c}")),
        Remedy::Split => format!("split in {}", settings.pieces),
        Remedy::Replicas => format!("{} next nodes", settings.replicas),
        Remedy::OwnOrder => format!("{} by own order", settings.replicas),
    };
    let names = ["N", "algorithm", "load"].map(String::from);
    let heads = names
        .into_iter()
        .chain(["hottest key".into()])
        .chain(Remedy::ALL.map(remedy));
    let loaded = |rows: &[Row]| {
        let first = &rows[0];
        let key = settings.hottest_key.get(&first.load);
        let key = key.map_or(NOTHING.into(), |part| short(part * f64::from(first.nodes)));
        let names = [
            first.nodes.to_string(),
            first.algorithm.clone(),
            first.load.clone(),
            key,
        ];
        let cells = rows.iter().map(|row| match row.status {
            Status::Ok => largest(row.metrics.get("max_over_mean")),
            Status::Failed => FAILED.into(),
        });
        names.into_iter().chain(cells).collect()
    };
    let rows: Vec<&[Row]> = report
        .rows
        .chunk_by(|a, b| same_placement(a, b) && a.load == b.load)
        .filter(|rows| rows[0].load != PAIR)
        .collect();
    let groups = rows.chunk_by(|a, b| (a[0].nodes, &a[0].load) == (b[0].nodes, &b[0].load));
    Section {
        title: "What helps against a hot key".into(),
        about: format!(
            "Load of the hottest node over the mean; beside it that of the hottest key alone. The {} most requested keys are split or served by several nodes.",
            settings.hottest
        ),
        names: 3,
        heads: heads.collect(),
        groups: groups
            .map(|group| group.iter().map(|rows| loaded(rows)).collect())
            .collect(),
    }
}

fn pairs(report: &Report) -> Section {
    let shared = |row: &Row| row.metrics.get("shared").cloned();
    let percent_of = |metric: Option<&Metric>| plain(metric, 1.0, percent);
    let pairs = report
        .rows
        .chunk_by(same_placement)
        .filter(|rows| rows[0].load == PAIR);
    let pair = |rows: &[Row]| {
        let (next, own) = (shared(&rows[0]), rows.get(1).and_then(shared));
        vec![
            rows[0].nodes.to_string(),
            rows[0].algorithm.clone(),
            percent_of(next.as_ref()),
            percent_of(own.as_ref()),
            law(own.as_ref(), 1.0, percent),
        ]
    };
    let rows: Vec<&[Row]> = pairs.collect();
    let groups = rows.chunk_by(|a, b| a[0].nodes == b[0].nodes);
    Section {
        title: "Two hot keys whose hashes lie close".into(),
        about: format!(
            "Nodes that serve both, in % of the {} that serve each: of {} pairs.",
            report.settings.replicas,
            grouped(report.settings.pairs as f64)
        ),
        names: 2,
        heads: ["N", "algorithm", "next nodes", "by own order", "law"]
            .map(String::from)
            .into(),
        groups: groups
            .map(|group| group.iter().map(|rows| pair(rows)).collect())
            .collect(),
    }
}

fn same_placement(a: &Row, b: &Row) -> bool {
    (a.nodes, &a.algorithm) == (b.nodes, &b.algorithm)
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
    let settings = &report.settings;
    let (replicas, pieces) = (settings.replicas, settings.pieces);
    vec![
        format!("More points share the key space more evenly, but one key stays on one node, and that node serves all its requests. Only what divides a key helps: a bound sends its requests on, {pieces} pieces go to {pieces} owners, {replicas} nodes take turns."),
        "Next nodes: those that a request would spill to, on a ring the next ones clockwise. Own order: the nodes with the highest scores for the key, as in rendezvous hashing. On a ring two hot keys with close hashes share the next nodes, and not those of their own orders.".into(),
        format!("The bound was tried with {} random requests, and ✓ says that no node is above its cap; other figures are exact for these keys.", grouped(settings.requests as f64)),
        "Law: two random sets of R among N nodes share R/N; then how far off the figure is in standard errors; ✓ agrees.".into(),
    ]
}

/// One line for each row.
pub fn rows(report: &Report) -> Vec<Vec<String>> {
    let names = ["nodes", "algorithm", "load", "remedy", "status", "reason"];
    let heads = names.into_iter().chain(METRICS.map(|metric| metric.0));
    let heads = heads.chain(["expected", "distance", "agrees"]);
    let mut lines = vec![heads.map(String::from).collect()];
    for row in &report.rows {
        let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
        let judged = row
            .metrics
            .values()
            .find(|metric| metric.expected.is_some());
        let mut line = vec![
            row.nodes.to_string(),
            row.algorithm.clone(),
            row.load.clone(),
            row.remedy.name().into(),
            status(row.status).into(),
            row.reason.clone().unwrap_or_default(),
        ];
        line.extend(METRICS.map(|(name, _)| number(row.metrics.get(name).and_then(|m| m.value))));
        line.extend([
            number(judged.and_then(|metric| metric.expected)),
            number(judged.and_then(|metric| metric.distance)),
            judged
                .and_then(|metric| metric.agrees)
                .map(|agrees| agrees.to_string())
                .unwrap_or_default(),
        ]);
        lines.push(line);
    }
    lines
}

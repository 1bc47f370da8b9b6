//! Lookups beside changes of membership, as tables.

use super::header::{origin, sizes_in_words};
use super::json::json;
use super::numbers::{counted, grouped, law, metric, percent, plain, short};
use super::section::{FAILED, NOTHING, Section};
use super::{Page, csv};
use crate::error::Error;
use crate::live::{INFORMED, LiveReport, LiveSettings, Row, Skew, SkewRow};
use crate::options::OutputOptions;
use crate::record::Metric;

/// Lookups beside changes of membership in the wanted form.
///
/// # Errors
/// When JSON or CSV cannot be made.
pub(crate) fn report(report: &LiveReport, options: &OutputOptions) -> Result<String, Error> {
    let page = Page {
        lines: lines(report),
        sections: sections(report),
        lists: vec![("Failed", failures(report)), ("How to read this", legend())],
    };
    page.show(options, || Ok(csv::write(rows(report))?), || json(report))
}

/// What clients of two versions disagree on, in the wanted form.
///
/// # Errors
/// When JSON or CSV cannot be made.
pub(crate) fn skew(skew: &Skew, options: &OutputOptions) -> Result<String, Error> {
    let page = Page {
        lines: skew_lines(skew),
        sections: skew_sections(skew),
        lists: vec![
            ("Failed", skew_failures(skew)),
            ("How to read this", skew_legend()),
        ],
    };
    page.show(options, || Ok(csv::write(skew_rows(skew))?), || json(skew))
}

/// What ran and on what.
fn lines(report: &LiveReport) -> Vec<String> {
    let settings = &report.settings;
    let mut lines = origin(&report.tool, &report.machine);
    lines.push(of_settings(settings));
    lines.push(format!(
        "{} of {} ms, or until a node has joined and left, interleaved over all rows in shuffled order; {} lookups in one view",
        counted(settings.rounds.into(), "round"),
        settings.round_ms,
        settings.batch
    ));
    lines
}

fn of_settings(settings: &LiveSettings) -> String {
    format!(
        "{} nodes, {} keys, hash {}, seed {}; {}",
        grouped(settings.nodes.into()),
        grouped(settings.keys as f64),
        settings.hash,
        settings.seed,
        sizes_in_words(settings.points, settings.table, Some(settings.slots))
    )
}

/// One table with a group of rows per algorithm.
fn sections(report: &LiveReport) -> Vec<Section> {
    let groups = report.rows.chunk_by(|a, b| a.algorithm == b.algorithm);
    let heads = [
        "algorithm",
        "handle",
        "threads",
        "changes/s",
        "made/s",
        "million lookups/s",
        "waited, of a million views",
        "longest view µs",
        "torn",
    ];
    vec![Section {
        title: "Lookups while the membership changes".into(),
        about: "Live: a pointer that is replaced; a view never waits. Lock: a lock that readers share and a change holds. Torn: batches that belong to no single membership.".into(),
        names: 4,
        heads: heads.map(String::from).into(),
        groups: groups.map(|rows| rows.iter().map(row).collect()).collect(),
    }]
}

fn row(row: &Row) -> Vec<String> {
    let failed = row.reason.is_some();
    let figures = [
        plain(Some(&row.changed), 1.0, short),
        metric(Some(&row.lookups), 1.0, short),
        plain(Some(&row.waited), 1.0, short),
        plain(Some(&row.longest), 1.0, short),
        row.torn.to_string(),
    ];
    let figures = figures
        .into_iter()
        .enumerate()
        .map(|(at, figure)| match (failed, at) {
            (false, _) => figure,
            (true, 0) => FAILED.into(),
            (true, _) => NOTHING.into(),
        });
    let names = [
        row.algorithm.clone(),
        row.handle.clone(),
        row.threads.to_string(),
        row.changes.to_string(),
    ];
    names.into_iter().chain(figures).collect()
}

/// Why rows have no figures, each reason once.
fn failures(report: &LiveReport) -> Vec<String> {
    once(report.rows.iter().map(|row| (&row.algorithm, &row.reason)))
}

fn skew_failures(skew: &Skew) -> Vec<String> {
    once(skew.rows.iter().map(|row| (&row.algorithm, &row.reason)))
}

fn once<'a>(rows: impl Iterator<Item = (&'a String, &'a Option<String>)>) -> Vec<String> {
    let reason =
        |(name, reason): (&String, &Option<String>)| Some(format!("{name}: {}", reason.as_ref()?));
    let mut reasons: Vec<String> = rows.filter_map(reason).collect();
    reasons.dedup();
    reasons
}

/// How to read the lookups.
fn legend() -> Vec<String> {
    vec![
        "Made: changes a second that were made, a join and the leaving of the same node in turns. One that is not done when the next is due is left out: a change by Live copies the placement first, and by the lock it waits for the readers.".into(),
        "Waited: views that could not be had at once. The longest view is that of a taken pointer or lock and one batch of lookups; with as many threads as processors thousands of µs mean that the scheduler took the processor away, which happens without changes too, and no waiting.".into(),
        "± is the larger half of a 95 % interval of the median over rounds.".into(),
    ]
}

/// How to read the disagreement.
fn skew_legend() -> Vec<String> {
    vec![
        "Law: k nodes that join N others make the versions disagree on k/(N+k) of the keys where no key moves without need, and on 1 − gcd(N, N+k)/(N+k) by the remainder; then how far off the figure is in standard errors, and ✓ or ✗. A ring has it in the mean over names, fixed slots but for rounding, so neither is judged; a Maglev table has no closed form.".into(),
        "± is half a 95 % interval for all possible keys.".into(),
    ]
}

/// One line per row for a spreadsheet.
fn rows(report: &LiveReport) -> Vec<[String; 12]> {
    let heads = [
        "algorithm",
        "handle",
        "threads",
        "changes_per_s",
        "made_per_s",
        "million_lookups_per_s",
        "low",
        "high",
        "waited_per_million",
        "longest_us",
        "torn",
        "reason",
    ];
    let line = |row: &Row| {
        [
            row.algorithm.clone(),
            row.handle.clone(),
            row.threads.to_string(),
            row.changes.to_string(),
            sampled(row.changed.value),
            sampled(row.lookups.value),
            sampled(row.lookups.low),
            sampled(row.lookups.high),
            sampled(row.waited.value),
            sampled(row.longest.value),
            row.torn.to_string(),
            row.reason.clone().unwrap_or_default(),
        ]
    };
    [heads.map(String::from)]
        .into_iter()
        .chain(report.rows.iter().map(line))
        .collect()
}

/// What was timed, without the digits that adding in binary makes up.
fn sampled(value: Option<f64>) -> String {
    number(value.map(|value| (value * 1e4).round() / 1e4))
}

fn number(value: Option<f64>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// What ran and on what.
fn skew_lines(skew: &Skew) -> Vec<String> {
    let mut lines = origin(&skew.tool, &skew.machine);
    lines.push(of_settings(&skew.settings));
    lines
}

/// One table with a group of rows per algorithm.
fn skew_sections(skew: &Skew) -> Vec<Section> {
    let groups = skew.rows.chunk_by(|a, b| a.algorithm == b.algorithm);
    let mut heads = vec![
        "algorithm".to_owned(),
        "nodes joined".into(),
        "disagree %".into(),
        "law".into(),
    ];
    heads.extend(
        INFORMED
            .iter()
            .map(|part| format!("pairs at {} %", part * 100.0)),
    );
    vec![Section {
        title: "Clients with an old and a new membership".into(),
        about: "Disagree: keys that the old version and the new one give to different nodes. Pairs: chance that two random clients send a request for one key to different nodes, when so many of them know the new version: 2f(1−f) of the disagreement.".into(),
        names: 2,
        heads,
        groups: groups.map(|rows| rows.iter().map(skew_row).collect()).collect(),
    }]
}

fn skew_row(row: &SkewRow) -> Vec<String> {
    let mut cells = vec![
        row.algorithm.clone(),
        row.versions.to_string(),
        match row.reason {
            None => metric(Some(&row.disagree), 1.0, percent),
            Some(_) => FAILED.into(),
        },
        law(Some(&row.disagree), 1.0, percent),
    ];
    let pair = |at: usize| plain(row.pairs.get(at), 1.0, percent);
    cells.extend((0..INFORMED.len()).map(pair));
    cells
}

/// One line per row for a spreadsheet.
fn skew_rows(skew: &Skew) -> Vec<Vec<String>> {
    let mut heads: Vec<String> = [
        "algorithm",
        "joined",
        "disagree",
        "low",
        "high",
        "law",
        "agrees",
    ]
    .map(String::from)
    .into();
    heads.extend(INFORMED.iter().map(|part| format!("pairs_{part}")));
    heads.push("reason".into());
    let line = |row: &SkewRow| {
        let mut cells = vec![row.algorithm.clone(), row.versions.to_string()];
        let disagree = &row.disagree;
        let figures = [
            disagree.value,
            disagree.low,
            disagree.high,
            disagree.expected,
        ];
        cells.extend(figures.map(number));
        cells.push(
            disagree
                .agrees
                .map_or(String::new(), |agrees| agrees.to_string()),
        );
        let pair = |at: usize| number(row.pairs.get(at).and_then(|pair: &Metric| pair.value));
        cells.extend((0..INFORMED.len()).map(pair));
        cells.push(row.reason.clone().unwrap_or_default());
        cells
    };
    [heads]
        .into_iter()
        .chain(skew.rows.iter().map(line))
        .collect()
}

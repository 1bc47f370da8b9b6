//! A comparison as tables and as sentences.

use super::numbers::short;
use super::section::{NOTHING, Section};
use crate::compare::{CONFIDENCE, Comparison, Row, Verdict};
use crate::record::Tool;

/// Verdicts that are worth a look, each with a table of its own; the others are only counted.
const SHOWN: [Verdict; 5] = [
    Verdict::Regressed,
    Verdict::Changed,
    Verdict::Improved,
    Verdict::Missing,
    Verdict::New,
];

/// What was compared, and the outcome in a line.
pub fn lines(comparison: &Comparison) -> Vec<String> {
    let tool = |tool: &Tool| format!("{} {} ({})", tool.name, tool.version, tool.revision());
    let counts = Verdict::ALL
        .iter()
        .filter_map(|verdict| match comparison.count(*verdict) {
            0 => None,
            count => Some(format!("{count} {}", verdict.words())),
        });
    let counts: Vec<String> = counts.collect();
    let mut lines = vec![
        format!("{} → {}", tool(&comparison.old), tool(&comparison.new)),
        format!(
            "{} figures compared: {}",
            comparison.pairs,
            counts.join(", ")
        ),
    ];
    if let Some(planted) = &comparison.planted {
        lines.push(format!("WRONG ON PURPOSE: {planted}."));
    }
    if let Some(reason) = &comparison.times_incomparable {
        lines.push(format!("Times are not comparable: {reason}."));
    }
    lines
}

/// A table for each verdict that is worth a look, or for all.
pub fn sections(comparison: &Comparison, all: bool) -> Vec<Section> {
    let shown: &[Verdict] = if all { &Verdict::ALL } else { &SHOWN };
    let table = |verdict: &Verdict| {
        let rows = comparison.rows.iter().filter(|row| row.verdict == *verdict);
        let heads = [
            "N",
            "algorithm",
            "metric",
            "old",
            "new",
            "change %",
            "interval %",
            "note",
        ];
        let section = Section {
            title: capitalised(verdict.words()),
            about: String::new(),
            names: 3,
            heads: heads.map(String::from).into(),
            groups: vec![rows.map(cells).collect()],
        };
        section.without_empty_columns()
    };
    shown
        .iter()
        .map(table)
        .filter(|section| !section.is_empty())
        .collect()
}

/// How to read it.
pub fn legend(comparison: &Comparison) -> Vec<String> {
    let single = comparison
        .thresholds
        .iter()
        .map(|(metric, threshold)| format!("{metric} {:.0} %", threshold * 100.0));
    let thresholds: Vec<String> = single
        .chain([format!("others {:.0} %", comparison.threshold * 100.0)])
        .collect();
    let thresholds = thresholds.join(", ");
    vec![
        "Exact figures are the same on every machine and are compared exactly; a changed mapping counts as a regression.".into(),
        format!(
            "A time has changed when the whole {} % interval of its change lies beyond the smallest change of interest ({}); within noise when all of it lies inside; else the runs cannot tell. Percentiles have no rounds and are not judged.",
            CONFIDENCE * 100.0,
            thresholds
        ),
    ]
}

fn cells(row: &Row) -> Vec<String> {
    let number = |value: Option<f64>| value.map_or(NOTHING.into(), short);
    let change = |factor: Option<f64>| factor.map(|factor| signed((factor - 1.0) * 100.0));
    let interval = change(row.low)
        .zip(change(row.high))
        .map(|(low, high)| format!("{low} to {high}"));
    vec![
        row.nodes.to_string(),
        row.algorithm.clone(),
        row.metric.clone(),
        number(row.old),
        number(row.new),
        change(row.factor).unwrap_or(NOTHING.into()),
        interval.unwrap_or(NOTHING.into()),
        row.note.clone().unwrap_or(NOTHING.into()),
    ]
}

fn signed(percent: f64) -> String {
    let sign = if percent < 0.0 { "−" } else { "+" };
    format!("{sign}{:.1}", percent.abs())
}

fn capitalised(words: &str) -> String {
    let (first, rest) = words.split_at(1);
    first.to_uppercase() + rest
}

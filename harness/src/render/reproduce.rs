//! Published figures and claims as tables: the verdicts, and the figures behind each.

use schemars::JsonSchema;
use serde::Serialize;

use super::numbers::grouped;
use super::section::{NOTHING, Section};
use crate::reproduce::outcome::{Bin, Histogram};
use crate::reproduce::row::{Kind, Range, Unit};
use crate::reproduce::{Report, Reproduced, Reproduction, Row, Verdict, all};
use crate::theory::against::FARTHEST;

/// A reproduction as the list shows it.
#[derive(Serialize, JsonSchema)]
pub struct Listed {
    name: &'static str,
    title: &'static str,
    claim: &'static str,
    source: &'static str,
    conditions: &'static str,
    seconds: f64,
}

/// All reproductions.
#[derive(Serialize, JsonSchema)]
pub struct Reproductions {
    reproductions: Vec<Listed>,
}

/// Everything that can be reproduced.
pub fn listed() -> Reproductions {
    let listed = |reproduction: &Reproduction| Listed {
        name: reproduction.name,
        title: reproduction.title,
        claim: reproduction.claim,
        source: reproduction.source,
        conditions: reproduction.conditions,
        seconds: reproduction.seconds,
    };
    Reproductions {
        reproductions: all().map(listed).collect(),
    }
}

/// All reproductions as a table; what they claim is too long for one.
pub fn list() -> Section {
    let row = |listed: Listed| {
        let seconds = format!("{:.1}", listed.seconds);
        vec![listed.name.into(), listed.title.into(), seconds]
    };
    Section {
        title: "Published figures and claims".into(),
        about: "Seconds are about those of a full run on two processors.".into(),
        names: 1,
        heads: ["name", "about", "seconds"].map(String::from).into(),
        groups: vec![listed().reproductions.into_iter().map(row).collect()],
    }
}

/// What each of them claims and by whom.
pub fn claims() -> Vec<String> {
    let claim =
        |listed: Listed| format!("{}: {} By: {}.", listed.name, listed.claim, listed.source);
    listed().reproductions.into_iter().map(claim).collect()
}

/// All that the list knows, for CSV.
pub fn list_rows() -> Vec<[String; 6]> {
    let heads = ["name", "about", "claim", "source", "conditions", "seconds"].map(String::from);
    let row = |listed: Listed| {
        let seconds = listed.seconds.to_string();
        [
            listed.name,
            listed.title,
            listed.claim,
            listed.source,
            listed.conditions,
            &seconds,
        ]
        .map(String::from)
    };
    [heads]
        .into_iter()
        .chain(listed().reproductions.into_iter().map(row))
        .collect()
}

/// The outcome in a few lines.
pub fn lines(report: &Report) -> Vec<String> {
    let mut lines = super::header::origin(&report.tool, &report.machine);
    let count = |verdict: Verdict| {
        let count = report
            .reproductions
            .iter()
            .filter(|one| one.verdict == verdict)
            .count();
        (count > 0).then(|| format!("{count} {}", counted(verdict)))
    };
    let verdicts = [
        Verdict::Reproduced,
        Verdict::Refuted,
        Verdict::HoldsOnly,
        Verdict::Undecided,
    ];
    let verdicts: Vec<String> = verdicts.into_iter().filter_map(count).collect();
    let off = |row: &&Row| row.agrees == Some(false);
    let rows = report.reproductions.iter().flat_map(|one| &one.rows);
    lines.push(format!(
        "{} tried with seed {}{}: {}",
        report.reproductions.len(),
        report.seed,
        if report.quick {
            ", with fewer trials"
        } else {
            ""
        },
        verdicts.join(", ")
    ));
    lines.push(format!(
        "{} figures held against laws, {} of them farther off than {:.2} standard errors",
        report.figures,
        rows.filter(off).count(),
        report.critical
    ));
    lines
}

fn counted(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::HoldsOnly => "conditional",
        Verdict::Undecided => "open",
        other => other.words(),
    }
}

fn awaited(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Reproduced => "to be reproduced",
        Verdict::Refuted => "to be refuted",
        Verdict::HoldsOnly => "to hold under a condition",
        Verdict::Undecided => "to stay open",
    }
}

/// The verdicts, and a table of figures for each reproduction.
pub fn sections(report: &Report) -> Vec<Section> {
    let of_one = |one: &Reproduced| {
        let histograms = one.histograms.iter().map(|histogram| bars(one, histogram));
        [figures(one)]
            .into_iter()
            .chain(histograms)
            .collect::<Vec<_>>()
    };
    let details = report.reproductions.iter().flat_map(of_one);
    [verdicts(report)].into_iter().chain(details).collect()
}

fn verdicts(report: &Report) -> Section {
    let row = |one: &Reproduced| {
        let verdict = if one.failed {
            "FAILED"
        } else {
            one.verdict.words()
        };
        vec![one.name.clone(), one.title.clone(), verdict.into()]
    };
    Section {
        title: "Verdicts".into(),
        about: String::new(),
        names: 1,
        heads: ["name", "about", "verdict"].map(String::from).into(),
        groups: vec![report.reproductions.iter().map(row).collect()],
    }
}

/// Conditions under which claims hold, by name.
pub fn conditions(report: &Report) -> Vec<String> {
    let condition = |one: &Reproduced| Some(format!("{}: {}", one.name, one.condition.as_ref()?));
    report.reproductions.iter().filter_map(condition).collect()
}

/// What contradicts theory, or did not run.
pub fn failures(report: &Report) -> Vec<String> {
    let failed = report.reproductions.iter().filter(|one| one.failed);
    let reason = |one: &Reproduced| {
        let reason = one.error.clone().unwrap_or_else(|| {
            let expected = one.expected.map_or("nothing", awaited);
            format!("theory expects it {expected}, and figures contradict theory")
        });
        format!("{}: {reason}", one.name)
    };
    failed.map(reason).collect()
}

/// How to read the figures.
pub fn legend() -> Vec<String> {
    [
        "± is the larger half of a 95 % interval; figures without it are exact. Trials are independent of each other.",
        "sd off: how far the measured figure is above its law, in standard errors. Marks are corrected for the number of figures when everything runs: a right implementation then gets one in at most 1 % of runs.",
        "claim: whether it holds for this figure; open where the interval is too wide to tell. Times are those of this machine and have no theory to contradict.",
    ]
    .map(String::from)
    .into()
}

fn figures(one: &Reproduced) -> Section {
    let verdict = match &one.condition {
        Some(condition) => format!("{} {condition}", one.verdict.words()),
        None => one.verdict.words().into(),
    };
    let expected = one.expected.map_or(String::new(), |expected| {
        format!(" Theory expects it {}.", awaited(expected))
    });
    let heads = [
        "figure",
        "published",
        "theory",
        "measured",
        "trials",
        "sd off",
        "claim",
    ];
    Section {
        title: format!("{} ({})", one.title, one.name),
        about: format!(
            "Claimed: {} By: {}. Conditions: {}.{expected} Verdict: {verdict}.",
            one.claim, one.source, one.conditions
        ),
        names: 1,
        heads: heads.map(String::from).into(),
        groups: vec![one.rows.iter().map(cells).collect()],
    }
    .without_empty_columns()
}

fn cells(row: &Row) -> Vec<String> {
    let decimals = decimals(row);
    let show =
        |value: Option<f64>| value.map_or(NOTHING.into(), |value| text(value, row, decimals));
    let trials = row.trials.map_or(NOTHING.into(), |trials| {
        format!(
            "{} {}",
            grouped(trials as f64),
            row.trial.as_deref().unwrap_or("")
        )
    });
    let distance = row.distance.map_or(NOTHING.into(), |distance| {
        let mark = if row.agrees == Some(false) {
            " ✗"
        } else {
            ""
        };
        match distance.abs() >= FARTHEST {
            true => format!("far{mark}"),
            false if row.kind == Kind::Exact && distance == 0.0 => "0".into(),
            false => format!("{distance:+.1}{mark}"),
        }
    });
    let claim = match (row.claimed, row.holds) {
        (None, _) => NOTHING,
        (Some(_), Some(true)) => "holds",
        (Some(_), Some(false)) => "fails",
        (Some(_), None) => "open",
    };
    vec![
        row.what.clone(),
        show(row.published),
        show(row.theory),
        measured(row, decimals),
        trials,
        distance,
        claim.into(),
    ]
}

/// By what a number is multiplied to be shown.
fn scale(row: &Row) -> f64 {
    match row.unit {
        Unit::Fraction => 100.0,
        Unit::Number | Unit::Ns => 1.0,
    }
}

/// Decimals that show two digits of the interval, or five digits of an exact figure.
fn decimals(row: &Row) -> usize {
    let half = half(row).filter(|half| *half > 0.0);
    let (size, digits) = match half {
        Some(half) if row.kind != Kind::Exact => (half, 1.0),
        _ => (
            row.measured.abs().max(row.theory.unwrap_or(0.0).abs()) * scale(row),
            4.0,
        ),
    };
    match size > 0.0 {
        true => (digits - size.log10().floor()).clamp(0.0, 7.0) as usize,
        false => 0,
    }
}

/// The larger half of the interval, as shown.
fn half(row: &Row) -> Option<f64> {
    let (low, high) = row.low.zip(row.high)?;
    Some((high - row.measured).max(row.measured - low) * scale(row))
}

fn number(value: f64, decimals: usize) -> String {
    match value.abs() {
        0.0 => "0".into(),
        size if size < 1e-5 => format!("{value:.2e}"),
        size if decimals == 0 && size >= 1000.0 => grouped(value),
        _ => {
            let text = format!("{value:.decimals$}");
            match text.contains('.') {
                // What is not nothing does not show as nothing.
                _ if text
                    .trim_start_matches('-')
                    .chars()
                    .all(|c| c == '0' || c == '.') =>
                {
                    format!("{value:.2e}")
                }
                true => text.trim_end_matches('0').trim_end_matches('.').into(),
                false => text,
            }
        }
    }
}

fn text(value: f64, row: &Row, decimals: usize) -> String {
    number(value * scale(row), decimals) + unit(row)
}

fn unit(row: &Row) -> &'static str {
    match row.unit {
        Unit::Number => "",
        Unit::Fraction => " %",
        Unit::Ns => " ns",
    }
}

fn measured(row: &Row, decimals: usize) -> String {
    let value = number(row.measured * scale(row), decimals);
    let interval = half(row).map_or(String::new(), |half| {
        format!(" ±{}", number(half, decimals))
    });
    value + &interval + unit(row)
}

/// Letters that the longest bar takes.
const BAR: f64 = 36.0;

/// A histogram in bars: what was measured as a bar, the law as a mark on it.
fn bars(one: &Reproduced, histogram: &Histogram) -> Section {
    let parts = histogram
        .bins
        .iter()
        .flat_map(|bin| [bin.law, bin.measured]);
    let most = parts.fold(f64::MIN_POSITIVE, f64::max);
    let end = |end: Option<f64>| end.map_or(NOTHING.into(), super::numbers::short);
    let row = |bin: &Bin| {
        vec![
            end(bin.from),
            end(bin.to),
            format!("{:.2}", 100.0 * bin.law),
            format!("{:.2}", 100.0 * bin.measured),
            bar(bin.measured / most, bin.law / most),
        ]
    };
    Section {
        title: format!("{}: {}", one.name, histogram.what),
        about: "█ measured, ┃ by the law: its CDF at both ends of the bin, less each other".into(),
        names: 2,
        heads: ["from", "to", "law %", "measured %", "law and measurement"]
            .map(String::from)
            .into(),
        groups: vec![histogram.bins.iter().map(row).collect()],
    }
}

fn bar(measured: f64, law: f64) -> String {
    let (filled, mark) = (
        (measured * BAR).round() as usize,
        (law * BAR).round() as usize,
    );
    let letter = |at: usize| match at {
        at if at == mark => '┃',
        at if at < filled => '█',
        // Not a blank: Markdown takes several of them for one.
        _ => '░',
    };
    (0..=mark.max(filled.saturating_sub(1)))
        .map(letter)
        .collect()
}

/// Every figure, one a line.
pub fn rows(report: &Report) -> Vec<Vec<String>> {
    let heads = [
        "name",
        "verdict",
        "expected",
        "figure",
        "unit",
        "kind",
        "published",
        "claimed_low",
        "claimed_high",
        "theory",
        "measured",
        "low",
        "high",
        "trials",
        "trial",
        "distance",
        "agrees",
        "holds_in_theory",
        "holds",
    ];
    let mut lines = vec![heads.map(String::from).to_vec()];
    for one in &report.reproductions {
        lines.extend(one.rows.iter().map(|row| line(one, row)));
    }
    lines
}

fn line(one: &Reproduced, row: &Row) -> Vec<String> {
    fn text<T: ToString>(value: Option<T>) -> String {
        value.map(|value| value.to_string()).unwrap_or_default()
    }
    let claimed = |end: fn(&Range) -> Option<f64>| text(row.claimed.as_ref().and_then(end));
    vec![
        one.name.clone(),
        one.verdict.word().into(),
        text(one.expected.map(Verdict::word)),
        row.what.clone(),
        row.unit.word().into(),
        row.kind.word().into(),
        text(row.published),
        claimed(|range| range.low),
        claimed(|range| range.high),
        text(row.theory),
        row.measured.to_string(),
        text(row.low),
        text(row.high),
        text(row.trials),
        text(row.trial.as_ref()),
        text(row.distance),
        text(row.agrees),
        text(row.holds_in_theory),
        text(row.holds),
    ]
}

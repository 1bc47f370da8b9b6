//! Published figures and claims: each runs, none contradicts theory, and every form says the same.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;

use common::call;
use harness::progress::Progress;
use harness::reproduce::row::Kind;
use harness::reproduce::{self, Lab, Report, Reproduction, Row, Verdict};

/// Without chance and without a clock.
const EXACT: [&str; 3] = ["maglev-example", "maglev-entries", "jump-standard-error"];

fn named(names: &[&str]) -> Vec<&'static Reproduction> {
    let names: Vec<String> = names.iter().map(|name| name.to_string()).collect();
    reproduce::choose(&names).unwrap()
}

fn run(chosen: &[&Reproduction], seed: u64) -> Report {
    let lab = Lab { seed, quick: true };
    reproduce::run(chosen, &lab, &Progress::hidden())
}

/// What the program prints below the lines on itself and the machine.
fn shown(arguments: &[&str]) -> String {
    let (code, stdout, stderr) = call(arguments, "");
    assert_eq!((code, &*stderr), (0, ""), "{arguments:?}");
    let lines = stdout
        .lines()
        .skip_while(|line| !line.contains("tried with seed"));
    lines.map(|line| line.to_owned() + "\n").collect()
}

#[test]
fn everything_runs_and_what_theory_refutes_is_refuted_by_measurement() {
    let report = run(&reproduce::all().collect::<Vec<_>>(), 42);
    assert_eq!(report.reproductions.len(), reproduce::all().count());
    // Marks are corrected for all of them at least.
    assert!(report.critical >= harness::theory::critical(report.figures));
    for one in &report.reproductions {
        assert!(!one.failed, "{one:#?}");
        assert!(!one.rows.is_empty(), "{} has no figures", one.name);
        if let Some(expected) = one.expected {
            assert_eq!(one.verdict, expected, "{}", one.name);
        }
        assert_eq!(
            one.condition.is_some(),
            one.verdict == Verdict::HoldsOnly,
            "{}",
            one.name
        );
        for row in &one.rows {
            let timed = row.kind == Kind::Timed;
            assert!(
                !timed || row.theory.is_none(),
                "a time has no theory: {row:?}"
            );
            assert!(row.low.is_none_or(|low| low <= row.measured), "{row:?}");
            assert!(row.high.is_none_or(|high| high >= row.measured), "{row:?}");
        }
    }
    let refuted = report
        .reproductions
        .iter()
        .filter(|one| one.expected == Some(Verdict::Refuted));
    let refuted: Vec<&str> = refuted.map(|one| &*one.name).collect();
    let wrong = [
        "ring-several",
        "hash-over-weight",
        "relative-spread",
        "4.78-percent",
        "8-percent",
    ];
    assert_eq!(refuted, wrong);
}

#[test]
fn the_same_seed_gives_the_same_figures_and_another_seed_other_ones() {
    let chosen = named(&["modulo-moved", "ring-3-to-4", "maglev-one-added"]);
    let figures = |seed| -> Vec<f64> {
        let report = run(&chosen, seed);
        let rows = report.reproductions.into_iter().flat_map(|one| one.rows);
        rows.filter(|row| row.kind == Kind::Sampled)
            .map(|row| row.measured)
            .collect()
    };
    let (first, again, other) = (figures(1), figures(1), figures(2));
    assert_eq!(first, again);
    assert!(
        first
            .iter()
            .zip(&other)
            .all(|(first, other)| first != other),
        "{first:?} {other:?}"
    );
}

#[test]
fn a_figure_that_contradicts_theory_fails_the_whole() {
    let wrong = Reproduction {
        run: |_| {
            let right = Row::exact("right", 1.0).equals(1.0);
            let wrong = Row::exact("wrong", 1.0).equals(1.1);
            Ok(reproduce::Finding::of(vec![right, wrong]))
        },
        ..*named(&["modulo-moved"])[0]
    };
    let unknown = Reproduction {
        run: |_| {
            let row = Row::exact("unknown", f64::NAN);
            Ok(reproduce::Finding::of(vec![row]))
        },
        ..wrong
    };
    let report = run(&[&wrong, &unknown], 1);
    assert!(report.reproductions.iter().all(|one| one.failed));
    assert_eq!(report.reproductions[0].expected, Some(Verdict::Reproduced));
    assert_eq!(report.reproductions[0].verdict, Verdict::Refuted);
    assert_eq!(report.reproductions[0].rows[1].agrees, Some(false));
    assert_eq!(
        report.reproductions[1].error.as_deref(),
        Some("no figure came out for unknown")
    );
}

#[test]
fn exact_figures_as_tables_for_a_terminal_and_for_markdown() {
    let mut arguments = vec!["reproduce", "--width", "80"];
    arguments.extend(EXACT);
    insta::assert_snapshot!("exact-table", shown(&arguments));
    arguments.extend(["--format", "markdown"]);
    insta::assert_snapshot!("exact-markdown", shown(&arguments));
}

#[test]
fn bars_of_a_law_are_readable_at_eighty_columns_and_in_markdown() {
    let arguments = ["reproduce", "ring-arc-law", "--quick", "--width", "80"];
    let text = shown(&arguments);
    for line in text.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
    let heads = text
        .lines()
        .filter(|line| line.contains("law and measurement"));
    assert_eq!(heads.count(), 3);
    let markdown = shown(&[
        "reproduce",
        "ring-arc-law",
        "--quick",
        "--format",
        "markdown",
    ]);
    let bars = markdown
        .lines()
        .filter(|line| line.ends_with("█ |") || line.ends_with("┃ |"));
    let bars: Vec<&str> = bars.filter_map(|line| line.rsplit(" | ").next()).collect();
    assert!(bars.len() >= 40, "{bars:?}");
    // Several blanks would become one.
    assert!(bars.iter().all(|bar| !bar.contains("  ")));
}

#[test]
fn every_form_names_what_was_run_and_no_other() {
    let of = |format| {
        let mut arguments = vec!["reproduce", "--format", format];
        arguments.extend(EXACT);
        call(&arguments, "").1
    };
    let report: Report = serde_json::from_str(&of("json")).unwrap();
    let names: BTreeSet<&str> = report.reproductions.iter().map(|one| &*one.name).collect();
    assert_eq!(names, BTreeSet::from(EXACT));
    let rows: usize = report.reproductions.iter().map(|one| one.rows.len()).sum();
    let csv = of("csv");
    assert!(csv.starts_with("name,verdict,expected,figure,"));
    assert_eq!(csv.lines().count(), rows + 1);
    for name in EXACT {
        assert!(of("table").contains(name) && of("markdown").contains(name) && csv.contains(name));
    }
}

#[test]
fn the_list_names_everything_in_every_form_and_names_are_unique() {
    let names: BTreeSet<&str> = reproduce::all().map(|one| one.name).collect();
    assert_eq!(names.len(), reproduce::all().count());
    for format in ["table", "markdown", "csv", "json"] {
        let (code, stdout, _) = call(&["reproduce", "--list", "--format", format], "");
        assert_eq!(code, 0);
        for name in &names {
            assert!(stdout.contains(name), "{format}: {name}");
        }
    }
    let (_, stdout, _) = call(&["reproduce", "--list", "--width", "80"], "");
    for line in stdout.lines() {
        assert!(line.chars().count() <= 80, "{line}");
    }
}

#[test]
fn what_cannot_be_meant_is_a_usage_error_that_names_the_nearest() {
    for (arguments, words) in [
        (vec!["reproduce"], "NAMES"),
        (vec!["reproduce", "--all", "--list"], "cannot be used with"),
        (
            vec!["reproduce", "--all", "modulo-moved"],
            "cannot be used with",
        ),
        (vec!["reproduce", "modulo-move"], "modulo-moved"),
        (
            vec!["reproduce", "maglev-example", "magelv-entries"],
            "maglev-entries",
        ),
    ] {
        let (code, stdout, stderr) = call(&arguments, "");
        assert_eq!((code, &*stdout), (2, ""), "{arguments:?}: {stderr}");
        assert!(stderr.contains(words), "{arguments:?}: {stderr}");
    }
}

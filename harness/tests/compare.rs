//! Comparing and merging records: the algebra of verdicts, and the commands with their exit codes.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::PathBuf;

use harness::compare::{Comparison, Row, Rules, Verdict, compare};
use harness::merge::{MergeError, merge};
use harness::record::{Kind, Metric, Record, Status};
use snapbox::cmd::{Command, cargo_bin};

fn record() -> Record {
    serde_json::from_str(include_str!("data/record.json")).unwrap()
}

/// A record whose cell of `algorithm` is changed.
fn changed(algorithm: &str, change: impl Fn(&mut harness::record::Cell)) -> Record {
    let mut record = record();
    record
        .cells
        .iter_mut()
        .filter(|cell| cell.algorithm == algorithm)
        .for_each(change);
    record
}

/// A record in which every time of `algorithm` named `metric` is `factor` times as long.
fn slower(algorithm: &str, metric: &str, factor: f64) -> Record {
    changed(algorithm, |cell| {
        if let Some(time) = cell.metrics.get_mut(metric) {
            let samples: Vec<f64> = time.samples.iter().flatten().map(|s| s * factor).collect();
            *time = Metric::median(&samples);
        }
    })
}

fn rows(comparison: &Comparison, verdict: Verdict) -> Vec<&Row> {
    comparison
        .rows
        .iter()
        .filter(|row| row.verdict == verdict)
        .collect()
}

#[test]
fn a_record_compared_with_itself_has_no_change() {
    let record = record();
    let comparison = compare(&record, &record, &Rules::default());
    assert!(comparison.pairs > 100);
    let quiet = [
        Verdict::Unchanged,
        Verdict::WithinNoise,
        Verdict::Inconclusive,
    ];
    assert!(
        comparison
            .rows
            .iter()
            .all(|row| quiet.contains(&row.verdict))
    );
    let exact = Rules {
        only: Some(Kind::Exact),
        ..Rules::default()
    };
    let comparison = compare(&record, &record, &exact);
    assert_eq!(comparison.count(Verdict::Unchanged), comparison.rows.len());
}

#[test]
fn swapping_the_sides_mirrors_every_verdict() {
    let mut other = slower("jump", "lookup_ns", 1.3);
    other
        .cells
        .iter_mut()
        .filter(|cell| cell.algorithm == "maglev")
        .for_each(|cell| {
            cell.metrics.insert("heap_bytes".into(), Metric::of(1.0));
            cell.metrics
                .insert("shares_min_mean".into(), Metric::of(0.1));
            cell.metrics.insert("entries".into(), Metric::of(1.0));
            cell.verified.as_mut().unwrap().checksum = "0".into();
        });
    other
        .cells
        .retain(|cell| !(cell.algorithm == "mod-n" && cell.nodes == 10));
    other
        .cells
        .iter_mut()
        .filter(|cell| cell.algorithm == "ring-vec")
        .for_each(|cell| {
            cell.status = Status::Failed;
        });
    let (there, back) = (
        compare(&record(), &other, &Rules::default()),
        compare(&other, &record(), &Rules::default()),
    );
    let mirrored = |verdict| match verdict {
        Verdict::Regressed => Verdict::Improved,
        Verdict::Improved => Verdict::Regressed,
        Verdict::New => Verdict::Missing,
        Verdict::Missing => Verdict::New,
        same => same,
    };
    assert_eq!(there.rows.len(), back.rows.len());
    for (a, b) in there.rows.iter().zip(&back.rows) {
        assert_eq!((&a.id, &a.metric), (&b.id, &b.metric));
        assert_eq!(mirrored(a.verdict), b.verdict, "{} {}", a.id, a.metric);
        assert_eq!((a.old, a.new), (b.new, b.old));
        if let (Some(x), Some(y)) = (a.factor, b.factor) {
            assert!((x * y - 1.0).abs() < 1e-9, "{} {}: {x} {y}", a.id, a.metric);
        }
    }
    for verdict in [
        Verdict::Regressed,
        Verdict::Improved,
        Verdict::Changed,
        Verdict::Missing,
    ] {
        assert!(there.count(verdict) > 0, "{verdict:?} occurs");
    }
}

#[test]
fn a_slowdown_beyond_the_threshold_is_found_where_it_is_and_nowhere_else() {
    let comparison = compare(
        &record(),
        &slower("maglev", "lookup_ns", 1.5),
        &Rules::default(),
    );
    let blamed = rows(&comparison, Verdict::Regressed);
    assert!(!blamed.is_empty());
    for row in blamed {
        assert_eq!((&*row.algorithm, &*row.metric), ("maglev", "lookup_ns"));
        assert!((row.factor.unwrap() - 1.5).abs() < 0.1);
    }
    let tolerant = Rules {
        thresholds: [("lookup_ns".to_owned(), 1.0)].into(),
        ..Rules::default()
    };
    let comparison = compare(&record(), &slower("maglev", "lookup_ns", 1.5), &tolerant);
    assert_eq!(comparison.count(Verdict::Regressed), 0);
}

#[test]
fn times_of_another_machine_or_settings_are_not_comparable_and_exact_figures_are() {
    let mut elsewhere = slower("jump", "lookup_ns", 3.0);
    elsewhere.machine.id = "another".into();
    let mut unknown = slower("jump", "lookup_ns", 3.0);
    unknown.machine.cpu = None;
    let mut merged = slower("jump", "lookup_ns", 3.0);
    merged.settings.runs = 8;
    let mut among_others = slower("jump", "lookup_ns", 3.0);
    among_others.settings.nodes.push(5000);
    for other in [elsewhere, unknown, merged, among_others] {
        let comparison = compare(&record(), &other, &Rules::default());
        assert!(comparison.times_incomparable.is_some());
        assert_eq!(comparison.count(Verdict::Regressed), 0);
        assert!(comparison.count(Verdict::NotComparable) > 0);
        assert!(comparison.count(Verdict::Unchanged) > 0);
    }
    let mut moved = record();
    moved.machine.id = "another".into();
    moved.cells[0].metrics.get_mut("heap_bytes").unwrap().value = Some(1e9);
    let comparison = compare(&record(), &moved, &Rules::default());
    assert_eq!(
        rows(&comparison, Verdict::Regressed)[0].metric,
        "heap_bytes"
    );
}

#[test]
fn counts_of_instructions_compare_only_under_one_compiler_and_target() {
    let counted = |count: f64, rustc: &str| {
        let mut record = changed("jump", |cell| {
            cell.metrics
                .insert("instructions_lookup".into(), Metric::of(count));
        });
        let unit = record.units["heap_bytes"].clone();
        record.units.insert("instructions_lookup".into(), unit);
        record.machine.rustc = rustc.into();
        record
    };
    let verdicts = |old: &Record, new: &Record| -> Vec<Verdict> {
        let rules = Rules {
            only: Some(Kind::Exact),
            ..Rules::default()
        };
        let comparison = compare(old, new, &rules);
        let counts = comparison
            .rows
            .iter()
            .filter(|row| row.metric == "instructions_lookup");
        counts.map(|row| row.verdict).collect()
    };
    let old = counted(100.0, "rustc 1");
    assert!(
        verdicts(&old, &counted(101.0, "rustc 1"))
            .iter()
            .all(|v| *v == Verdict::Regressed)
    );
    assert!(
        verdicts(&old, &counted(101.0, "rustc 2"))
            .iter()
            .all(|v| *v == Verdict::NotComparable)
    );
    assert!(!verdicts(&old, &old).is_empty());
}

#[test]
fn a_zero_baseline_gives_no_factor_and_still_a_verdict() {
    let worse = changed("jump", |cell| {
        cell.metrics
            .insert("unneeded_add_1".into(), Metric::of(0.25));
    });
    let comparison = compare(&record(), &worse, &Rules::default());
    let row = rows(&comparison, Verdict::Regressed)[0];
    assert_eq!(
        (row.old, row.new, row.factor),
        (Some(0.0), Some(0.25), None)
    );
}

#[test]
fn merged_runs_keep_one_figure_per_run_and_expose_what_differs() {
    let runs = [
        record(),
        slower("jump", "lookup_ns", 1.2),
        slower("jump", "lookup_ns", 1.1),
    ];
    let merged = merge(&named(&runs)).unwrap();
    assert_eq!(merged.settings.runs, 3);
    let of = |record: &Record, metric: &str| {
        let cell = record
            .cells
            .iter()
            .find(|cell| cell.algorithm == "jump")
            .unwrap();
        cell.metrics[metric].clone()
    };
    let medians: Vec<f64> = runs
        .iter()
        .map(|run| of(run, "lookup_ns").value.unwrap())
        .collect();
    assert_eq!(of(&merged, "lookup_ns").samples.unwrap(), medians);
    assert_eq!(of(&merged, "heap_bytes"), of(&runs[0], "heap_bytes"));
    assert!(merged.all_hold());

    let differs = changed("jump", |cell| {
        cell.metrics.insert("heap_bytes".into(), Metric::of(7.0));
    });
    let merged = merge(&named(&[record(), differs])).unwrap();
    let failed: Vec<_> = merged
        .cells
        .iter()
        .filter(|cell| cell.status == Status::Failed)
        .collect();
    assert!(!failed.is_empty());
    assert!(
        failed
            .iter()
            .all(|cell| cell.reason.as_ref().unwrap().contains("heap_bytes"))
    );

    let refused = |records: &[Record]| merge(&named(records)).unwrap_err().to_string();
    let mut other = record();
    other.settings.seed = 1;
    other.settings.points = 7;
    assert!(
        refused(&[record(), other])
            .starts_with("run 2 differs from run 1 in its settings (points, seed)")
    );
    let mut shuffled = slower("jump", "lookup_ns", 2.0);
    shuffled.cells.swap(0, 1);
    assert!(refused(&[record(), shuffled]).contains("in its cells"));
    assert!(refused(&[record(), record()]).contains("run 2 is the same run as run 1"));
    assert_eq!(merge(&[]).unwrap_err(), MergeError::Nothing);
}

fn named(records: &[Record]) -> Vec<(String, Record)> {
    let numbered = records.iter().enumerate();
    numbered
        .map(|(index, record)| (format!("run {}", index + 1), record.clone()))
        .collect()
}

/// Runs `harness compare` on two records with further arguments.
fn command(old: &Record, new: &Record, arguments: &[&str]) -> (i32, String, String) {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, record: &Record| -> PathBuf {
        let path = folder.path().join(name);
        fs::write(&path, record.to_json().unwrap()).unwrap();
        path
    };
    let paths = [write("old.json", old), write("new.json", new)];
    let command = Command::new(cargo_bin!("harness"))
        .arg("compare")
        .args(paths);
    let output = command.args(arguments).output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

#[test]
fn the_report_is_written_before_the_exit_code_tells() {
    let slow = slower("maglev", "lookup_ns", 1.5);
    for format in ["table", "markdown", "csv", "json"] {
        let (code, stdout, stderr) = command(&record(), &slow, &["--format", format]);
        assert_eq!((code, &*stderr), (3, ""), "{format}");
        assert!(
            stdout.contains("lookup_ns") && stdout.to_lowercase().contains("regressed"),
            "{format}"
        );
    }
    let (code, stdout, _) = command(&slow, &record(), &[]);
    assert_eq!(code, 0);
    assert!(stdout.contains("Improved"));
}

#[test]
fn what_is_missing_or_changed_fails_only_where_that_is_asked_for() {
    let mut fewer = record();
    fewer.cells.remove(0);
    assert_eq!(command(&record(), &fewer, &[]).0, 0);
    assert_eq!(command(&record(), &fewer, &["--fail-on-missing"]).0, 3);
    let better = changed("jump", |cell| {
        cell.metrics.insert("heap_bytes".into(), Metric::of(1.0));
    });
    assert_eq!(command(&record(), &better, &[]).0, 0);
    assert_eq!(command(&record(), &better, &["--fail-on-change"]).0, 3);
    let remapped = changed("jump", |cell| {
        cell.verified.as_mut().unwrap().checksum = "0".into()
    });
    let (code, stdout, _) = command(&record(), &remapped, &[]);
    assert_eq!(code, 3);
    assert!(stdout.contains("the mapping changed and its version is still 1"));
}

#[test]
fn nothing_to_compare_and_bad_thresholds_are_errors() {
    let mut none = record();
    none.cells.clear();
    let (code, _, stderr) = command(&record(), &none, &[]);
    assert_eq!(code, 1);
    assert!(stderr.contains("no figure in common"), "{stderr}");
    for (threshold, words) in [
        ("lookup=5%", "no metric lookup"),
        ("heap_bytes=5%", "compared exactly"),
        ("0%", "above 0"),
        ("lookup_ns=x", "above 0"),
    ] {
        let (code, _, stderr) = command(&record(), &record(), &["--threshold", threshold]);
        assert_eq!(code, 2, "{threshold}");
        assert!(stderr.contains(words), "{stderr}");
    }
    let lenient = ["--threshold", "60%", "--threshold", "latency_ns=10%"];
    assert_eq!(
        command(&record(), &slower("maglev", "lookup_ns", 1.5), &lenient).0,
        0
    );
}

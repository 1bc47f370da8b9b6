//! The right size: laws of the search, what measurements confirm, and the command.

#![allow(clippy::unwrap_used)]

mod common;

use std::time::Duration;

use algorithms::algorithm::Spread;
use algorithms::{Algorithm, Settings, registry};
use common::{call, read};
use harness::progress::Progress;
use harness::run::{Plan, Scope};
use harness::size::{Ask, Bound, Row, Sizes, Status, Target, find, smallest};
use harness::stats::evenness;
use harness::workload::Random;

const BOUNDS: [Bound; 2] = [Bound::Mean, Bound::Sure(0.95)];

fn named(name: &str) -> &'static Algorithm {
    registry::find(name).unwrap()
}

fn found<'a>(algorithms: &[&'a Algorithm], nodes: &[u32], target: Target) -> Vec<Row> {
    let ask: Ask<'a> = Ask {
        target,
        confidence: 0.95,
        plan: Plan {
            algorithms: algorithms.to_vec(),
            nodes: nodes.to_vec(),
            settings: Settings::default(),
            seed: 42,
            quick: true,
            rounds: 3,
            round: Duration::from_micros(50),
            scope: Scope::Times,
            plant: None,
        },
        fewer_rounds: true,
    };
    find(&ask, &Progress::hidden())
}

#[test]
fn by_theory_the_setting_meets_the_target_and_one_point_fewer_does_not() {
    let targets = [
        Target::MaxOverMean(1.05),
        Target::MaxOverMean(1.5),
        Target::Cv(0.05),
        Target::Cv(0.3),
    ];
    for nodes in [2, 3, 10, 100, 1000] {
        for (target, bound) in targets.iter().flat_map(|&t| BOUNDS.map(|bound| (t, bound))) {
            let points = smallest(named("ring-vec"), target, bound, nodes, 1.0);
            let points = points.unwrap().unwrap();
            let figure = |points| target.on_ring(bound, nodes, points).unwrap();
            let what = format!("N={nodes} {target:?} {bound:?}: {points}");
            assert!(figure(points) <= target.at_most(), "{what}");
            assert!(
                points == 1 || figure(points - 1) > target.at_most(),
                "{what}"
            );
        }
    }
}

#[test]
fn points_for_a_cv_are_those_of_the_closed_form() {
    for nodes in [2u32, 10, 100, 1000] {
        for cv in [0.02, 0.05, 0.1, 0.5] {
            let n = f64::from(nodes);
            let closed = (((n - 1.0) / (cv * cv) - 1.0) / n).ceil().max(1.0) as u32;
            let found = smallest(named("ring-vec"), Target::Cv(cv), Bound::Mean, nodes, 1.0);
            assert_eq!(found, Ok(Some(closed)), "N={nodes} CV={cv}");
        }
    }
}

#[test]
fn more_confidence_takes_more_points() {
    for target in [Target::MaxOverMean(1.1), Target::Cv(0.1)] {
        let points = [
            Bound::Mean,
            Bound::Sure(0.9),
            Bound::Sure(0.95),
            Bound::Sure(0.99),
        ]
        .map(|bound| smallest(named("ring-vec"), target, bound, 50, 1.0).unwrap());
        assert!(points.is_sorted() && points[0] < points[3], "{points:?}");
    }
}

fn is_prime(n: u32) -> bool {
    n > 1 && (2..n).all(|d| !n.is_multiple_of(d))
}

/// Figures of a table, counted slot by slot.
fn counted(target: Target, nodes: u32, slots: u32) -> f64 {
    let mut owned = vec![0.0; nodes as usize];
    (0..slots).for_each(|slot| owned[(slot % nodes) as usize] += 1.0);
    target.of(&evenness(owned.into_iter()).unwrap())
}

#[test]
fn tables_are_the_smallest_that_counting_slots_finds() {
    let targets = [
        Target::MaxOverMean(1.05),
        Target::MaxOverMean(1.3),
        Target::MaxOverMean(3.0),
        Target::Cv(0.05),
        Target::Cv(0.2),
    ];
    for nodes in 2..25 {
        for target in targets {
            let table = |bound| {
                let found = smallest(named("maglev"), target, bound, nodes, 1.0);
                found.unwrap().unwrap()
            };
            let what = format!("N={nodes} {target:?}");
            let meets = |nodes, slots| counted(target, nodes, slots) <= target.at_most() + 1e-12;
            let first = (nodes..).find(|&slots| is_prime(slots) && meets(nodes, slots));
            assert_eq!(Some(table(Bound::Mean)), first, "{what}");
            let lasting = table(Bound::Sure(0.95));
            assert!(is_prime(lasting) && lasting > nodes, "{what}");
            for slots in (lasting..lasting + 200).filter(|&slots| is_prime(slots)) {
                for fewer in 2..=nodes + 1 {
                    assert!(meets(fewer, slots), "{what}: {slots} slots, {fewer} nodes");
                }
            }
        }
    }
}

#[test]
fn what_theory_finds_is_confirmed_by_rings_of_other_names() {
    for (target, nodes) in [
        (Target::MaxOverMean(1.2), [3, 20, 100]),
        (Target::MaxOverMean(2.0), [3, 20, 100]),
        (Target::Cv(0.1), [3, 20, 100]),
    ] {
        for row in found(&[named("ring-vec")], &nodes, target) {
            let what = format!("{target:?} {row:?}");
            assert_eq!(row.status, Status::Ok, "{what}");
            let (mean, safe) = (row.mean.unwrap(), row.safe.unwrap());
            assert!(mean.setting < safe.setting, "{what}");
            let measured = mean.measured.value.unwrap();
            let (off, allowed) = (
                measured - target.at_most(),
                target.at_most() - target.floor(),
            );
            assert!(off.abs() < 0.2 * allowed, "{what}");
            let met = f64::from(safe.met) / f64::from(safe.sets);
            assert!(safe.sets >= 40 && met > 0.85, "{what}");
        }
    }
}

#[test]
fn of_two_nodes_the_exact_law_is_found_and_confirmed() {
    let target = Target::MaxOverMean(1.1);
    let rows = found(&[named("ring-vec")], &[2], target);
    let mean = rows[0].mean.as_ref().unwrap();
    // Of two nodes: the mean of |X|·√(2/π), X being normal with the CV of the shares.
    let exact = (2.0 / std::f64::consts::PI / 0.01 - 1.0) / 2.0;
    assert_eq!(rows[0].status, Status::Ok, "{rows:?}");
    assert_eq!(mean.setting, mean.by_theory, "{mean:?}");
    assert!(
        (f64::from(mean.setting) / exact - 1.0).abs() < 0.05,
        "{mean:?}"
    );
    assert!(mean.measured.low.unwrap() < 1.1 && mean.measured.high.unwrap() > 1.1);
}

#[test]
fn a_ring_that_is_less_even_than_it_says_contradicts_theory() {
    let honest = *named("ring-vec");
    let boasting = Algorithm {
        empty: |settings| {
            let points = settings.points.div_ceil(4);
            (named("ring-vec").empty)(&Settings {
                points,
                ..*settings
            })
        },
        ..honest
    };
    for target in [Target::Cv(0.1), Target::MaxOverMean(1.2)] {
        let rows = found(&[&boasting], &[20], target);
        assert_eq!(rows[0].status, Status::Contradicted, "{rows:?}");
        let mean = rows[0].mean.as_ref().unwrap();
        let times = f64::from(mean.setting) / f64::from(mean.by_theory);
        assert!((3.5..4.5).contains(&times), "{mean:?}");
    }
}

#[test]
fn a_target_that_cannot_be_reached_is_a_row_that_says_why() {
    let all: Vec<&Algorithm> = registry::ALL.iter().collect();
    let rows = found(&all, &[100], Target::MaxOverMean(1.000_001));
    assert_eq!(rows.len(), all.len());
    for (row, algorithm) in rows.iter().zip(all) {
        let reason = row.reason.as_deref().unwrap_or_default();
        let (status, words) = match algorithm.traits.spread {
            Spread::Even => (Status::Ok, ""),
            Spread::Slots(_) => (Status::Cannot, "at most 67108859 slots"),
            Spread::Points(None) => (Status::Cannot, "holds 67108864 points"),
            Spread::Points(Some(_)) => (Status::Cannot, "fixed at 1 a node"),
        };
        assert_eq!(row.status, status, "{row:?}");
        assert!(reason.contains(words), "{row:?}");
        assert!(row.metrics.is_empty() && row.safe.is_none());
    }
}

#[test]
fn a_ring_too_large_to_be_built_has_its_number_from_theory_alone() {
    let rows = found(&[named("ring-vec")], &[1000], Target::MaxOverMean(1.025));
    assert_eq!(rows[0].status, Status::Unmeasured);
    let safe = rows[0].safe.as_ref().unwrap();
    assert!(safe.setting > 16_777 && safe.sets == 0 && safe.measured.value.is_none());
}

#[test]
fn one_point_a_node_is_enough_for_a_target_above_its_harmonic_number() {
    let target = |at_most| found(&[named("ring-1")], &[10], Target::MaxOverMean(at_most));
    // H(10) = 2.929 in the mean; 95 % of rings are below 4.9.
    assert_eq!(target(2.9)[0].status, Status::Cannot);
    let between = target(3.5);
    assert_eq!(between[0].status, Status::Cannot);
    assert_eq!(between[0].mean.as_ref().unwrap().setting, 1);
    assert_eq!(target(6.0)[0].status, Status::Ok);
}

#[test]
fn with_the_keys_needed_their_counts_meet_the_target() {
    const RUNS: u32 = 300;
    for (name, target, nodes) in [
        ("jump", Target::MaxOverMean(1.2), 10),
        ("jump", Target::Cv(0.1), 10),
        ("maglev", Target::Cv(0.1), 10),
    ] {
        let algorithm = named(name);
        let row = found(&[algorithm], &[nodes], target).remove(0);
        let table = row.safe.map_or(7, |safe| safe.setting);
        let settings = Settings {
            table,
            ..Settings::default()
        };
        let placement = algorithm
            .build(&settings, harness::measure::nodes(1, nodes))
            .unwrap();
        let mut random = Random::new(1, 77);
        let (mut sum, mut squares) = (0.0, 0.0);
        for _ in 0..RUNS {
            let mut counts = vec![0.0; nodes as usize];
            for _ in 0..row.keys_mean.unwrap() {
                counts[placement.place(random.bits()).unwrap().index()] += 1.0;
            }
            let figure = target.of(&evenness(counts.into_iter()).unwrap());
            sum += figure / f64::from(RUNS);
            squares += figure * figure / f64::from(RUNS);
        }
        let seen = match target {
            Target::MaxOverMean(_) => sum,
            Target::Cv(_) => squares.sqrt(),
        };
        let (off, allowed) = (seen - target.at_most(), target.at_most() - target.floor());
        assert!(off.abs() < 0.1 * allowed, "{name} {target:?}: {seen}");
    }
}

const QUICK: [&str; 9] = [
    "size",
    "--quick",
    "--nodes",
    "3,10",
    "--max-over-mean",
    "1.2",
    "--keys",
    "2000",
    "--rounds=3",
];

fn quick(more: &[&str]) -> String {
    let arguments: Vec<&str> = QUICK.iter().chain(more).copied().collect();
    let (code, stdout, stderr) = call(&arguments, "");
    assert_eq!((code, &*stderr), (0, ""));
    stdout
}

#[test]
fn the_exact_figures_of_a_small_answer() {
    let text = quick(&["--format", "csv"]);
    let mut lines = csv::Reader::from_reader(text.as_bytes());
    let heads = lines.headers().unwrap().clone();
    let timed =
        |head: &str| head.ends_with("_ns") || head == "tool_commit" || head.contains("bytes");
    let kept: Vec<usize> = (0..heads.len()).filter(|&at| !timed(&heads[at])).collect();
    let line = |line: &csv::StringRecord| {
        let cells = kept.iter().map(|&at| match line[at].parse::<f64>() {
            Ok(number) => format!("{}", (number * 1e6).round() / 1e6),
            Err(_) => line[at].to_owned(),
        });
        cells.collect::<Vec<String>>().join(",")
    };
    let rows = lines.records().map(|record| line(&record.unwrap()));
    let table: Vec<String> = [line(&heads)].into_iter().chain(rows).collect();
    insta::assert_snapshot!("size-csv", table.join("\n"));
}

#[test]
fn json_is_the_whole_answer_and_every_algorithm_has_its_costs_or_a_reason() {
    let text = quick(&["--format", "json"]);
    let sizes: Sizes = read(&text);
    assert_eq!(sizes.rows.len(), 2 * registry::ALL.len());
    for row in &sizes.rows {
        let timed = [
            "lookup_ns",
            "latency_ns",
            "build_ns",
            "add_ns",
            "moved_add_1",
        ];
        let all = timed.iter().all(|name| {
            row.metrics
                .get(*name)
                .is_some_and(|metric| metric.value.is_some())
        });
        match row.status {
            Status::Ok => assert!(all && row.verified.is_some() && row.rounds == 3),
            _ => assert!(row.reason.is_some(), "{row:?}"),
        }
        assert!(
            row.metrics
                .keys()
                .all(|name| sizes.units.contains_key(name))
        );
    }
}

#[test]
fn tables_keep_to_the_width_and_markdown_has_every_table() {
    for width in ["80", "120"] {
        let text = quick(&["--width", width]);
        let limit: usize = width.parse().unwrap();
        assert!(
            text.lines().all(|line| line.chars().count() <= limit),
            "{text}"
        );
    }
    let text = quick(&["--format", "markdown"]);
    for title in [
        "Smallest settings for max/mean ≤ 1.2",
        "Key space and keys",
        "What that costs",
    ] {
        assert!(text.contains(&format!("### {title}")), "{text}");
    }
    assert!(text.contains("N = 3, ring-1, cannot: its points are fixed at 1 a node"));
}

#[test]
fn a_request_that_makes_no_sense_is_refused_with_a_word_on_what_does() {
    for (arguments, words) in [
        (vec![], "--max-over-mean <X>|--cv <Y>"),
        (
            vec!["--cv", "5%", "--max-over-mean", "1.1"],
            "cannot be used with",
        ),
        (vec!["--max-over-mean", "1"], "a number above 1"),
        (vec!["--max-over-mean", "inf"], "a number above 1"),
        (vec!["--max-over-mean", "five"], "a number above 1"),
        (vec!["--cv", "0"], "a number between 0 and 1"),
        (vec!["--cv=-5%"], "a number between 0 and 1"),
        (vec!["--cv", "NaN"], "a number between 0 and 1"),
        (
            vec!["--cv", "5%", "--confidence", "100%"],
            "from 0.5 to 0.999",
        ),
        (vec!["--cv", "5%", "--nodes", "1"], "2 or more"),
        (vec!["--cv", "5%", "--nodes", "10,10"], "names 10 twice"),
        (vec!["--cv", "5%", "--algorithms", "magelv"], "'maglev'"),
        (
            vec!["--cv", "5%", "--points", "7"],
            "unexpected argument '--points'",
        ),
    ] {
        let arguments: Vec<&str> = ["size"].into_iter().chain(arguments).collect();
        let (code, stdout, stderr) = call(&arguments, "");
        assert_eq!((code, &*stdout), (2, ""), "{arguments:?}: {stderr}");
        assert!(stderr.contains(words), "{arguments:?}: {stderr}");
    }
}

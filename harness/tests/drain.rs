//! Drains and weights: laws of what is measured, the exact figures, and the commands.

#![allow(clippy::unwrap_used)]

mod common;

use algorithms::algorithm::{Moves, Removal, Weights};
use algorithms::{Algorithm, registry};
use common::{call, read};
use harness::record::Metric;
use harness::theory::ring;
use harness::weights::{DrainStatus, Drained, Weighed};
use harness::workload::Random;

fn json<T: serde::Serialize + serde::de::DeserializeOwned>(arguments: &[&str], input: &str) -> T {
    let fixed = ["--quick", "--format", "json"];
    let arguments: Vec<&str> = arguments.iter().chain(&fixed).copied().collect();
    let (code, stdout, stderr) = call(&arguments, input);
    assert_eq!(code, 0, "{stderr}");
    read(&stdout)
}

fn drained(arguments: &[&str]) -> Drained {
    let fixed = ["drain", "--keys", "20000"];
    json(&[&fixed, arguments].concat(), "")
}

fn algorithm(name: &str) -> &'static Algorithm {
    registry::find(name).unwrap()
}

fn value(metric: &Metric) -> f64 {
    metric.value.unwrap()
}

#[test]
fn in_steps_moves_what_the_removal_at_once_moves_where_keys_move_least() {
    for row in drained(&["--nodes", "2,10", "--node", "newest"]).rows {
        let traits = algorithm(&row.algorithm).traits;
        let once = row.at_once.as_ref().unwrap();
        if traits.weights == Weights::None {
            assert_eq!(row.status, DrainStatus::Unweighted);
            assert!(row.steps.is_empty() && row.reason.is_some());
            continue;
        }
        assert_eq!(row.status, DrainStatus::Ok);
        let total = value(row.total.as_ref().unwrap());
        let keys: f64 = row
            .steps
            .iter()
            .map(|step| value(&step.moves.counted["keys"]))
            .sum();
        match traits.moves {
            Moves::Least => {
                assert!((total - value(&once.moved)).abs() < 1e-9, "{row:?}");
                assert!(
                    (keys - value(&once.counted["keys"])).abs() < 1e-9,
                    "{row:?}"
                );
                let unneeded = row.steps.iter().map(|step| value(&step.moves.unneeded));
                assert_eq!(unneeded.sum::<f64>(), 0.0);
            }
            _ => assert!(total >= value(&once.moved) - 1e-12, "{row:?}"),
        }
        // A node without weight has no keys that its removal could move.
        let last = row.steps.last().unwrap();
        assert_eq!((last.to, value(&last.moves.moved)), (None, 0.0));
    }
}

#[test]
fn no_step_moves_less_than_the_least_possible_and_every_law_holds() {
    for row in drained(&["--nodes", "5,50", "--steps", "80,30,10"]).rows {
        let moves = row.steps.iter().map(|step| &step.moves);
        for one in moves.chain(&row.at_once) {
            let sampled = one.moved.low.is_some();
            assert!(
                sampled || value(&one.moved) >= value(&one.least) - 1e-12,
                "{row:?}"
            );
            assert!(one.moved.agrees != Some(false), "{row:?}");
            assert!(one.unneeded.agrees != Some(false), "{row:?}");
        }
        if row.status == DrainStatus::Ok {
            let to: Vec<Option<f64>> = row.steps.iter().map(|step| step.to).collect();
            assert_eq!(to, [Some(80.0), Some(30.0), Some(10.0), None]);
        }
    }
}

#[test]
fn what_cannot_let_the_node_go_says_so() {
    for row in drained(&["--nodes", "10", "--node", "node-42-3"]).rows {
        assert_eq!(row.node, "node-42-3");
        let refused = algorithm(&row.algorithm).traits.removal == Removal::Newest;
        assert_eq!(row.status == DrainStatus::Refused, refused, "{row:?}");
        assert_eq!(row.at_once.is_none(), refused, "{row:?}");
    }
    let steps = [
        "--nodes",
        "10",
        "--steps",
        "0.1",
        "--algorithms",
        "ring-vec",
    ];
    let row = &drained(&steps).rows[0];
    assert_eq!(row.status, DrainStatus::Refused);
    assert!(row.reason.as_ref().unwrap().contains("half a point"));
    assert!(row.at_once.is_some());
}

#[test]
fn requests_and_bytes_of_real_keys_are_moved_too() {
    let line = |key: u32| format!("key-{key}\t{}\t{}\n", key % 7, 100 * key);
    let keys: String = (0..3000).map(line).collect();
    let arguments = [
        "drain",
        "--keys-file",
        "-",
        "--keys-columns",
        "key,count,size",
        "--nodes",
        "4",
        "--algorithms",
        "weighted-rendezvous,maglev",
    ];
    let drained: Drained = json(&arguments, &keys);
    for row in &drained.rows {
        let counted = &row.at_once.as_ref().unwrap().counted;
        let names: Vec<&str> = counted.keys().map(|name| &**name).collect();
        assert_eq!(names, ["bytes", "keys", "requests"]);
        assert!(
            counted
                .values()
                .all(|metric| (0.15..0.35).contains(&value(metric)))
        );
    }
}

#[test]
fn shares_follow_weights_and_only_the_node_that_changes_gives_or_takes() {
    let arguments = [
        "weights",
        "--weights",
        "1,2,3,0.5,0",
        "--nodes",
        "5,20",
        "--keys",
        "20000",
    ];
    let weighed: Weighed = json(&arguments, "");
    for row in &weighed.rows {
        let traits = algorithm(&row.algorithm).traits;
        assert_eq!(row.classes.is_empty(), traits.weights == Weights::None);
        if row.classes.is_empty() {
            continue;
        }
        let weights: Vec<f64> = row.classes.iter().map(|class| class.weight).collect();
        assert_eq!(weights, [3.0, 2.0, 1.0, 0.5, 0.0]);
        let whole: f64 = row.classes.iter().map(|class| value(&class.share)).sum();
        assert!((whole - 1.0).abs() < 1e-9);
        for class in &row.classes {
            assert_eq!(class.share.agrees, Some(true), "{row:?}");
            assert!(class.keys.agrees != Some(false), "{row:?}");
            if class.weight == 0.0 {
                assert_eq!((value(&class.share), value(&class.keys)), (0.0, 0.0));
                assert!(class.doubled.is_none());
            }
            for moves in [&class.doubled, &class.halved].into_iter().flatten() {
                assert!(moves.moved.agrees != Some(false), "{row:?}");
                if traits.moves == Moves::Least {
                    assert_eq!(value(&moves.unneeded), 0.0);
                }
            }
        }
    }
}

/// The law of what a node gains on a ring with more points, against points drawn at random.
#[test]
fn a_node_gains_with_more_points_what_random_points_give() {
    let mut random = Random::new(5, 33);
    for (own, more, others) in [(3u32, 5u32, 20usize), (0, 4, 10), (10, 2, 30)] {
        let trials = 4000;
        let mut below = 0;
        for _ in 0..trials {
            let mut points: Vec<(u64, u8)> = Vec::new();
            for (count, kind) in [(own as usize, 0), (more as usize, 1), (others, 2)] {
                points.extend((0..count).map(|_| (random.bits(), kind)));
            }
            points.sort_unstable();
            // A key of a new point moved unless the next older point was the node's own.
            let next = |at: usize| {
                let further = (0..points.len()).map(|step| points[(at + step) % points.len()].1);
                further.into_iter().find(|&kind| kind != 1).unwrap()
            };
            let arc = |at: usize| {
                let before = points[(at + points.len() - 1) % points.len()].0;
                points[at].0.wrapping_sub(before) as f64 / 2f64.powi(64)
            };
            let new = (0..points.len()).filter(|&at| points[at].1 == 1 && next(at) == 2);
            let gain: f64 = new.map(arc).sum();
            below += u32::from(ring::gained(own, more, others as u64, gain).distance < 0.0);
        }
        // Half of all gains lie below the median: 4000 trials have a deviation of 32.
        assert!(
            below.abs_diff(trials / 2) < 140,
            "{own} {more} {others}: {below}"
        );
    }
}

#[test]
fn the_figures_of_a_small_run_are_these() {
    for (name, arguments) in [
        (
            "drain-csv",
            vec!["drain", "--nodes", "5", "--node", "newest"],
        ),
        (
            "weights-csv",
            vec!["weights", "--nodes", "4", "--weights", "1,2,3,0.5"],
        ),
    ] {
        let fixed = ["--keys", "5000", "--quick", "--format", "csv"];
        let arguments: Vec<&str> = arguments.into_iter().chain(fixed).collect();
        let (code, stdout, stderr) = call(&arguments, "");
        assert_eq!(code, 0, "{stderr}");
        // Distances hang on the logarithm of the platform, commits on the day.
        let mut lines = csv::Reader::from_reader(stdout.as_bytes());
        let heads = lines.headers().unwrap().clone();
        let kept = |at: &usize| !["distance", "tool_commit"].contains(&&heads[*at]);
        let kept: Vec<usize> = (0..heads.len()).filter(kept).collect();
        let line = |record: &csv::StringRecord| {
            let fields: Vec<&str> = kept.iter().map(|&at| &record[at]).collect();
            fields.join(",")
        };
        let rows = lines.records().map(|record| line(&record.unwrap()));
        let table: Vec<String> = [line(&heads)].into_iter().chain(rows).collect();
        insta::assert_snapshot!(name, table.join("\n"));
    }
}

#[test]
fn tables_keep_to_the_width_and_markdown_has_every_table() {
    for (arguments, titles) in [
        (
            vec!["drain"],
            vec![
                "In steps and at once",
                "Step by step",
                "Who receives the keys",
            ],
        ),
        (
            vec!["weights", "--weights", "1,3"],
            vec!["Shares beside weights", "A weight changes"],
        ),
    ] {
        let fixed = ["--nodes", "6", "--keys", "2000", "--quick"];
        let of = |further: &[&str]| call(&[&arguments, &fixed[..], further].concat(), "").1;
        let text = of(&["--width", "80"]);
        assert!(
            text.lines().all(|line| line.chars().count() <= 80),
            "{text}"
        );
        let text = of(&["--format", "markdown"]);
        for title in titles {
            assert!(text.contains(&format!("### {title}")), "{text}");
        }
    }
}

#[test]
fn receivers_are_named_with_parts_that_add_up() {
    let answer = drained(&["--drain", "node-42-3", "--nodes", "10"]);
    for row in answer.rows {
        assert_eq!(row.node, "node-42-3");
        let moves = row.steps.iter().map(|step| &step.moves).chain(&row.at_once);
        for moves in moves.filter(|moves| value(&moves.moved) > 0.0) {
            let sum: f64 = moves.to.iter().map(|to| to.part).sum();
            assert!((sum - 1.0).abs() < 1e-9, "{}: {sum}", row.algorithm);
            assert_eq!(moves.top.value, Some(moves.to[0].part));
            assert!(moves.to.is_sorted_by(|a, b| a.part >= b.part));
        }
        if let (true, Some(once)) = (row.algorithm != "mod-n", row.at_once) {
            assert!(
                once.to.iter().all(|to| to.node != row.node),
                "{}",
                row.algorithm
            );
        }
    }
}

#[test]
fn a_placement_that_cannot_be_built_is_a_failed_row_and_exit_code_4() {
    let arguments = [
        "weights",
        "--weights",
        "1,0.001",
        "--nodes",
        "4",
        "--keys",
        "500",
    ];
    let (code, stdout, stderr) = call(&arguments, "");
    assert_eq!(code, 4, "{stderr}");
    assert!(stdout.contains("less than half a point"), "{stdout}");
    assert!(stderr.contains("rows failed"), "{stderr}");
}

#[test]
fn a_request_that_makes_no_sense_is_refused_with_a_word_on_what_does() {
    for (arguments, words) in [
        (
            vec!["drain", "--steps", "120,50"],
            "a percentage from 0 to 100",
        ),
        (
            vec!["drain", "--steps", "50,-1"],
            "a percentage from 0 to 100",
        ),
        (
            vec!["drain", "--steps", "NaN"],
            "a percentage from 0 to 100",
        ),
        (
            vec!["drain", "--steps", "50,75"],
            "goes from 50 to 75; a drain only goes down",
        ),
        (vec!["drain", "--steps", "50,50"], "a drain only goes down"),
        (vec!["drain", "--nodes", "1"], "ask for 2 or more"),
        (
            vec!["drain", "--nodes", "10", "--node", "node-42-77"],
            "is none of 10 nodes; the nearest: node-42-7",
        ),
        (vec!["weights"], "--weights <WEIGHTS>"),
        (
            vec!["weights", "--weights", "1,-2"],
            "0 or a number from 1e-100 to 1e100",
        ),
        (
            vec!["weights", "--weights", "1,1e300"],
            "0 or a number from 1e-100 to 1e100",
        ),
        (
            vec!["drain", "--steps", "1e-300,0"],
            "above 0 it is at least 1e-98",
        ),
        (vec!["weights", "--weights", "0,0"], "no node has keys"),
        (
            vec!["weights", "--weights", "1,2,3", "--nodes", "2"],
            "has 3 weights, and there are 2 nodes",
        ),
        (
            vec!["weights", "--weights", "1", "--nodes", "1"],
            "ask for 2 or more",
        ),
    ] {
        let (code, stdout, stderr) = call(&arguments, "");
        assert_eq!((code, &*stdout), (2, ""), "{arguments:?}: {stderr}");
        assert!(stderr.contains(words), "{arguments:?}: {stderr}");
    }
}

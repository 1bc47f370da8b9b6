//! Copies of keys: laws of what is measured, the exact figures, and the command.

#![allow(clippy::unwrap_used)]

mod common;

use algorithms::algorithm::{Moves, Spread, Traits};
use algorithms::registry;
use common::{call, read};
use harness::replicas::{Copies, POINTS, Row, Status};

/// A small run by the program, as JSON.
fn copies(arguments: &[&str]) -> Copies {
    let fixed = ["replicas", "--quick", "--keys", "10000", "--format", "json"];
    let arguments: Vec<&str> = fixed.iter().chain(arguments).copied().collect();
    let (code, stdout, stderr) = call(&arguments, "");
    assert_eq!(code, 0, "{stderr}");
    read(&stdout)
}

fn value(metric: &harness::record::Metric) -> f64 {
    metric.value.unwrap()
}

fn traits(row: &Row) -> Traits {
    registry::find(&row.algorithm).unwrap().traits
}

fn least(row: &Row) -> bool {
    traits(row).moves.is_least()
}

#[test]
fn a_set_changes_where_the_owner_moves_or_behind_an_owner_that_stays() {
    for row in copies(&["--replicas", "3", "--nodes", "4,20"]).rows {
        for change in [&row.join, &row.leave] {
            let (owner, set, hidden) = (
                value(&change.owner),
                value(&change.set),
                value(&change.hidden),
            );
            assert!(set <= owner + hidden + 1e-12, "{row:?}");
            if least(&row) {
                // The node that comes or goes is new to the set, or was in it.
                assert!((set - owner - hidden).abs() < 1e-12, "{row:?}");
            }
            assert!(
                value(&change.made) >= value(&change.least) - 1e-12,
                "{row:?}"
            );
            assert!(value(&change.made) >= set - 1e-12, "{row:?}");
        }
    }
}

#[test]
fn orders_make_as_many_copies_as_they_must_and_rehashed_ones_more() {
    for row in copies(&["--replicas", "3", "--nodes", "10"]).rows {
        for change in [&row.join, &row.leave] {
            let (made, fewest, set) = (
                value(&change.made),
                value(&change.least),
                value(&change.set),
            );
            match &*row.order {
                "ordered" => assert!(made == fewest && made == set, "{row:?}"),
                _ => assert!(made > fewest, "{row:?}"),
            }
        }
    }
}

#[test]
fn every_figure_with_a_law_agrees_with_it() {
    let copies = copies(&["--replicas", "3", "--nodes", "5,30", "--zones", "4"]);
    for row in &copies.rows {
        let zones = row.zones.as_ref().unwrap();
        let names = [&row.join, &row.leave].map(|change| change.over_names.as_ref());
        let mut held = vec![&zones.plain.shared, &zones.across.shared];
        for change in [&row.join, &row.leave] {
            held.extend([&change.owner, &change.set, &change.hidden]);
        }
        held.extend(names.iter().flatten().map(|names| &names.set));
        held.extend(
            row.pairs
                .iter()
                .flat_map(|pairs| [&pairs.sharing, &pairs.mean]),
        );
        assert!(
            held.iter().all(|metric| metric.agrees != Some(false)),
            "{row:?}"
        );
        let ring = row.algorithm.starts_with("ring");
        assert_eq!(names[0].is_some(), ring, "{row:?}");
        let by_key = row.join.set.agrees.is_some();
        // Slots move as whole slots do, and not key by key.
        let alone = match traits(row).spread {
            Spread::Even => !matches!(traits(row).moves, Moves::Approximate { .. }),
            Spread::Slots(_) | Spread::Points(_) => false,
        };
        assert_eq!(by_key, alone, "{row:?}");
    }
}

#[test]
fn one_copy_is_the_owner_alone() {
    for row in copies(&["--replicas", "1", "--nodes", "10", "--zones", "2"]).rows {
        for change in [&row.join, &row.leave] {
            assert_eq!(change.owner.value, change.set.value);
            assert_eq!(change.hidden.value, Some(0.0));
        }
        assert_eq!(row.owners_max_mean, row.copies_max_mean);
        assert_eq!(value(&row.zones.unwrap().plain.shared), 0.0);
        assert!(row.pairs.is_empty());
    }
}

#[test]
fn fewer_nodes_than_copies_are_a_shortage_and_no_error() {
    let copies = copies(&["--replicas", "5", "--nodes", "3,10", "--zones", "3"]);
    for row in &copies.rows {
        let short = row.nodes == 3;
        assert_eq!(row.status == Status::Shortage, short, "{row:?}");
        assert_eq!(row.copies, row.nodes.min(5));
        assert_eq!(row.reason.is_some(), short);
        if short {
            // Each node has every key: a newcomer gets all, and nobody can take over from one that
            // leaves.
            assert_eq!(value(&row.join.made), 1.0);
            assert_eq!(value(&row.leave.made), 0.0);
            assert_eq!(value(&row.leave.set), 1.0);
            assert_eq!(value(&row.copies_max_mean), 1.0);
        }
    }
}

#[test]
fn with_zones_first_no_key_has_two_copies_in_a_zone_unless_there_are_too_few() {
    for (zones, apart) in [("3", true), ("4,3,3", true), ("8,2", false), ("2", false)] {
        let algorithms = "ring-1,rendezvous,jump,maglev";
        let arguments = [
            "--replicas",
            "3",
            "--nodes",
            "10",
            "--zones",
            zones,
            "--algorithms",
            algorithms,
        ];
        for row in copies(&arguments).rows {
            let zoned = row.zones.as_ref().unwrap();
            assert_eq!(zoned.sizes.iter().sum::<u32>(), 10);
            assert_eq!(value(&zoned.across.shared), f64::from(u8::from(!apart)));
            assert!(value(&zoned.plain.shared) > 0.0, "{row:?}");
            let lost = value(&zoned.across.majority);
            assert_eq!(lost == 0.0, apart, "{row:?}");
            assert!(value(&zoned.across.all) == 0.0, "{row:?}");
        }
    }
}

#[test]
fn more_points_let_more_pairs_share_keys_and_the_worst_pair_fewer() {
    let copies = copies(&[
        "--replicas",
        "3",
        "--nodes",
        "50",
        "--algorithms",
        "ring-vec",
    ]);
    let pairs = &copies.rows[0].pairs;
    let points: Vec<u32> = pairs.iter().map(|pairs| pairs.points.unwrap()).collect();
    assert_eq!(points, POINTS);
    assert_eq!(value(&pairs[0].sharing), 100.0);
    for two in pairs.windows(2) {
        assert!(value(&two[1].sharing) >= value(&two[0].sharing), "{two:?}");
        assert!(value(&two[1].worst) < value(&two[0].worst), "{two:?}");
        assert!((value(&two[1].mean) - value(&two[0].mean)).abs() < 1e-9);
    }
}

#[test]
fn the_figures_of_a_small_run_are_these() {
    let arguments = [
        "replicas",
        "--replicas",
        "3",
        "--zones",
        "3,3,2",
        "--nodes",
        "8",
        "--keys",
        "5000",
        "--quick",
        "--format",
        "csv",
    ];
    let (code, stdout, stderr) = call(&arguments, "");
    assert_eq!(code, 0, "{stderr}");
    let without_commit = |line: &str| line.rsplit_once(',').unwrap().0.to_owned();
    let lines: Vec<String> = stdout.lines().map(without_commit).collect();
    insta::assert_snapshot!("replicas-csv", lines.join("\n"));
}

#[test]
fn tables_keep_to_the_width_and_markdown_has_every_table() {
    let arguments = [
        "replicas",
        "--replicas",
        "2",
        "--zones",
        "2",
        "--nodes",
        "6",
        "--keys",
        "2000",
        "--quick",
    ];
    let of = |further: &[&str]| call(&[&arguments, further].concat(), "").1;
    let text = of(&["--width", "80"]);
    assert!(
        text.lines().all(|line| line.chars().count() <= 80),
        "{text}"
    );
    let text = of(&["--format", "markdown"]);
    for title in [
        "One node joins",
        "One node leaves",
        "How nodes share owners and copies",
        "A zone is lost",
        "Two nodes are lost",
    ] {
        assert!(text.contains(&format!("### {title}")), "{text}");
    }
}

#[test]
fn each_part_of_a_table_names_its_rows_and_a_figure_stands_with_its_law() {
    let arguments = "replicas --replicas 2 --zones 2 --nodes 6 --keys 2000 --quick --width 80";
    let arguments: Vec<&str> = arguments.split(' ').collect();
    let (_, text, _) = call(&arguments, "");
    let parts: Vec<&str> = text.split("\n\n").collect();
    let two = parts
        .iter()
        .filter(|part| part.contains("Two nodes are lost"));
    let heads: Vec<&str> = two
        .filter_map(|part| part.lines().find(|line| line.contains("algorithm")))
        .collect();
    assert!(heads.len() > 1, "{text}");
    assert!(
        heads.iter().all(|head| head.contains("points")),
        "{heads:?}"
    );
    for head in text.lines().filter(|line| line.contains("algorithm ")) {
        let figure = head.split("algorithm").nth(1).unwrap().trim_start();
        assert!(
            !figure.starts_with("law") && !figure.starts_with("zones first"),
            "{head}"
        );
    }
}

#[test]
fn zones_tell_the_number_of_nodes_and_the_legend_the_copies_that_there_are() {
    let of = |arguments: &str| {
        let arguments = format!("replicas --keys 500 --quick {arguments}");
        let arguments: Vec<&str> = arguments.split(' ').collect();
        let (code, text, error) = call(&arguments, "");
        assert_eq!(code, 0, "{error}");
        text
    };
    let text = of("--replicas 5 --zones 1,2 --format markdown");
    assert!(text.contains("| 3 | jump |"), "{text}");
    assert!(text.contains("of 3 copies the majority is lost"), "{text}");
    assert!(!text.contains("majority is left"), "{text}");
    let text = of("--replicas 5 --nodes 3,6");
    assert!(text.contains("500 keys are followed"), "{text}");
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("of 3 copies the majority is lost, of 5 copies the majority is left"),
        "{words}"
    );
}

#[test]
fn zones_first_moves_copies_too() {
    let plain = copies(&["--replicas", "3", "--nodes", "9"]);
    let zoned = copies(&["--replicas", "3", "--nodes", "9", "--zones", "3"]);
    for (plain, row) in plain.rows.iter().zip(&zoned.rows) {
        assert!(plain.zones.is_none());
        let zones = row.zones.as_ref().unwrap();
        for (change, alone) in [(&zones.join, &row.join), (&zones.leave, &row.leave)] {
            assert_eq!(
                change.owner.value, alone.owner.value,
                "the owner stays first"
            );
            assert!(
                value(&change.made) >= value(&change.least) - 1e-12,
                "{row:?}"
            );
            assert!(value(&change.set) > 0.0 && change.set.expected.is_none());
        }
    }
}

#[test]
fn a_request_that_makes_no_sense_is_refused_with_a_word_on_what_does() {
    for (arguments, words) in [
        (vec![], "--replicas <R>"),
        (vec!["--replicas", "0"], "a whole number from 1 to 32"),
        (vec!["--replicas", "3", "--nodes", "1"], "ask for 2 or more"),
        (
            vec!["--replicas", "3", "--nodes", "10", "--zones", "3,3,2"],
            "the zones have 8 nodes, and there are 10",
        ),
        (
            vec!["--replicas", "3", "--nodes", "10", "--zones", "11"],
            "10 nodes do not reach for 11 zones",
        ),
        (vec!["--replicas", "3", "--zones", "0"], "at least 1 zone"),
        (
            vec!["--replicas", "3", "--nodes", "8", "--zones", "8,0"],
            "a zone has no nodes",
        ),
        (vec!["--replicas", "3", "--rounds", "9"], "nothing is timed"),
    ] {
        let arguments: Vec<&str> = ["replicas"].into_iter().chain(arguments).collect();
        let (code, stdout, stderr) = call(&arguments, "");
        assert_eq!((code, &*stdout), (2, ""), "{arguments:?}: {stderr}");
        assert!(stderr.contains(words), "{arguments:?}: {stderr}");
    }
}

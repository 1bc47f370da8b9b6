//! Cascades of overload: laws, and the command.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;

use algorithms::algorithm::{Moves, Removal};
use algorithms::{Algorithm, NodeId, Settings, registry};
use common::call;
use harness::cascade::{Cascades, Fall, Fleet, Row, fall};
use harness::measure::nodes;
use harness::workload::{Workload, random};

const KEYS: usize = 5000;

fn keys() -> Workload {
    random(KEYS, 7, Settings::default().hash)
}

fn run(algorithm: &Algorithm, workload: &Workload, count: u32, seed: u64, headroom: f64) -> Fall {
    let placement = algorithm
        .build(&Settings::default(), nodes(seed, count))
        .unwrap();
    let members = placement.membership().members();
    let first = members[members.len() - 1].id;
    fall(Fleet::new(algorithm, placement, workload), headroom, first).unwrap()
}

#[test]
fn where_there_is_room_for_everything_only_the_first_node_leaves() {
    let keys = keys();
    for algorithm in registry::ALL {
        let fall = run(algorithm, &keys, 10, 1, 10.0);
        assert_eq!(
            (fall.survivors.len(), fall.waves),
            (9, 0),
            "{}",
            algorithm.name
        );
        assert_eq!((fall.lost, fall.over_before), (0.0, 0));
        assert!(fall.moved > 0.0 && fall.stuck.is_none());
    }
}

#[test]
fn with_no_headroom_nobody_survives_and_everything_is_lost() {
    let keys = keys();
    for algorithm in registry::ALL {
        let fall = run(algorithm, &keys, 10, 1, 1.0);
        match algorithm.traits.removal {
            Removal::Any => {
                assert_eq!(fall.survivors.len(), 0, "{}", algorithm.name);
                assert_eq!((fall.lost, fall.moved), (1.0, 1.0), "{}", algorithm.name);
            }
            Removal::Newest => assert!(fall.lost > 0.1, "{fall:?}"),
        }
    }
}

#[test]
fn others_follow_exactly_when_the_load_needed_is_above_the_capacity() {
    let keys = keys();
    for algorithm in registry::ALL {
        for headroom in [1.05, 1.15, 1.3, 2.0] {
            for seed in 0..5 {
                let fall = run(algorithm, &keys, 12, seed, headroom);
                let followed = fall.waves > 0 || fall.stuck.is_some();
                let what = format!("{} {headroom} {fall:?}", algorithm.name);
                assert_eq!(followed, fall.needed > headroom, "{what}");
                assert!(
                    fall.stuck.is_some() || fall.lost == 0.0 || fall.lost == 1.0,
                    "{what}"
                );
            }
        }
    }
}

/// The plainest reading: all keys are placed anew, and one overloaded node leaves at a time.
fn one_by_one(
    algorithm: &Algorithm,
    workload: &Workload,
    count: u32,
    headroom: f64,
) -> Vec<String> {
    let mut placement = algorithm
        .build(&Settings::default(), nodes(3, count))
        .unwrap();
    let mut leaver = placement.membership().members().last().map(|last| last.id);
    while let Some(id) = leaver {
        placement.remove(id).unwrap();
        // Counted first: a sum of fractions would miss a load that just fits.
        let mut counts = vec![0u32; count as usize];
        for key in &workload.hashes {
            if let Some(owner) = placement.place(*key) {
                counts[owner.index()] += 1;
            }
        }
        let load = |keys: &u32| f64::from(*keys) * f64::from(count) / KEYS as f64;
        let loads: Vec<f64> = counts.iter().map(load).collect();
        let mut ids = placement
            .membership()
            .members()
            .iter()
            .map(|member| member.id);
        leaver = ids.find(|id: &NodeId| loads[id.index()] > headroom);
    }
    let members = placement.membership().members().iter();
    members.map(|member| member.name.to_string()).collect()
}

#[test]
fn where_keys_stay_the_survivors_do_not_depend_on_who_leaves_first_in_a_wave() {
    let keys = keys();
    let movers = registry::ALL.iter().filter(|algorithm| {
        algorithm.traits.moves == Moves::Least && algorithm.traits.removal == Removal::Any
    });
    let mut partial = 0;
    for algorithm in movers {
        for headroom in [1.1, 1.2, 1.25, 1.3, 1.35, 1.5] {
            let waves: BTreeSet<String> = run(algorithm, &keys, 40, 3, headroom)
                .survivors
                .into_iter()
                .collect();
            let single = one_by_one(algorithm, &keys, 40, headroom)
                .into_iter()
                .collect();
            assert_eq!(waves, single, "{} {headroom}", algorithm.name);
            partial += usize::from((1..39).contains(&waves.len()));
        }
    }
    assert!(partial > 0, "no cascade ended between none and all");
}

#[test]
fn more_headroom_lets_no_fewer_survive_where_keys_stay() {
    let keys = keys();
    for algorithm in registry::ALL {
        let survivors = [1.0, 1.1, 1.2, 1.3, 1.4, 1.6, 2.0, 4.0]
            .map(|headroom| run(algorithm, &keys, 30, 5, headroom).survivors.len());
        let stays = algorithm.traits.moves == Moves::Least;
        let any = algorithm.traits.removal == Removal::Any;
        assert!(
            !(stays && any) || survivors.is_sorted(),
            "{}: {survivors:?}",
            algorithm.name
        );
    }
}

/// A small answer in this form, on these nodes and with these capacities.
fn small(form: &str, nodes: &str, headroom: &str, more: &[&str]) -> (i32, String, String) {
    let sizes = [
        "cascade", "--keys", "20000", "--sets", "5", "--format", form,
    ];
    let asked = ["--nodes", nodes, "--headroom", headroom];
    call(&[&sizes[..], &asked, more].concat(), "")
}

fn answer(nodes: &str, headroom: &str, more: &[&str]) -> Cascades {
    let (code, stdout, stderr) = small("json", nodes, headroom, more);
    assert_eq!((code, &*stderr), (0, ""));
    serde_json::from_str(&stdout).unwrap()
}

#[test]
fn uneven_rings_fall_and_even_placements_hold() {
    let cascades = answer("10,50", "1.15,1.3", &[]);
    assert_eq!(cascades.rows.len(), 2 * 2 * registry::ALL.len());
    let rows = |name: &'static str| {
        cascades
            .rows
            .iter()
            .filter(move |row| row.algorithm == name)
    };
    assert!(rows("ring-1").all(|row: &Row| row.collapsed == 5 && row.lost == 1.0));
    for name in ["rendezvous", "maglev", "jump", "mod-n"] {
        let held = |row: &Row| row.held == 5 && row.lost == 0.0;
        assert!(
            rows(name)
                .filter(|row| row.nodes == 10 && row.headroom > 1.2)
                .all(held),
            "{name}"
        );
    }
    let rings: Vec<u32> = rows("ring-vec").map(|row| row.held).collect();
    assert!(rings.iter().any(|&held| held < 5), "{rings:?}");
}

#[test]
fn a_node_that_cannot_leave_stays_overloaded_and_its_row_says_so() {
    let jump = ["--algorithms", "jump"];
    let (_, text, _) = small("markdown", "50", "1.05", &jump);
    assert!(
        text.contains("could not leave and stayed overloaded: jump can only"),
        "{text}"
    );
    let cascades = answer("50", "1.05", &jump);
    let row = &cascades.rows[0];
    assert_eq!((row.stuck, &*row.first), (5, "newest"));
    assert!(
        row.survivors > 0.0 && row.lost > 0.0 && row.lost < 0.1,
        "{row:?}"
    );
}

#[test]
fn the_exact_figures_of_a_small_answer() {
    let (_, text, _) = small("csv", "10,50", "1.15,1.3", &[]);
    let rounded = |cell: &str| match cell.parse::<f64>() {
        Ok(number) => format!("{}", (number * 1e6).round() / 1e6),
        Err(_) => cell.to_owned(),
    };
    let mut table = csv::ReaderBuilder::new();
    let mut table = table.has_headers(false).from_reader(text.as_bytes());
    let lines = table.records().map(|line| {
        // The last column is the commit.
        let line = line.unwrap();
        let cells = line.iter().take(line.len() - 1).map(rounded);
        cells.collect::<Vec<String>>().join(",")
    });
    let lines: Vec<String> = lines.collect();
    insta::assert_snapshot!("cascade-csv", lines.join("\n"));
}

#[test]
fn load_is_counted_in_requests_where_they_are_known() {
    let arguments = [
        "cascade",
        "--keys-file",
        "-",
        "--keys-columns",
        "key,count",
        "--nodes",
        "3",
        "--headroom",
        "1.5",
        "--sets",
        "2",
        "--algorithms",
        "jump",
        "--format",
        "json",
    ];
    let (code, stdout, _) = call(&arguments, "a\t97\nb\t1\nc\t1\nd\t1\n");
    let cascades: Cascades = serde_json::from_str(&stdout).unwrap();
    assert_eq!((code, &*cascades.settings.load), (0, "requests"));
    // One key has nearly all requests, wherever it is.
    assert!(cascades.rows[0].needed > 2.9, "{stdout}");
}

#[test]
fn a_placement_that_cannot_be_built_is_a_failed_row_and_exit_code_4() {
    let maglev = ["--algorithms", "maglev", "--table", "11"];
    let (code, stdout, stderr) = small("markdown", "50", "1.3", &maglev);
    assert_eq!(code, 4);
    assert!(stderr.contains("rows failed"), "{stderr}");
    assert!(
        stdout.contains("FAILED") && stdout.contains("cannot serve 50 nodes"),
        "{stdout}"
    );
}

#[test]
fn bad_input_gets_one_clear_line_and_no_output() {
    for (arguments, words) in [
        (
            vec!["--headroom", "0.9"],
            "a number from 1 to 1000000 times the mean",
        ),
        (
            vec!["--headroom", "1e300"],
            "a number from 1 to 1000000 times the mean",
        ),
        (vec!["--headroom", "1.1,1.1"], "--headroom names 1.1 twice"),
        (vec!["--nodes", "1"], "ask for 2 or more"),
        (vec!["--sets", "0"], "--sets"),
        (vec!["--rounds", "5"], "nothing is timed here"),
        (vec!["--table", "65536"], "65537 is the next one"),
    ] {
        let (code, stdout, stderr) = call(&[&["cascade"], &*arguments].concat(), "");
        assert_eq!((code, &*stdout), (2, ""), "{arguments:?}: {stderr}");
        assert!(stderr.contains(words), "{arguments:?}: {stderr}");
    }
    let file = ["cascade", "--keys-file", "-", "--keys-columns", "key,count"];
    let (code, stdout, stderr) = call(&file, "a\t0\n");
    assert_eq!((code, &*stdout), (1, ""), "{stderr}");
    assert!(
        stderr.contains("standard input has no requests"),
        "{stderr}"
    );
}

//! `harness speed`: every cell has its figures and the owners that the verification found.

// What tests call may unwrap as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use algorithms::{Settings, registry};
use common::call;
use harness::hashes::LENGTHS;
use harness::measure::nodes;
use harness::speed::{Row, Speed};
use harness::verify::{checksum, place_all};
use harness::workload::random_of;

const QUICK: [&str; 6] = ["speed", "--quick", "--rounds", "2", "--nodes", "3,40"];

fn speed(more: &[&str]) -> (i32, String, String) {
    call(&[&QUICK[..], more].concat(), "")
}

fn read(more: &[&str]) -> Speed {
    let (code, stdout, stderr) = speed(&[more, &["--format", "json"]].concat());
    assert_eq!(code, 0, "{stderr}");
    let speed: Speed = serde_json::from_str(&stdout).unwrap();
    let rewritten = serde_json::to_string_pretty(&speed).unwrap();
    let named = rewritten.replacen("{\n", "{\n  \"command\": \"speed\",\n", 1) + "\n";
    assert!(named == stdout, "what is read is not what was written");
    speed
}

#[test]
fn every_algorithm_has_every_figure_at_every_size() {
    let speed = read(&[]);
    let (alone, placements) = speed.rows.split_first().unwrap();
    assert_eq!(alone.nodes, None);
    assert_eq!(placements.len(), 2 * registry::ALL.len());
    let positive = |row: &Row, name: &str| {
        let value = row.metrics.get(name).and_then(|metric| metric.value);
        assert!(value.is_some_and(|value| value > 0.0), "{row:?}: {name}");
    };
    for length in LENGTHS {
        positive(alone, &format!("hash_{length}_ns"));
        for row in placements {
            for name in ["key_{}_ns", "floor_{}_ns", "floor_{}_ratio"] {
                positive(row, &name.replace("{}", &length.to_string()));
            }
        }
    }
    for row in placements {
        for name in ["lookup_ns", "single_ns", "latency_ns", "threads_1_mlps"] {
            positive(row, name);
        }
        for threads in speed.settings.threads.iter().filter(|count| **count > 1) {
            positive(row, &format!("threads_{threads}_factor"));
        }
        assert!(row.table_bytes.is_some() && row.reason.is_none(), "{row:?}");
    }
}

/// The very keys are looked up that the seed gives, and on the nodes that it names.
#[test]
fn checksums_are_those_of_the_owners_and_follow_the_seed() {
    let settings = Settings::default();
    let checksums = |seed: u64| {
        let speed = read(&["--algorithms", "jump,ring-1", "--seed", &seed.to_string()]);
        let each = speed.settings.ground.keys.distinct as usize / LENGTHS.len();
        let keys = random_of(&LENGTHS, each, seed, settings.hash);
        for row in speed.rows.iter().filter(|row| row.nodes.is_some()) {
            let algorithm = registry::find(row.algorithm.as_deref().unwrap()).unwrap();
            let placement = algorithm.build(&settings, nodes(seed, row.nodes.unwrap()));
            let owners = place_all(&*placement.unwrap(), &keys.hashes);
            let sum = format!("{:016x}", checksum(0, &owners));
            assert_eq!(row.checksum.as_ref(), Some(&sum), "{row:?}");
        }
        let sums = speed.rows.iter().map(|row| row.checksum.clone());
        sums.collect::<Vec<_>>()
    };
    assert_ne!(checksums(1), checksums(2));
}

#[test]
fn keys_are_distinct_and_as_long_as_asked_for() {
    let keys = random_of(&[8, 64], 500, 3, Settings::default().hash);
    let all: Vec<&[u8]> = keys.keys().collect();
    assert!(all[..500].iter().all(|key| key.len() == 8));
    assert!(all[500..].iter().all(|key| key.len() == 64));
    let distinct: std::collections::BTreeSet<_> = all.iter().collect();
    assert_eq!((all.len(), distinct.len()), (1000, 1000));
}

#[test]
fn what_cannot_be_built_is_a_failed_row_and_exit_code_4() {
    let arguments = ["--algorithms", "maglev,jump", "--table", "11"];
    let (code, stdout, stderr) = speed(&arguments);
    assert_eq!(code, 4);
    assert!(stderr.contains("1 of 5 rows failed"), "{stderr}");
    assert!(stdout.contains("N = 40, maglev: ") && stdout.contains("cannot serve 40 nodes"));
    let (_, csv, _) = speed(&[&arguments[..], &["--format", "csv"]].concat());
    let failed: Vec<&str> = csv
        .lines()
        .filter(|line| line.starts_with("maglev,40"))
        .collect();
    assert!(failed.len() == 1 && failed[0].contains("cannot serve"));
}

#[test]
fn tables_keep_to_the_width() {
    let (code, stdout, stderr) = speed(&["--algorithms", "slots", "--width", "70"]);
    assert_eq!((code, &*stderr), (0, ""));
    assert!(stdout.lines().all(|line| line.chars().count() <= 70));
}

#[test]
fn what_cannot_be_asked_is_refused_with_a_word() {
    for (arguments, code, word) in [
        (&["--nodes", "10,20,10"][..], 2, "--nodes names 10 twice"),
        (&["--nodes", "0"], 2, "from 1 to 1000000"),
        (&["--points", "0"], 2, "--points"),
        (&["--table", "65536"], 2, "65537 is the next one"),
        (&["--slots", "0"], 2, "--slots 0"),
        (&["--algorithms", "magelv"], 2, "'maglev'"),
        (&["--algorithms", "jump,jump"], 2, "names jump twice"),
        (&["--hash", "xxh"], 2, "xxh3"),
        (&["--rounds", "0"], 2, "--rounds"),
        (&["--keys", "5"], 2, "--keys"),
        (&["--output", "no/such/directory/file"], 1, "no/such"),
    ] {
        let (seen, stdout, stderr) = call(&[&["speed"], arguments].concat(), "");
        assert_eq!((seen, &*stdout), (code, ""), "{arguments:?}: {stderr}");
        assert!(stderr.contains(word), "{arguments:?}: {stderr}");
    }
}

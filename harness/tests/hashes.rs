//! `harness hashes`: sound hashes pass, poor ones are found out, and every form tells the same.

// What tests call may unwrap as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use algorithms::hash::{self, KeyHash};
use common::{call, read};
use harness::hashes::{Ask, Family, Figure, LENGTHS, Row, Survey, survey};
use harness::progress::Progress;

fn surveyed(names: &[&str]) -> Survey {
    let ask = Ask {
        hashes: names.iter().map(|name| hash::find(name).unwrap()).collect(),
        seed: 42,
        quick: true,
    };
    survey(&ask, &Progress::hidden()).unwrap()
}

fn wrong<'a>(survey: &'a Survey, hash: &'a str) -> impl Iterator<Item = &'a Row> {
    let own = survey.rows.iter().filter(move |row| row.hash == hash);
    own.filter(|row| row.is_wrong())
}

#[test]
fn no_sound_hash_is_marked_and_every_poor_one_is() {
    let names: Vec<&str> = hash::ALL.iter().map(KeyHash::name).collect();
    let survey = surveyed(&names);
    for name in names {
        let poor = ["fnv1a", "crc32", "crc16-tags"].contains(&name);
        let marked: Vec<&Row> = wrong(&survey, name).collect();
        assert_eq!(!marked.is_empty(), poor, "{name}: {marked:?}");
    }
    let avalanches = ["fnv1a", "crc32"].map(|name| {
        let mut wrong = wrong(&survey, name);
        wrong.find(|row| row.figure == Figure::AvalancheWorst)
    });
    let worst = avalanches.map(|row| row.unwrap().metric.value.unwrap());
    assert_eq!(worst, [0.5, 0.5], "some bit never or always flips another");
}

/// The last byte of a key moves an FNV-1a hash by some millionth of the ring.
#[test]
fn keys_that_differ_at_their_end_lie_close_together_by_fnv_on_a_ring_only() {
    let survey = surveyed(&["xxh3", "fnv1a"]);
    let cv = |hash: &str, algorithm: &str| {
        let row = survey.rows.iter().find(|row| {
            row.hash == hash
                && row.family == Some(Family::LastBytes)
                && row.algorithm.as_deref() == Some(algorithm)
        });
        row.unwrap().metric.clone()
    };
    let on_a_ring = cv("fnv1a", "ring-vec");
    assert!(on_a_ring.agrees == Some(false) && on_a_ring.distance.unwrap() > 30.0);
    assert_eq!(cv("fnv1a", "rendezvous").agrees, Some(true));
    assert_eq!(cv("xxh3", "ring-vec").agrees, Some(true));
}

#[test]
fn every_hash_has_a_cost_at_every_length() {
    let survey = surveyed(&["md5", "crc32"]);
    let costs = survey
        .rows
        .iter()
        .filter(|row| row.figure == Figure::CostNs);
    let costs: Vec<_> = costs.map(|row| (&*row.hash, row.key_bytes)).collect();
    let all = ["md5", "crc32"].map(|hash| LENGTHS.map(|length| (hash, Some(length))));
    assert_eq!(costs, all.concat());
    let positive = |row: &Row| row.metric.value.is_some_and(|value| value > 0.0);
    assert!(survey.rows.iter().all(positive), "nothing costs nothing");
}

/// Figures that are the same on every machine.
#[test]
fn exact_figures_stay_as_they_are() {
    let arguments = ["hashes", "--quick", "--hashes", "xxh3,fnv1a,crc32"];
    let (code, csv, _) = call(&[&arguments[..], &["--format", "csv"]].concat(), "");
    assert_eq!(code, 0, "a wrong hash is a finding");
    let number = |cell: &str| cell.parse().map_or(cell.into(), |n: f64| format!("{n:.4}"));
    let line = |line: &str| {
        let (figures, _commit) = line.rsplit_once(',').unwrap();
        let cells: Vec<String> = figures.split(',').map(number).collect();
        cells.join(",")
    };
    let exact = csv.lines().filter(|line| !line.contains("cost_ns"));
    let lines: Vec<String> = exact.map(line).collect();
    insta::assert_snapshot!("exact", lines.join("\n"));
}

#[test]
fn every_form_has_every_hash_and_json_reads_back() {
    let arguments = ["hashes", "--quick", "--hashes", "xxh64,crc16-tags"];
    for format in ["table", "markdown", "csv", "json"] {
        let (code, stdout, _) = call(&[&arguments[..], &["--format", format]].concat(), "");
        assert_eq!(code, 0);
        assert!(stdout.contains("xxh64") && stdout.contains("crc16-tags"));
        match format {
            "json" => {
                let survey: Survey = read(&stdout);
                assert_eq!(survey.settings.hashes, ["xxh64", "crc16-tags"]);
            }
            "csv" => {
                let columns = |line: &str| line.split(',').count();
                assert!(stdout.lines().all(|line| columns(line) == 14));
            }
            _ => assert!(stdout.contains("✗") && stdout.contains("No figure is wrong of xxh64")),
        }
    }
    let (_, narrow, _) = call(&[&arguments[..], &["--width", "60"]].concat(), "");
    // The first two lines tell the program and the machine and are wrapped as well.
    assert!(narrow.lines().all(|line| line.chars().count() <= 60));
}

#[test]
fn every_hash_places_keys_and_keeps_the_laws() {
    for hash in hash::ALL {
        let arguments = ["verify", "--nodes", "10", "--keys", "500", "--hash"];
        let (code, stdout, stderr) = call(&[&arguments[..], &[hash.name()]].concat(), "");
        assert_eq!(code, 0, "{}: {stderr}{stdout}", hash.name());
    }
}

#[test]
fn what_cannot_be_asked_is_refused_with_a_word() {
    for (arguments, code, word) in [
        (&["--hashes", "md4"][..], 2, "'md4'"),
        (&["--hashes", "md5,xxh3,md5"], 2, "md5 twice"),
        (&["--hashes", ""], 2, "a value is required"),
        (&["--seed", "-1"], 2, "-1"),
        (&["--format", "xml"], 2, "'xml'"),
        (
            &["--output", "no/such/directory/file"],
            1,
            "no/such/directory",
        ),
        (&["--algorithms", "jump"], 2, "--algorithms"),
    ] {
        let (seen, stdout, stderr) = call(&[&["hashes", "--quick"], arguments].concat(), "");
        assert_eq!(seen, code, "{arguments:?}: {stderr}");
        assert!(stdout.is_empty() && stderr.contains(word), "{stderr}");
    }
    let (code, _, stderr) = call(&["verify", "--slots", "0"], "");
    assert!(
        code == 2 && stderr.contains("--slots 0: 0 fixed slots"),
        "{stderr}"
    );
    let (code, _, stderr) = call(&["--report", "--slots", "67108865"], "");
    assert!(
        code == 2 && stderr.contains("between 1 and 67108864"),
        "{stderr}"
    );
}

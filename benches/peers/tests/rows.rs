//! Laws of the rows: what the tables say of them must hold before anything is timed.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use peers::cell::{Bench, NOT_RUN, check};
use peers::hash::Hash;
use peers::keys::Keys;
use peers::row::{Family, Row, Whose};
use peers::subject::Loop;
use peers::{floor, ours, peers as published};

const NODES: u32 = 7;

fn keys() -> Keys {
    Keys::new(1, true)
}

fn all() -> Vec<Row> {
    let floors = Family::ALL.map(|family| floor::row(family, Hash::Mix64, 1 << 12));
    let measured = ours::rows().into_iter().chain(published::rows());
    measured.chain(floors).collect()
}

/// As `conshash` loses the keys past the last point.
fn loses_keys(row: &Row) -> bool {
    row.name == "conshash"
}

#[test]
fn every_row_places_every_key_on_a_node_of_the_list_and_gives_every_node_keys() {
    for row in all().iter().filter(|row| row.whose != Whose::Floor) {
        let case = row.family.case(NODES);
        let owners = row.open(case).owners(&keys().all()[..20_000]);
        let checked = check(&case, &owners);
        assert_eq!(
            checked.is_err(),
            loses_keys(row),
            "{}: {checked:?}",
            row.title()
        );
    }
}

#[test]
fn every_loop_finds_the_same_owners_and_only_ours_have_batches() {
    let keys = keys();
    // The last batch is not full.
    let keys = &keys.all()[..1300];
    for row in all() {
        let subject = row.open(row.family.case(NODES));
        let owners = subject.owners(keys).into_iter().map(u64::from).sum();
        assert_eq!(
            subject.sweep(Loop::OneKey, keys),
            Some(owners),
            "{}",
            row.title()
        );
        assert_eq!(
            subject.sweep(Loop::Latency, keys),
            Some(owners),
            "{}",
            row.title()
        );
        let batch = (row.whose == Whose::Ours).then_some(owners);
        assert_eq!(subject.sweep(Loop::Batch, keys), batch, "{}", row.title());
    }
}

#[test]
fn a_node_that_comes_and_goes_leaves_every_owner_as_it_was() {
    let keys = keys();
    let keys = &keys.all()[..5000];
    for row in all() {
        let mut subject = row.open(row.family.case(NODES));
        let before = subject.owners(keys);
        for _ in 0..2 {
            let [added, removed] = subject.change();
            assert_eq!(added.is_some(), removed.is_some(), "{}", row.title());
            assert_eq!(subject.owners(keys), before, "{}", row.title());
        }
    }
}

#[test]
fn weighted_rows_share_keys_by_weight() {
    let keys = keys();
    let keys = &keys.all()[..40_000];
    for row in all().iter().filter(|row| row.whose != Whose::Floor) {
        let case = row.family.case(4);
        if !case.weighted {
            continue;
        }
        let owners = row.open(case).owners(keys);
        for name in case.names() {
            let share = owners.iter().filter(|&&owner| owner == name).count() as f64;
            let error = share / keys.len() as f64 - f64::from(case.weight(name)) / 10.0;
            assert!(error.abs() < 0.02, "{} node {name}: {error}", row.title());
        }
    }
}

#[test]
fn ids_are_unique_and_the_same_every_time() {
    let ids = || -> Vec<String> {
        let bench = |row: &Row| Bench::open(row, NODES, &keys()).measured().cell.id.clone();
        all().iter().map(bench).collect()
    };
    let first = ids();
    assert_eq!(first, ids());
    assert_eq!(first.iter().collect::<BTreeSet<_>>().len(), first.len());
}

#[test]
fn versions_are_those_that_were_built() {
    let lock = include_str!("../Cargo.lock");
    for row in published::rows().iter().filter(|row| row.name != "std") {
        let version = row.version.split(' ').next().unwrap();
        let entry = format!("name = \"{}\"\nversion = \"{version}\"", row.name);
        assert!(lock.contains(&entry), "{entry}");
    }
}

#[test]
fn a_row_beyond_its_limit_says_why() {
    let rows = published::rows();
    let limited = rows.iter().filter(|row| row.most.is_some());
    for row in limited {
        let (most, reason) = row.most.unwrap();
        let bench = Bench::open(row, most + 1, &keys());
        let said = bench.measured().cell.reason.as_deref().unwrap();
        assert_eq!(said, format!("{NOT_RUN}: {reason}"));
    }
}

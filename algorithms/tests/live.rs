//! A shared placement: readers see one membership or the next, and wait for nobody.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Barrier, Mutex};

use algorithms::{Live, Node, NodeId, Placement, PlacementError, Settings, registry};

use common::random_keys;

/// Small enough for an interpreter that checks every access to memory.
const CHANGES: u64 = if cfg!(miri) { 12 } else { 120 };
const KEYS: u64 = if cfg!(miri) { 20 } else { 200 };
const ALGORITHMS: &[&str] = match cfg!(miri) {
    true => &["ring-btree", "jump"],
    false => &[
        "ring-vec",
        "ring-btree",
        "rendezvous",
        "jump",
        "mod-n",
        "maglev",
    ],
};

fn settings() -> Settings {
    Settings {
        points: 10,
        table: 251,
        ..Settings::default()
    }
}

fn live(algorithm: &str) -> Live {
    let nodes = (0..5).map(|n| Node::new(format!("node-{n}"))).collect();
    let algorithm = registry::find(algorithm).unwrap();
    Live::new(algorithm.build(&settings(), nodes).unwrap())
}

/// A change that every algorithm can make: the newest node goes, or another one comes.
fn step(number: u64, placement: &mut dyn Placement) -> Result<(), PlacementError> {
    let newest = placement.membership().members().last().unwrap().id;
    match number % 3 {
        0 => placement.remove(newest),
        _ => placement
            .add(Node::new(format!("newcomer-{number}")))
            .map(drop),
    }
}

fn owners(placement: &dyn Placement, keys: &[u64]) -> Vec<Option<NodeId>> {
    keys.iter().map(|&key| placement.place(key)).collect()
}

#[test]
fn every_answer_belongs_to_one_version_and_versions_only_grow() {
    let keys = random_keys(1, KEYS);
    for algorithm in ALGORITHMS {
        let live = live(algorithm);
        let right = Mutex::new(BTreeMap::new());
        let note = |placement: &dyn Placement| {
            let version = placement.membership().version();
            right
                .lock()
                .unwrap()
                .insert(version, owners(placement, &keys));
        };
        note(&*live.view());
        let (done, start) = (AtomicBool::new(false), Barrier::new(3));
        let seen = std::thread::scope(|scope| {
            let reader = || {
                start.wait();
                let mut seen = BTreeMap::new();
                let mut last = 0;
                while !done.load(Ordering::Acquire) {
                    let view = live.view();
                    let version = view.membership().version();
                    assert!(
                        version >= last,
                        "{algorithm}: version {version} after {last}"
                    );
                    last = version;
                    let now = owners(&*view, &keys);
                    // All that is seen of one version is the same.
                    assert_eq!(seen.entry(version).or_insert_with(|| now.clone()), &now);
                }
                seen
            };
            let readers = [scope.spawn(reader), scope.spawn(reader)];
            start.wait();
            for number in 0..CHANGES {
                live.change(|placement| {
                    step(number, placement)?;
                    note(placement);
                    Ok::<(), PlacementError>(())
                })
                .unwrap();
                std::thread::yield_now();
            }
            done.store(true, Ordering::Release);
            readers.map(|reader| reader.join().unwrap())
        });
        let right = right.into_inner().unwrap();
        assert_eq!(
            right.len() as u64,
            CHANGES + 1,
            "{algorithm}: one version a change"
        );
        for (version, owners) in seen.into_iter().flatten() {
            assert_eq!(right[&version], owners, "{algorithm}, version {version}");
        }
    }
}

/// Were a lookup to wait for the change around it, this would never end.
#[test]
fn a_lookup_in_the_middle_of_a_change_is_answered_by_the_old_membership() {
    let live = live("ring-vec");
    let before = live.view().membership().version();
    live.change(|placement| {
        placement.add(Node::new("newcomer"))?;
        let (seen, answer) = std::thread::scope(|scope| {
            let reader = || (live.view().membership().version(), live.view().place(7));
            scope.spawn(reader).join().unwrap()
        });
        assert_eq!(seen, before);
        assert!(answer.is_some());
        Ok::<(), PlacementError>(())
    })
    .unwrap();
    assert!(live.view().membership().version() > before);
}

#[test]
fn a_change_that_fails_or_panics_leaves_everything_as_it_was() {
    let live = live("jump");
    let keys = random_keys(2, KEYS);
    let before = (
        live.view().membership().version(),
        owners(&*live.view(), &keys),
    );
    let oldest = live.view().membership().members()[0].id;
    let refused = live.change(|placement| {
        placement.add(Node::new("newcomer"))?;
        placement.remove(oldest)
    });
    assert!(matches!(refused, Err(PlacementError::OnlyNewest { .. })));
    let panicked = catch_unwind(AssertUnwindSafe(|| {
        live.change(|placement| -> Result<(), PlacementError> {
            placement.add(Node::new("newcomer"))?;
            panic!("in the middle of a change");
        })
    }));
    assert!(panicked.is_err());
    let after = (
        live.view().membership().version(),
        owners(&*live.view(), &keys),
    );
    assert_eq!(before, after);
    live.change(|placement| placement.add(Node::new("newcomer")))
        .unwrap();
    assert_eq!(live.view().membership().len(), 6);
}

#[test]
fn no_change_is_lost_when_several_threads_make_them() {
    let live = live("rendezvous");
    let first = live.view().membership().version();
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..CHANGES / 4 {
                    let name = format!("newcomer-{}", next.fetch_add(1, Ordering::Relaxed));
                    live.change(|placement| placement.add(Node::new(name)))
                        .unwrap();
                }
            });
        }
    });
    let view = live.view();
    assert_eq!(view.membership().len() as u64, 5 + CHANGES);
    assert_eq!(view.membership().version(), first + CHANGES);
}

#[test]
fn a_view_that_is_kept_stays_as_it_was() {
    let live = live("maglev");
    let keys = random_keys(3, KEYS);
    let kept = live.view();
    let before = owners(&*kept, &keys);
    for number in 0..30 {
        live.change(|placement| step(number, placement)).unwrap();
    }
    assert_eq!(owners(&*kept, &keys), before);
    assert_ne!(owners(&*live.view(), &keys), before);
}

//! Time of building, of adding one node and of removing one.

use std::hint::black_box;
use std::time::{Duration, Instant};

use algorithms::{Node, Placement, PlacementError};
use benches::{Case, keys};
use criterion::{BatchSize, Criterion};
use harness::verify::checksum;

use crate::{NODES, id};

/// Keys on which a changed placement is compared with a fresh one.
const KEYS: usize = 1000;

pub fn build(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("build");
    for case in Case::all(&NODES) {
        let list = case.list();
        group.bench_function(id(case), |bencher| {
            bencher.iter_batched(
                || list.clone(),
                |list| case.build(list).expect("the nodes fit"),
                BatchSize::LargeInput,
            );
        });
    }
    group.finish();
}

pub fn add(criterion: &mut Criterion) {
    change(criterion, "add", |placement, node| {
        let start = Instant::now();
        let id = black_box(placement.add(node))?;
        let time = start.elapsed();
        placement.remove(id)?;
        Ok(time)
    });
}

pub fn remove(criterion: &mut Criterion) {
    change(criterion, "remove", |placement, node| {
        let id = placement.add(node)?;
        let start = Instant::now();
        black_box(placement.remove(id))?;
        Ok(start.elapsed())
    });
}

/// Adds the node and removes it again; the time of one of the two.
type Change = fn(&mut dyn Placement, Node) -> Result<Duration, PlacementError>;

/// Times changes on one placement: copying it for each would take far longer than the change.
fn change(criterion: &mut Criterion, name: &str, change: Change) {
    let keys = keys(KEYS);
    let mut group = criterion.benchmark_group(name);
    for case in Case::all(&NODES) {
        let newcomer = case.newcomer();
        let mut ready = None;
        group.bench_function(id(case), |bencher| {
            let placement =
                ready.get_or_insert_with(|| verified(case, &keys).expect("the nodes fit"));
            bencher.iter_custom(|times| {
                let once =
                    |_| change(&mut **placement, newcomer.clone()).expect("it may leave again");
                (0..times).map(once).sum()
            });
        });
    }
    group.finish();
}

/// A placement that was shown to be, with the newcomer and without it again, as if built so.
fn verified(case: Case, keys: &[u64]) -> Result<Box<dyn Placement>, PlacementError> {
    let owners = |placement: &dyn Placement| {
        let mut owners = vec![None; keys.len()];
        placement.place_many(keys, &mut owners);
        checksum(0, &owners)
    };
    let mut placement = case.build(case.list())?;
    let before = owners(&*placement);
    let id = placement.add(case.newcomer())?;
    let larger = Case {
        nodes: case.nodes + 1,
        ..case
    };
    assert_eq!(
        owners(&*placement),
        owners(&*larger.build(larger.list())?),
        "adding"
    );
    placement.remove(id)?;
    assert_eq!(owners(&*placement), before, "removing");
    Ok(placement)
}

//! Time of lookups: of independent keys in batches and one per call, and of keys that depend on the
//! answer before.

use std::cell::LazyCell;
use std::hint::black_box;

use algorithms::Placement;
use benches::{Case, Lookups, keys};
use criterion::{Criterion, Throughput};
use harness::measure::lookup::{PER_SAMPLE, chase, singly};

use crate::{NODES, id};

/// Distinct keys, so many that no branch predictor knows them by heart.
const KEYS: usize = 128 * PER_SAMPLE;

pub fn lookup(criterion: &mut Criterion) {
    time(criterion, "lookup", |placement, keys, owners| {
        placement.place_many(black_box(keys), black_box(owners));
    });
}

pub fn single(criterion: &mut Criterion) {
    time(criterion, "single", |placement, keys, owners| {
        singly(placement, black_box(keys), black_box(owners));
    });
}

pub fn latency(criterion: &mut Criterion) {
    time(criterion, "latency", |placement, keys, owners| {
        chase(placement, black_box(keys), black_box(0), black_box(owners));
    });
}

fn time(criterion: &mut Criterion, name: &str, lookups: Lookups) {
    let keys = keys(KEYS);
    let mut group = criterion.benchmark_group(name);
    group.throughput(Throughput::Elements(PER_SAMPLE as u64));
    for case in Case::all(&NODES) {
        // Built only when the filter lets it through.
        let placement = LazyCell::new(|| case.verified(&keys, lookups).expect("the nodes fit"));
        let mut batches = keys.chunks_exact(PER_SAMPLE).cycle();
        let mut owners = [None; PER_SAMPLE];
        group.bench_function(id(case), |bencher| {
            let placement: &dyn Placement = &**placement;
            bencher.iter(|| {
                if let Some(batch) = batches.next() {
                    lookups(placement, batch, &mut owners);
                }
            });
        });
    }
    group.finish();
}

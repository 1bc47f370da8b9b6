//! `cargo bench`: times of every algorithm, by number of nodes.

#![allow(missing_docs)] // The macros below make public functions.

mod change;
mod lookup;

use std::time::Duration;

use benches::Case;
use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};

/// Numbers of nodes.
const NODES: [u32; 4] = [10, 100, 1000, 10_000];

fn id(case: Case) -> BenchmarkId {
    BenchmarkId::new(case.algorithm.name, format!("nodes={}", case.nodes))
}

/// 288 benchmarks: about 2 seconds for each keep the whole near 11 minutes.
fn criterion() -> Criterion {
    Criterion::default()
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_millis(1200))
        .sample_size(30)
        .nresamples(10_000)
}

criterion_group! {
    name = placements;
    config = criterion();
    targets = lookup::lookup, lookup::single, lookup::latency, change::build, change::add, change::remove
}
criterion_main!(placements);

//! Heap bytes held and their peak while building, counted by the allocator.

use std::hint::black_box;

use algorithms::PlacementError;

use super::against::exactly;
use super::{Candidate, Metrics};
use crate::alloc;
use crate::record::Metric;

/// Lookups over which allocations are counted, one by one and in a batch.
const LOOKUPS: usize = 10_000;

/// Counts a fresh build and a stretch of lookups.
///
/// # Errors
/// When the build is refused.
pub fn measure(candidate: &Candidate<'_>, keys: &[u64]) -> Result<Metrics, PlacementError> {
    let (built, heap) = alloc::measure(|| candidate.rebuild(candidate.nodes.clone()));
    let placement = built?;
    let keys = &keys[..keys.len().min(LOOKUPS)];
    let mut owners = vec![None; keys.len()];
    let (_, lookups) = alloc::measure(|| {
        for &key in keys {
            black_box(placement.place(key));
        }
        placement.place_many(keys, black_box(&mut owners));
    });
    let each = lookups.allocations as f64 / (2 * keys.len()) as f64;
    let nodes = candidate.nodes.len() as f64;
    Ok(Metrics::from([
        ("heap_bytes".into(), Metric::of(heap.live as f64)),
        (
            "heap_bytes_per_node".into(),
            Metric::of(heap.live as f64 / nodes),
        ),
        ("build_peak_bytes".into(), Metric::of(heap.peak as f64)),
        ("lookup_allocations".into(), exactly(Metric::of(each), 0.0)),
    ]))
}

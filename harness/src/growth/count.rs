//! Work that is counted: steps of lookups by the lookup itself, hashes of labels by a hash that
//! counts, entries written by the layouts before and after.

use std::cell::Cell;

use algorithms::{
    Algorithm, KeyHash, Layout, Node, NodeId, Placement, PlacementError, Settings, hash,
};

use crate::measure::{Candidate, Metrics, memory};
use crate::record::Metric;

/// Keys whose lookups are counted.
const LOOKUPS: usize = 2000;
/// Nodes that join one after another and leave again. Where in the order of names one of them
/// stands decides how many entries move, so they stand evenly over it and the mean is taken.
const NEWCOMERS: usize = 8;

/// Steps of a lookup, in the mean over the first keys.
pub fn lookup(placement: &dyn Placement, keys: &[u64]) -> Metrics {
    let keys = &keys[..keys.len().min(LOOKUPS)];
    let work: Vec<_> = keys.iter().map(|&key| placement.work(key)).collect();
    let mean = |count: fn(&algorithms::Work) -> u64| {
        let sum: u64 = work.iter().map(count).sum();
        Metric::of(sum as f64 / keys.len() as f64)
    };
    Metrics::from([
        ("lookup_steps".into(), mean(algorithms::Work::steps)),
        ("lookup_hashes".into(), mean(|work| work.hashes)),
        ("lookup_comparisons".into(), mean(|work| work.comparisons)),
        ("lookup_draws".into(), mean(|work| work.draws)),
        ("lookup_reads".into(), mean(|work| work.reads)),
    ])
}

/// Heap bytes, of the whole and of each entry that decides the owners.
///
/// # Errors
/// When the placement cannot be built again.
pub fn memory(candidate: &Candidate<'_>, keys: &[u64]) -> Result<Metrics, PlacementError> {
    let mut metrics = memory::measure(candidate, keys)?;
    metrics.retain(|name, _| name.contains("bytes"));
    let entries = candidate.placement.layout().entries();
    let bytes = metrics.get("heap_bytes").and_then(|metric| metric.value);
    let each = bytes.map(|bytes| bytes / entries as f64);
    metrics.insert("entries".into(), Metric::count(entries));
    metrics.insert(
        "heap_bytes_per_entry".into(),
        Metric::or(each, "the bytes are not known"),
    );
    Ok(metrics)
}

/// What a build, an addition and a removal hash and write.
///
/// # Errors
/// When a node cannot be added or removed again.
pub fn changes(candidate: &Candidate<'_>) -> Result<Metrics, PlacementError> {
    let (algorithm, nodes) = (candidate.algorithm, candidate.nodes.clone());
    let settings = Settings {
        hash: counting(candidate.settings.hash),
        ..candidate.settings
    };
    let mut metrics = Metrics::new();
    let empty = State::of(&*(algorithm.empty)(&settings)?);
    let (built, hashes) = hashes_of(|| algorithm.build(&settings, nodes));
    let mut placement = built?;
    let mut state = State::of(&*placement);
    insert(
        &mut metrics,
        "build",
        hashes,
        empty.written(&state, algorithm),
        1,
    );

    let (mut added, mut removed) = ([0, 0], [0, 0]);
    let names = names(&*placement);
    for newcomer in 0..NEWCOMERS {
        let rank = (2 * newcomer + 1) * names.len() / (2 * NEWCOMERS);
        let behind = Node::new(format!("{}-behind", names[rank]));
        let (id, hashes) = hashes_of(|| placement.add(behind));
        let grown = State::of(&*placement);
        added[0] += hashes;
        added[1] += state.written(&grown, algorithm);
        let id = id?;
        let (removal, hashes) = hashes_of(|| placement.remove(id));
        removal?;
        state = State::of(&*placement);
        removed[0] += hashes;
        removed[1] += grown.written(&state, algorithm);
    }
    insert(&mut metrics, "add", added[0], added[1], NEWCOMERS);
    insert(&mut metrics, "remove", removed[0], removed[1], NEWCOMERS);
    Ok(metrics)
}

fn names(placement: &dyn Placement) -> Vec<String> {
    let members = placement.membership().by_name();
    members.map(|member| member.name.to_string()).collect()
}

fn insert(metrics: &mut Metrics, what: &str, hashes: u64, entries: u64, times: usize) {
    let mean = |count: u64| Metric::of(count as f64 / times as f64);
    metrics.insert(format!("{what}_steps"), mean(hashes + entries));
    metrics.insert(format!("{what}_hashes"), mean(hashes));
    metrics.insert(format!("{what}_entries"), mean(entries));
}

/// What a change writes: the entries that decide the owners, and the list of names.
struct State {
    layout: Layout,
    names: Layout,
}

impl State {
    fn of(placement: &dyn Placement) -> Self {
        let names = placement.membership().by_name();
        Self {
            layout: placement.layout(),
            names: Layout::Table(names.map(|member| member.id).collect::<Vec<NodeId>>()),
        }
    }

    fn written(&self, after: &Self, algorithm: &Algorithm) -> u64 {
        let entries = self.layout.written(&after.layout, algorithm.costs.upkeep);
        let names = self
            .names
            .written(&after.names, algorithms::growth::Upkeep::Shift);
        (entries + names) as u64
    }
}

thread_local! {
    static INNER: Cell<KeyHash> = const { Cell::new(hash::XXH3) };
    static HASHES: Cell<u64> = const { Cell::new(0) };
}

/// The same hash, counting its calls in this thread. One at a time: the last one asked for.
fn counting(hash: KeyHash) -> KeyHash {
    INNER.set(hash);
    KeyHash::new(hash.name(), |bytes| {
        HASHES.set(HASHES.get() + 1);
        INNER.get().of(bytes)
    })
}

/// The result of some work and the calls of the counting hash in it.
fn hashes_of<T>(work: impl FnOnce() -> T) -> (T, u64) {
    let before = HASHES.get();
    let result = work();
    (result, HASHES.get() - before)
}

//! What everything costs at the largest sizes of a study of growth, as one table.

use super::numbers::{grouped, plain, short};
use super::section::{FAILED, NOTHING, Section};
use crate::growth::{Part, Row, Study};

/// Heads, with the metric, its scale and its format.
type Column = (&'static str, &'static str, f64, fn(f64) -> String);

const COLUMNS: [Column; 10] = [
    ("batch ns", "lookup_ns", 1.0, short),
    ("one key ns", "single_ns", 1.0, short),
    ("latency ns", "latency_ns", 1.0, short),
    ("build ms", "build_ns", 1e-6, short),
    ("add µs", "add_ns", 1e-3, short),
    ("remove µs", "remove_ns", 1e-3, short),
    ("entries", "entries", 1.0, grouped),
    ("heap bytes", "heap_bytes", 1.0, grouped),
    ("per node", "heap_bytes_per_node", 1.0, grouped),
    ("per entry", "heap_bytes_per_entry", 1.0, short),
];

/// One row for each algorithm at the largest number of nodes; where that is all that was asked for,
/// at every number.
pub fn section(study: &Study) -> Section {
    let settings = &study.settings;
    let last = settings.nodes.len().saturating_sub(1);
    let shown = match settings.scale {
        true => &settings.nodes[..],
        false => &settings.nodes[last..],
    };
    let group = |nodes: &u32| {
        let own = |row: &&Row| row.part == Part::Nodes && row.nodes == *nodes;
        study.rows.iter().filter(own).map(row).collect()
    };
    let heads = ["N", "algorithm"].into_iter();
    Section {
        title: "What everything costs".into(),
        about: format!(
            "{} points per node on vnode rings. A lookup in a batch, by a call of its own, and as latency; one node is added and removed again. Entries: points, slots or nodes. Bytes are counted by the allocator, the list of nodes included.",
            grouped(settings.fixed_points.into())
        ),
        names: 2,
        heads: heads
            .chain(COLUMNS.map(|column| column.0))
            .map(String::from)
            .collect(),
        groups: shown.iter().map(group).collect(),
    }
}

fn row(row: &Row) -> Vec<String> {
    let figures = COLUMNS.iter().enumerate();
    let figures = figures.map(|(at, &(_, name, scale, format))| match (&row.reason, at) {
        (None, _) => plain(row.metrics.get(name), scale, format),
        (Some(_), 0) => FAILED.into(),
        (Some(_), _) => NOTHING.into(),
    });
    let names = [grouped(row.nodes.into()), row.algorithm.clone()];
    names.into_iter().chain(figures).collect()
}

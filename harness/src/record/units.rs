//! Unit, direction and kind of every metric.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::counts::{Count, Operation};
use crate::measure::lookup::Mode;
use crate::scenario::Scenario;

/// Which direction is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Better {
    /// Less of it.
    Lower,
    /// More of it.
    Higher,
    /// Neither; it describes.
    Neither,
}

/// Whether another machine finds the same figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The same on every machine for the same settings.
    Exact,
    /// A time: it belongs to the machine and scatters.
    Sampled,
}

/// What a metric's number means.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unit {
    /// "ns", "bytes", "fraction", "ratio", "count".
    pub unit: String,
    /// Which direction is better.
    pub better: Better,
    /// Whether another machine finds the same figure.
    pub kind: Kind,
    /// The metric in words.
    pub about: String,
}

type Row = (&'static str, &'static str, Better, Kind, &'static str);

const NEITHER: Better = Better::Neither;
const LOWER: Better = Better::Lower;
const HIGHER: Better = Better::Higher;
const EXACT: Kind = Kind::Exact;
const SAMPLED: Kind = Kind::Sampled;

#[rustfmt::skip]
const METRICS: &[Row] = &[
    ("clock_ns", "ns", LOWER, SAMPLED, "reading the clock once"),
    ("loop_ns", "ns", LOWER, SAMPLED, "the batch loop around a placement that gives one node for every key, per lookup"),
    ("loop_single_ns", "ns", LOWER, SAMPLED, "the loop of one key per call around the same placement, per lookup"),
    ("loop_latency_ns", "ns", LOWER, SAMPLED, "the latency loop around the same placement, per lookup"),
    ("hash_ns", "ns", LOWER, SAMPLED, "hashing one key of this workload"),
    ("lookup_ns", "ns", LOWER, SAMPLED, "one lookup in a batch of independent keys, key hash given"),
    ("single_ns", "ns", LOWER, SAMPLED, "one lookup by a call of its own among independent keys, key hash given"),
    ("latency_ns", "ns", LOWER, SAMPLED, "one lookup whose key depends on the answer before, key hash given"),
    ("keyed_lookup_ns", "ns", LOWER, SAMPLED, "hashing one key and looking it up, one call for each of independent keys"),
    ("keyed_batch_ns", "ns", LOWER, SAMPLED, "hashing one key and looking it up, one call for many independent keys"),
    ("keyed_latency_ns", "ns", LOWER, SAMPLED, "hashing one key and looking it up, where the key depends on the answer before"),
    ("build_ns", "ns", LOWER, SAMPLED, "building from the list of nodes"),
    ("add_ns", "ns", LOWER, SAMPLED, "adding one node, one clock reading included"),
    ("remove_ns", "ns", LOWER, SAMPLED, "removing the node just added, one clock reading included"),
    ("heap_bytes", "bytes", LOWER, EXACT, "bytes held on the heap, counted by the allocator"),
    ("heap_bytes_per_node", "bytes", LOWER, EXACT, "the same for each node"),
    ("heap_bytes_per_entry", "bytes", LOWER, EXACT, "the same for each point, slot or node that decides the owners"),
    ("build_peak_bytes", "bytes", LOWER, EXACT, "most bytes held while building, the list of nodes included"),
    ("lookup_allocations", "count", LOWER, EXACT, "allocations per lookup"),
    ("entries", "count", NEITHER, EXACT, "points, slots or nodes that decide the owners"),
    ("add_entries", "count", LOWER, EXACT, "entries that adding one node changes"),
    ("remove_entries", "count", LOWER, EXACT, "entries that removing the node just added changes"),
    ("astray", "fraction", LOWER, EXACT, "keys that another node owns than the layout of points or slots says, the ends of arcs included"),
    ("clashes", "count", LOWER, EXACT, "points of a ring that stand at the position of another one"),
    ("arcs_ks", "fraction", LOWER, EXACT, "largest difference between the cumulative lengths of arcs and their law (Kolmogorov and Smirnov)"),
    ("order_moved", "fraction", LOWER, EXACT, "keys with another owner when the same nodes are listed in another order"),
    ("history_moved", "fraction", LOWER, EXACT, "keys with another owner after a node was removed and added back"),
    ("reweigh_moved", "fraction", NEITHER, EXACT, "keys moved when one weight goes from 1 to 2"),
    ("reweigh_least", "fraction", NEITHER, EXACT, "the least possible for that change of shares"),
    ("reweigh_unneeded", "fraction", LOWER, EXACT, "keys moved by it between two other nodes"),
    ("reweigh_share_error", "fraction", NEITHER, EXACT, "share of the node of weight 2 relative to 2/(N+1), minus 1"),
];

const PERCENTILES: &[(&str, &str)] = &[
    ("p50", "median"),
    ("p90", "90th percentile"),
    ("p99", "99th percentile"),
    ("p999", "99.9th percentile"),
    ("max", "largest"),
];

/// All metrics by name.
pub fn units() -> BTreeMap<String, Unit> {
    let mut units = BTreeMap::new();
    let mut define = |name: String, unit: &str, better, kind, about: String| {
        let unit = unit.into();
        units.insert(
            name,
            Unit {
                unit,
                better,
                kind,
                about,
            },
        );
    };
    for &(name, unit, better, kind, about) in METRICS {
        define(name.into(), unit, better, kind, about.into());
    }
    for (count, words) in Count::ALL.map(|count| (count.name(), count.words())) {
        for operation in Operation::ALL {
            let about = format!("{words} {}, counted under Callgrind", operation.words());
            define(
                format!("{count}_{}", operation.name()),
                "count",
                LOWER,
                EXACT,
                about,
            );
        }
    }
    for mode in Mode::ALL {
        for (rank, words) in PERCENTILES {
            let (tag, mode) = (mode.tag(), mode.words());
            let about = format!("{words} over timed samples, {mode}, per lookup");
            define(format!("{tag}_{rank}_ns"), "ns", LOWER, SAMPLED, about);
        }
    }
    for (what, whose) in [
        ("shares", "exact share"),
        ("keys", "number of keys"),
        ("requests", "number of requests"),
        ("bytes", "number of bytes"),
    ] {
        let mut about = |name: &str, better, words: String| {
            define(format!("{what}_{name}"), "ratio", better, EXACT, words);
        };
        about(
            "max_mean",
            LOWER,
            format!("largest {whose} of a node over the mean"),
        );
        about(
            "min_mean",
            HIGHER,
            format!("smallest {whose} of a node over the mean"),
        );
        about(
            "cv",
            LOWER,
            format!("coefficient of variation of the nodes' {whose}"),
        );
    }
    for scenario in Scenario::ALL {
        let (tag, change) = (scenario.tag(), scenario.words());
        let mut about = |name: &str, unit: &str, words: String| {
            // What must move, and to how many, describes the change and is no merit.
            let better = match name {
                "least" | "receivers" => NEITHER,
                _ => LOWER,
            };
            define(format!("{name}_{tag}"), unit, better, EXACT, words);
        };
        about("moved", "fraction", format!("keys moved: {change}"));
        about(
            "moved_keys",
            "fraction",
            format!("keys of this workload moved: {change}"),
        );
        about(
            "moved_requests",
            "fraction",
            format!("requests whose key moved: {change}"),
        );
        about(
            "moved_bytes",
            "fraction",
            format!("bytes whose key moved: {change}"),
        );
        about(
            "least",
            "fraction",
            format!("the least that this change of shares must move: {change}"),
        );
        about(
            "unneeded",
            "fraction",
            format!("keys moved between two unchanged nodes: {change}"),
        );
        about(
            "receivers",
            "count",
            format!("nodes that receive keys: {change}"),
        );
        about(
            "increase",
            "ratio",
            format!("largest increase of a survivor's share, 0.5 for half as much again: {change}"),
        );
    }
    units
}

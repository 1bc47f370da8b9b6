//! What one change of weight moves, and to whom.

use std::collections::BTreeMap;

use algorithms::{NodeId, Placement};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::measure::Metrics;
use crate::measure::movement::{Moved, Shares};
use crate::record::Metric;
use crate::workload::Workload;

/// What one change moves, in parts of all keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Moves {
    /// Keys that move: exact from arcs or slots, else counted.
    pub moved: Metric,
    /// The least possible for the same shares.
    pub least: Metric,
    /// Keys that move between nodes whose weight did not change.
    pub unneeded: Metric,
    /// Nodes that receive keys.
    pub receivers: Metric,
    /// Part of the moved keys that the node with the most of them receives.
    pub top: Metric,
    /// Who receives the moved keys, the one with the most of them first.
    pub to: Vec<Receiver>,
    /// The same moves counted on the keys, and weighed by requests and bytes where they are known.
    pub counted: Metrics,
}

/// A node that receives keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Receiver {
    /// Its name.
    pub node: String,
    /// Part of the moved keys that it receives.
    pub part: f64,
}

impl Moves {
    /// Compares two placements whose ids mean the same nodes, and the owners of all keys by them.
    pub fn between(
        before: &dyn Placement,
        after: &dyn Placement,
        was: &[Option<NodeId>],
        is: &[Option<NodeId>],
        workload: &Workload,
    ) -> Self {
        let Moved {
            moved,
            unneeded,
            receivers,
        } = Moved::between(before, after, was, is);
        let to = receivers_of(after, was, is);
        let counted = workload.measures().into_iter().map(|measure| {
            let differs = (0..is.len()).filter(|&at| was[at] != is[at]);
            let weight: u64 = differs.map(|at| measure.of(at)).sum();
            let whole = measure.total(is.len());
            let part = (whole > 0).then(|| weight as f64 / whole as f64);
            (
                measure.name.to_owned(),
                Metric::or(part, "they add up to 0"),
            )
        });
        Self {
            moved,
            least: Metric::of(Shares::of(before, after).least()),
            unneeded,
            receivers,
            top: Metric::or(to.first().map(|most| most.part), "no key moves"),
            to,
            counted: counted.collect(),
        }
    }
}

/// The nodes to which keys move, by how many do.
fn receivers_of(
    after: &dyn Placement,
    was: &[Option<NodeId>],
    is: &[Option<NodeId>],
) -> Vec<Receiver> {
    let mut received: BTreeMap<NodeId, u64> = BTreeMap::new();
    let moved = was.iter().zip(is).filter(|(from, to)| from != to);
    for to in moved.filter_map(|(_, to)| *to) {
        *received.entry(to).or_default() += 1;
    }
    let all: u64 = received.values().sum();
    let mut received: Vec<(NodeId, u64)> = received.into_iter().collect();
    received.sort_by_key(|&(_, keys)| std::cmp::Reverse(keys));
    let receiver = |(id, keys): (NodeId, u64)| Receiver {
        node: after.membership().name(id).into(),
        part: keys as f64 / all as f64,
    };
    received.into_iter().map(receiver).collect()
}

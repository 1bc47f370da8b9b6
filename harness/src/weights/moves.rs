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
    /// The same moves counted on the keys, and weighed by requests and bytes where they are known.
    pub counted: Metrics,
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
        let mut received: BTreeMap<Option<NodeId>, u64> = BTreeMap::new();
        for (_, to) in was.iter().zip(is).filter(|(from, to)| from != to) {
            *received.entry(*to).or_default() += 1;
        }
        let all: u64 = received.values().sum();
        let top = received.values().max();
        let top = top.map(|&most| most as f64 / all as f64);
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
            top: Metric::or(top, "no key moves"),
            counted: counted.collect(),
        }
    }
}

//! What is measured of a placement: one file per metric.

mod against;
pub mod churn;
pub mod dependence;
pub mod layout;
pub mod lookup;
pub mod memory;
pub mod movement;
pub mod spread;

use std::collections::BTreeMap;

use algorithms::algorithm::Weights;
use algorithms::{Algorithm, Node, NodeId, Placement, PlacementError, Settings};

use crate::record::Metric;
use crate::scenario::Scenario;
use crate::verify::Verified;
use crate::workload::Workload;

/// Metrics by name.
pub type Metrics = BTreeMap<String, Metric>;

/// A built and verified placement, ready to be measured.
pub struct Candidate<'a> {
    /// The algorithm.
    pub algorithm: &'a Algorithm,
    /// What it was built with.
    pub settings: Settings,
    /// The nodes that it was built from.
    pub nodes: Vec<Node>,
    /// Seed of the nodes' names.
    pub seed: u64,
    /// The placement.
    pub placement: Box<dyn Placement>,
    /// The owners of all keys of the workload.
    pub verified: Verified,
}

impl Candidate<'_> {
    /// Builds the placement anew.
    ///
    /// # Errors
    /// As the first time, so not for a candidate that was built.
    pub fn rebuild(&self, nodes: Vec<Node>) -> Result<Box<dyn Placement>, PlacementError> {
        self.algorithm.build(&self.settings, nodes)
    }

    /// Whether the algorithm has weights.
    fn weighted(&self) -> bool {
        self.algorithm.traits.weights != Weights::None
    }

    /// The node that would join next.
    pub fn newcomer(&self, further: usize) -> Node {
        node(self.seed, self.nodes.len() + further)
    }
}

/// Everything that is not timed.
///
/// # Errors
/// When a change is refused that the declared traits allow.
pub fn untimed(
    candidate: &Candidate<'_>,
    workload: &Workload,
    seed: u64,
) -> Result<Metrics, PlacementError> {
    let mut metrics = memory::measure(candidate, &workload.hashes)?;
    metrics.extend(churn::entries(candidate)?);
    metrics.extend(layout::measure(candidate, workload));
    metrics.extend(spread::measure(candidate, workload));
    metrics.extend(dependence::measure(candidate, workload, seed)?);
    for scenario in Scenario::ALL {
        metrics.extend(movement::measure(candidate, workload, scenario, seed));
    }
    Ok(metrics)
}

/// The node with this number. The seed is part of its name, since names decide where a ring's points
/// lie: another seed draws another ring.
pub fn node(seed: u64, number: usize) -> Node {
    Node::new(format!("node-{seed}-{number}"))
}

/// The first `count` nodes.
pub fn nodes(seed: u64, count: u32) -> Vec<Node> {
    (0..count as usize)
        .map(|number| node(seed, number))
        .collect()
}

/// Position of an owner in joining order, for counting.
fn index(owner: Option<NodeId>) -> Option<usize> {
    owner.map(NodeId::index)
}

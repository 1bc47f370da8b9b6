//! One cascade, wave by wave.

use algorithms::algorithm::Moves;
use algorithms::{Algorithm, NodeId, Placement, PlacementError};

use super::load;
use crate::workload::{Measure, Workload};

/// Nodes with the keys that they own.
pub struct Fleet<'a> {
    placement: Box<dyn Placement>,
    workload: &'a Workload,
    measure: Measure<'a>,
    /// Whether a key stays as long as its node does.
    keys_stay: bool,
    owners: Vec<Option<NodeId>>,
    /// By the index of the node's id.
    loads: Vec<u64>,
}

/// How one cascade went.
#[derive(Clone, Debug, PartialEq)]
pub struct Fall {
    /// Nodes above their capacity before any left.
    pub over_before: usize,
    /// Largest load over the mean after the first node has left: with less headroom others follow.
    pub needed: f64,
    /// Waves of overload after the first node.
    pub waves: u32,
    /// Nodes that are left, by their names.
    pub survivors: Vec<String>,
    /// Part of the load that is above the capacity of its node, or has no node.
    pub lost: f64,
    /// Part of the load that is not on the node where it was before.
    pub moved: f64,
    /// Why a node that is above its capacity could not leave.
    pub stuck: Option<String>,
}

impl Clone for Fleet<'_> {
    fn clone(&self) -> Self {
        Self {
            placement: self.placement.boxed_clone(),
            owners: self.owners.clone(),
            loads: self.loads.clone(),
            ..*self
        }
    }
}

impl<'a> Fleet<'a> {
    /// The keys on the nodes of this placement.
    pub fn new(
        algorithm: &Algorithm,
        placement: Box<dyn Placement>,
        workload: &'a Workload,
    ) -> Self {
        let mut fleet = Self {
            loads: vec![0; placement.membership().joined()],
            placement,
            workload,
            measure: load(workload),
            keys_stay: algorithm.traits.moves == Moves::Least,
            owners: vec![None; workload.len()],
        };
        fleet.settle();
        fleet
    }

    /// Finds the owners of the keys anew.
    fn settle(&mut self) {
        let mut gone = vec![true; self.loads.len()];
        for member in self.placement.membership().members() {
            gone[member.id.index()] = false;
        }
        let homeless = |owner: &Option<NodeId>| owner.is_none_or(|id| gone[id.index()]);
        let moving: Vec<usize> = match self.keys_stay {
            true => (0..self.owners.len())
                .filter(|&at| homeless(&self.owners[at]))
                .collect(),
            false => (0..self.owners.len()).collect(),
        };
        let hashes: Vec<u64> = moving.iter().map(|&at| self.workload.hashes[at]).collect();
        let mut owners = vec![None; hashes.len()];
        self.placement.place_many(&hashes, &mut owners);
        for (at, owner) in moving.into_iter().zip(owners) {
            self.owners[at] = owner;
        }
        self.loads.fill(0);
        for (at, owner) in self.owners.iter().enumerate() {
            if let Some(id) = owner {
                self.loads[id.index()] += self.measure.of(at);
            }
        }
    }

    fn total(&self) -> f64 {
        self.measure.total(self.workload.len()) as f64
    }

    /// Members above this load, the newest first: where only the newest can leave, others become it.
    fn above(&self, capacity: f64) -> Vec<NodeId> {
        let members = self.placement.membership().members().iter().rev();
        let above = members.filter(|member| self.loads[member.id.index()] as f64 > capacity);
        above.map(|member| member.id).collect()
    }

    fn excess(&self, capacity: f64) -> f64 {
        let placed: u64 = self.loads.iter().sum();
        let above = self.loads.iter().map(|&load| load as f64 - capacity);
        self.total() - placed as f64 + above.map(|excess| excess.max(0.0)).sum::<f64>()
    }

    fn moved_since(&self, owners: &[Option<NodeId>]) -> f64 {
        let differ = (0..owners.len()).filter(|&at| owners[at] != self.owners[at]);
        differ.map(|at| self.measure.of(at)).sum::<u64>() as f64
    }
}

/// Lets one node leave, and then all that are above `headroom` times the mean load, until none is or
/// none of them can leave.
///
/// # Errors
/// When the first node cannot leave.
pub fn fall(mut fleet: Fleet<'_>, headroom: f64, first: NodeId) -> Result<Fall, PlacementError> {
    let mean = fleet.total() / fleet.placement.membership().len() as f64;
    let capacity = headroom * mean;
    let owners = fleet.owners.clone();
    let over_before = fleet.above(capacity).len();
    fleet.placement.remove(first)?;
    fleet.settle();
    let largest = fleet.loads.iter().max().map_or(0, |&load| load) as f64;
    let (mut waves, mut stuck) = (0, None);
    loop {
        let above = fleet.above(capacity);
        let left = fleet.placement.membership().len();
        for id in above {
            stuck = fleet.placement.remove(id).err();
            if stuck.is_some() {
                break;
            }
        }
        if fleet.placement.membership().len() == left {
            break;
        }
        waves += 1;
        fleet.settle();
    }
    let total = fleet.total();
    let members = fleet.placement.membership().members().iter();
    Ok(Fall {
        over_before,
        needed: largest / mean,
        waves,
        survivors: members.map(|member| member.name.to_string()).collect(),
        lost: fleet.excess(capacity) / total,
        moved: fleet.moved_since(&owners) / total,
        stuck: stuck.map(|error| error.to_string()),
    })
}

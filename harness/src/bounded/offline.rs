//! The model of the paper: requests in a fixed order, caps that are fixed beforehand.
//!
//! Each request goes to the first node of its key's order of preference that is below its cap. The outcome depends on
//! the requests and the nodes alone, not on what left or came before, so two outcomes tell what a
//! change moves.

use std::ops::ControlFlow;

use algorithms::NodeId;
use algorithms::replicas::Visit;

/// Where requests went.
#[derive(Clone, Debug, PartialEq)]
pub struct Assigned {
    /// The node of each request.
    pub nodes: Vec<NodeId>,
    /// Requests of each node, by the index of its id.
    pub loads: Vec<u64>,
    /// Full nodes that each request passed: 0 for one that its owner serves.
    pub walks: Vec<u32>,
}

/// Assigns requests in their order, each to the first node that `prefer` visits for its key and that
/// has room. `caps` holds the cap of each node by the index of its id. `None` when a request finds
/// no place.
pub fn assign(
    requests: &[u64],
    caps: &[u64],
    prefer: impl Fn(u64, &mut Visit<'_>) -> ControlFlow<()>,
) -> Option<Assigned> {
    let mut assigned = Assigned {
        nodes: Vec::with_capacity(requests.len()),
        loads: vec![0; caps.len()],
        walks: Vec::with_capacity(requests.len()),
    };
    // The last request, counted from 1, that found a node full: a node is passed once.
    let mut passed = vec![0; caps.len()];
    for (request, &key) in (1..).zip(requests) {
        let mut walk = 0;
        let mut place = None;
        let _ = prefer(key, &mut |node| {
            let at = node.index();
            if assigned.loads[at] < caps[at] {
                place = Some(node);
                return ControlFlow::Break(());
            }
            if passed[at] != request {
                passed[at] = request;
                walk += 1;
            }
            ControlFlow::Continue(())
        });
        let node = place?;
        assigned.loads[node.index()] += 1;
        assigned.nodes.push(node);
        assigned.walks.push(walk);
    }
    Some(assigned)
}

impl Assigned {
    /// Requests that have another node in the other outcome, of the same requests.
    pub fn moved(&self, other: &Self) -> usize {
        let pairs = self.nodes.iter().zip(&other.nodes);
        pairs.filter(|(before, after)| before != after).count()
    }

    /// Requests that did not go to the owner of their key.
    pub fn spilled(&self) -> usize {
        self.walks.iter().filter(|&&walk| walk > 0).count()
    }
}

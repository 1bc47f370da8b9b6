//! Verification of a placement on the very keys that will be timed. Nothing is measured without it.

use algorithms::hash::mix;
use algorithms::laws::Subject;
use algorithms::{Algorithm, Node, NodeId, Placement, Settings};

use crate::workload::Workload;

/// Keys on which a batch is compared with single lookups.
const SINGLES: usize = 100_000;
/// Keys on which the laws are checked.
const SAMPLE: usize = 1000;

/// The owners of all keys, proven.
#[derive(Debug)]
pub struct Verified {
    /// Owner of each key of the workload.
    pub owners: Vec<Option<NodeId>>,
    /// [`checksum`] of all owners.
    pub checksum: u64,
    /// Laws that hold.
    pub laws: usize,
}

/// How much is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    /// The owners of all keys, and the batch against single lookups.
    Owners,
    /// Every law as well.
    Laws,
}

/// Checks that every key has an eligible owner, that a batch answers as single lookups do, and
/// that all laws hold on these nodes.
///
/// # Errors
/// What was seen instead, in words.
pub fn verify(
    algorithm: &Algorithm,
    settings: &Settings,
    nodes: &[Node],
    placement: &dyn Placement,
    workload: &Workload,
    depth: Depth,
) -> Result<Verified, String> {
    let owners = place_all(placement, &workload.hashes);
    let members = placement.membership();
    let mut eligible = vec![false; members.joined()];
    for member in members.members() {
        eligible[member.id.index()] = member.weight > 0.0;
    }
    let some = eligible.contains(&true);
    for (position, owner) in owners.iter().enumerate() {
        let right = match owner {
            Some(id) => eligible.get(id.index()) == Some(&true),
            None => !some,
        };
        if !right {
            let key = workload.hashes[position];
            return Err(format!(
                "key hash {key:#018x} is placed on {owner:?}, which is not an eligible node"
            ));
        }
    }
    let step = workload.len().div_ceil(SINGLES).max(1);
    for position in (0..workload.len()).step_by(step) {
        let key = workload.hashes[position];
        let single = placement.place(key);
        if single != owners[position] {
            return Err(format!(
                "key hash {key:#018x} is placed on {:?} in a batch and on {single:?} by itself",
                owners[position]
            ));
        }
    }
    let subject = Subject {
        algorithm,
        settings: *settings,
        nodes,
        keys: &workload.sample(SAMPLE),
    };
    let laws = match depth {
        Depth::Owners => 0,
        Depth::Laws => subject
            .check_all()
            .map_err(|violation| violation.to_string())?,
    };
    Ok(Verified {
        checksum: checksum(0, &owners),
        owners,
        laws,
    })
}

/// Owners of all keys, found on all processors.
pub fn place_all(placement: &dyn Placement, keys: &[u64]) -> Vec<Option<NodeId>> {
    let mut owners = vec![None; keys.len()];
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let chunk = keys.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        for (keys, owners) in keys.chunks(chunk).zip(owners.chunks_mut(chunk)) {
            scope.spawn(|| placement.place_many(keys, owners));
        }
    });
    owners
}

/// Folds owners into a running checksum; their order counts.
pub fn checksum(start: u64, owners: &[Option<NodeId>]) -> u64 {
    let code = |owner: &Option<NodeId>| owner.map_or(0, |id| id.index() as u64 + 1);
    owners
        .iter()
        .fold(start, |sum, owner| mix(sum ^ code(owner)).wrapping_add(1))
}

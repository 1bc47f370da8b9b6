//! What the benchmarks share: the cases, with the keys and node names of the harness.

use algorithms::{Algorithm, Node, NodeId, Placement, PlacementError, Settings, registry};
use harness::counts::SEED;
use harness::measure::{lookup::PER_SAMPLE, node, nodes};
use harness::verify::checksum;
use harness::workload::random;

/// One algorithm at one number of nodes.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The algorithm.
    pub algorithm: &'static Algorithm,
    /// The number of nodes.
    pub nodes: u32,
}

/// A loop over one batch of keys.
pub type Lookups = fn(&dyn Placement, &[u64], &mut [Option<NodeId>]);

impl Case {
    /// Every algorithm of the registry at each of these sizes.
    pub fn all(sizes: &[u32]) -> impl Iterator<Item = Self> {
        registry::ALL
            .iter()
            .flat_map(move |algorithm| sizes.iter().map(move |&nodes| Self { algorithm, nodes }))
    }

    /// The nodes to build from.
    pub fn list(&self) -> Vec<Node> {
        nodes(SEED, self.nodes)
    }

    /// The node that joins next.
    pub fn newcomer(&self) -> Node {
        node(SEED, self.nodes as usize)
    }

    /// A placement of these nodes.
    ///
    /// # Errors
    /// When the algorithm has no room for so many.
    pub fn build(&self, nodes: Vec<Node>) -> Result<Box<dyn Placement>, PlacementError> {
        self.algorithm.build(&Settings::default(), nodes)
    }

    /// A placement whose owners in this loop are those of single lookups.
    ///
    /// # Errors
    /// As [`Case::build`].
    ///
    /// # Panics
    /// When the loop finds other owners.
    pub fn verified(
        &self,
        keys: &[u64],
        lookups: Lookups,
    ) -> Result<Box<dyn Placement>, PlacementError> {
        let placement = self.build(self.list())?;
        let singly = keys
            .iter()
            .fold(0, |sum, key| checksum(sum, &[placement.place(*key)]));
        let mut owners = [None; PER_SAMPLE];
        let looped = keys.chunks(PER_SAMPLE).fold(0, |sum, keys| {
            let owners = &mut owners[..keys.len()];
            lookups(&*placement, keys, owners);
            checksum(sum, owners)
        });
        assert_eq!(
            looped, singly,
            "{} places a batch otherwise than single keys",
            self.algorithm.name
        );
        Ok(placement)
    }
}

/// Hashes of so many random distinct keys.
pub fn keys(count: usize) -> Vec<u64> {
    random(count, SEED, Settings::default().hash).hashes
}

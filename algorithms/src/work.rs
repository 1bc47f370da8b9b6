//! What a lookup does, counted by the very code that does it.

use crate::placement::NodeId;

/// Steps of one lookup, the hash of the key being given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Further hashes of the key.
    pub hashes: u64,
    /// Comparisons of the key with a point, the point's read included.
    pub comparisons: u64,
    /// Scores of nodes that were computed, or random numbers that were drawn.
    pub draws: u64,
    /// Reads of a list or table that go with none of these.
    pub reads: u64,
}

impl Work {
    /// All steps together.
    pub fn steps(&self) -> u64 {
        self.hashes + self.comparisons + self.draws + self.reads
    }

    /// What this lookup does.
    pub(crate) fn of(lookup: impl FnOnce(&mut Self) -> Option<NodeId>) -> Self {
        let mut work = Self::default();
        lookup(&mut work);
        work
    }
}

/// Is told of each step of a lookup.
///
/// A lookup is written once, generic over its tally: with [`Work`] it is counted, with `()`, which
/// compiles to nothing, it is the one that answers.
pub trait Tally {
    /// The key was hashed again.
    fn hash(&mut self) {}
    /// The key was compared with a point.
    fn compare(&mut self) {}
    /// A score was computed, or a number drawn.
    fn draw(&mut self) {}
    /// An entry was read.
    fn read(&mut self) {}
}

impl Tally for () {}

impl Tally for Work {
    fn hash(&mut self) {
        self.hashes += 1;
    }

    fn compare(&mut self) {
        self.comparisons += 1;
    }

    fn draw(&mut self) {
        self.draws += 1;
    }

    fn read(&mut self) {
        self.reads += 1;
    }
}

//! The changes of membership whose cost is measured.

/// A change of membership.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scenario {
    /// One node joins.
    AddOne,
    /// The node that joined last leaves.
    RemoveNewest,
    /// The node that joined first leaves.
    RemoveOldest,
    /// A random node leaves.
    RemoveRandom,
    /// Two nodes join in one change.
    AddTwo,
}

impl Scenario {
    /// All of them, in the order in which tables show them.
    pub const ALL: [Self; 5] = [
        Self::AddOne,
        Self::RemoveNewest,
        Self::RemoveOldest,
        Self::RemoveRandom,
        Self::AddTwo,
    ];

    /// End of its metrics' names.
    pub fn tag(self) -> &'static str {
        match self {
            Self::AddOne => "add_1",
            Self::RemoveNewest => "remove_newest",
            Self::RemoveOldest => "remove_oldest",
            Self::RemoveRandom => "remove_random",
            Self::AddTwo => "add_2",
        }
    }

    /// The change in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::AddOne => "one node added",
            Self::RemoveNewest => "the newest node removed",
            Self::RemoveOldest => "the oldest node removed",
            Self::RemoveRandom => "a random node removed",
            Self::AddTwo => "two nodes added at once",
        }
    }

    /// Nodes that join.
    pub fn added(self) -> usize {
        match self {
            Self::AddOne => 1,
            Self::AddTwo => 2,
            _ => 0,
        }
    }

    /// Part of the keys that moves between equal nodes when nothing moves without need.
    pub fn ideal(self, nodes: usize) -> f64 {
        match self.added() {
            0 => 1.0 / nodes as f64,
            added => added as f64 / (nodes + added) as f64,
        }
    }
}

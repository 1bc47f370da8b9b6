//! What an algorithm says of itself: where it comes from, what it can do, how it is built.

use crate::error::PlacementError;
use crate::growth::Costs;
use crate::hash::{self, KeyHash};
use crate::membership::Node;
use crate::placement::Placement;
use crate::{maglev, slots};

/// What a placement is built with. Each algorithm reads the fields that it has a use for.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Hash of the labels of nodes and points. Keys are to be hashed with the same one.
    pub hash: KeyHash,
    /// Points on a vnode ring of a node of weight 1.
    pub points: u32,
    /// Slots of a Maglev table: a prime.
    pub table: u32,
    /// Fixed slots that nodes share.
    pub slots: u32,
}

impl Default for Settings {
    /// xxh3, 100 points per node, 65,537 slots of a table, 16,384 fixed slots.
    fn default() -> Self {
        Self {
            hash: hash::XXH3,
            points: 100,
            table: 65_537,
            slots: 16_384,
        }
    }
}

/// How much a change of membership moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Moves {
    /// Keys move only to the node that grew or from the one that shrank.
    Least,
    /// No more than the change of shares needs, shares being whole slots. Where weights differ, an
    /// unchanged node may be rounded the other way than before, and one slot goes between it and
    /// another unchanged node.
    Rounded,
    /// In the mean over node names, a fraction of at most `unneeded` of all keys also moves between
    /// unchanged nodes, as long as there are at least 100 slots for each node. A single change may
    /// move several times as much: two nodes can have walks that run side by side.
    Approximate {
        /// Bound of that fraction for one changed node.
        unneeded: f64,
    },
    /// Nearly everything may move.
    Unbounded,
}

impl Moves {
    /// Whether a change moves no more than the change of shares needs.
    pub fn is_least(self) -> bool {
        matches!(self, Self::Least | Self::Rounded)
    }

    /// In one word, for tables and records.
    pub fn word(self) -> &'static str {
        match self {
            Self::Least => "least",
            Self::Rounded => "rounded",
            Self::Approximate { .. } => "approximate",
            Self::Unbounded => "unbounded",
        }
    }
}

/// Which nodes can be removed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Removal {
    /// Any.
    Any,
    /// Only the newest.
    Newest,
}

impl Removal {
    /// In one word, for tables and records.
    pub fn word(self) -> &'static str {
        match self {
            Self::Any => "any",
            Self::Newest => "newest",
        }
    }
}

/// What a weight does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weights {
    /// The algorithm has none: every weight is 1.
    None,
    /// The share of keys is w/Σw by design.
    Exact,
    /// The share follows w/Σw as closely as whole slots or points allow.
    Rounded,
}

impl Weights {
    /// In one word, for tables and records.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Exact => "exact",
            Self::Rounded => "rounded",
        }
    }
}

/// How evenly nodes of equal weight share the key space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// 1/N each, by design; what is uneven is the keys' own chance.
    Even,
    /// Whole slots of a table: they differ by at most one.
    Slots(Table),
    /// Arcs between random points; the given number of points per node where it is fixed, else
    /// [`Settings::points`].
    Points(Option<u32>),
}

/// Whose slots nodes share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Table {
    /// A table that is filled by turns: [`Settings::table`] slots, a prime. Shares are within two
    /// slots of the weights.
    Turns,
    /// Slots that are counted out: [`Settings::slots`] of them, any number. Each node has its quota,
    /// rounded up or down, as long as every quota is a whole slot at least.
    Quotas,
}

impl Table {
    /// Its slots under these settings.
    pub fn slots(self, settings: &Settings) -> u32 {
        match self {
            Self::Turns => settings.table,
            Self::Quotas => settings.slots,
        }
    }

    /// The settings with another number of its slots.
    pub fn sized(self, settings: Settings, slots: u32) -> Settings {
        match self {
            Self::Turns => Settings {
                table: slots,
                ..settings
            },
            Self::Quotas => Settings { slots, ..settings },
        }
    }

    /// What the setting is called.
    pub fn setting(self) -> &'static str {
        match self {
            Self::Turns => "table",
            Self::Quotas => "slots",
        }
    }

    /// Whether it may have so many slots and share them out to so many nodes.
    ///
    /// # Errors
    /// When it may not.
    pub fn check(self, slots: u32, nodes: usize) -> Result<(), PlacementError> {
        match self {
            Self::Turns => maglev::check_size(slots, nodes),
            Self::Quotas => slots::check_size(slots, nodes),
        }
    }
}

/// How the nodes that hold copies of a key follow on its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replicas {
    /// In one order for each key: the next copy is where the key would go without those before it.
    /// A node that leaves drops out of the list and one is appended.
    Ordered,
    /// The owners of further hashes of the key: a change may alter the list anywhere.
    Rehashed,
}

impl Replicas {
    /// In one word, for tables and records.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ordered => "ordered",
            Self::Rehashed => "rehashed",
        }
    }
}

/// What an algorithm declares. The laws read it, the report prints it, and both check it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Traits {
    /// The owners depend on the set of nodes alone: not on the order of the list, nor on the way
    /// by which the set was reached.
    pub order_free: bool,
    /// Removing nodes that can be removed and adding them back, in any order, restores every owner.
    pub history_free: bool,
    /// The members in joining order, with their weights, decide the owners: nodes that left and
    /// weights that changed leave no trace.
    pub traceless: bool,
    /// Movement on a change.
    pub moves: Moves,
    /// Removal.
    pub removal: Removal,
    /// Weights.
    pub weights: Weights,
    /// Evenness.
    pub spread: Spread,
    /// Copies.
    pub replicas: Replicas,
}

/// Recomputes owners from the node list alone, by the plainest reading of the definition: the
/// answer for each key is a position in `nodes`. What the clever form is checked against.
pub type Naive = fn(&Settings, &[Node], &[u64]) -> Vec<Option<usize>>;

/// One entry of the registry.
#[derive(Clone, Copy, Debug)]
pub struct Algorithm {
    /// Short name, for the command line and for cell ids.
    pub name: &'static str,
    /// Name in words.
    pub title: &'static str,
    /// Where it was published.
    pub source: &'static str,
    /// Version of the mapping: raised when owners change on purpose.
    pub version: u32,
    /// What it can do.
    pub traits: Traits,
    /// What it claims to cost.
    pub costs: Costs,
    /// An empty placement.
    pub empty: fn(&Settings) -> Result<Box<dyn Placement>, PlacementError>,
    /// The naive twin.
    pub naive: Naive,
}

impl Algorithm {
    /// Slots of the table that it builds with these settings; `None` where it has none.
    pub fn slots(&self, settings: &Settings) -> Option<u32> {
        match self.traits.spread {
            Spread::Slots(table) => Some(table.slots(settings)),
            Spread::Even | Spread::Points(_) => None,
        }
    }

    /// A placement of these nodes.
    ///
    /// # Errors
    /// When the settings do not fit the algorithm, or as [`Placement::extend`].
    pub fn build(
        &self,
        settings: &Settings,
        nodes: Vec<Node>,
    ) -> Result<Box<dyn Placement>, PlacementError> {
        let mut placement = (self.empty)(settings)?;
        placement.extend(nodes)?;
        Ok(placement)
    }
}

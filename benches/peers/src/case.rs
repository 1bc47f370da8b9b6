//! The nodes of one measurement. A peer knows a node by a number from 1, its name.

use std::ops::Range;

use algorithms::Settings;

/// Points of a node on a ring, where the crate lets one choose.
pub const POINTS: u32 = 100;

/// The most nodes that can be asked for.
pub const MOST_NODES: u32 = 100_000;

/// What a lookup answers that found no node.
pub const NOBODY: u32 = 0;

/// So many nodes, with weights or without.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// The number of nodes.
    pub nodes: u32,
    /// Whether the weights are 1, 2, 3, 4, 1, … instead of 1.
    pub weighted: bool,
}

impl Case {
    /// The names of the nodes.
    pub fn names(&self) -> Range<u32> {
        1..self.newcomer()
    }

    /// The name of the node that joins.
    pub fn newcomer(&self) -> u32 {
        self.nodes + 1
    }

    /// The weight of a node.
    pub fn weight(&self, name: u32) -> u32 {
        match self.weighted {
            true => (name - 1) % 4 + 1,
            false => 1,
        }
    }

    /// Slots of a Maglev table: a prime that is at least 65 times the nodes, up to 10,000 of them.
    pub fn table(&self) -> u32 {
        match self.nodes {
            ..=100 => 65_537,
            _ => 655_373,
        }
    }

    /// What ours are built with.
    pub fn settings(&self) -> Settings {
        Settings {
            points: POINTS,
            table: self.table(),
            ..Settings::default()
        }
    }
}

/// The names for crates that borrow nodes.
pub fn borrowed(name: u32) -> &'static u32 {
    &NAMES[name as usize]
}

/// A constant, so that it stands on no heap.
static NAMES: [u32; MOST_NODES as usize + 2] = {
    let mut names = [0; MOST_NODES as usize + 2];
    let mut name = 0;
    while name < names.len() {
        names[name] = name as u32;
        name += 1;
    }
    names
};

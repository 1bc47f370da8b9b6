//! A row of the table before it is measured.

use algorithms::{Algorithm, jump, maglev, modulo, rendezvous, ring, slots, weighted_rendezvous};

use crate::case::{Case, POINTS};
use crate::hash::Hash;
use crate::subject::{Built, Peer, Subject};

/// Implementations that solve the same task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Rings with many points per node.
    Ring,
    /// The node with the highest score.
    Rendezvous,
    /// The same, in proportion to weights.
    WeightedRendezvous,
    /// Jump consistent hash.
    Jump,
    /// Tables that are filled by turns.
    Maglev,
    /// The remainder.
    Modulo,
    /// Fixed slots that nodes share.
    Slots,
}

impl Family {
    /// All, in the order of tables.
    pub const ALL: [Self; 7] = [
        Self::Ring,
        Self::Rendezvous,
        Self::WeightedRendezvous,
        Self::Jump,
        Self::Maglev,
        Self::Modulo,
        Self::Slots,
    ];

    /// The title of its table.
    pub fn title(self) -> &'static str {
        match self {
            Self::Ring => "Vnode rings",
            Self::Rendezvous => "Rendezvous",
            Self::WeightedRendezvous => "Weighted rendezvous",
            Self::Jump => "Jump",
            Self::Maglev => "Maglev",
            Self::Modulo => "Mod-N",
            Self::Slots => "Fixed slots",
        }
    }

    /// The algorithm of ours that a peer of this family implements.
    pub fn algorithm(self) -> &'static Algorithm {
        match self {
            Self::Ring => &ring::vec::ALGORITHM,
            Self::Rendezvous => &rendezvous::ALGORITHM,
            Self::WeightedRendezvous => &weighted_rendezvous::ALGORITHM,
            Self::Jump => &jump::ALGORITHM,
            Self::Maglev => &maglev::ALGORITHM,
            Self::Modulo => &modulo::ALGORITHM,
            Self::Slots => &slots::ALGORITHM,
        }
    }

    /// The case of so many nodes.
    pub fn case(self, nodes: u32) -> Case {
        Case {
            nodes,
            weighted: self == Self::WeightedRendezvous,
        }
    }
}

/// Whose row it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whose {
    /// Ours.
    Ours,
    /// A published crate's.
    Peers,
    /// Nobody's: a hash and one random read.
    Floor,
}

/// One implementation with one hash of keys.
pub struct Row {
    /// Whose it is.
    pub whose: Whose,
    /// What it implements.
    pub family: Family,
    /// The crate of a peer, or the algorithm of ours.
    pub name: &'static str,
    /// What tells it from others of its crate, its version first.
    pub version: String,
    /// How it hashes keys.
    pub hash: Hash,
    /// Whether a lookup takes time in proportion to the nodes, so that it is timed on fewer keys.
    pub linear: bool,
    /// Points of a node, of a ring.
    pub points: u32,
    /// The most nodes that it is asked to take, and why.
    pub most: Option<(u32, &'static str)>,
    open: Box<dyn Fn(Case) -> Box<dyn Subject>>,
}

impl Row {
    /// A row that is built from a list in this way.
    pub fn new<L: 'static, P: Peer + 'static>(
        (whose, family, name, hash): (Whose, Family, &'static str, Hash),
        list: fn(&Case) -> L,
        build: impl Fn(&Case, L) -> P + Copy + 'static,
    ) -> Self {
        Self {
            whose,
            family,
            name,
            version: String::new(),
            hash,
            linear: matches!(family, Family::Rendezvous | Family::WeightedRendezvous),
            points: POINTS,
            most: None,
            open: Box::new(move |case| Box::new(Built::new(case, list, build))),
        }
    }

    /// A crate of this version, built from the names of the nodes.
    pub fn peer<P: Peer + 'static>(
        family: Family,
        (name, version): (&'static str, &str),
        hash: Hash,
        build: impl Fn(&Case, Vec<u32>) -> P + Copy + 'static,
    ) -> Self {
        let names = |case: &Case| case.names().collect();
        let row = Self::new((Whose::Peers, family, name, hash), names, build);
        Self {
            version: version.into(),
            ..row
        }
    }

    /// The same, whose lookups take time in proportion to the nodes or not.
    pub fn with_linear(self, linear: bool) -> Self {
        Self { linear, ..self }
    }

    /// The same, not to be given more nodes than that for a reason.
    pub fn at_most(self, nodes: u32, reason: &'static str) -> Self {
        Self {
            most: Some((nodes, reason)),
            ..self
        }
    }

    /// The same with another number of points per node.
    pub fn with_points(self, points: u32) -> Self {
        Self { points, ..self }
    }

    /// What it is called in tables.
    pub fn title(&self) -> String {
        match self.whose {
            Whose::Ours => format!("ours: {}", self.name),
            Whose::Peers => format!("{} {}", self.name, self.version),
            Whose::Floor => self.name.into(),
        }
    }

    /// Points, slots or nodes that decide the owners.
    pub fn entries(&self, case: &Case) -> u32 {
        match self.family {
            Family::Ring => case.nodes * self.points,
            Family::Maglev => case.table(),
            Family::Slots => case.settings().slots,
            _ => case.nodes,
        }
    }

    /// Builds it.
    pub fn open(&self, case: Case) -> Box<dyn Subject> {
        (self.open)(case)
    }
}

//! How costs grow: claims as data, in words and as functions.

/// How large a placement is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Size {
    /// N: nodes.
    pub nodes: f64,
    /// V: points per node.
    pub points: f64,
    /// M: slots of a table.
    pub slots: f64,
}

/// Growth up to constant factors, with N nodes, V points per node and M slots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Growth {
    /// 1: none.
    One,
    /// log N.
    LogN,
    /// N.
    N,
    /// N log N.
    NLogN,
    /// N².
    NSquared,
    /// log NV.
    LogNV,
    /// V.
    V,
    /// NV.
    NV,
    /// V log NV.
    VLogNV,
    /// NV log NV.
    NVLogNV,
    /// V·NV.
    VNV,
    /// (NV)².
    NVSquared,
    /// M.
    M,
    /// M log M.
    MLogM,
    /// M log N.
    MLogN,
    /// M/N.
    MOverN,
    /// Of several parts, each with a factor of its own.
    Sum(&'static [Self]),
}

impl Growth {
    /// As people write it, such as "O(log NV)".
    pub fn word(self) -> String {
        format!("O({})", self.inner())
    }

    fn inner(self) -> String {
        let text = match self {
            Self::One => "1",
            Self::LogN => "log N",
            Self::N => "N",
            Self::NLogN => "N log N",
            Self::NSquared => "N²",
            Self::LogNV => "log NV",
            Self::V => "V",
            Self::NV => "NV",
            Self::VLogNV => "V log NV",
            Self::NVLogNV => "NV log NV",
            Self::VNV => "V·NV",
            Self::NVSquared => "(NV)²",
            Self::M => "M",
            Self::MLogM => "M log M",
            Self::MLogN => "M log N",
            Self::MOverN => "M/N",
            Self::Sum(parts) => {
                let parts: Vec<String> = parts.iter().map(|part| part.inner()).collect();
                return parts.join(" + ");
            }
        };
        text.into()
    }

    /// The function, with constant factors of 1. A logarithm is at least 1, so that one node is
    /// not free.
    pub fn of(self, size: Size) -> f64 {
        let Size {
            nodes,
            points,
            slots,
        } = size;
        let all = nodes * points;
        let log = |x: f64| x.log2().max(1.0);
        match self {
            Self::One => 1.0,
            Self::LogN => log(nodes),
            Self::N => nodes,
            Self::NLogN => nodes * log(nodes),
            Self::NSquared => nodes * nodes,
            Self::LogNV => log(all),
            Self::V => points,
            Self::NV => all,
            Self::VLogNV => points * log(all),
            Self::NVLogNV => all * log(all),
            Self::VNV => points * all,
            Self::NVSquared => all * all,
            Self::M => slots,
            Self::MLogM => slots * log(slots),
            Self::MLogN => slots * log(nodes),
            Self::MOverN => slots / nodes,
            Self::Sum(parts) => parts.iter().map(|part| part.of(size)).sum(),
        }
    }

    /// The parts of a sum; of anything else, itself.
    pub fn parts(&self) -> &[Self] {
        match self {
            Self::Sum(parts) => parts,
            one => std::slice::from_ref(one),
        }
    }
}

/// What a change of membership does to the entries of a placement: its points, slots or nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upkeep {
    /// A list: entries behind the changed ones move up or down.
    Shift,
    /// The changed entries alone are written.
    Each,
    /// All are written anew.
    Refill,
}

/// Claimed growth of every cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Costs {
    /// One lookup.
    pub lookup: Growth,
    /// Building from a list of nodes.
    pub build: Growth,
    /// Adding or removing one node.
    pub change: Growth,
    /// Memory.
    pub memory: Growth,
    /// How a change goes about it.
    pub upkeep: Upkeep,
}

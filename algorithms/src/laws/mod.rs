//! The laws that every algorithm keeps, according to the traits that it declares.
//!
//! A law is checked on a [`Subject`]: an algorithm with its settings, nodes and keys. The tests run
//! all laws on every entry of the registry, over node names and hashes that provoke faults; the
//! harness runs the same laws on the nodes and keys that it is about to measure.

use crate::algorithm::{Algorithm, Settings};
use crate::membership::Node;

/// What a law is checked on.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The algorithm.
    pub algorithm: &'a Algorithm,
    /// What it is built with.
    pub settings: Settings,
    /// The nodes, in joining order.
    pub nodes: &'a [Node],
    /// Key hashes to look up.
    pub keys: &'a [u64],
}

/// A law and how to check it.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// The law as a sentence, in snake case.
    pub name: &'static str,
    /// Checks it; the error says what was seen.
    pub check: fn(&Subject<'_>) -> Result<(), String>,
}

/// A law that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{law}: {seen}")]
pub struct Violation {
    /// Name of the law.
    pub law: &'static str,
    /// What was seen instead.
    pub seen: String,
}

/// Every law.
pub const ALL: &[Law] = &[];

impl Subject<'_> {
    /// Checks every law and returns how many hold.
    ///
    /// # Errors
    /// The first law that does not hold.
    pub fn check_all(&self) -> Result<usize, Violation> {
        for law in ALL {
            (law.check)(self).map_err(|seen| Violation {
                law: law.name,
                seen,
            })?;
        }
        Ok(ALL.len())
    }
}

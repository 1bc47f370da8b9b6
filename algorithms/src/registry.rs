//! The one list of algorithms. The harness, the benchmarks, the laws and the documentation read
//! it, so an algorithm that stands here is measured, tested and listed.

use crate::algorithm::Algorithm;
use crate::{
    hierarchical_rendezvous, jump, maglev, modulo, rendezvous, rendezvous_32, ring, slots,
    weighted_rendezvous,
};

/// Every algorithm, in the order in which tables show them.
pub const ALL: &[Algorithm] = &[
    modulo::ALGORITHM,
    ring::single::ALGORITHM,
    ring::vec::ALGORITHM,
    ring::index::ALGORITHM,
    ring::btree::ALGORITHM,
    rendezvous::ALGORITHM,
    rendezvous_32::ALGORITHM,
    weighted_rendezvous::ALGORITHM,
    hierarchical_rendezvous::ALGORITHM,
    jump::ALGORITHM,
    maglev::ALGORITHM,
    slots::ALGORITHM,
];

/// The algorithm of this name.
pub fn find(name: &str) -> Option<&'static Algorithm> {
    ALL.iter().find(|algorithm| algorithm.name == name)
}

//! Published crates, one file each.

mod conshash;
mod consistent_hash;
mod consistent_hash_ring;
mod consistent_rs;
mod hash_ring;
mod hash_rings;
mod hashring;
mod hashring_coordinator;
mod hrw;
mod hrw_hash;
mod jump;
mod maglev;
mod maglev_hash;
mod pingora_ketama;
mod rendezvous_hash;
mod standard;

use crate::row::Row;

/// All rows of peers, in the order of tables.
pub fn rows() -> Vec<Row> {
    [
        hashring::rows(),
        pingora_ketama::rows(),
        hash_rings::rows(),
        consistent_hash_ring::rows(),
        consistent_hash::rows(),
        standard::rows(),
        hashring_coordinator::rows(),
        hash_ring::rows(),
        consistent_rs::rows(),
        conshash::rows(),
        hrw::rows(),
        rendezvous_hash::rows(),
        hrw_hash::rows(),
        jump::rows(),
        maglev::rows(),
        maglev_hash::rows(),
    ]
    .into_iter()
    .flatten()
    .collect()
}

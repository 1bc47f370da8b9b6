//! `pingora-ketama`: a ring of 32 bits, compatible with nginx, that is built anew for every change.

use std::net::{Ipv4Addr, SocketAddr};

use pingora_ketama::{Bucket, Continuum, DEFAULT_POINT_MULTIPLE, Version};

use crate::case::{Case, NOBODY, POINTS};
use crate::hash::Hash;
use crate::row::{Family, Row};
use crate::subject::Peer;

const CRC32: Hash = Hash::Own("CRC-32");
const TOO_MANY: &str = "a point holds the number of its node in 16 bits";

pub fn rows() -> Vec<Row> {
    let row = |version, build: fn(&Case, Vec<u32>) -> Ring| {
        Row::peer(Family::Ring, ("pingora-ketama", version), CRC32, build).at_most(65_535, TOO_MANY)
    };
    vec![
        row("0.9.1 v1, 160 points", |_, names| {
            build(Version::V1, &names)
        })
        .with_points(DEFAULT_POINT_MULTIPLE),
        row("0.9.1 v2", |_, names| {
            let version = Version::V2 {
                point_multiple: POINTS,
            };
            build(version, &names)
        }),
    ]
}

struct Ring(Continuum);

fn build(version: Version, names: &[u32]) -> Ring {
    let bucket = |&name: &u32| Bucket::new(SocketAddr::from((Ipv4Addr::from(name), 80)), 1);
    let buckets: Vec<Bucket> = names.iter().map(bucket).collect();
    Ring(Continuum::new_with_version(&buckets, version))
}

impl Peer for Ring {
    #[inline]
    fn place(&self, key: u64) -> u32 {
        match self.0.node(&key.to_le_bytes()) {
            Some(SocketAddr::V4(address)) => (*address.ip()).into(),
            _ => NOBODY,
        }
    }
}

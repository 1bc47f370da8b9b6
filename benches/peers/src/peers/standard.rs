//! What the standard library gives: an ordered map as a ring, and the remainder.

use std::collections::BTreeMap;

use crate::case::{NOBODY, POINTS};
use algorithms::hash::mix;

use crate::hash::Hash;
use crate::row::{Family, Row};
use crate::subject::Peer;

pub fn rows() -> Vec<Row> {
    vec![
        Row::peer(
            Family::Ring,
            ("std", "BTreeMap ring"),
            Hash::Mix64,
            |_, names| Ring(names.into_iter().flat_map(points).collect()),
        ),
        Row::peer(
            Family::Modulo,
            ("std", "remainder"),
            Hash::Mix64,
            |case, _| Remainder(case.nodes.into()),
        ),
    ]
}

struct Ring(BTreeMap<u64, u32>);

fn points(name: u32) -> impl Iterator<Item = (u64, u32)> {
    (0..POINTS).map(move |index| (mix(u64::from(name) << 32 | u64::from(index)), name))
}

impl Peer for Ring {
    #[inline]
    fn place(&self, key: u64) -> u32 {
        let mut after = self.0.range(mix(key)..);
        let point = after.next().or_else(|| self.0.first_key_value());
        point.map_or(NOBODY, |(_, &name)| name)
    }

    fn add(&mut self, name: u32) -> bool {
        self.0.extend(points(name));
        true
    }

    fn remove(&mut self, name: u32) -> bool {
        points(name).all(|(point, _)| self.0.remove(&point).is_some())
    }
}

struct Remainder(u64);

impl Peer for Remainder {
    #[inline]
    fn place(&self, key: u64) -> u32 {
        (mix(key) % self.0) as u32 + 1
    }
}

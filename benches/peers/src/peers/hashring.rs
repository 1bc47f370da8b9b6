//! `hashring`: a sorted Vec of points that the user makes.

use std::hash::BuildHasher;

use hashring::{DefaultHashBuilder, HashRing};

use crate::case::{NOBODY, POINTS};
use crate::hash::{Hash, Mix, SIP24};
use crate::row::{Family, Row};
use crate::subject::Peer;

pub fn rows() -> Vec<Row> {
    let row = (Family::Ring, ("hashring", "0.3.6"));
    vec![
        Row::peer(row.0, row.1, SIP24, |_, names| {
            build(DefaultHashBuilder, names)
        }),
        Row::peer(row.0, row.1, Hash::Mix64, |_, names| {
            build(Mix::default(), names)
        }),
    ]
}

/// A node and the number of the point.
#[derive(Hash)]
struct Point(u32, u32);

struct Ring<S>(HashRing<Point, S>);

fn points(name: u32) -> impl Iterator<Item = Point> {
    (0..POINTS).map(move |index| Point(name, index))
}

fn build<S: BuildHasher>(hasher: S, names: Vec<u32>) -> Ring<S> {
    let mut ring = HashRing::with_hasher(hasher);
    ring.batch_add(names.into_iter().flat_map(points).collect());
    Ring(ring)
}

impl<S: BuildHasher> Peer for Ring<S> {
    #[inline]
    fn place(&self, key: u64) -> u32 {
        self.0.get(&key).map_or(NOBODY, |point| point.0)
    }

    fn add(&mut self, name: u32) -> bool {
        self.0.batch_add(points(name).collect());
        true
    }

    fn remove(&mut self, name: u32) -> bool {
        points(name).all(|point| self.0.remove(&point).is_some())
    }
}

//! Rings: nodes stand at points of a circle of 2^64 positions, and a key belongs to the first
//! point at or after its hash; past the last point it is the first one.
//!
//! A point owns the interval (previous point, itself]. Points are hashes of the injective labels
//! (name, 0), (name, 1), …, so identity is the name alone. Points of several nodes at one position
//! are all kept, ordered by name; the first of them owns the arc.

pub mod btree;
pub mod index;
pub mod single;
pub mod vec;

use crate::algorithm::Settings;
use crate::error::PlacementError;
use crate::hash::{KeyHash, Purpose};
use crate::membership::{Member, Membership, Node};
use crate::placement::NodeId;

/// The most points that a ring holds.
pub const MAX_POINTS: u64 = 1 << 26;

/// How a ring turns nodes into points.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pointing {
    hash: KeyHash,
    /// Points of a node of weight 1.
    points: u32,
}

impl Pointing {
    /// `points` for a node of weight 1, at positions given by `hash`.
    pub(crate) fn new(hash: KeyHash, points: u32) -> Result<Self, PlacementError> {
        match points {
            0 => Err(PlacementError::ZeroPoints),
            _ => Ok(Self { hash, points }),
        }
    }

    /// Points of a node of weight 1.
    pub(crate) fn points(&self) -> f64 {
        f64::from(self.points)
    }

    /// Points of a node of this weight. A weight is absolute, so that a newcomer never re-scales
    /// the points of the others.
    pub(crate) fn count(&self, name: &str, weight: f64) -> Result<u32, PlacementError> {
        let count = (weight * f64::from(self.points)).round();
        if count == 0.0 && weight > 0.0 {
            return Err(PlacementError::WeightTooSmall {
                name: name.into(),
                weight,
                points: self.points,
            });
        }
        if count > MAX_POINTS as f64 {
            return Err(too_many(count as u64));
        }
        Ok(count as u32)
    }

    /// Whether nodes fit beside the `present` points.
    pub(crate) fn check(&self, present: usize, nodes: &[Node]) -> Result<(), PlacementError> {
        let mut total = present as u64;
        for node in nodes {
            total += u64::from(self.count(&node.name, node.weight)?);
        }
        match total > MAX_POINTS {
            true => Err(too_many(total)),
            false => Ok(()),
        }
    }

    /// Positions of a node's points numbered `indices`, in the order of their numbers.
    pub(crate) fn positions(&self, name: &str, indices: std::ops::Range<u32>) -> Vec<u64> {
        self.hash.labels(Purpose::Point, name, indices)
    }

    /// All points of the members `ids`, sorted by position and then by name.
    pub(crate) fn sorted_points(
        &self,
        membership: &Membership,
        ids: &[NodeId],
    ) -> Vec<(u64, NodeId)> {
        let members = ids.iter().filter_map(|&id| membership.get(id).ok());
        let mut members: Vec<&Member> = members.collect();
        members.sort_unstable_by_key(|member| &member.name);
        let mut points = Vec::new();
        for member in members {
            // Its weight passed `count` when it joined.
            let count = self.count(&member.name, member.weight).unwrap_or(0);
            points.reserve(count as usize);
            let positions = self.positions(&member.name, 0..count);
            points.extend(positions.into_iter().map(|position| (position, member.id)));
        }
        sort_by_position(points)
    }

    /// The numbers of the points that a member gains or loses when its weight becomes `weight`.
    pub(crate) fn change(
        &self,
        membership: &Membership,
        present: usize,
        member: &Member,
        weight: f64,
    ) -> Result<Change, PlacementError> {
        membership.check_weight(&member.name, weight)?;
        let was = self.count(&member.name, member.weight)?;
        let is = self.count(&member.name, weight)?;
        let total = present as u64 + u64::from(is.saturating_sub(was));
        match total > MAX_POINTS {
            true => Err(too_many(total)),
            false if is > was => Ok(Change::Gain(was..is)),
            false => Ok(Change::Lose(is..was)),
        }
    }
}

/// Sorts points by position; those at one position keep their order.
///
/// Points are dealt into as many stretches of the circle as there are points, which leaves little to
/// sort in each: hashes are spread evenly. Whatever is not is sorted as anything else would be.
fn sort_by_position(points: Vec<(u64, NodeId)>) -> Vec<(u64, NodeId)> {
    let Some(&any) = points.first() else {
        return points;
    };
    let stretches = points.len().div_ceil(8);
    let stretch = |position: u64| ((u128::from(position) * stretches as u128) >> 64) as usize;
    let mut ends = vec![0usize; stretches + 1];
    for point in &points {
        ends[stretch(point.0) + 1] += 1;
    }
    for at in 1..=stretches {
        ends[at] += ends[at - 1];
    }
    let starts = ends.clone();
    let mut sorted = vec![any; points.len()];
    for point in points {
        let next = &mut ends[stretch(point.0)];
        sorted[*next] = point;
        *next += 1;
    }
    for bounds in starts.windows(2) {
        sorted[bounds[0]..bounds[1]].sort_by_key(|point| point.0);
    }
    sorted
}

/// Numbers of points that come or go.
pub(crate) enum Change {
    Gain(std::ops::Range<u32>),
    Lose(std::ops::Range<u32>),
}

fn too_many(points: u64) -> PlacementError {
    PlacementError::TooManyPoints {
        points,
        cap: MAX_POINTS,
    }
}

/// For each key the nearest point by clockwise distance among all of them, the smaller name where
/// two are equally near.
pub(crate) fn naive(settings: &Settings, nodes: &[Node], keys: &[u64]) -> Vec<Option<usize>> {
    let mut points: Vec<(u64, &str, usize)> = Vec::new();
    for (at, node) in nodes.iter().enumerate() {
        let count = (node.weight * f64::from(settings.points)).round() as u32;
        let positions = settings.hash.labels(Purpose::Point, &node.name, 0..count);
        points.extend(
            positions
                .into_iter()
                .map(|position| (position, &*node.name, at)),
        );
    }
    let nearest = |key: &u64| {
        let distance = |point: &(u64, &str, usize)| point.0.wrapping_sub(*key);
        let nearest = points.iter().min_by_key(|point| (distance(point), point.1));
        nearest.map(|point| point.2)
    };
    keys.iter().map(nearest).collect()
}

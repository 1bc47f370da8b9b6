//! Two nodes at once: which pairs hold copies of the same keys, and how many keys that are.
//!
//! Whatever the placement, the mean over all pairs is R(R − 1)/(N(N − 1)): each key has R(R − 1)/2
//! pairs. What differs is on how many pairs that is spread.

use std::collections::HashMap;

use algorithms::algorithm::Spread;
use algorithms::{Layout, NodeId, Placement};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sets::Sets;
use super::{Ask, points_of};
use crate::measure::Candidate;
use crate::record::Metric;
use crate::theory::Against;

/// Points per node at which vnode rings are compared.
pub const POINTS: [u32; 4] = [1, 10, 100, 1000];
/// The most pairs of all arcs that are looked at.
const MOST: u64 = 4_000_000;

/// What is lost with two nodes at once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Pairs {
    /// Points per node of a ring, of which every arc was looked at; null where keys were.
    pub points: Option<u32>,
    /// Pairs of nodes that share keys.
    pub sharing: Metric,
    /// All pairs.
    pub of: u64,
    /// Keys with copies on both nodes: the mean over all pairs.
    pub mean: Metric,
    /// The same of the worst pair.
    pub worst: Metric,
}

impl Pairs {
    pub(super) fn metrics(&mut self) -> [&mut Metric; 2] {
        [&mut self.sharing, &mut self.mean]
    }
}

/// The pairs of the candidate; of a vnode ring at each number of points.
pub(super) fn measure(
    ask: &Ask<'_>,
    candidate: &Candidate<'_>,
    keys: &[u64],
) -> Result<Vec<Pairs>, String> {
    let copies = u64::from(ask.replicas).min(candidate.nodes.len() as u64);
    if copies < 2 {
        return Ok(Vec::new());
    }
    if candidate.algorithm.traits.spread != Spread::Points(None) {
        let points = points_of(candidate.algorithm, &candidate.settings);
        return Ok(vec![one(ask, &*candidate.placement, points, keys)?]);
    }
    let mut at: Vec<u32> = POINTS
        .into_iter()
        .chain([ask.plan.settings.points])
        .collect();
    at.sort_unstable();
    at.dedup();
    let mut rows = Vec::new();
    for points in at {
        let arcs = candidate.nodes.len() as u64 * u64::from(points);
        if arcs * copies * (copies - 1) / 2 > MOST {
            continue;
        }
        let mut settings = candidate.settings;
        settings.points = points;
        let build = candidate
            .algorithm
            .build(&settings, candidate.nodes.clone());
        let placement = build.map_err(|error| error.to_string())?;
        rows.push(one(ask, &*placement, Some(points), keys)?);
    }
    Ok(rows)
}

fn one(
    ask: &Ask<'_>,
    placement: &dyn Placement,
    points: Option<u32>,
    keys: &[u64],
) -> Result<Pairs, String> {
    let layout = placement.layout();
    // All keys of an arc have the same copies as its end.
    let (weights, keys) = match &layout {
        Layout::Points(ends) => (layout.arcs(), ends.iter().map(|end| end.0).collect()),
        Layout::Table(_) | Layout::Law(_) => {
            (vec![1.0 / keys.len() as f64; keys.len()], keys.to_vec())
        }
    };
    let sets = Sets::of(placement, &keys, ask.replicas, false)?;
    let mut shared: HashMap<(NodeId, NodeId), f64> = HashMap::new();
    let weighed = sets.each().zip(weights).filter(|(_, weight)| *weight > 0.0);
    for (set, weight) in weighed {
        for (at, &a) in set.iter().enumerate() {
            for &b in &set[..at] {
                *shared.entry((a.min(b), a.max(b))).or_default() += weight;
            }
        }
    }
    let nodes = placement.membership().len() as u64;
    let of = nodes * (nodes - 1) / 2;
    let copies = sets.copies() as f64;
    let expected = copies * (copies - 1.0) / 2.0 / of as f64;
    // Summed in the order of size, so that the last digit does not hang on the map.
    let mut parts: Vec<f64> = shared.into_values().collect();
    parts.sort_by(f64::total_cmp);
    let mean = parts.iter().sum::<f64>() / of as f64;
    let sharing = Metric::count(parts.len());
    Ok(Pairs {
        points,
        sharing: match points {
            // Each node shares keys with the R − 1 after it.
            Some(1) => {
                let law = (copies - 1.0) * nodes as f64;
                let law = Against::exact(parts.len() as f64, law.min(of as f64));
                sharing.against(law)
            }
            Some(_) => sharing,
            // Any pair does for enough keys; so many are met on these.
            None => {
                sharing.expecting(of as f64 * -(keys.len() as f64 * (-expected).ln_1p()).exp_m1())
            }
        },
        of,
        mean: Metric::of(mean).against(Against::within(mean, expected, 1e-6 * expected)),
        worst: Metric::or(parts.last().copied(), "no pair shares keys"),
    })
}

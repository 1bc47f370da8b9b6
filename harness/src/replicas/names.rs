//! Laws of rings are over names: the same change on rings whose nodes have other names.

use algorithms::Algorithm;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ContinuousCDF, StudentsT};

use super::change::Counts;
use super::sets::Sets;
use super::{Ask, Row, points_of};
use crate::measure::{node, nodes};
use crate::record::Metric;
use crate::theory::Against;
use crate::workload::Random;

/// Points built for all rings together; and rings, at least and at most: in full, and with `--quick`.
const BUILT: [(u32, u32, u32); 2] = [(2_000_000, 20, 200), (300_000, 10, 100)];
/// Keys followed on each ring.
const KEYS: usize = 4000;

/// A change of membership on rings of other names.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct OverNames {
    /// Rings.
    pub rings: u32,
    /// Keys whose set of nodes changed: the mean over the rings.
    pub set: Metric,
    /// The standard deviation of one ring.
    pub sd: f64,
}

/// Lets one node join, and a random one leave, on each of the rings.
pub(super) fn measure(
    ask: &Ask<'_>,
    algorithm: &Algorithm,
    keys: &[u64],
    row: &mut Row,
) -> Result<(), String> {
    let settings = &ask.plan.settings;
    let (built, least, most) = BUILT[usize::from(ask.plan.quick)];
    let points = points_of(algorithm, settings).unwrap_or(1);
    let rings = (built / row.nodes.saturating_mul(points).max(1)).clamp(least, most);
    let step = keys.len().div_ceil(KEYS);
    let keys: Vec<u64> = keys.iter().copied().step_by(step).collect();
    let changed = |was: &Sets, is: &Sets| {
        let counts = Counts::of(was, is);
        counts.set as f64 / counts.keys as f64
    };
    let (mut joined, mut left) = (Vec::new(), Vec::new());
    for ring in 1..=u64::from(rings) {
        let seed = ask.plan.seed.wrapping_add(ring);
        let build = algorithm.build(settings, nodes(seed, row.nodes));
        let mut placement = build.map_err(|error| error.to_string())?;
        let sets = |placement: &_| Sets::of(placement, &keys, ask.replicas, false);
        let was = sets(&*placement)?;
        let newcomer = placement
            .add(node(seed, row.nodes as usize))
            .map_err(|error| error.to_string())?;
        joined.push(changed(&was, &sets(&*placement)?));
        placement
            .remove(newcomer)
            .map_err(|error| error.to_string())?;
        let members = placement.membership().members();
        let gone = members[Random::new(seed, 31).below(members.len())].id;
        placement.remove(gone).map_err(|error| error.to_string())?;
        left.push(changed(&was, &sets(&*placement)?));
    }
    for (parts, change) in [(joined, &mut row.join), (left, &mut row.leave)] {
        change.over_names = change.set.expected.map(|law| OverNames::of(&parts, law));
    }
    Ok(())
}

impl OverNames {
    /// The mean of independent rings beside its law, by Student's t.
    fn of(parts: &[f64], expected: f64) -> Self {
        let count = parts.len() as f64;
        let mean = parts.iter().sum::<f64>() / count;
        let squares: f64 = parts.iter().map(|part| (part - mean).powi(2)).sum();
        let sd = (squares / (count - 1.0)).sqrt();
        let error = sd / count.sqrt();
        let law = match StudentsT::new(0.0, 1.0, count - 1.0) {
            Ok(law) if error > 0.0 => {
                let t = (mean - expected) / error;
                Against::of_tails(expected, law.cdf(t), law.sf(t))
            }
            _ => Against::exact(mean, expected),
        };
        Self {
            rings: parts.len() as u32,
            set: Metric::of(mean).against(law),
            sd,
        }
    }
}

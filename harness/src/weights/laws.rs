//! What theory expects of shares and movements of weighted nodes.

use algorithms::algorithm::{Spread, Weights};
use algorithms::{Algorithm, Settings};

use super::Moves;
use crate::record::Metric;
use crate::theory::{Against, ring};

/// Where shares come from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Source {
    /// Random points on a ring, so many for a node of weight 1.
    Points(u32),
    /// Slots of a table of this size, which is filled anew.
    Slots(u32),
    /// So many fixed slots, of which no more change hands than must.
    Fixed(u32),
    /// Scores: each key chooses by itself.
    Scores,
}

/// The most points that are gone through one by one for a law.
const MOST: u32 = 100_000;

impl Source {
    /// That of a weighted algorithm.
    pub fn of(algorithm: &Algorithm, settings: &Settings) -> Option<Self> {
        let traits = algorithm.traits;
        (traits.weights != Weights::None).then_some(match traits.spread {
            Spread::Points(points) => Self::Points(points.unwrap_or(settings.points)),
            Spread::Slots(kind) => match traits.moves.is_least() {
                true => Self::Fixed(kind.slots(settings)),
                false => Self::Slots(kind.slots(settings)),
            },
            Spread::Even => Self::Scores,
        })
    }

    /// The share that nodes of the weights `own` have together beside `others`, where `hits` of
    /// `keys` keys were counted on them.
    pub fn share(self, share: f64, own: &[f64], others: &[f64], hits: u64, keys: u64) -> Against {
        let (sum, rest) = (own.iter().sum::<f64>(), others.iter().sum::<f64>());
        let wanted = sum / (sum + rest);
        match self {
            Self::Points(points) => {
                let (own, others) = (count(own, points), count(others, points));
                match ring::share(own, own + others) {
                    Ok(law) => Against::share(share, &law).seen_as(wanted),
                    Err(_) => Against::exact(share, wanted),
                }
            }
            Self::Slots(slots) | Self::Fixed(slots) => {
                let off = 2.0 * own.len() as f64 / f64::from(slots);
                Against::within(share, wanted, off)
            }
            Self::Scores => Against::fraction(hits, keys, wanted),
        }
    }

    /// Part of the keys that moves when the weight of one node changes beside `others`; of scores it
    /// was counted on `keys` keys.
    pub fn moved(self, was: f64, is: f64, others: &[f64], moves: &Moves, keys: u64) -> Metric {
        let metric = moves.moved.clone();
        let Some((value, least)) = metric.value.zip(moves.least.value) else {
            return metric;
        };
        match self {
            Self::Points(points) => {
                let (was, is) = (count(&[was], points) as u32, count(&[is], points) as u32);
                let (few, many) = (was.min(is), was.max(is));
                match many - few <= MOST {
                    true => {
                        let others = count(others, points);
                        metric.against(ring::gained(few, many - few, others, value))
                    }
                    false => metric,
                }
            }
            Self::Scores => {
                let rest: f64 = others.iter().sum();
                let share = |weight: f64| weight / (weight + rest);
                let hits = (value * keys as f64).round() as u64;
                let chance = (share(was) - share(is)).abs();
                metric.against(Against::fraction(hits, keys, chance))
            }
            Self::Fixed(_) => metric.against(Against::exact(value, least)),
            // How much more than the least has no closed form.
            Self::Slots(_) => metric,
        }
    }
}

/// Points of nodes of these weights.
fn count(weights: &[f64], points: u32) -> u64 {
    let of_one = |weight: &f64| (weight * f64::from(points)).round() as u64;
    weights.iter().map(of_one).sum()
}

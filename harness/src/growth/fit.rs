//! Exponents: how steeply a cost grows, beside what is claimed of it.

use algorithms::growth::{Costs, Growth, Size};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::measure::Metrics;
use crate::record::Metric;
use crate::stats;

/// How far the exponent of a count may lie from the claimed one.
const COUNT_SLACK: f64 = 0.05;
/// How far counts may lie from the claimed function and a constant, as a root mean square of
/// fractions: lists have room to spare, and trees grow level by level.
const CURVE_SLACK: f64 = 0.18;
/// By how much the interval of a time's exponent is widened before it is held against the claim.
const TIME_SLACK: f64 = 0.15;
/// Fewer sizes tell nothing of a curve.
pub const FEWEST_SIZES: usize = 3;

/// What grows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Cost {
    /// A lookup in a batch of independent ones.
    Lookup,
    /// A lookup by a call of its own among independent ones.
    Single,
    /// A lookup that depends on the answer before.
    Latency,
    /// Heap bytes.
    Memory,
    /// Building.
    Build,
    /// Adding one node.
    Add,
    /// Removing that node.
    Remove,
}

impl Cost {
    /// All of them, in the order of the tables.
    pub const ALL: [Self; 7] = [
        Self::Lookup,
        Self::Single,
        Self::Latency,
        Self::Memory,
        Self::Build,
        Self::Add,
        Self::Remove,
    ];

    /// In one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Lookup => "lookup",
            Self::Single => "one key per call",
            Self::Latency => "latency",
            Self::Memory => "memory",
            Self::Build => "build",
            Self::Add => "add",
            Self::Remove => "remove",
        }
    }

    /// What an algorithm claims of it.
    pub fn claim(self, costs: &Costs) -> Growth {
        match self {
            Self::Lookup | Self::Single | Self::Latency => costs.lookup,
            Self::Memory => costs.memory,
            Self::Build => costs.build,
            Self::Add | Self::Remove => costs.change,
        }
    }

    /// The metric that is its time.
    pub fn time(self) -> Option<&'static str> {
        match self {
            Self::Lookup => Some("lookup_ns"),
            Self::Single => Some("single_ns"),
            Self::Latency => Some("latency_ns"),
            Self::Memory => None,
            Self::Build => Some("build_ns"),
            Self::Add => Some("add_ns"),
            Self::Remove => Some("remove_ns"),
        }
    }

    /// The metric that counts it. The other ways to look up take the same steps.
    pub fn counted(self) -> Option<&'static str> {
        match self {
            Self::Lookup => Some("lookup_steps"),
            Self::Single | Self::Latency => None,
            Self::Memory => Some("heap_bytes"),
            Self::Build => Some("build_steps"),
            Self::Add => Some("add_steps"),
            Self::Remove => Some("remove_steps"),
        }
    }

    /// Whether everything is counted. Of building and changing, sorting and searching are not.
    fn counted_in_full(self) -> bool {
        matches!(self, Self::Lookup | Self::Memory)
    }
}

/// How a measured exponent stands to the claimed one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// They are equal, but for the slack.
    Agrees,
    /// A part of the work that was counted grows no faster than the whole may.
    Within,
    /// The cost grows faster than claimed.
    Faster,
    /// The cost grows slower than claimed.
    Slower,
}

impl Verdict {
    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Agrees => "agrees",
            Self::Within => "within",
            Self::Faster => "grows faster",
            Self::Slower => "grows slower",
        }
    }
}

/// A measured exponent and what it says of the claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Judged {
    /// The slope of the logarithm of the cost over that of the size: exact for counts; for times
    /// the median of one slope per round.
    pub exponent: Metric,
    /// How it stands to the claim.
    pub verdict: Verdict,
}

/// One cost of one algorithm over several sizes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Fit {
    /// The cost.
    pub cost: Cost,
    /// The claimed growth in words.
    pub claim: String,
    /// The claim's exponent over the same sizes; of a sum, the smallest of its parts.
    pub claimed_low: f64,
    /// Of a sum, the largest of its parts.
    pub claimed_high: f64,
    /// What was counted.
    pub counted: Option<Judged>,
    /// What was timed.
    pub time: Option<Judged>,
}

/// What varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// The number of nodes.
    Nodes,
    /// The points of a node.
    Points,
}

impl Axis {
    fn of(self, size: Size) -> f64 {
        match self {
            Self::Nodes => size.nodes,
            Self::Points => size.points,
        }
    }
}

/// Figures of one algorithm at several sizes.
pub struct Curve<'a> {
    /// What varies.
    pub axis: Axis,
    /// Sizes with what was measured there.
    pub points: Vec<(Size, &'a Metrics)>,
}

impl Curve<'_> {
    /// The exponents of one cost; `None` with too few sizes.
    pub fn fit(&self, cost: Cost, claim: Growth) -> Option<Fit> {
        let judged = |metric: Option<&str>, judge: &dyn Fn(&Figures) -> Option<Judged>| {
            judge(&self.figures(metric?, claim)?)
        };
        let counted = judged(cost.counted(), &|f| f.judge_count(cost.counted_in_full()));
        let time = judged(cost.time(), &Figures::judge_time);
        let known = [cost.time(), cost.counted()];
        let mut known = known.into_iter().flatten();
        let claimed = known
            .find_map(|metric| self.figures(metric, claim))?
            .claimed;
        Some(Fit {
            cost,
            claim: claim.word(),
            claimed_low: claimed.0,
            claimed_high: claimed.1,
            counted,
            time,
        })
    }

    /// One metric at the sizes where it has a value.
    fn figures(&self, metric: &str, claim: Growth) -> Option<Figures> {
        let valued = self.points.iter().filter_map(|(size, metrics)| {
            let metric = metrics.get(metric)?;
            metric.value.map(|value| (*size, value, metric))
        });
        let valued: Vec<(Size, f64, &Metric)> = valued.collect();
        if valued.len() < FEWEST_SIZES {
            return None;
        }
        let sizes: Vec<f64> = valued.iter().map(|point| self.axis.of(point.0)).collect();
        let of = |growth: &Growth| -> Vec<f64> {
            valued.iter().map(|point| growth.of(point.0)).collect()
        };
        let parts = claim.parts().iter().map(|part| exponent(&sizes, &of(part)));
        let parts: Vec<f64> = parts.collect::<Option<_>>()?;
        Some(Figures {
            claimed: (
                parts.iter().copied().fold(f64::INFINITY, f64::min),
                parts.iter().copied().fold(f64::NEG_INFINITY, f64::max),
            ),
            claim: of(&claim),
            values: valued.iter().map(|point| point.1).collect(),
            rounds: rounds(&valued.iter().map(|point| point.2).collect::<Vec<_>>()),
            sizes,
        })
    }
}

/// The figures of each round over all sizes; without samples the values are the only round.
fn rounds(metrics: &[&Metric]) -> Vec<Vec<f64>> {
    let samples: Option<Vec<&Vec<f64>>> = metrics.iter().map(|m| m.samples.as_ref()).collect();
    match samples {
        Some(samples) => {
            let count = samples.iter().map(|s| s.len()).min().unwrap_or(0);
            let round = |round: usize| samples.iter().map(|s| s[round]).collect();
            (0..count).map(round).collect()
        }
        None => vec![metrics.iter().filter_map(|metric| metric.value).collect()],
    }
}

/// One metric over several sizes.
struct Figures {
    sizes: Vec<f64>,
    values: Vec<f64>,
    rounds: Vec<Vec<f64>>,
    /// The claimed function at the sizes.
    claim: Vec<f64>,
    /// Smallest and largest exponent of its parts.
    claimed: (f64, f64),
}

impl Figures {
    fn judge_time(&self) -> Option<Judged> {
        let slopes: Vec<f64> = self
            .rounds
            .iter()
            .filter_map(|round| exponent(&self.sizes, round))
            .collect();
        let exponent = Metric::median(&slopes);
        let value = exponent.value?;
        let low = exponent.low.unwrap_or(value) - TIME_SLACK;
        let high = exponent.high.unwrap_or(value) + TIME_SLACK;
        let verdict = match self.claimed {
            (least, _) if high < least => Verdict::Slower,
            (_, most) if low > most => Verdict::Faster,
            _ => Verdict::Agrees,
        };
        Some(Judged { exponent, verdict })
    }

    fn judge_count(&self, in_full: bool) -> Option<Judged> {
        let value = exponent(&self.sizes, &self.values)?;
        let (least, most) = self.claimed;
        let verdict = match value {
            _ if (least - COUNT_SLACK..=most + COUNT_SLACK).contains(&value) => Verdict::Agrees,
            _ if self.grows_so_beside_a_constant() => Verdict::Agrees,
            _ if value > most => Verdict::Faster,
            _ if !in_full => Verdict::Within,
            _ => Verdict::Slower,
        };
        Some(Judged {
            exponent: Metric::of(value),
            verdict,
        })
    }

    /// Whether the values are those of a + b·claim. The constant a, which hides growth at small
    /// sizes, is less than half of the cost at the largest; one below 0, as in (N − 1)/2, takes at
    /// most half of the rest away at the smallest.
    fn grows_so_beside_a_constant(&self) -> bool {
        let pairs = || self.claim.iter().zip(&self.values);
        // Weighed so that errors count in proportion, as they do in an exponent.
        let points: Vec<[f64; 3]> = pairs().map(|(f, y)| [*f, *y, 1.0 / (y * y)]).collect();
        let Some((constant, factor)) = stats::line(&points) else {
            return false;
        };
        let least = self.claim.iter().copied().fold(f64::INFINITY, f64::min);
        let most = self.claim.iter().copied().fold(0.0, f64::max);
        let allowed = -factor * least / 2.0..factor * most;
        let off = |(f, y): (&f64, &f64)| ((constant + factor * f) / y - 1.0).powi(2);
        let mean_square = pairs().map(off).sum::<f64>() / points.len() as f64;
        allowed.contains(&constant) && mean_square.sqrt() <= CURVE_SLACK
    }
}

/// Slope of ln `values` over ln `sizes` by least squares; `None` where one is not above 0 or all
/// sizes are one.
pub fn exponent(sizes: &[f64], values: &[f64]) -> Option<f64> {
    let log = |number: f64| (number > 0.0).then(|| number.ln());
    let pairs = sizes.iter().zip(values);
    let points: Option<Vec<[f64; 3]>> = pairs
        .map(|(size, value)| Some([log(*size)?, log(*value)?, 1.0]))
        .collect();
    Some(stats::line(&points?)?.1)
}

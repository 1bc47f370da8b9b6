//! One measured quantity.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::stats;
use crate::theory::Against;

/// A value with its interval, what theory says, and the samples behind it; or the reason why there
/// is no value.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Metric {
    /// The value in the metric's unit, or null.
    pub value: Option<f64>,
    /// Lower end of the 95 % interval, for what was sampled.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub low: Option<f64>,
    /// Upper end of the 95 % interval.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub high: Option<f64>,
    /// What theory expects.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub expected: Option<f64>,
    /// How far the value is above what theory expects, in standard errors: the normal quantile of
    /// the probability of a value at least as far out.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub distance: Option<f64>,
    /// Whether the value agrees with theory, as one of all values of the record that have a
    /// distance: in at most one whole record of a hundred a sound placement is marked wrong.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub agrees: Option<bool>,
    /// One figure for each round, in the order of rounds.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub samples: Option<Vec<f64>>,
    /// Why there is no value.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
}

impl Metric {
    /// A single figure. A figure that is not finite becomes null with a reason.
    pub fn of(value: f64) -> Self {
        match value.is_finite() {
            true => Self {
                value: Some(value),
                ..Self::default()
            },
            false => Self::none(format!("the figure is not finite: {value}")),
        }
    }

    /// No value, and why.
    pub fn none(reason: impl Into<String>) -> Self {
        Self {
            reason: Some(reason.into()),
            ..Self::default()
        }
    }

    /// A count.
    pub fn count(value: usize) -> Self {
        Self::of(value as f64)
    }

    /// A figure, or null for a reason.
    pub fn or(value: Option<f64>, reason: &str) -> Self {
        value.map_or_else(|| Self::none(reason), Self::of)
    }

    /// The median of one figure per round, with its interval. Figures are kept to a thousandth.
    pub fn median(samples: &[f64]) -> Self {
        let samples: Vec<f64> = samples
            .iter()
            .map(|s| (s * 1000.0).round() / 1000.0)
            .collect();
        let Some(median) = stats::median(&samples) else {
            return Self::none("there are no samples");
        };
        Self {
            low: median.interval.map(|ends| ends.0),
            high: median.interval.map(|ends| ends.1),
            samples: Some(samples),
            ..Self::of(median.value)
        }
    }

    /// This metric over another one, round by round.
    pub fn over(&self, reference: &Self) -> Self {
        let samples = |metric: &Self| metric.samples.clone().unwrap_or_default();
        let pairs = samples(self).into_iter().zip(samples(reference));
        Self::median(&pairs.map(|(a, b)| a / b).collect::<Vec<_>>())
    }

    /// A fraction of independent keys, with its interval.
    pub fn fraction(hits: u64, trials: u64) -> Self {
        let Some((low, high)) = stats::fraction_interval(hits, trials) else {
            return Self::none("there are no keys");
        };
        Self {
            low: Some(low),
            high: Some(high),
            ..Self::of(hits as f64 / trials as f64)
        }
    }

    /// The same metric beside its law.
    pub fn against(self, law: Against) -> Self {
        match self.value {
            Some(_) => Self {
                distance: Some(law.distance),
                ..self.expecting(law.expected)
            },
            None => self,
        }
    }

    /// The same metric with what theory expects.
    pub fn expecting(self, expected: f64) -> Self {
        Self {
            expected: expected.is_finite().then_some(expected),
            ..self
        }
    }
}

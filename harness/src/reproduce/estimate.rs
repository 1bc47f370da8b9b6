//! Values with intervals.

use crate::stats;

/// A measured value with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Half a 95 % interval of a normal figure, in standard deviations.
pub const HALF: f64 = 1.959_964;

impl Estimate {
    /// A normal figure with this standard error.
    pub fn normal(value: f64, error: f64) -> Self {
        Self {
            value,
            low: value - HALF * error,
            high: value + HALF * error,
        }
    }

    /// The mean of independent samples.
    pub fn mean(samples: &[f64]) -> Self {
        let (mean, sd) = mean_sd(samples);
        Self::normal(mean, sd / (samples.len() as f64).sqrt())
    }

    /// The median of independent samples.
    pub fn median(samples: &[f64]) -> Self {
        let median = stats::median(samples);
        let value = median.map_or(f64::NAN, |median| median.value);
        let interval = median.and_then(|median| median.interval);
        let (low, high) = interval.unwrap_or((value, value));
        Self { value, low, high }
    }

    /// A part of `trials` independent trials.
    pub fn fraction(hits: u64, trials: u64) -> Self {
        let value = hits as f64 / trials.max(1) as f64;
        let (low, high) = stats::fraction_interval(hits, trials).unwrap_or((0.0, 1.0));
        Self { value, low, high }
    }

    /// The same seen through a growing function.
    pub fn map(self, function: impl Fn(f64) -> f64) -> Self {
        Self {
            value: function(self.value),
            low: function(self.low),
            high: function(self.high),
        }
    }
}

/// Mean and standard deviation of samples.
pub fn mean_sd(samples: &[f64]) -> (f64, f64) {
    let count = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / count;
    let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0).max(1.0)).sqrt())
}

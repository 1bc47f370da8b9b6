//! What is asked for, as a law of a setting: how uneven the shares are, and how sure that is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use statrs::distribution::{ChiSquared, ContinuousCDF, Normal};

use crate::stats::Evenness;
use crate::theory::{maglev, ring};

/// The unevenness that is allowed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case", tag = "figure", content = "at_most")]
pub enum Target {
    /// Largest share over the mean.
    MaxOverMean(f64),
    /// Coefficient of variation of the shares.
    Cv(f64),
}

/// How sure it is to be met, node names being random.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// The mean over names; for the CV the root mean square.
    Mean,
    /// This part of all sets of names.
    Sure(f64),
}

impl Target {
    /// The figure that is allowed at most.
    pub fn at_most(self) -> f64 {
        match self {
            Self::MaxOverMean(at_most) | Self::Cv(at_most) => at_most,
        }
    }

    /// The figure of shares that are perfectly even.
    pub fn floor(self) -> f64 {
        match self {
            Self::MaxOverMean(_) => 1.0,
            Self::Cv(_) => 0.0,
        }
    }

    /// The figure in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::MaxOverMean(_) => "max/mean",
            Self::Cv(_) => "CV",
        }
    }

    /// The figure of these shares.
    pub fn of(self, shares: &Evenness) -> f64 {
        match self {
            Self::MaxOverMean(_) => shares.max_mean,
            Self::Cv(_) => shares.cv,
        }
    }

    /// The figure that theory expects of rings; it falls with the points. `None` for fewer than 2
    /// nodes.
    pub fn on_ring(self, bound: Bound, nodes: u32, points: u32) -> Option<f64> {
        let count = nodes as usize;
        match (self, bound) {
            (Self::MaxOverMean(_), Bound::Mean) => ring::max_mean(count, points),
            (Self::MaxOverMean(_), Bound::Sure(level)) => {
                ring::max_mean_quantile(count, points, level)
            }
            (Self::Cv(_), bound) => Some(ring::cv(count, points) * cv_quantile(bound, nodes)?),
        }
    }

    /// The figure of a table, whatever the names.
    pub fn in_table(self, nodes: u32, slots: u32) -> f64 {
        match self {
            Self::MaxOverMean(_) => maglev::max_mean(nodes as usize, slots),
            Self::Cv(_) => maglev::cv(nodes as usize, slots),
        }
    }

    /// By what part of its distance from perfect evenness the law of rings may be off: means are
    /// exact, levels for a part of all names an approximation.
    pub fn slack(self, bound: Bound) -> f64 {
        match bound {
            Bound::Mean => 0.0,
            Bound::Sure(_) => 0.1,
        }
    }

    /// The CV of the nodes' counts at which the target is just met when counts are normal: right
    /// from some hundred keys a node on.
    pub fn allowed_cv(self, bound: Bound, nodes: u32) -> Option<f64> {
        let n = f64::from(nodes);
        Some(match (self, bound) {
            // The largest of N counts that add up exceeds the mean as that of independent ones does
            // whose variance is larger by N/(N − 1).
            (Self::MaxOverMean(most), Bound::Mean) => {
                (most - 1.0) / (largest_normal(n) * (n / (n - 1.0)).sqrt())
            }
            (Self::MaxOverMean(most), Bound::Sure(level)) => {
                (most - 1.0) / Normal::standard().inverse_cdf(level.powf(1.0 / n))
            }
            (Self::Cv(most), bound) => most / cv_quantile(bound, nodes)?,
        })
    }
}

/// By how much the CV may exceed its root mean square: (N − 1)·CV² is χ² with N − 1 degrees of
/// freedom when shares are normal, which they nearly are from ten points a node on.
fn cv_quantile(bound: Bound, nodes: u32) -> Option<f64> {
    let freedom = f64::from(nodes.checked_sub(1)?);
    match bound {
        Bound::Mean => Some(1.0),
        Bound::Sure(level) => {
            let law = ChiSquared::new(freedom).ok()?;
            Some((law.inverse_cdf(level) / freedom).sqrt())
        }
    }
}

/// Mean of the largest of `n` independent standard normal values.
fn largest_normal(n: f64) -> f64 {
    const STEPS: u32 = 2000;
    const END: f64 = 10.0;
    let normal = Normal::standard();
    let width = END / f64::from(STEPS);
    let above = |x: f64| 1.0 - normal.cdf(x).powf(n) - normal.cdf(-x).powf(n);
    let middles = (0..STEPS).map(|step| (f64::from(step) + 0.5) * width);
    width * middles.map(above).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_normal_value_is_that_of_published_tables() {
        for (n, mean) in [(2.0, 0.56419), (10.0, 1.53875), (100.0, 2.50759)] {
            assert!((largest_normal(n) - mean).abs() < 1e-4, "{n}");
        }
    }

    #[test]
    fn two_nodes_exceed_the_root_mean_square_as_a_normal_value_does() {
        let by = cv_quantile(Bound::Sure(0.95), 2).unwrap();
        assert!((by - 1.959964).abs() < 1e-4);
        assert_eq!(cv_quantile(Bound::Mean, 2), Some(1.0));
    }
}

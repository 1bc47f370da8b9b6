//! Rows that hold samples against a law.

use statrs::distribution::{Beta, ContinuousCDF};
use statrs::statistics::Distribution;
use statrs::stats_tests::NaNPolicy;
use statrs::stats_tests::ks_test::{KSOneSampleAlternativeMethod, ks_onesample};

use super::estimate::{Estimate, mean_sd};
use super::outcome::{Bin, Histogram};
use super::row::Row;
use crate::stats;
use crate::theory::Against;

/// The mean of independent samples whose law has this mean and deviation.
pub fn mean(what: impl Into<String>, samples: &[f64], (mean, sd): (f64, f64), trial: &str) -> Row {
    let error = sd / (samples.len() as f64).sqrt();
    let (seen, _) = mean_sd(samples);
    Row::sampled(what, Estimate::normal(seen, error), samples.len(), trial)
        .against(Against::normal(seen, mean, error))
}

/// The mean of independent samples of whose law only the mean is known.
pub fn mean_alone(what: impl Into<String>, samples: &[f64], expected: f64, trial: &str) -> Row {
    let (_, sd) = mean_sd(samples);
    mean(what, samples, (expected, sd), trial)
}

/// The standard deviation of independent samples whose law has this deviation and excess kurtosis.
pub fn deviation(
    what: impl Into<String>,
    samples: &[f64],
    (sd, kurtosis): (f64, f64),
    trial: &str,
) -> Row {
    let (_, seen) = mean_sd(samples);
    // Relative error of the variance.
    let error = ((kurtosis + 2.0) / samples.len() as f64).sqrt();
    let square = Estimate::normal(seen * seen, seen * seen * error);
    let law = Against::normal((seen / sd).powi(2), 1.0, error).seen_as(sd);
    let root = square.map(|square| square.max(0.0).sqrt());
    Row::sampled(what, root, samples.len(), trial).against(law)
}

/// The root of the mean of squares whose law has this mean and deviation.
pub fn root_mean_square(
    what: impl Into<String>,
    squares: &[f64],
    (mean, sd): (f64, f64),
    trial: &str,
) -> Row {
    let (seen, _) = mean_sd(squares);
    let error = sd / (squares.len() as f64).sqrt();
    let root = Estimate::normal(seen, error).map(|square| square.max(0.0).sqrt());
    let law = Against::normal(seen, mean, error).seen_as(mean.sqrt());
    Row::sampled(what, root, squares.len(), trial).against(law)
}

/// The sample below which the part `level` of all lies, where the law has that quantile at `expected`.
/// The samples are independent, or repel each other as the shares of one ring do.
pub fn quantile(
    what: impl Into<String>,
    samples: &[f64],
    level: f64,
    expected: f64,
    trial: &str,
) -> Row {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let below = sorted.partition_point(|sample| *sample <= expected) as u64;
    let count = samples.len() as u64;
    let law = Against::fraction(below, count, level);
    // The more samples lie below the expected quantile, the smaller is their own.
    let law = Against {
        expected,
        distance: -law.distance,
    };
    let at = |level: f64| sorted[((level * count as f64) as usize).min(sorted.len() - 1)];
    let (low, high) =
        stats::fraction_interval((level * count as f64) as u64, count).unwrap_or((0.0, 1.0));
    let seen = Estimate {
        value: at(level),
        low: at(low),
        high: at(high),
    };
    Row::sampled(what, seen, samples.len(), trial).against(law)
}

/// Kolmogorov and Smirnov's distance between independent samples and a Beta law, and the law bin by
/// bin.
pub fn distribution(what: &str, samples: &[f64], law: &Beta, trial: &str) -> (Vec<Row>, Histogram) {
    let method = KSOneSampleAlternativeMethod::TwoSidedAsymptotic;
    let tested = ks_onesample(samples.to_vec(), law, method, NaNPolicy::Emit);
    let (gap, chance) = tested.unwrap_or((f64::NAN, 0.0));
    let root = (samples.len() as f64).sqrt();
    // Mean of Kolmogorov's law: √(π/2)·ln 2.
    let mean = (std::f64::consts::PI / 2.0).sqrt() * std::f64::consts::LN_2 / root;
    let ks = Row {
        trials: Some(samples.len() as u64),
        trial: Some(trial.into()),
        ..Row::exact(format!("{what}: largest gap of the CDFs"), gap)
    };
    let histogram = Histogram {
        what: what.into(),
        bins: bins(samples, law),
    };
    let counts: Vec<u64> = histogram
        .bins
        .iter()
        .map(|bin| (bin.measured * samples.len() as f64).round() as u64)
        .collect();
    let chances: Vec<f64> = histogram.bins.iter().map(|bin| bin.law).collect();
    let mut rows = vec![Row {
        kind: super::row::Kind::Sampled,
        ..ks.against(Against::excess(mean, chance))
    }];
    if let Some((sum, freedom)) = crate::theory::against::chi_square(&counts, &chances) {
        rows.push(chi_square(
            &format!("{what}: χ² of the bins"),
            sum,
            freedom,
            samples.len(),
            trial,
        ));
    }
    (rows, histogram)
}

/// χ² over its degrees of freedom.
pub fn chi_square(what: &str, sum: f64, freedom: f64, trials: usize, trial: &str) -> Row {
    let error = (2.0 / freedom).sqrt();
    let law = Against::chi_square(sum, freedom).seen_as(1.0);
    Row::sampled(what, Estimate::normal(sum / freedom, error), trials, trial).against(law)
}

/// Fourteen bins of one width between the outermost permilles of the law, and what lies beyond.
fn bins(samples: &[f64], law: &Beta) -> Vec<Bin> {
    const INNER: usize = 14;
    let (start, end) = (law.inverse_cdf(0.001), law.inverse_cdf(0.999));
    let edge = |at: usize| start + (end - start) * at as f64 / INNER as f64;
    // A law that is greatest at 0 has hardly anything below its first edge.
    let first = usize::from(start < 0.01 * end);
    let inner = (first..=INNER).map(|at| Some(edge(at)));
    let edges: Vec<Option<f64>> = [None].into_iter().chain(inner).chain([None]).collect();
    let share = |from: Option<f64>, to: Option<f64>| {
        let inside = |sample: &&f64| {
            from.is_none_or(|from| **sample >= from) && to.is_none_or(|to| **sample < to)
        };
        samples.iter().filter(inside).count() as f64 / samples.len() as f64
    };
    let bin = |ends: &[Option<f64>]| {
        let (from, to) = (ends[0], ends[1]);
        Bin {
            from,
            to,
            law: to.map_or(1.0, |to| law.cdf(to)) - from.map_or(0.0, |from| law.cdf(from)),
            measured: share(from, to),
        }
    };
    edges.windows(2).map(bin).collect()
}

/// Mean and deviation of a Beta law.
pub fn moments(law: &Beta) -> (f64, f64) {
    let known = law.mean().zip(law.std_dev());
    known.unwrap_or((f64::NAN, f64::NAN))
}

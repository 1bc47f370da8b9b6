//! Medians, intervals and ratios of what was measured.

use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, Normal};

/// The middle of the samples and, where there are enough, a 95 % interval for the true median.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Median {
    /// The sample median.
    pub value: f64,
    /// The interval's ends.
    pub interval: Option<(f64, f64)>,
}

/// The median with its 95 % interval by order statistics, interpolated between the two nearest
/// levels (Hettmansperger and Sheather 1986), so that it covers the true median in nearly 95 % of
/// cases, and not in more, whatever the distribution. Below 6 samples there is none. `None` without
/// samples.
pub fn median(samples: &[f64]) -> Option<Median> {
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    let count = sorted.len();
    let last = count.checked_sub(1)?;
    let value = f64::midpoint(sorted[last / 2], sorted[count / 2]);
    let interval = median_cut(count as u64).map(|(rank, part)| {
        let inner = (rank + 1).min(last / 2);
        let between =
            |outer: usize, inner: usize| sorted[outer] + part * (sorted[inner] - sorted[outer]);
        (between(rank, inner), between(last - rank, last - inner))
    });
    Some(Median { value, interval })
}

/// How many samples to cut off at each end for 95 %, and which part of the way to one more.
fn median_cut(count: u64) -> Option<(usize, f64)> {
    let below = Binomial::new(0.5, count).ok()?;
    // Probability that the median lies between the samples with `rank` cut off at each end.
    let level = |rank: u64| 1.0 - 2.0 * below.cdf(rank);
    let rank = (0..count / 2)
        .take_while(|&rank| level(rank) >= 0.95)
        .last()?;
    let (wide, narrow) = (level(rank), level(rank + 1));
    let share = (wide - 0.95) / (wide - narrow);
    let (n, d) = (count as f64, rank as f64 + 1.0);
    Some((rank as usize, (n - d) * share / (d + (n - 2.0 * d) * share)))
}

/// 95 % interval of a fraction, `hits` of `trials` (Wilson's score interval).
pub fn fraction_interval(hits: u64, trials: u64) -> Option<(f64, f64)> {
    if trials == 0 {
        return None;
    }
    let z = Normal::standard().inverse_cdf(0.975);
    let (n, p) = (trials as f64, hits as f64 / trials as f64);
    let centre = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    // At the ends the bounds are 0 and 1 themselves, but for rounding.
    let low = if hits == 0 { 0.0 } else { centre - half };
    let high = if hits == trials { 1.0 } else { centre + half };
    Some((low, high))
}

/// By which factor one set of samples exceeds another, with its interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Factor {
    /// The estimate: the median of all quotients new/old.
    pub value: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
}

/// Hodges and Lehmann's estimate of the factor between two sets of positive samples, with the
/// interval that inverts the Mann–Whitney test at `confidence`. It assumes no distribution. `None`
/// when a sample is not positive, or there are too few for any interval at this confidence.
pub fn factor(old: &[f64], new: &[f64], confidence: f64) -> Option<Factor> {
    if old
        .iter()
        .chain(new)
        .any(|sample| !(*sample > 0.0 && sample.is_finite()))
    {
        return None;
    }
    let cut = mann_whitney_cut(old.len(), new.len(), (1.0 - confidence) / 2.0)?;
    let pairs = new
        .iter()
        .flat_map(|new| old.iter().map(move |old| (new / old).ln()));
    let mut logs: Vec<f64> = pairs.collect();
    logs.sort_by(f64::total_cmp);
    let last = logs.len() - 1;
    Some(Factor {
        value: f64::midpoint(logs[last / 2], logs[logs.len() / 2]).exp(),
        low: logs[cut].exp(),
        high: logs[last - cut].exp(),
    })
}

/// The largest u with P(U ≤ u) ≤ `tail` for Mann and Whitney's U of two samples of one
/// distribution, counted exactly; `None` when even U = 0 is likelier than that.
fn mann_whitney_cut(old: usize, new: usize, tail: f64) -> Option<usize> {
    // ways[m][u]: probability of U = u among m and n samples, n growing by one with each pass.
    let mut ways = vec![vec![1.0]; old + 1];
    for n in 1..=new {
        for m in 1..=old {
            let (total, own) = ((m + n) as f64, ways[m].clone());
            let below = &ways[m - 1];
            // The largest sample is an old one with probability m/(m+n), and then adds n to U.
            let mut next = vec![0.0; m * n + 1];
            for (u, chance) in below.iter().enumerate() {
                next[u + n] += chance * m as f64 / total;
            }
            for (u, chance) in own.iter().enumerate() {
                next[u] += chance * n as f64 / total;
            }
            ways[m] = next;
        }
    }
    let mut sum = 0.0;
    let within = ways[old].iter().take_while(|chance| {
        sum += **chance;
        sum <= tail
    });
    within.count().checked_sub(1)
}

/// Height at 0 and slope of the line through points x, y of a weight each, by least squares; `None`
/// where all stand above one place.
pub fn line(points: &[[f64; 3]]) -> Option<(f64, f64)> {
    let sum = |part: &dyn Fn(&[f64; 3]) -> f64| points.iter().map(part).sum::<f64>();
    let whole = sum(&|[_, _, weight]| *weight);
    let x = sum(&|[x, _, weight]| x * weight) / whole;
    let y = sum(&|[_, y, weight]| y * weight) / whole;
    let squares = sum(&|[at, _, weight]| (at - x) * (at - x) * weight);
    let products = sum(&|[at, height, weight]| (at - x) * (height - y) * weight);
    let slope = products / squares;
    slope.is_finite().then_some((y - slope * x, slope))
}

/// How unevenly a quantity is shared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evenness {
    /// Largest part over the mean.
    pub max_mean: f64,
    /// Smallest part over the mean.
    pub min_mean: f64,
    /// Coefficient of variation: standard deviation over mean, over all parts.
    pub cv: f64,
}

/// Evenness of these parts; `None` when there are none or they add up to 0.
pub fn evenness(parts: impl Iterator<Item = f64> + Clone) -> Option<Evenness> {
    let (count, sum) = parts
        .clone()
        .fold((0.0, 0.0), |(n, s), part| (n + 1.0, s + part));
    if sum <= 0.0 {
        return None;
    }
    let (least, most) = parts
        .clone()
        .fold((f64::INFINITY, 0.0), |(least, most), part| {
            (part.min(least), part.max(most))
        });
    // Equal parts are exactly even, whatever the rounding of their sum.
    let mean = if least == most { most } else { sum / count };
    let squares: f64 = parts
        .clone()
        .map(|part| (part - mean) * (part - mean))
        .sum();
    Some(Evenness {
        max_mean: most / mean,
        min_mean: least / mean,
        cv: (squares / count).sqrt() / mean,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_interval_lies_between_the_ranks_of_the_sign_test() {
        // Order statistics of the sign test at 95 %: n = 6 → 1st, 20 → 6th, 31 → 10th, 50 → 18th.
        for (count, rank) in [(6, 1), (10, 2), (20, 6), (31, 10), (50, 18)] {
            let samples: Vec<f64> = (1..=count).map(f64::from).collect();
            let median = median(&samples).unwrap();
            assert_eq!(median.value, f64::from(count + 1) / 2.0, "of {count}");
            let (low, high) = median.interval.unwrap();
            let within = f64::from(rank)..f64::from(rank + 1);
            assert!(within.contains(&low), "of {count}: {low}");
            assert!(
                (low + high - f64::from(count + 1)).abs() < 1e-9,
                "of {count}"
            );
        }
        for few in 1..6 {
            assert_eq!(median(&vec![1.0; few]).unwrap().interval, None);
        }
        assert_eq!(median(&[]), None);
    }

    #[test]
    fn the_fraction_interval_holds_the_published_values() {
        // Newcombe 1998, method 3: 81 of 263 gives 0.2553 to 0.3662; 0 of 20 gives 0 to 0.1611.
        let (low, high) = fraction_interval(81, 263).unwrap();
        assert!((low - 0.2553).abs() < 5e-5 && (high - 0.3662).abs() < 5e-5);
        let (low, high) = fraction_interval(0, 20).unwrap();
        assert!(low == 0.0 && (high - 0.1611).abs() < 5e-5);
        assert_eq!(fraction_interval(0, 0), None);
    }

    #[test]
    fn the_mann_whitney_cut_is_that_of_the_published_tables() {
        // Critical values of U, two-sided: n = m = 5 at 5 % is 2, at 1 % is 0; 8 and 10 at 5 % is
        // 17; 20 and 20 at 1 % is 105.
        let cut = |m, n, alpha: f64| mann_whitney_cut(m, n, alpha / 2.0);
        assert_eq!(cut(5, 5, 0.05), Some(2));
        assert_eq!(cut(5, 5, 0.01), Some(0));
        assert_eq!(cut(8, 10, 0.05), Some(17));
        assert_eq!(cut(20, 20, 0.01), Some(105));
        assert_eq!(cut(3, 3, 0.05), None);
        assert_eq!(cut(0, 0, 0.05), None);
    }

    #[test]
    fn a_factor_mirrors_when_the_sides_are_swapped() {
        let old = [10.0, 10.2, 9.9, 10.1, 10.05, 9.95];
        let new: Vec<f64> = old.iter().map(|sample| sample * 1.1).collect();
        let grown = factor(&old, &new, 0.99).unwrap();
        let shrunk = factor(&new, &old, 0.99).unwrap();
        assert!((grown.value - 1.1).abs() < 0.01 && grown.low > 1.05 && grown.high < 1.15);
        assert!((grown.value * shrunk.value - 1.0).abs() < 1e-12);
        assert!((grown.low * shrunk.high - 1.0).abs() < 1e-12);
        assert_eq!(factor(&old, &[0.0; 6], 0.99), None);
        assert_eq!(factor(&old[..2], &new, 0.99), None);
    }

    #[test]
    fn evenness_is_relative_to_the_mean_and_has_no_value_for_nothing() {
        let parts = [1.0, 2.0, 3.0];
        let even = evenness(parts.into_iter()).unwrap();
        assert_eq!((even.max_mean, even.min_mean), (1.5, 0.5));
        assert!((even.cv - (2.0f64 / 3.0).sqrt() / 2.0).abs() < 1e-15);
        let tenths = evenness([0.1; 10].into_iter()).unwrap();
        assert_eq!(
            (tenths.max_mean, tenths.min_mean, tenths.cv),
            (1.0, 1.0, 0.0)
        );
        assert_eq!(evenness(std::iter::empty()), None);
        assert_eq!(evenness([0.0, 0.0].into_iter()), None);
    }
}

//! How a figure stands to its law: what theory expects, and how far off the figure is.
//!
//! The distance is in standard errors: the probability, under the law, of a figure at least as far
//! out on the same side, as a quantile of the normal distribution. For a normal figure that is
//! (value − expected)/standard error; for others it is right where that quotient would mislead.

use statrs::distribution::{
    Beta, Binomial, ChiSquared, ContinuousCDF, DiscreteCDF, Normal, Poisson,
};
use statrs::function::gamma::ln_gamma;

/// A figure beside its law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Against {
    /// What theory expects.
    pub expected: f64,
    /// How far the figure is above it, in standard errors; within ±[`FARTHEST`].
    pub distance: f64,
}

/// The largest distance that is told: of what is impossible under the law.
pub const FARTHEST: f64 = 37.0;

/// Part of whole reports in which a correct implementation may be marked wrong.
pub const FALSE_MARKS: f64 = 0.01;

/// The distance beyond which one of `figures` figures contradicts its law: all of them together
/// exceed it by chance in at most [`FALSE_MARKS`] of reports (Bonferroni), however they hang
/// together.
pub fn critical(figures: usize) -> f64 {
    let each = FALSE_MARKS / figures.max(1) as f64;
    -quantile(each / 2.0)
}

/// The normal quantile of a probability up to one half, not below −[`FARTHEST`].
fn quantile(probability: f64) -> f64 {
    // The smallest that is told apart from 0 in the tail of the normal distribution.
    match probability > 1e-299 {
        true => Normal::standard().inverse_cdf(probability).max(-FARTHEST),
        false => -FARTHEST,
    }
}

/// The distance of a figure from P(X ≤ figure) and P(X ≥ figure).
pub(super) fn distance(lower: f64, upper: f64) -> f64 {
    match (lower < 0.5, upper < 0.5) {
        (true, _) if lower <= upper => quantile(lower),
        (_, true) => -quantile(upper),
        // Of a discrete law, in its middle.
        _ => 0.0,
    }
}

impl Against {
    /// From P(X ≤ figure) and P(X ≥ figure).
    pub fn of_tails(expected: f64, lower: f64, upper: f64) -> Self {
        Self {
            expected,
            distance: distance(lower, upper),
        }
    }

    /// A law without scatter: the figure equals it but for rounding, or contradicts it.
    pub fn exact(value: f64, expected: f64) -> Self {
        Self::within(value, expected, 1e-9 * expected.abs().max(1e-3))
    }

    /// A law without scatter that leaves room for rounding to whole slots or points.
    pub fn within(value: f64, expected: f64, tolerance: f64) -> Self {
        let off = value - expected;
        let distance = match off.abs() <= tolerance {
            true => 0.0,
            false => FARTHEST.copysign(off),
        };
        Self { expected, distance }
    }

    /// A figure with a normal law.
    pub fn normal(value: f64, expected: f64, sd: f64) -> Self {
        let off = value - expected;
        let distance = match sd > 0.0 {
            true => (off / sd).clamp(-FARTHEST, FARTHEST),
            false => return Self::exact(value, expected),
        };
        Self { expected, distance }
    }

    /// A share with a Beta law.
    pub fn share(value: f64, law: &Beta) -> Self {
        use statrs::statistics::Distribution;
        let expected = law.mean().unwrap_or(f64::NAN);
        Self::of_tails(expected, law.cdf(value), law.sf(value))
    }

    /// `hits` of `trials` independent keys, each with probability `chance`.
    pub fn fraction(hits: u64, trials: u64, chance: f64) -> Self {
        let value = hits as f64 / trials.max(1) as f64;
        match Binomial::new(chance, trials) {
            Ok(law) if chance > 0.0 && chance < 1.0 => {
                let below = hits.checked_sub(1).map_or(0.0, |below| law.cdf(below));
                Self::of_tails(
                    chance,
                    law.cdf(hits),
                    law.sf(hits) + (law.cdf(hits) - below).max(0.0),
                )
            }
            _ => Self::exact(value, chance),
        }
    }

    /// A count of rare events, `mean` of which are expected.
    pub fn count(value: u64, mean: f64) -> Self {
        let Ok(law) = Poisson::new(mean) else {
            return Self::exact(value as f64, mean);
        };
        let upper = value.checked_sub(1).map_or(1.0, |below| law.sf(below));
        Self::of_tails(mean, law.cdf(value), upper)
    }

    /// A sum of `freedom` squares. Too small a sum contradicts the law as well.
    pub fn chi_square(value: f64, freedom: f64) -> Self {
        match ChiSquared::new(freedom) {
            Ok(law) => Self::of_tails(freedom, law.cdf(value), law.sf(value)),
            Err(_) => Self::exact(value, 0.0),
        }
    }

    /// A figure that contradicts its law only by being too large, with P(X ≥ figure) given.
    pub fn excess(expected: f64, upper: f64) -> Self {
        Self::of_tails(expected, 1.0, upper)
    }

    /// The same law seen through another figure that grows with the one that was judged.
    pub fn seen_as(self, expected: f64) -> Self {
        Self { expected, ..self }
    }

    /// Whether the figure agrees, as one of `figures` that are looked at together.
    pub fn agrees(self, figures: usize) -> bool {
        self.distance.abs() <= critical(figures)
    }
}

/// The counts of keys against shares by chi-square, the law's value being the degrees of freedom.
/// `None` with fewer than two groups of nodes.
///
/// Counts are whole numbers, and few keys often meet their shares exactly: the chance of a sum this
/// small is at least that of these very counts.
pub fn counts(counts: &[u64], shares: &[f64]) -> Option<Against> {
    let groups = groups(counts, shares)?;
    let (sum, freedom) = square(&groups);
    let Ok(law) = ChiSquared::new(freedom) else {
        return None;
    };
    let lower = law.cdf(sum).max(chance(&groups));
    Some(Against::of_tails(freedom, lower, law.sf(sum)))
}

/// The same as χ² with its degrees of freedom.
pub fn chi_square(counts: &[u64], shares: &[f64]) -> Option<(f64, f64)> {
    groups(counts, shares).map(|groups| square(&groups))
}

fn square(groups: &[(f64, f64)]) -> (f64, f64) {
    let square = |&(expected, count): &(f64, f64)| (count - expected).powi(2) / expected;
    let sum = groups.iter().map(square).sum();
    (sum, groups.len() as f64 - 1.0)
}

/// Multinomial probability of these counts.
fn chance(groups: &[(f64, f64)]) -> f64 {
    let keys: f64 = groups.iter().map(|group| group.1).sum();
    let term =
        |&(expected, count): &(f64, f64)| count * (expected / keys).ln() - ln_gamma(count + 1.0);
    (ln_gamma(keys + 1.0) + groups.iter().map(term).sum::<f64>()).exp()
}

/// Expected and counted keys, nodes with few expected ones taken together so that each group
/// expects at least ten. `None` with fewer than two groups.
fn groups(counts: &[u64], shares: &[f64]) -> Option<Vec<(f64, f64)>> {
    const FEWEST: f64 = 10.0;
    let keys = counts.iter().sum::<u64>() as f64;
    let mut nodes: Vec<(f64, f64)> = shares
        .iter()
        .zip(counts)
        .map(|(share, &count)| (share * keys, count as f64))
        .collect();
    nodes.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut groups = vec![(0.0, 0.0)];
    for (expected, count) in nodes {
        match groups.last_mut() {
            Some(group) if group.0 < FEWEST => {
                group.0 += expected;
                group.1 += count;
            }
            _ => groups.push((expected, count)),
        }
    }
    // Sorted, so that only the last group can be left small, and only when it is the only one.
    (groups.len() > 1).then_some(groups)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_of_large_samples_are_those_of_the_normal_law() {
        // 100,000 keys at 1/10: sd 94.87.
        for off in [-400i64, -95, 0, 95, 400] {
            let hits = (10_000 + off) as u64;
            let seen = Against::fraction(hits, 100_000, 0.1).distance;
            assert!((seen - off as f64 / 94.87).abs() < 0.06, "{off}: {seen}");
        }
        let sums = [(1000.0, 0.0), (1000.0 + 5.0 * 2000f64.sqrt(), 4.683)];
        for (sum, distance) in sums {
            let seen = Against::chi_square(sum, 1000.0).distance;
            assert!((seen - distance).abs() < 0.02, "{sum}: {seen}");
        }
    }

    #[test]
    fn what_is_impossible_is_as_far_as_can_be_told_and_finite() {
        assert_eq!(Against::exact(0.75, 0.75).distance, 0.0);
        assert_eq!(Against::exact(0.7500001, 0.75).distance, FARTHEST);
        assert_eq!(Against::exact(0.0, 0.0).distance, 0.0);
        assert_eq!(Against::fraction(1, 10, 0.0).distance, FARTHEST);
        assert_eq!(Against::fraction(0, 1_000_000, 0.5).distance, -FARTHEST);
        assert_eq!(Against::count(3, 0.0).distance, FARTHEST);
        assert!(Against::count(3, 1e-9).distance > 8.0);
        assert_eq!(Against::count(0, 1e-9).distance, 0.0);
        assert!(Against::chi_square(1e9, 3.0).distance > 30.0);
    }

    #[test]
    fn one_report_in_a_hundred_may_carry_a_false_mark() {
        assert!((critical(1) - 2.5758).abs() < 1e-4);
        assert!((critical(500) - 4.2649).abs() < 1e-3);
        assert!(critical(0).is_finite());
    }

    #[test]
    fn few_keys_are_taken_together_before_they_are_squared() {
        assert_eq!(chi_square(&[3, 4], &[0.5, 0.5]), None);
        let (sum, freedom) = chi_square(&[60, 40], &[0.5, 0.5]).unwrap();
        assert_eq!((sum, freedom), (4.0, 1.0));
        let shares = [0.001, 0.002, 0.002, 0.495, 0.5];
        let (_, freedom) = chi_square(&[1, 2, 2, 495, 500], &shares).unwrap();
        assert_eq!(freedom, 1.0);
    }

    /// Two nodes with ten keys each: 20 keys over 2^20, 184,756 times.
    #[test]
    fn few_keys_that_meet_their_shares_are_no_wonder() {
        let even = counts(&[10, 10], &[0.5, 0.5]).unwrap().distance;
        assert!((even + 0.9301).abs() < 0.001, "{even}");
        let many = counts(&[500_000, 500_000], &[0.5, 0.5]).unwrap().distance;
        assert!((-3.2..-3.1).contains(&many), "{many}");
    }
}

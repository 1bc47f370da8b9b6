//! A setting held against placements that are built: exact shares over independent sets of names.

use algorithms::{Algorithm, Settings};
use statrs::distribution::{Binomial, ContinuousCDF, DiscreteCDF, StudentsT};

use super::target::{Bound, Target};
use crate::measure;
use crate::record::Metric;
use crate::stats::evenness;
use crate::theory::Against;
use crate::theory::against::FALSE_MARKS;
use crate::workload::Random;

/// The figure of `sets` placements, each of nodes with other names, in ascending order.
///
/// # Errors
/// When a placement is refused, or has nothing to share.
pub fn draw(
    algorithm: &Algorithm,
    settings: &Settings,
    target: Target,
    nodes: u32,
    sets: u32,
    seed: u64,
) -> Result<Vec<f64>, String> {
    let mut random = Random::new(seed, 6);
    let seeds: Vec<u64> = (0..sets).map(|_| random.bits()).collect();
    let one = |&seed: &u64| {
        let placement = algorithm
            .build(settings, measure::nodes(seed, nodes))
            .map_err(|error| error.to_string())?;
        let shares: Vec<f64> = placement.shares().iter().map(|share| share.1).collect();
        let even = evenness(shares.into_iter()).ok_or("there is nothing to share")?;
        Ok(target.of(&even))
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let chunk = seeds.len().div_ceil(threads).max(1);
    let mut drawn: Vec<Result<f64, String>> = vec![Ok(0.0); seeds.len()];
    std::thread::scope(|scope| {
        for (seeds, drawn) in seeds.chunks(chunk).zip(drawn.chunks_mut(chunk)) {
            scope.spawn(|| {
                for (seed, drawn) in seeds.iter().zip(drawn) {
                    *drawn = one(seed);
                }
            });
        }
    });
    let mut figures = drawn.into_iter().collect::<Result<Vec<f64>, String>>()?;
    figures.sort_by(f64::total_cmp);
    Ok(figures)
}

/// What was measured under a bound, and whether it agrees with what is expected.
#[derive(Clone, Debug)]
pub struct Seen {
    /// The mean, or the quantile, with its 95 % interval where there are enough sets.
    pub measured: Metric,
    /// The best estimate of it, even where the sets are too few for a quantile.
    pub estimate: f64,
    /// Whether the expected figure is among those that chance explains.
    pub agrees: bool,
}

/// Judges figures in ascending order as one of `checks` that are made.
pub fn judge(
    target: Target,
    bound: Bound,
    figures: &[f64],
    expected: f64,
    checks: usize,
) -> Option<Seen> {
    match bound {
        Bound::Mean => mean(target, figures, expected, checks),
        Bound::Sure(level) => quantile(figures, level, expected, checks),
    }
}

/// The mean, or for the CV the root mean square.
fn mean(target: Target, figures: &[f64], expected: f64, checks: usize) -> Option<Seen> {
    let power = match target {
        Target::MaxOverMean(_) => 1,
        Target::Cv(_) => 2,
    };
    let root = |x: f64| x.max(0.0).powf(1.0 / f64::from(power));
    let count = figures.len() as f64;
    let values = figures.iter().map(|figure| figure.powi(power));
    let mean = values.clone().sum::<f64>() / count;
    let squares: f64 = values.map(|value| (value - mean).powi(2)).sum();
    let error = (squares / (count - 1.0) / count).sqrt();
    let estimate = root(mean);
    let mut measured = Metric::of(estimate);
    if error > 0.0 {
        let law = StudentsT::new(0.0, 1.0, count - 1.0).ok()?;
        let half = law.inverse_cdf(0.975) * error;
        measured.low = Some(root(mean - half));
        measured.high = Some(root(mean + half));
        let off = (mean - expected.powi(power)).abs() / error;
        return Some(Seen {
            measured,
            estimate,
            agrees: 2.0 * law.sf(off) >= FALSE_MARKS / checks.max(1) as f64,
        });
    }
    Some(Seen {
        measured,
        estimate,
        agrees: (estimate - expected).abs() <= 1e-9 * expected,
    })
}

/// The quantile of `level`, between the ranks that hold it with 95 %.
fn quantile(figures: &[f64], level: f64, expected: f64, checks: usize) -> Option<Seen> {
    let count = figures.len();
    let at = (level * count as f64).ceil() as usize;
    let estimate = *figures.get(at.clamp(1, count) - 1)?;
    let law = Binomial::new(level, count as u64).ok()?;
    let [low, high] = [0.025, 0.975].map(|tail| law.inverse_cdf(tail) as usize);
    // The largest of few figures says nothing of a quantile.
    let measured = match at < count {
        true => Metric {
            low: Some(figures[low.max(1) - 1]),
            high: figures.get(high).copied(),
            ..Metric::of(estimate)
        },
        false => Metric::none(format!("{count} sets of names are too few")),
    };
    let within = met(figures, expected);
    Some(Seen {
        measured,
        estimate,
        agrees: Against::fraction(within.into(), count as u64, level).agrees(checks),
    })
}

/// How many of the figures are at most this; they are in ascending order.
pub fn met(figures: &[f64], at_most: f64) -> u32 {
    figures.partition_point(|&figure| figure <= at_most) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figures() -> Vec<f64> {
        (0..200).map(|at| 1.0 + f64::from(at) / 2000.0).collect()
    }

    #[test]
    fn a_mean_that_chance_explains_agrees_and_another_does_not() {
        let target = Target::MaxOverMean(1.05);
        let judged = |expected| judge(target, Bound::Mean, &figures(), expected, 10).unwrap();
        let seen = judged(1.05);
        assert!(seen.agrees && (seen.estimate - 1.04975).abs() < 1e-9);
        assert!(seen.measured.low < Some(1.0497) && seen.measured.high > Some(1.0498));
        assert!(!judged(1.06).agrees && !judged(1.04).agrees);
    }

    #[test]
    fn the_cv_is_judged_by_its_square() {
        let seen = judge(Target::Cv(0.1), Bound::Mean, &[0.1, 0.3], 0.2, 1).unwrap();
        assert!((seen.estimate - 0.05f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn a_quantile_is_told_only_where_a_figure_lies_beyond_it() {
        let target = Target::MaxOverMean(1.05);
        let judged = |figures: &[f64], expected| {
            judge(target, Bound::Sure(0.95), figures, expected, 10).unwrap()
        };
        let many = judged(&figures(), 1.0945);
        assert!(many.agrees && many.measured.value == Some(1.0945));
        assert!(
            many.measured.low < many.measured.value && many.measured.high > many.measured.value
        );
        assert!(!judged(&figures(), 1.05).agrees && !judged(&figures(), 1.2).agrees);
        let few = judged(&[1.0, 1.1, 1.2], 1.2);
        assert!(few.agrees && few.measured.value.is_none() && few.estimate == 1.2);
    }

    #[test]
    fn figures_without_scatter_equal_what_is_expected_or_do_not() {
        let target = Target::MaxOverMean(1.05);
        let judged = |expected| judge(target, Bound::Mean, &[1.04; 5], expected, 10).unwrap();
        assert!(judged(1.04).agrees && !judged(1.05).agrees);
    }
}

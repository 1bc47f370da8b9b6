//! Rings whose points lie at independent uniform positions: N nodes of k points each, H = kN in
//! all. Karger et al. 1997; the laws are those of uniform spacings (Pyke 1965).

use statrs::distribution::{Beta, BetaError, ContinuousCDF};
use statrs::function::beta::ln_beta;
use statrs::function::factorial::ln_binomial;

use super::{Against, harmonic};

/// P(arc ≤ x) for the arc before one point of H: 1 − (1 − x)^(H−1).
pub fn arc_cdf(x: f64, points: u64) -> f64 {
    -((points as f64 - 1.0) * (-x).ln_1p()).exp_m1()
}

/// Density of an arc's length, (H − 1)(1 − x)^(H−2); it may exceed 1.
pub fn arc_density(x: f64, points: u64) -> f64 {
    let others = points as f64 - 1.0;
    others * ((others - 1.0) * (-x).ln_1p()).exp()
}

/// Mean of the largest of H arcs: H_H/H, with the harmonic number.
pub fn largest_arc(points: u64) -> f64 {
    harmonic(points) / points as f64
}

/// Mean of the smallest of H arcs: 1/H².
pub fn smallest_arc(points: u64) -> f64 {
    (points as f64).powi(-2)
}

/// The law of the share of those who own `own` of all `total` points: Beta(own, total − own).
///
/// It holds for one node and for several together, as long as they were not chosen by their shares.
///
/// # Errors
/// When there are no points, or no others.
pub fn share(own: u64, total: u64) -> Result<Beta, BetaError> {
    Beta::new(own as f64, total.saturating_sub(own) as f64)
}

/// CV of one node's share: √((H − k)/(k(H + 1))), which for H = kN is √((N − 1)/(kN + 1)).
///
/// It is the root mean square over rings. One ring scatters around it, and the mean of the CVs of
/// rings lies below it: by 11 % for 3 nodes, below 1 % from 100 on.
pub fn cv(nodes: usize, points: u32) -> f64 {
    share_cv(points.into(), nodes as u64 * u64::from(points))
}

/// CV of a share of `own` points of `total`: √((H − k)/(k(H + 1))).
pub fn share_cv(own: u64, total: u64) -> f64 {
    let (own, total) = (own as f64, total as f64);
    ((total - own) / (own * (total + 1.0))).sqrt()
}

/// Standard deviation of a share of `own` points of `total`: √(A(H − A)/(H²(H + 1))).
pub fn share_sd(own: u64, total: u64) -> f64 {
    share_cv(own, total) * own as f64 / total as f64
}

/// What one of N equal nodes gains when its weight doubles: it had k points and gets k more.
///
/// How many of the new points fall outside its own arcs is beta-binomial (k draws, k(N − 1) arcs of
/// others to k of its own), and each of those takes one of the k(N + 1) arcs from another node: so
/// the gain is a mixture of Beta laws with the mean 2/(N + 1) − 1/N.
pub fn grown(nodes: u64, points: u32, gain: f64) -> Against {
    if nodes < 2 {
        return Against::exact(gain, 0.0);
    }
    let (n, k) = (nodes as f64, f64::from(points));
    let total = u64::from(points) * (nodes + 1);
    let (mut lower, mut upper) = (0.0, 0.0);
    for outside in 0..=points {
        let j = f64::from(outside);
        let ways = ln_binomial(points.into(), outside.into());
        let chance = ways + ln_beta(j + k * (n - 1.0), 2.0 * k - j) - ln_beta(k * (n - 1.0), k);
        let (below, above) = match share(outside.into(), total) {
            Ok(law) => (law.cdf(gain), law.sf(gain)),
            // No point outside gains nothing.
            Err(_) => (1.0, if gain > 0.0 { 0.0 } else { 1.0 }),
        };
        lower += chance.exp() * below;
        upper += chance.exp() * above;
    }
    Against::of_tails(2.0 / (n + 1.0) - 1.0 / n, lower, upper)
}

/// The level below which max/mean lies with probability `level`: N times the Beta quantile of
/// level^(1/N).
///
/// It takes the nodes for independent. They are negatively associated, so the figure is a bound; it is
/// nearly exact for levels far above one half, whatever N, and for any from a hundred nodes on. `None`
/// for fewer than 2 nodes or without points.
pub fn max_mean_quantile(nodes: usize, points: u32, level: f64) -> Option<f64> {
    let one = share(points.into(), nodes as u64 * u64::from(points)).ok()?;
    let each = level.powf(1.0 / nodes as f64);
    Some(nodes as f64 * one.inverse_cdf(each))
}

/// Mean of max/mean over rings. For k = 1 the harmonic number of N, exactly; else
/// 1 + √(N/(N − 1))·∫ P(max/mean > x) dx over x above 1, with nodes taken for independent; the root
/// makes up for their shares adding up to 1. From ten nodes on it is off by less than 1 %; what
/// exceeds 1 is 5 % too high for 3 nodes and 20 % for 2.
pub fn max_mean(nodes: usize, points: u32) -> Option<f64> {
    let one = share(points.into(), nodes as u64 * u64::from(points)).ok()?;
    if points == 1 {
        return Some(harmonic(nodes as u64));
    }
    let n = nodes as f64;
    // The largest share is at least the mean, and beyond the last quantile nothing is left.
    let end = max_mean_quantile(nodes, points, 1.0 - 1e-9)?;
    let excess = integral(1.0, end, |x| 1.0 - one.cdf(x / n).powf(n));
    Some(1.0 + tied(n) * excess)
}

/// Mean of min/mean over rings, as [`max_mean`]; for k = 1 it is 1/N, exactly. Off by up to 0.04
/// where nodes and points are few.
pub fn min_mean(nodes: usize, points: u32) -> Option<f64> {
    let one = share(points.into(), nodes as u64 * u64::from(points)).ok()?;
    let n = nodes as f64;
    if points == 1 {
        return Some(1.0 / n);
    }
    let mean = integral(0.0, 1.0, |x| one.sf(x / n).powf(n));
    Some((1.0 - tied(n) * (1.0 - mean)).max(0.0))
}

/// By how much N values that add up to a constant seem less scattered than N independent ones.
fn tied(nodes: f64) -> f64 {
    (nodes / (nodes - 1.0)).sqrt()
}

/// The integral of a smooth monotone function, by midpoints.
fn integral(from: f64, to: f64, function: impl Fn(f64) -> f64) -> f64 {
    const STEPS: usize = 512;
    let width = (to - from) / STEPS as f64;
    let value = |step: usize| function(from + (step as f64 + 0.5) * width);
    width * (0..STEPS).map(value).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cv_is_that_of_the_published_tables_in_both_forms() {
        for (nodes, points, wanted) in [
            (3, 100, 0.081514),
            (10, 100, 0.094821),
            (10, 500, 0.042422),
            (50, 100, 0.098985),
            (100, 1, 0.990050),
            (100, 100, 0.099494),
            (100, 150, 0.081238),
            (1000, 100, 0.099949),
        ] {
            let (n, k) = (nodes as f64, f64::from(points));
            assert!(
                (cv(nodes, points) - wanted).abs() < 5e-7,
                "N={nodes} k={points}"
            );
            assert!((cv(nodes, points) - ((n - 1.0) / (k * n + 1.0)).sqrt()).abs() < 1e-15);
        }
        assert_eq!(cv(1, 100), 0.0);
    }

    #[test]
    fn shares_of_newcomers_have_the_published_deviation_and_bounds() {
        for (points, sd) in [
            (1, 0.0904),
            (10, 0.0295),
            (40, 0.0148),
            (100, 0.00935),
            (150, 0.00763),
            (500, 0.00418),
        ] {
            assert!(
                (share_sd(2 * points, 14 * points) - sd).abs() < 0.00006,
                "k={points}"
            );
        }
        let fourth = share(100, 400).unwrap();
        assert!((fourth.inverse_cdf(0.005) - 0.196).abs() < 0.0015);
        assert!((fourth.inverse_cdf(0.995) - 0.309).abs() < 0.0015);
        // 99 % of the shares, relative to the mean, for 1000 nodes.
        for (points, low, high) in [
            (1, 0.0050, 5.290),
            (10, 0.372, 1.999),
            (100, 0.761, 1.276),
            (1000, 0.9205, 1.0833),
        ] {
            let law = share(points, 1000 * points).unwrap();
            let [from, to] = [0.005, 0.995].map(|level| 1000.0 * law.inverse_cdf(level));
            assert!(
                (from - low).abs() < 0.0006 && (to - high).abs() < 0.0006,
                "k={points}"
            );
        }
    }

    #[test]
    fn arcs_follow_one_beta_law() {
        for points in [2, 10, 1000] {
            let law = share(1, points).unwrap();
            for x in [1e-6, 1e-3, 0.1, 0.5, 0.99] {
                assert!((arc_cdf(x, points) - law.cdf(x)).abs() < 1e-12);
                let (near, step) = (x, x * 1e-5);
                let slope =
                    (arc_cdf(near + step, points) - arc_cdf(near - step, points)) / (2.0 * step);
                assert!((arc_density(x, points) - slope).abs() <= 1e-4 * slope.abs() + 1e-9);
            }
        }
        assert!((100.0 * largest_arc(100) - 5.1874).abs() < 5e-5);
        assert!((1000.0 * largest_arc(1000) - 7.4855).abs() < 5e-5);
    }

    #[test]
    fn the_largest_share_is_that_of_simulated_rings() {
        // Mean and 90 % of 20,000 to 200,000 rings, drawn by another program.
        for (nodes, points, mean, low, high) in [
            (10, 100, 1.1594, 1.0844, 1.2587),
            (100, 10, 1.9716, 1.6948, 2.3574),
            (100, 100, 1.2689, 1.2007, 1.3595),
            (100, 150, 1.2165, 1.1624, 1.2872),
            (100, 500, 1.1159, 1.0874, 1.1523),
            (1000, 100, 1.3567, 1.3002, 1.4339),
        ] {
            let seen = max_mean(nodes, points).unwrap();
            let [from, to] = [0.05, 0.95].map(|q| max_mean_quantile(nodes, points, q).unwrap());
            let what = format!("N={nodes} k={points}: {seen} [{from}, {to}]");
            assert!((seen / mean - 1.0).abs() < 0.002, "{what}");
            assert!((to - high).abs() < 0.003, "{what}");
            assert!(nodes < 100 || (from - low).abs() < 0.03, "{what}");
        }
        // Simulated by another program: 10 nodes of 10 points gain 0.0818 with an sd of 0.0257.
        let middle = grown(10, 10, 2.0 / 11.0 - 0.1);
        assert!((middle.expected - 0.081818).abs() < 1e-6 && middle.distance.abs() < 0.2);
        assert!(max_mean(1, 100).is_none() && max_mean(10, 0).is_none());
        assert!(min_mean(1, 100).is_none());
        assert!(min_mean(1, 100).is_none());
    }
}

//! Rings whose points lie at independent uniform positions: N nodes of k points each, H = kN in
//! all. Karger et al. 1997; the laws are those of uniform spacings (Pyke 1965).

use statrs::distribution::{Beta, BetaError, Binomial, ContinuousCDF, DiscreteCDF, Gamma};
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

/// The length below which the largest of H arcs lies with probability `level`: by Fisher's
/// Σ (−1)^j C(H, j)(1 − jx)^(H−1) over jx < 1, inverted by halving.
pub fn largest_arc_quantile(points: u64, level: f64) -> f64 {
    let h = points as f64;
    let below = |x: f64| {
        let mut ways = 1.0;
        let mut sum = 0.0;
        // The terms alternate; beyond the mean they soon fall.
        for j in 0..points {
            let left = 1.0 - j as f64 * x;
            if left <= 0.0 {
                break;
            }
            sum += ways * left.powf(h - 1.0);
            ways *= -(h - j as f64) / (j as f64 + 1.0);
        }
        sum
    };
    let (mut low, mut high) = (0.5 * largest_arc(points), 1.0);
    for _ in 0..60 {
        let middle = f64::midpoint(low, high);
        match below(middle) < level {
            true => low = middle,
            false => high = middle,
        }
    }
    low
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

/// What one of N equal nodes gains when its weight doubles: the mean is 2/(N + 1) − 1/N.
pub fn grown(nodes: u64, points: u32, gain: f64) -> Against {
    let others = nodes.saturating_sub(1) * u64::from(points);
    gained(points, points, others, gain)
}

/// What a node with `own` points gains when it gets `more`, beside `others` of other nodes; what it
/// loses when those leave again is the same.
///
/// How many of the new points fall outside its own arcs is beta-binomial (`more` draws, `others` arcs
/// of others to `own` of its own), and each of those takes one of all the arcs from another node: so
/// the gain is a mixture of Beta laws. Its mean is the difference of the shares of points.
pub fn gained(own: u32, more: u32, others: u64, gain: f64) -> Against {
    if others == 0 {
        return Against::exact(gain, 0.0);
    }
    let (a, m, b) = (others as f64, f64::from(more), f64::from(own));
    let total = others + u64::from(own) + u64::from(more);
    let expected = (b + m) / total as f64 - b / (a + b);
    let (mut lower, mut upper) = (0.0, 0.0);
    // A node without points has no arcs for the new ones to fall into.
    let fewest = if own == 0 { more } else { 0 };
    for outside in fewest..=more {
        let j = f64::from(outside);
        let chance = match own {
            0 => 0.0,
            _ => {
                let ways = ln_binomial(more.into(), outside.into());
                ways + ln_beta(j + a, m - j + b) - ln_beta(a, b)
            }
        };
        let (below, above) = match share(outside.into(), total) {
            Ok(law) => (law.cdf(gain), law.sf(gain)),
            // No point outside gains nothing.
            Err(_) => (1.0, if gain > 0.0 { 0.0 } else { 1.0 }),
        };
        lower += chance.exp() * below;
        upper += chance.exp() * above;
    }
    Against::of_tails(expected, lower, upper)
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

/// Standard deviation of the squared CV of one ring of equal nodes, from the fourth moments of the
/// Dirichlet law of all shares.
pub fn cv_square_sd(nodes: usize, points: u32) -> f64 {
    let (n, k) = (nodes as f64, f64::from(points));
    let total = n * k;
    // k(k+1)…(k+order−1)
    let rising = |from: f64, order: u32| (0..order).map(|i| from + f64::from(i)).product::<f64>();
    let square = n * rising(k, 2) / rising(total, 2);
    let fourth = rising(k, 4) + (n - 1.0) * rising(k, 2).powi(2);
    n * (n * fourth / rising(total, 4) - square * square)
        .max(0.0)
        .sqrt()
}

/// Excess kurtosis of a share of `own` points of `total`.
pub fn share_kurtosis(own: u64, total: u64) -> f64 {
    let (a, b) = (own as f64, total as f64 - own as f64);
    let sum = a + b;
    let above = (a - b).powi(2) * (sum + 1.0) - a * b * (sum + 2.0);
    6.0 * above / (a * b * (sum + 2.0) * (sum + 3.0))
}

/// Mean and standard deviation of the share, over the mean share, of the node that has the `rank`-th
/// largest one (1 is the largest); `None` for fewer than 2 nodes, without points or such a rank.
///
/// Shares are gamma variates over their sum, and the sum does not depend on the shares. So the moments
/// of the ordered shares are those of ordered gamma variates over those of the sum, exactly.
pub fn ranked(nodes: usize, points: u32, rank: usize) -> Option<(f64, f64)> {
    if nodes < 2 || !(1..=nodes).contains(&rank) {
        return None;
    }
    let (n, k) = (nodes as f64, f64::from(points));
    let one = Gamma::new(k, 1.0).ok()?;
    // P(the rank-th largest > x): at least `rank` of the variates are above x.
    let above = |x: f64| match Binomial::new(one.sf(x).clamp(0.0, 1.0), nodes as u64) {
        Ok(count) => count.sf(rank as u64 - 1),
        Err(_) => 0.0,
    };
    // Below the first bound all variates are surely, above the second surely too few.
    let far = k + 60.0 + 14.0 * k.sqrt();
    let from = falls_to(1.0 - 1e-12, far, above);
    let to = falls_to(1e-12, far, above);
    let mean = from + integral(from, to, above);
    let square = from * from + integral(from, to, |x| 2.0 * x * above(x));
    let total = n * k;
    let relative = mean / k;
    let variance = square * n * n / (total * (total + 1.0)) - relative * relative;
    Some((relative, variance.max(0.0).sqrt()))
}

/// Mean of max/mean over rings; for k = 1 the harmonic number of N.
pub fn max_mean(nodes: usize, points: u32) -> Option<f64> {
    Some(ranked(nodes, points, 1)?.0)
}

/// Mean of min/mean over rings; for k = 1 it is 1/N.
pub fn min_mean(nodes: usize, points: u32) -> Option<f64> {
    Some(ranked(nodes, points, nodes)?.0)
}

/// Mean number of nodes that receive keys when one of `nodes` nodes with `points` points leaves:
/// (N − 1)(1 − C(m−1, k)/C(m+k−1, k)) with m = k(N − 1) points left.
///
/// Its points lie among the m others in any way with equal chance, and a survivor receives nothing
/// when none of them stands in front of one of its own.
pub fn receivers(nodes: usize, points: u32) -> f64 {
    let (others, k) = (nodes as f64 - 1.0, f64::from(points));
    let left = others * k;
    let missed = (0..points).map(|i| {
        let i = f64::from(i);
        (left - 1.0 - i) / (left + k - 1.0 - i)
    });
    others * (1.0 - missed.product::<f64>())
}

/// Where a function that falls from 1 to 0 between 0 and `far` has this level.
fn falls_to(level: f64, far: f64, function: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, far);
    for _ in 0..50 {
        let middle = f64::midpoint(low, high);
        match function(middle) > level {
            true => low = middle,
            false => high = middle,
        }
    }
    low
}

/// The integral of a smooth monotone function, by midpoints.
fn integral(from: f64, to: f64, function: impl Fn(f64) -> f64) -> f64 {
    const STEPS: usize = 4096;
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
    fn ordered_shares_of_single_points_have_harmonic_means() {
        // Exponential gaps: the rank-th largest is H_N − H_(rank−1).
        for nodes in [2u64, 10, 100, 1000] {
            for rank in [1, 2, nodes] {
                let (mean, _) = ranked(nodes as usize, 1, rank as usize).unwrap();
                let wanted = harmonic(nodes) - harmonic(rank - 1);
                assert!((mean / wanted - 1.0).abs() < 1e-5, "{nodes} {rank}: {mean}");
            }
            // Square of the largest of N exponentials: H² + Σ1/i², over that of their sum.
            let (n, h) = (nodes as f64, harmonic(nodes));
            let squares: f64 = (1..=nodes).map(|i| (i as f64).powi(-2)).sum();
            let variance = (h * h + squares) * n / (n + 1.0) - h * h;
            let (_, sd) = ranked(nodes as usize, 1, 1).unwrap();
            assert!((sd / variance.sqrt() - 1.0).abs() < 1e-4, "{nodes}: {sd}");
        }
        assert_eq!(ranked(10, 1, 0), None);
        assert_eq!(ranked(10, 1, 11), None);
    }

    #[test]
    fn the_largest_arc_has_the_published_band() {
        let quantile = |level| 100.0 * largest_arc_quantile(100, level);
        for (level, wanted) in [
            (0.005, 3.24),
            (0.05, 3.71),
            (0.5, 4.98),
            (0.95, 7.37),
            (0.995, 9.50),
        ] {
            let seen = quantile(level);
            assert!((seen - wanted).abs() < 0.03, "{level}: {seen}");
        }
        // The larger of two arcs is uniform between a half and 1.
        assert!((largest_arc_quantile(2, 0.3) - 0.65).abs() < 1e-9);
    }

    #[test]
    fn the_squared_cv_scatters_as_gamma_shares_do() {
        // Two nodes of one point: CV² is (2s − 1)² with s uniform, of variance 4/45.
        assert!((cv_square_sd(2, 1) - (4.0f64 / 45.0).sqrt()).abs() < 1e-12);
        // Of a uniform law −6/5, of Beta(2, 2) −6/7.
        assert!((share_kurtosis(1, 2) + 1.2).abs() < 1e-12);
        assert!((share_kurtosis(2, 4) + 6.0 / 7.0).abs() < 1e-12);
    }

    #[test]
    fn one_point_has_one_receiver_and_many_points_have_all() {
        for nodes in [2, 10, 1000] {
            assert!((receivers(nodes, 1) - 1.0).abs() < 1e-12);
        }
        // Two nodes left with two points each, m = 4: 2(1 − C(3,2)/C(5,2)).
        assert!((receivers(3, 2) - 1.4).abs() < 1e-12);
        assert!(receivers(10, 1000) > 8.999);
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
            assert!((seen / mean - 1.0).abs() < 0.0015, "{what}");
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

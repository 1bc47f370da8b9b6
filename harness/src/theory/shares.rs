//! Largest, smallest and CV of the shares of one ring, held against random rings.
//!
//! Of these three only the mean square has a closed form; where one ring lies among all is found by
//! drawing shares from their law: N gamma variates of shape k over their sum (Dirichlet). Drawing
//! ends as soon as enough rings lie beyond the figure on either side (Besag and Clifford 1991), so
//! that an ordinary ring costs some dozens of draws and an impossible one the most.

use rand_distr::Gamma;

use super::against::{Against, distance};
use super::ring;
use crate::stats::Evenness;
use crate::workload::Random;

/// Rings drawn at most: enough to tell one in a hundred thousand.
const MOST: u32 = 400_000;
/// Rings beyond the figure that end the drawing.
const ENOUGH: u32 = 20;
/// Variates drawn at most, so that many nodes take seconds and not minutes.
const VARIATES: usize = 400_000_000;

/// One random ring of `nodes` nodes with `points` points each, into `shares`.
fn draw(random: &mut Random, law: &Gamma<f64>, shares: &mut [f64]) {
    let mut sum = 0.0;
    for share in &mut *shares {
        *share = random.sample(law);
        sum += *share;
    }
    shares.iter_mut().for_each(|share| *share /= sum);
}

/// How the evenness of one ring stands to the law of rings, in the order max/mean, min/mean, CV;
/// `None` for a ring of a single node or without points.
pub fn evenness(nodes: usize, points: u32, seen: &Evenness) -> Option<[Against; 3]> {
    let expected = [
        ring::max_mean(nodes, points)?,
        ring::min_mean(nodes, points)?,
        ring::cv(nodes, points),
    ];
    let law = Gamma::new(f64::from(points), 1.0).ok()?;
    let seen = [seen.max_mean, seen.min_mean, seen.cv];
    // The same draws for all figures of all rings of this size.
    let mut random = Random::new(nodes as u64, u64::from(points) << 8 | 5);
    let mut shares = vec![0.0; nodes];
    let (mut below, mut above) = ([0u32; 3], [0u32; 3]);
    let most = MOST.min((VARIATES / nodes) as u32);
    let mut drawn = 0;
    while drawn < most {
        draw(&mut random, &law, &mut shares);
        drawn += 1;
        let one = crate::stats::evenness(shares.iter().copied())?;
        for (at, figure) in [one.max_mean, one.min_mean, one.cv].into_iter().enumerate() {
            below[at] += u32::from(figure <= seen[at]);
            above[at] += u32::from(figure >= seen[at]);
        }
        let done = |at: usize| below[at] >= ENOUGH && above[at] >= ENOUGH;
        if (0..3).all(done) {
            break;
        }
    }
    let part = |count: u32| f64::from(count + 1) / f64::from(drawn + 1);
    Some([0, 1, 2].map(|at| Against {
        expected: expected[at],
        distance: distance(part(below[at]), part(above[at])),
    }))
}

/// The levels of max/mean below which these parts of random rings lie, over so many draws.
pub fn max_mean_quantiles<const LEVELS: usize>(
    nodes: usize,
    points: u32,
    draws: usize,
    levels: [f64; LEVELS],
) -> [f64; LEVELS] {
    let Ok(law) = Gamma::new(f64::from(points), 1.0) else {
        return [f64::NAN; LEVELS];
    };
    let mut random = Random::new(nodes as u64, u64::from(points) << 8 | 6);
    let mut shares = vec![0.0; nodes];
    let drawn = (0..draws).map(|_| {
        draw(&mut random, &law, &mut shares);
        nodes as f64 * shares.iter().copied().fold(0.0, f64::max)
    });
    let mut drawn: Vec<f64> = drawn.collect();
    drawn.sort_unstable_by(f64::total_cmp);
    let last = draws.saturating_sub(1);
    levels.map(|level| {
        drawn
            .get((level * last as f64).round() as usize)
            .copied()
            .unwrap_or(f64::NAN)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Under the law the distance itself is standard normal: its quantiles are what they say.
    #[test]
    fn distances_of_random_rings_are_standard_normal() {
        for (nodes, points) in [(2, 1), (3, 100), (10, 1), (10, 10), (100, 1)] {
            const RINGS: usize = 400;
            let mut random = Random::new(9, 9);
            let law = Gamma::new(f64::from(points), 1.0).unwrap();
            let mut shares = vec![0.0; nodes];
            let mut beyond = [0; 3];
            for _ in 0..RINGS {
                draw(&mut random, &law, &mut shares);
                let seen = crate::stats::evenness(shares.iter().copied()).unwrap();
                let held = evenness(nodes, points, &seen).unwrap();
                for (count, figure) in beyond.iter_mut().zip(held) {
                    *count += usize::from(figure.distance.abs() > 1.0);
                }
            }
            // 31.7 % of 400 are 127; four standard deviations are 37.
            for count in beyond {
                assert!(
                    (90..164).contains(&count),
                    "N={nodes} k={points}: {beyond:?}"
                );
            }
        }
    }

    #[test]
    fn the_means_are_those_of_random_rings() {
        for (nodes, points) in [(3, 1), (3, 2), (3, 100), (10, 5), (10, 100), (100, 40)] {
            const RINGS: usize = 4000;
            let mut random = Random::new(1, 9);
            let law = Gamma::new(f64::from(points), 1.0).unwrap();
            let mut shares = vec![0.0; nodes];
            let (mut most, mut least, mut squares) = (0.0, 0.0, 0.0);
            for _ in 0..RINGS {
                draw(&mut random, &law, &mut shares);
                let seen = crate::stats::evenness(shares.iter().copied()).unwrap();
                most += seen.max_mean / RINGS as f64;
                least += seen.min_mean / RINGS as f64;
                squares += seen.cv * seen.cv / RINGS as f64;
            }
            let what = format!("N={nodes} k={points}: {most} {least} {squares}");
            let expected = ring::max_mean(nodes, points).unwrap();
            assert!(
                (most / expected - 1.0).abs() < 0.02,
                "{what}, not {expected}"
            );
            let expected = ring::min_mean(nodes, points).unwrap();
            assert!((least - expected).abs() < 0.04, "{what}, not {expected}");
            let expected = ring::cv(nodes, points);
            assert!(
                (squares.sqrt() / expected - 1.0).abs() < 0.05,
                "{what}, not {expected}"
            );
        }
    }

    #[test]
    fn a_ring_that_is_too_even_or_too_uneven_is_far_off() {
        let even = |cv: f64| Evenness {
            max_mean: 1.0 + 2.0 * cv,
            min_mean: 1.0 - 1.5 * cv,
            cv,
        };
        let fair = ring::cv(100, 100);
        for (cv, side) in [(fair * 0.5, -1.0), (fair * 1.6, 1.0)] {
            let held = evenness(100, 100, &even(cv)).unwrap();
            assert!(held[2].distance * side > 4.3, "{held:?}");
        }
    }
}

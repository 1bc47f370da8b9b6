//! Jump hash (Lamping and Veach 2014).

use super::harmonic;

/// Mean number of rounds of the loop over random keys for n buckets: H_n exactly, not ln n + 1.
///
/// The bucket changes at i + 1 buckets with probability 1/(i + 1), each independently.
pub fn rounds(buckets: u64) -> f64 {
    harmonic(buckets)
}

/// Variance of the number of rounds of one key: H_n − Σ 1/i².
pub fn rounds_variance(buckets: u64) -> f64 {
    harmonic(buckets)
        - (1..=buckets)
            .rev()
            .map(|i| (i as f64).powi(-2))
            .sum::<f64>()
}

/// Share of bucket 0, counted over all 2^31 first draws: ⌊2^31/n⌋/2^31.
///
/// Exact, since the generator's step is a bijection. It lies below 1/n by up to 2^-31.
pub fn first_share(buckets: u64) -> f64 {
    const DRAWS: u64 = 1 << 31;
    (DRAWS / buckets) as f64 / DRAWS as f64
}

/// Exact share of every bucket, taking the 31-bit draws of one key for independent: from bucket b a
/// draw t of 1 to 2^31 leads to bucket ⌊(b + 1)·2^31/t⌋, and the last bucket below n stays.
///
/// Costs O(n²) in n; 10,000 buckets take a tenth of a second.
pub fn shares(buckets: u32) -> Vec<f64> {
    const DRAWS: f64 = (1u64 << 31) as f64;
    let n = buckets as usize;
    // Draws that lead from b to a bucket of at least j: ⌊(b + 1)·2^31/j⌋, at most all.
    let reach = |from: usize, to: usize| (((from as u64 + 1) << 31) / to as u64) as f64 / DRAWS;
    let mut visits = vec![0.0; n];
    let mut shares = vec![0.0; n];
    for b in 0..n {
        if b == 0 {
            visits[0] = 1.0;
        }
        let here: f64 = visits[b];
        shares[b] = here * reach(b, n).min(1.0);
        let mut farther = 1.0;
        for (to, visit) in visits.iter_mut().enumerate().skip(b + 1) {
            let next = reach(b, to + 1).min(1.0);
            *visit += here * (farther - next);
            farther = next;
        }
    }
    shares
}

/// CV of [`shares`].
pub fn cv(buckets: u32) -> f64 {
    let fair = 1.0 / f64::from(buckets);
    let squares = shares(buckets)
        .into_iter()
        .map(|share| (share / fair - 1.0).powi(2));
    (squares.sum::<f64>() * fair).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_and_shares_are_the_published_ones() {
        for (buckets, mean) in [
            (10, 2.929),
            (100, 5.187),
            (1000, 7.485),
            (1_000_000, 14.393),
        ] {
            assert!((rounds(buckets) - mean).abs() < 0.0006);
        }
        assert!((first_share(1000) * 1000.0 - 1.0 + 3.017e-7).abs() < 5e-11);
        for (buckets, wanted) in [(10, 2.61e-9), (100, 2.57e-8), (1000, 2.44e-7)] {
            let seen = cv(buckets);
            assert!((seen / wanted - 1.0).abs() < 0.01, "{buckets}: {seen}");
        }
        assert_eq!(shares(1000)[0], first_share(1000));
        assert!((shares(777).iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}

//! Scores and draws, where each key chooses by itself: rendezvous, weighted rendezvous, jump; and
//! the chance of the keys anywhere.

/// CV of the counts when `keys` keys fall on `nodes` equal nodes independently: √((N − 1)/K).
pub fn sampling_cv(nodes: usize, keys: u64) -> f64 {
    ((nodes as f64 - 1.0) / keys as f64).sqrt()
}

/// Expected CV of the counts of `keys` independent keys on nodes with these shares: the root of
/// CV² + N(1 − Σ share²)/K, where CV is that of the shares.
pub fn counted_cv(shares: &[f64], keys: u64) -> f64 {
    let nodes = shares.len() as f64;
    let squares: f64 = shares.iter().map(|share| share * share).sum();
    let own = nodes * squares - 1.0;
    (own.max(0.0) + nodes * (1.0 - squares) / keys as f64).sqrt()
}

/// Part of the keys that a node of weight `weight` owns when the weights of all add up to `sum`:
/// w/Σw (Schindelhauer and Schomaker 2005).
pub fn share(weight: f64, sum: f64) -> f64 {
    weight / sum
}

/// Part of the keys that a node of weight w ≥ 1 owns beside one of weight 1 when the smallest U/w wins:
/// 1 − 1/(2w), which is w/(w + 1) for w = 1 alone.
pub fn quotient_share(weight: f64) -> f64 {
    1.0 - 0.5 / weight
}

/// Part of the keys whose set of R owners changes when one equal node joins N: R/(N + 1), and one
/// member of the set differs. Conditions: R ≤ N, and the R best of one ranking are the set.
pub fn set_changed(nodes: usize, replicas: usize) -> f64 {
    replicas as f64 / (nodes as f64 + 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_even_shares_vary_by_chance_alone() {
        let seen = counted_cv(&[0.1; 10], 1000);
        assert!((seen - sampling_cv(10, 1000)).abs() < 1e-12);
        // With endless keys only the shares are left: 3/4 and 1/4 vary by a half.
        assert!((counted_cv(&[0.75, 0.25], u64::MAX) - 0.5).abs() < 1e-9);
    }
}

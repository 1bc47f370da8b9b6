//! Hash mod N. Exact over one common period of the two sizes; 2^64 hashes hold so many periods
//! that the rest does not show.

use super::gcd;

/// Part of the keys that keep their node from N to M nodes: gcd(N, M)/max(N, M).
///
/// Within a period of lcm(N, M) hashes the residues agree only below min(N, M) of them. Holds for
/// any N and M of at least 1.
pub fn kept(from: u64, to: u64) -> f64 {
    gcd(from, to) as f64 / from.max(to) as f64
}

/// Part of the keys that move, 1 − [`kept`].
pub fn moved(from: u64, to: u64) -> f64 {
    1.0 - kept(from, to)
}

/// Part of the keys that move between two nodes that are there before and after.
///
/// Of the keys that an old node owns after growth, and of those that a staying node owned before
/// shrinking (min/max of all), those that are not kept.
pub fn unneeded(from: u64, to: u64) -> f64 {
    let (least, most) = (from.min(to) as f64, from.max(to) as f64);
    match to > from {
        true => least / most - kept(from, to),
        // What the leavers owned moves by need.
        false => moved(from, to) - (most - least) / most,
    }
}

/// Part of the keys whose set of R replicas changes when the R nodes after hash mod N hold them:
/// counted over one period of lcm(N, M) hashes.
///
/// Conditions: 1 ≤ R ≤ min(N, M), and the replicas of x are (x + i) mod N for i below R.
pub fn set_changed(from: u64, to: u64, replicas: u64) -> f64 {
    let period = from / gcd(from, to) * to;
    let set = |x: u64, nodes: u64| {
        let mut set: Vec<u64> = (0..replicas).map(|i| (x + i) % nodes).collect();
        set.sort_unstable();
        set
    };
    let changed = (0..period).filter(|&x| set(x, from) != set(x, to));
    changed.count() as f64 / period as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_and_what_moves_without_need_is_what_a_period_counts() {
        for from in 1..=24u64 {
            for to in 1..=24u64 {
                let period = from * to;
                let staying = from.min(to);
                let moved_keys = (0..period).filter(|x| x % from != x % to);
                let unneeded_keys = moved_keys
                    .clone()
                    .filter(|x| x % from < staying && x % to < staying);
                let part = |count: usize| count as f64 / period as f64;
                let what = format!("{from} to {to}");
                assert!(
                    (moved(from, to) - part(moved_keys.count())).abs() < 1e-12,
                    "{what}"
                );
                assert!(
                    (unneeded(from, to) - part(unneeded_keys.count())).abs() < 1e-12,
                    "{what}"
                );
            }
        }
    }

    #[test]
    fn sets_of_successive_replicas_change_as_published() {
        for (from, to, replicas, changed) in [
            (3, 4, 2, 5.0 / 6.0),
            (4, 5, 2, 0.85),
            (10, 11, 3, 0.927273),
            (12, 14, 3, 0.880952),
        ] {
            assert!(
                (set_changed(from, to, replicas) - changed).abs() < 5e-7,
                "{from} to {to}"
            );
        }
        assert!((set_changed(12, 14, 1) - moved(12, 14)).abs() < 1e-12);
    }
}

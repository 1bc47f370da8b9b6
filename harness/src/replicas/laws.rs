//! What theory expects of the copies of a key when one node comes or goes, or a zone is chosen.

use algorithms::Algorithm;
use algorithms::algorithm::{Moves, Spread};

/// Parts of all keys that one change concerns, in the mean over keys or, on a ring, over names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Expected {
    /// The owner changes.
    pub owner: f64,
    /// The set changes.
    pub set: f64,
    /// The set changes and the owner stays.
    pub hidden: f64,
}

/// The law of R copies where the larger of the two memberships has `larger` nodes; `None` for
/// tables, which move more than they need and have no closed form.
///
/// Where keys move only to the newcomer, a set changes exactly when the newcomer is in it, and by
/// symmetry it is in R of N + 1. That holds for orders and, since the newcomer must be met before
/// the list is full, for further hashes as well. By the remainder the positions before and after
/// are independent, since N and N + 1 have no common factor: the set stays once in C(N + 1, R).
/// The loss of a node is the same, read backwards.
pub(super) fn one_node(algorithm: &Algorithm, larger: u32, replicas: u32) -> Option<Expected> {
    let traits = algorithm.traits;
    let (n, r) = (f64::from(larger), f64::from(replicas.min(larger)));
    match (traits.moves, traits.spread) {
        (Moves::Least, _) => Some(Expected {
            owner: 1.0 / n,
            set: r / n,
            hidden: (r - 1.0) / n,
        }),
        (Moves::Unbounded, Spread::Even) => {
            let stays = |nodes: u32, copies: u32| match nodes > copies {
                true => 1.0 / ways(nodes, copies),
                // Each node has a copy, so that one more or less is seen in every set.
                false => 0.0,
            };
            let owner = 1.0 - 1.0 / n;
            Some(Expected {
                owner,
                set: 1.0 - stays(larger, replicas),
                hidden: (1.0 - owner) * (1.0 - stays(larger - 1, replicas - 1)),
            })
        }
        _ => None,
    }
}

/// C(n, k).
pub(super) fn ways(n: u32, k: u32) -> f64 {
    let step = |i: u32| f64::from(n - i) / f64::from(i + 1);
    (0..k).map(step).product()
}

/// Part of the sets of R nodes, all equally likely, that have two nodes in one zone of these sizes.
///
/// Sets with at most one node in each zone are counted by the elementary symmetric polynomial.
pub(super) fn two_in_one_zone(sizes: &[u32], replicas: u32) -> f64 {
    let r = replicas as usize;
    let mut apart = vec![0.0; r + 1];
    apart[0] = 1.0;
    for &size in sizes {
        for chosen in (1..=r).rev() {
            apart[chosen] += apart[chosen - 1] * f64::from(size);
        }
    }
    let nodes = sizes.iter().sum();
    1.0 - apart[r] / ways(nodes, replicas)
}

#[cfg(test)]
mod tests {
    use super::*;
    use algorithms::registry;

    #[test]
    fn sets_by_the_remainder_change_as_often_as_counting_finds() {
        // All ordered draws of two distinct positions before and after, each pair equally likely.
        let pairs = |n: u32| (0..n).flat_map(move |a| (0..n).map(move |b| (a, b)));
        let distinct = |n| pairs(n).filter(|(a, b)| a != b).collect::<Vec<_>>();
        let modulo = registry::find("mod-n").unwrap();
        for n in [3, 4, 7] {
            let (before, after) = (distinct(n), distinct(n + 1));
            let all = (before.len() * after.len()) as f64;
            let count = |hits: &dyn Fn((u32, u32), (u32, u32)) -> bool| {
                let each = before
                    .iter()
                    .flat_map(|&a| after.iter().map(move |&b| (a, b)));
                each.filter(|&(a, b)| hits(a, b)).count() as f64 / all
            };
            let same = |a: (u32, u32), b: (u32, u32)| a == b || a == (b.1, b.0);
            let law = one_node(modulo, n + 1, 2).unwrap();
            assert!((law.owner - count(&|a, b| a.0 != b.0)).abs() < 1e-12);
            assert!((law.set - count(&|a, b| !same(a, b))).abs() < 1e-12);
            let hidden = count(&|a, b| a.0 == b.0 && !same(a, b));
            assert!((law.hidden - hidden).abs() < 1e-12, "{n}");
        }
    }

    #[test]
    fn two_copies_meet_in_a_zone_as_often_as_birthdays_do() {
        assert!((two_in_one_zone(&[3, 3, 2], 3) - (1.0 - 18.0 / 56.0)).abs() < 1e-12);
        assert_eq!(two_in_one_zone(&[1, 1, 1], 3), 0.0);
        assert_eq!(two_in_one_zone(&[2, 2], 3), 1.0);
    }
}

//! Two hot keys whose hashes lie close: which nodes serve both.

use algorithms::{Algorithm, NodeId, PlacementError};

use super::remedy::{adjacent, own_order};
use crate::measure::nodes;
use crate::record::Metric;
use crate::skew::Setup;
use crate::theory::Against;
use crate::workload::Random;

/// The stream of random numbers that places the pairs.
const PLACES: u64 = 13;
/// Close hashes lie this part of the mean distance of two points apart.
const CLOSE: u64 = 100;

/// Part of the `replicas` nodes of a hot key that a second, close key has too, in the mean over
/// pairs: under the placement's order of preference, and under an order of each key's own. The
/// latter has a law: of two random sets of R among N nodes, R/N.
///
/// # Errors
/// When the placement cannot be built.
pub fn shared(
    setup: &Setup,
    algorithm: &Algorithm,
    count: u32,
    replicas: usize,
    pairs: usize,
) -> Result<[Metric; 2], PlacementError> {
    let placement = algorithm.build(&setup.settings, nodes(setup.seed, count))?;
    // Entries of a table or nodes of a score are no places, but any close hashes serve them.
    let points = placement.layout().entries() as u64;
    let distance = u64::MAX / points.max(1) / CLOSE;
    let mut random = Random::new(setup.seed, PLACES);
    let mut sums = [0usize; 2];
    for _ in 0..pairs {
        let first = random.bits();
        let keys = [first, first.wrapping_add(distance)];
        let spilling = keys.map(|key| adjacent(&*placement, key, replicas));
        let own =
            keys.map(|key| own_order(placement.membership(), setup.settings.hash, key, replicas));
        sums[0] += common(&spilling);
        sums[1] += common(&own);
    }
    let [spilling, own] = sums.map(|sum| sum as f64 / (pairs * replicas) as f64);
    Ok([
        Metric::of(spilling),
        Metric::of(own).against(random_sets(
            own,
            replicas as f64,
            count.into(),
            pairs as f64,
        )),
    ])
}

fn common([a, b]: &[Vec<NodeId>; 2]) -> usize {
    a.iter().filter(|node| b.contains(node)).count()
}

/// What two random sets of `size` among `all` have in common, as a part of one: hypergeometric, and
/// normal in the mean over many pairs.
fn random_sets(value: f64, size: f64, all: f64, pairs: f64) -> Against {
    let chance = size / all;
    let variance = match all > 1.0 {
        true => size * chance * (1.0 - chance) * (all - size) / (all - 1.0),
        false => 0.0,
    };
    Against::normal(value, chance, (variance / pairs).sqrt() / size)
}

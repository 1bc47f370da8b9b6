//! Closed forms that measurements are held against, each with the conditions under which it holds.

use algorithms::algorithm::Spread;
use algorithms::{Algorithm, Settings};

/// CV of the nodes' shares on a ring where each of `nodes` has `points` points at uniform random
/// positions: √((N−1)/(kN+1)). It is the root mean square over rings; one ring scatters around it.
pub fn ring_cv(nodes: usize, points: u32) -> f64 {
    let nodes = nodes as f64;
    ((nodes - 1.0) / (f64::from(points) * nodes + 1.0)).sqrt()
}

/// CV of counts when `keys` keys fall on `nodes` equal nodes independently: √((N−1)/K).
pub fn sampling_cv(nodes: usize, keys: u64) -> f64 {
    ((nodes as f64 - 1.0) / keys as f64).sqrt()
}

/// CV of shares of a table of `slots` slots that are divided as evenly as whole slots allow.
pub fn slots_cv(nodes: usize, slots: u32) -> f64 {
    let (nodes, slots) = (nodes as f64, f64::from(slots));
    let more = slots % nodes / nodes;
    (more * (1.0 - more)).sqrt() / (slots / nodes)
}

/// CV of the exact shares of `nodes` equal nodes that the algorithm's construction implies.
pub fn share_cv(algorithm: &Algorithm, settings: &Settings, nodes: usize) -> f64 {
    match algorithm.traits.spread {
        Spread::Even => 0.0,
        Spread::Slots => slots_cv(nodes, settings.table),
        Spread::Points(points) => ring_cv(nodes, points.unwrap_or(settings.points)),
    }
}

/// CV of the number of keys per node: unevenness of the shares and chance of the keys together.
pub fn keys_cv(algorithm: &Algorithm, settings: &Settings, nodes: usize, keys: u64) -> f64 {
    share_cv(algorithm, settings, nodes).hypot(sampling_cv(nodes, keys))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_closed_forms_give_the_published_figures() {
        for (nodes, points, cv) in [
            (3, 100, 0.081514),
            (10, 100, 0.094821),
            (10, 500, 0.042422),
            (50, 100, 0.098985),
            (100, 1, 0.990050),
            (1000, 100, 0.099949),
        ] {
            assert!(
                (ring_cv(nodes, points) - cv).abs() < 5e-7,
                "N={nodes} k={points}"
            );
        }
        assert_eq!(ring_cv(1, 100), 0.0);
        // 7 slots over 3 nodes: 3, 2, 2.
        let parts = [3.0, 2.0, 2.0].into_iter();
        let counted = crate::stats::evenness(parts).unwrap().cv;
        assert!((slots_cv(3, 7) - counted).abs() < 1e-15);
    }
}

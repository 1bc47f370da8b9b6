//! Tables: M whole slots shared by N equal nodes, dealt out turn by turn (Maglev, Eisenbud et al.
//! 2016) or counted out (fixed slots). Either way a node has M/N slots, rounded up or down, whatever
//! the names.
//!
//! How many slots change beyond the least when a table is filled by turns has no closed form; of
//! fixed slots none do.

/// Largest share over the mean: ⌈M/N⌉·N/M.
pub fn max_mean(nodes: usize, slots: u32) -> f64 {
    (slots as usize).div_ceil(nodes) as f64 * nodes as f64 / f64::from(slots)
}

/// Smallest share over the mean: ⌊M/N⌋·N/M.
pub fn min_mean(nodes: usize, slots: u32) -> f64 {
    (slots as usize / nodes) as f64 * nodes as f64 / f64::from(slots)
}

/// CV of the shares when each node has ⌊M/N⌋ or ⌈M/N⌉ slots.
pub fn cv(nodes: usize, slots: u32) -> f64 {
    let (nodes, slots) = (nodes as f64, f64::from(slots));
    let more = slots % nodes / nodes;
    (more * (1.0 - more)).sqrt() / (slots / nodes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_shared_as_evenly_as_whole_slots_allow() {
        for (nodes, slots, wanted) in [
            (1000, 65_537, 1.007065),
            (1000, 655_373, 1.000957),
            (100, 65_537, 1.000961),
        ] {
            assert!((max_mean(nodes, slots) - wanted).abs() < 5e-7);
        }
        // 7 slots over 3 nodes: 3, 2, 2.
        let even = crate::stats::evenness([3.0, 2.0, 2.0].into_iter()).unwrap();
        assert!((cv(3, 7) - even.cv).abs() < 1e-15);
        assert!((max_mean(3, 7) - even.max_mean).abs() < 1e-15);
        assert!((min_mean(3, 7) - even.min_mean).abs() < 1e-15);
    }
}

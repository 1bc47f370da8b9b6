//! Which of several slots a walk reaches first.

use super::for_every_level;

/// Where a walk stands and how it goes on, in a table of a prime number of slots below 2^31.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Walking {
    pub(crate) size: u32,
    pub(crate) slot: u32,
    /// What a step is worth: 1/skip modulo the size.
    pub(crate) inverse: u32,
    /// ⌊inverse · 2^32/size⌋.
    pub(crate) ratio: u32,
}

impl Walking {
    /// How many steps lead to a slot: its distance times the inverse, modulo the size.
    ///
    /// The ratio is less than what it stands for by less than 1, and a distance below 2^32: the
    /// quotient is right or one too small (Shoup's product with a fixed factor).
    #[inline(always)]
    fn steps(self, slot: u32) -> u32 {
        let gap = slot.wrapping_sub(self.slot);
        let distance = u64::from(gap.min(gap.wrapping_add(self.size)));
        let quotient = (distance * u64::from(self.ratio)) >> 32;
        let rest = distance * u64::from(self.inverse) - quotient * u64::from(self.size);
        let rest = rest as u32;
        rest.min(rest.wrapping_sub(self.size))
    }
}

for_every_level! {
    /// The position of the slot that the walk reaches first.
    nearest_at(walking: Walking, slots: &[u32]) -> usize = body
}

#[inline(always)]
fn body(walking: Walking, slots: &[u32]) -> usize {
    // Steps and position in one number, positive as signed ones are compared by more vectors.
    let marked = |(at, &slot): (usize, &u32)| i64::from(walking.steps(slot)) << 32 | at as i64;
    let nearest = slots
        .iter()
        .enumerate()
        .map(marked)
        .fold(i64::MAX, i64::min);
    nearest as u32 as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::simd::Level;

    proptest! {
        #[test]
        fn the_nearest_slot_is_the_first_of_the_walk(
            (size, skip, slot, slots) in prop::sample::select(vec![2u32, 3, 5, 13, 251, 65_537, 655_373])
                .prop_flat_map(|size| (Just(size), 1..size, 0..size, prop::collection::hash_set(0..size, 1..40.min(size as usize)))),
        ) {
            let slots: Vec<u32> = slots.into_iter().collect();
            let mut reached = slot;
            while !slots.contains(&reached) {
                reached = (reached + skip) % size;
            }
            let inverse = (1..size).find(|&x| u64::from(x) * u64::from(skip) % u64::from(size) == 1).unwrap_or(1);
            let ratio = ((u64::from(inverse) << 32) / u64::from(size)) as u32;
            let walking = Walking { size, slot, inverse, ratio };
            for level in Level::all() {
                prop_assert_eq!(slots[nearest_at(level, walking, &slots)], reached, "{}", level.name());
            }
        }
    }
}

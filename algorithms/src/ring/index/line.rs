//! One line of the index: a cache line with the points of one stretch of the circle.

use crate::owners::Packed;

/// Places in a line.
pub(super) const PLACES: usize = 16;
/// The most points in a line: one place is for the owner of what lies behind the last point.
pub(super) const FULL: usize = PLACES - 1;

/// The first 16 bits of each point's offset, in ascending order; all ones where there is no point.
pub(super) type Bounds = [u16; PLACES];

/// The points of a stretch and their owners. With owners of two bytes it fills one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(C, align(64))]
pub(super) struct Line<O> {
    pub(super) bounds: Bounds,
    /// The owner of each point, and after the last one the owner of the next point anywhere.
    pub(super) owners: [O; PLACES],
}

impl<O: Packed> Line<O> {
    /// Without points; keys belong to `after`.
    pub(super) fn empty(after: O) -> Self {
        Self {
            bounds: [u16::MAX; PLACES],
            owners: [after; PLACES],
        }
    }
}

/// Moves the entries from a place on by one place up; the last one is lost. Both lists are so short
/// that choosing each entry, which vectors do, is faster than a copy of just those that move.
#[inline]
pub(super) fn open<T: Copy>(entries: &mut [T; PLACES], place: usize) {
    let old = *entries;
    for at in 1..PLACES {
        entries[at] = if at > place { old[at - 1] } else { old[at] };
    }
}

/// Moves the entries behind a place by one place down; the last one stays as well.
#[inline]
pub(super) fn close<T: Copy>(entries: &mut [T; PLACES], place: usize) {
    let old = *entries;
    for at in 0..PLACES - 1 {
        entries[at] = if at >= place { old[at + 1] } else { old[at] };
    }
}

/// The place of the first bound that is not below `key`; the last place where all others are.
#[inline]
pub(super) fn search(bounds: &Bounds, key: u16) -> usize {
    #[cfg(target_arch = "x86_64")]
    return sse2(bounds, key);
    #[cfg(not(target_arch = "x86_64"))]
    return portable(bounds, key);
}

/// Counts the bounds below the key: without branches, so that a compiler makes vectors of it.
#[cfg(any(test, not(target_arch = "x86_64")))]
fn portable(bounds: &Bounds, key: u16) -> usize {
    let below = bounds
        .iter()
        .fold(0u16, |n, &bound| n + u16::from(bound < key));
    usize::from(below).min(FULL)
}

/// The same with the vectors that every x86-64 processor has, in half the time.
#[cfg(target_arch = "x86_64")]
#[inline]
fn sse2(bounds: &Bounds, key: u16) -> usize {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi16, _mm_loadu_si128, _mm_movemask_epi8, _mm_packs_epi16,
        _mm_set1_epi16, _mm_setzero_si128, _mm_subs_epu16,
    };
    // SAFETY: every x86-64 processor has SSE2; the bounds are 32 bytes, two halves of 16, and such a
    // load needs no alignment.
    let mask = unsafe {
        let halves: *const __m128i = bounds.as_ptr().cast();
        let key = _mm_set1_epi16(key.cast_signed());
        let [first, second] = [halves, halves.add(1)].map(|half| {
            // What a bound leaves of the key is nothing exactly if it is not below the key.
            let left = _mm_subs_epu16(key, _mm_loadu_si128(half));
            _mm_cmpeq_epi16(left, _mm_setzero_si128())
        });
        _mm_movemask_epi8(_mm_packs_epi16(first, second))
    };
    (mask | 1 << FULL).trailing_zeros() as usize
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_key_stands_before_the_first_bound_that_is_not_below_it(
            mut points in prop::collection::vec(any::<u16>(), 0..=FULL),
            key in any::<u16>(),
        ) {
            points.sort_unstable();
            let mut bounds = [u16::MAX; PLACES];
            bounds[..points.len()].copy_from_slice(&points);
            let near = points.iter().flat_map(|&point| [point.saturating_sub(1), point, point.saturating_add(1)]);
            for key in near.chain([0, key, u16::MAX]) {
                let expected = bounds.partition_point(|&bound| bound < key).min(FULL);
                prop_assert_eq!(search(&bounds, key), expected);
                prop_assert_eq!(portable(&bounds, key), expected);
            }
        }
    }
}

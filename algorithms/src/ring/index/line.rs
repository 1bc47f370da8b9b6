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

/// As many zeros as the longest list has entries, and as many ones.
static STEP: [u16; 2 * LONGEST] = {
    let mut step = [0; 2 * LONGEST];
    let mut at = LONGEST;
    while at < step.len() {
        step[at] = u16::MAX;
        at += 1;
    }
    step
};
const LONGEST: usize = 3 * FULL;

/// Not 0 for the entries from a place on. Read from memory, since a compiler makes vectors of such
/// a choice, and a long list of single comparisons of one by the numbers of the entries.
#[inline]
fn from_on<const N: usize>(place: usize) -> [u16; N] {
    let mut chosen = [0; N];
    chosen.copy_from_slice(&STEP[LONGEST - place..][..N]);
    chosen
}

/// Moves the entries from a place on up by `BY` places; the last ones are lost. The lists are so
/// short that choosing each entry, which vectors do, is faster than a copy of just those that move.
#[inline]
pub(super) fn open<T: Copy, const N: usize, const BY: usize>(entries: &mut [T; N], place: usize) {
    let (old, moved) = (*entries, from_on::<N>(place));
    for at in 0..N - BY {
        entries[at + BY] = if moved[at] != 0 {
            old[at]
        } else {
            old[at + BY]
        };
    }
}

/// Moves the entries that are `BY` behind a place or more down by as many; the last ones stay as well.
#[inline]
pub(super) fn close<T: Copy, const N: usize, const BY: usize>(entries: &mut [T; N], place: usize) {
    let (old, moved) = (*entries, from_on::<N>(place));
    for at in 0..N - BY {
        entries[at] = if moved[at] != 0 {
            old[at + BY]
        } else {
            old[at]
        };
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
    mask.trailing_zeros() as usize & FULL
}

/// The same in one comparison of all places.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512bw,avx512vl,avx2,bmi1,bmi2")]
pub(super) fn search_avx512(bounds: &Bounds, key: u16) -> usize {
    use std::arch::x86_64::{_mm256_cmpge_epu16_mask, _mm256_loadu_si256, _mm256_set1_epi16};
    // SAFETY: the bounds are 32 bytes, and such a load needs no alignment.
    let bounds = unsafe { _mm256_loadu_si256(bounds.as_ptr().cast()) };
    let reached = _mm256_cmpge_epu16_mask(bounds, _mm256_set1_epi16(key.cast_signed()));
    u32::from(reached).trailing_zeros() as usize & FULL
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::simd::Level;

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
                #[cfg(target_arch = "x86_64")]
                if Level::all().any(Level::is_avx512) {
                    // SAFETY: the processor has such vectors.
                    prop_assert_eq!(unsafe { search_avx512(&bounds, key) }, expected);
                }
            }
        }
    }
}

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

/// Entries that are chosen together.
const PIECE: usize = 8;

/// What stands in a list of a line.
pub(super) trait Entry: Copy {
    /// The new entries where the mask is all ones, and the old ones where it is 0.
    fn choose(old: [Self; PIECE], new: [Self; PIECE], mask: [u16; PIECE]) -> [Self; PIECE];
}

impl Entry for u16 {
    /// A compiler left to itself finds vectors with which a node leaves in up to one and a half times
    /// as long.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    fn choose(old: [Self; PIECE], new: [Self; PIECE], mask: [u16; PIECE]) -> [Self; PIECE] {
        use std::arch::x86_64::{__m128i, _mm_and_si128, _mm_andnot_si128, _mm_or_si128};
        // SAFETY: eight numbers of 16 bits and a vector of 128 are the same bytes, of any value, and
        // every x86-64 processor has SSE2.
        unsafe {
            let vector = |piece| std::mem::transmute::<[u16; PIECE], __m128i>(piece);
            let [old, new, mask] = [vector(old), vector(new), vector(mask)];
            let chosen = _mm_or_si128(_mm_and_si128(mask, new), _mm_andnot_si128(mask, old));
            std::mem::transmute::<__m128i, [u16; PIECE]>(chosen)
        }
    }

    #[cfg(not(target_arch = "x86_64"))]
    #[inline]
    fn choose(old: [Self; PIECE], new: [Self; PIECE], mask: [u16; PIECE]) -> [Self; PIECE] {
        std::array::from_fn(|at| if mask[at] != 0 { new[at] } else { old[at] })
    }
}

impl Entry for u32 {
    #[inline]
    fn choose(old: [Self; PIECE], new: [Self; PIECE], mask: [u16; PIECE]) -> [Self; PIECE] {
        std::array::from_fn(|at| if mask[at] != 0 { new[at] } else { old[at] })
    }
}

/// As many zeros as the longest list has entries, and as many ones: from some place on it is the mask
/// of all entries from some other on.
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

/// Moves the entries from a place on up by `BY` places; the last ones are lost. The lists are so
/// short that choosing each entry, which vectors do, is faster than a copy of just those that move.
#[inline(always)]
pub(super) fn open<T: Entry, const N: usize, const BY: usize>(entries: &mut [T; N], place: usize) {
    shift(entries, place, N - BY, BY, 0);
}

/// Moves the entries that are `BY` behind a place or more down by as many; the last ones stay as well.
#[inline(always)]
pub(super) fn close<T: Entry, const N: usize, const BY: usize>(entries: &mut [T; N], place: usize) {
    shift(entries, place, N - BY, 0, BY);
}

/// Puts the entries that stand behind the place after `from` where they stand after `to`, of so many.
#[inline(always)]
fn shift<T: Entry>(entries: &mut [T], place: usize, count: usize, to: usize, from: usize) {
    let mask = &STEP[LONGEST - place..][..count];
    let start = |piece: usize| (piece * PIECE).min(count - PIECE);
    let pieces = count.div_ceil(PIECE);
    let mut chosen = [[entries[0]; PIECE]; LONGEST / PIECE + 1];
    // All are read before one is written: a processor waits for what it reads in other pieces.
    for (piece, chosen) in chosen.iter_mut().enumerate().take(pieces) {
        let at = start(piece);
        let (old, new) = (load(entries, to + at), load(entries, from + at));
        *chosen = T::choose(old, new, load(mask, at));
    }
    for (piece, chosen) in chosen.iter().enumerate().take(pieces) {
        entries[to + start(piece)..][..PIECE].copy_from_slice(chosen);
    }
}

#[inline(always)]
fn load<T: Copy>(entries: &[T], at: usize) -> [T; PIECE] {
    let mut piece = [entries[at]; PIECE];
    piece.copy_from_slice(&entries[at..at + PIECE]);
    piece
}

/// The place of the first bound that is not below `key`; the last place where all others are.
#[inline]
pub(super) fn search<O>(line: &Line<O>, key: u16) -> usize {
    #[cfg(target_arch = "x86_64")]
    return sse2(line, key);
    #[cfg(not(target_arch = "x86_64"))]
    return portable(&line.bounds, key);
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
fn sse2<O>(line: &Line<O>, key: u16) -> usize {
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi16, _mm_load_si128, _mm_movemask_epi8, _mm_packs_epi16,
        _mm_set1_epi16, _mm_setzero_si128, _mm_subs_epu16,
    };
    // SAFETY: every x86-64 processor has SSE2; the bounds are 32 bytes, two halves of 16, at the start
    // of a line, which is aligned to 64.
    let mask = unsafe {
        let halves: *const __m128i = line.bounds.as_ptr().cast();
        let key = _mm_set1_epi16(key.cast_signed());
        let [first, second] = [halves, halves.add(1)].map(|half| {
            // What a bound leaves of the key is nothing exactly if it is not below the key.
            let left = _mm_subs_epu16(key, _mm_load_si128(half));
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

    /// Opens and closes the places of a list as a `Vec` does.
    fn shifts_as_a_vec<T: Entry + PartialEq + std::fmt::Debug, const N: usize, const BY: usize>(
        entries: [T; N],
    ) {
        for place in 0..N / BY {
            let at = place * BY;
            let mut opened = entries;
            open::<T, N, BY>(&mut opened, at);
            assert_eq!(opened[..at], entries[..at]);
            assert_eq!(opened[at + BY..], entries[at..N - BY]);
            let mut closed = entries;
            close::<T, N, BY>(&mut closed, at);
            assert_eq!(closed[..at], entries[..at]);
            assert_eq!(closed[at..N - BY], entries[at + BY..]);
            assert_eq!(closed[N - BY..], entries[N - BY..]);
        }
    }

    #[test]
    fn entries_move_as_in_a_vec() {
        shifts_as_a_vec::<u16, PLACES, 1>(std::array::from_fn(|at| at as u16 + 1));
        shifts_as_a_vec::<u32, PLACES, 1>(std::array::from_fn(|at| at as u32 + 70_000));
        shifts_as_a_vec::<u16, LONGEST, 3>(std::array::from_fn(|at| at as u16 + 1));
    }

    proptest! {
        #[test]
        fn a_key_stands_before_the_first_bound_that_is_not_below_it(
            mut points in prop::collection::vec(any::<u16>(), 0..=FULL),
            key in any::<u16>(),
        ) {
            points.sort_unstable();
            let mut bounds = [u16::MAX; PLACES];
            bounds[..points.len()].copy_from_slice(&points);
            let line = Line { bounds, owners: [0u16; PLACES] };
            let near = points.iter().flat_map(|&point| [point.saturating_sub(1), point, point.saturating_add(1)]);
            for key in near.chain([0, key, u16::MAX]) {
                let expected = bounds.partition_point(|&bound| bound < key).min(FULL);
                prop_assert_eq!(search(&line, key), expected);
                prop_assert_eq!(portable(&bounds, key), expected);
            }
        }
    }
}

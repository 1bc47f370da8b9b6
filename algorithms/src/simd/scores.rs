//! The highest of many 64-bit scores, each `mix(key ^ seed)`.

use super::{Kind, Level};
use crate::hash::mix;
use crate::simd::lanes::Lanes;

/// Seeds of a block.
const BLOCK: usize = 8;

/// Seeds of nodes.
pub type Seeds = Lanes<u64, BLOCK>;

/// The position of the seed whose score is highest, the first among equals; there is at least one.
#[inline]
pub(crate) fn winner(level: Level, key: u64, seeds: &Seeds) -> usize {
    match level.0 {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: such a level exists only on a processor that has these vectors.
        Kind::Avx512 => unsafe { avx512::winner(key, seeds.blocks()) },
        // Without a 64-bit multiplication vectors of four gain little.
        _ => portable(key, seeds.as_slice()),
    }
}

fn portable(key: u64, seeds: &[u64]) -> usize {
    let (mut best, mut best_score) = (0, 0);
    for (position, seed) in seeds.iter().enumerate() {
        let score = mix(key ^ seed);
        if score > best_score {
            (best, best_score) = (position, score);
        }
    }
    best
}

#[cfg(target_arch = "x86_64")]
pub(super) mod avx512 {
    use std::arch::x86_64::{
        __m512i, _mm_cvtsi128_si64, _mm512_add_epi64, _mm512_castsi512_si128,
        _mm512_cmpeq_epi64_mask, _mm512_cmpgt_epu64_mask, _mm512_loadu_si512,
        _mm512_mask_cmpeq_epi64_mask, _mm512_mask_mov_epi64, _mm512_mask_reduce_min_epu64,
        _mm512_maskz_compress_epi64, _mm512_max_epu64, _mm512_mullo_epi64, _mm512_reduce_max_epu64,
        _mm512_set1_epi64, _mm512_setzero_si512, _mm512_srli_epi64, _mm512_xor_si512,
    };

    use super::BLOCK;

    #[target_feature(enable = "avx512f,avx512dq")]
    pub(in crate::simd) fn all(number: u64) -> __m512i {
        _mm512_set1_epi64(number.cast_signed())
    }

    /// [`crate::hash::mix`] of eight numbers.
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(in crate::simd) fn mix(mut x: __m512i) -> __m512i {
        x = _mm512_xor_si512(x, _mm512_srli_epi64::<30>(x));
        x = _mm512_mullo_epi64(x, all(0xbf58_476d_1ce4_e5b9));
        x = _mm512_xor_si512(x, _mm512_srli_epi64::<27>(x));
        x = _mm512_mullo_epi64(x, all(0x94d0_49bb_1331_11eb));
        _mm512_xor_si512(x, _mm512_srli_epi64::<31>(x))
    }

    /// Each lane keeps its best score and the block where it was; in the end the highest lane wins,
    /// and of equal ones that of the first position.
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) fn winner(key: u64, seeds: &[[u64; BLOCK]]) -> usize {
        let key = all(key);
        let mut best = _mm512_setzero_si512();
        let mut found = _mm512_setzero_si512();
        let mut number = _mm512_setzero_si512();
        for block in seeds {
            // SAFETY: a block is 64 bytes, and the load needs no alignment.
            let seeds = unsafe { _mm512_loadu_si512(block.as_ptr().cast()) };
            let scores = mix(_mm512_xor_si512(key, seeds));
            let higher = _mm512_cmpgt_epu64_mask(scores, best);
            best = _mm512_max_epu64(best, scores);
            found = _mm512_mask_mov_epi64(found, higher, number);
            number = _mm512_add_epi64(number, all(1));
        }
        let wins = _mm512_cmpeq_epi64_mask(best, all(_mm512_reduce_max_epu64(best)));
        if wins & (wins - 1) == 0 {
            let found = _mm512_maskz_compress_epi64(wins, found);
            let block = _mm_cvtsi128_si64(_mm512_castsi512_si128(found)).cast_unsigned() as usize;
            return block * BLOCK + wins.trailing_zeros() as usize;
        }
        // Equal scores are next to never.
        let block = _mm512_mask_reduce_min_epu64(wins, found);
        let equal = _mm512_mask_cmpeq_epi64_mask(wins, found, all(block));
        block as usize * BLOCK + equal.trailing_zeros() as usize
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Few different seeds, so that equal scores abound.
        #[test]
        fn the_first_of_the_highest_scores_wins_on_every_processor(
            numbers in prop_oneof![
                prop::collection::vec(any::<u64>(), 1..300),
                prop::collection::vec(0..5u64, 1..300),
            ],
            key in any::<u64>(),
        ) {
            let mut seeds = Seeds::default();
            numbers.iter().rev().for_each(|&seed| seeds.insert(0, seed));
            let score = |at: &usize| (mix(key ^ numbers[*at]), std::cmp::Reverse(*at));
            let expected = (0..numbers.len()).max_by_key(score);
            for level in Level::all() {
                prop_assert_eq!(Some(winner(level, key, &seeds)), expected, "{}", level.name());
            }
            // A seed that equals the key has the score 0.
            let mut zero = Seeds::default();
            zero.insert(0, key);
            for level in Level::all() {
                prop_assert_eq!(winner(level, key, &zero), 0, "{}", level.name());
            }
        }
    }
}

//! The highest of many 32-bit scores of the two halves of a key and of a seed.

use super::{Kind, Level};
use crate::simd::lanes::Lanes;

/// Seeds of a block.
const BLOCK: usize = 16;

/// Multipliers of the score: odd, with bits spread as those of murmur3 and xxh32.
const MULTIPLIERS: [u32; 3] = [0x85eb_ca6b, 0xc2b2_ae35, 0x27d4_eb2f];

/// Seeds of nodes, in halves.
#[derive(Clone, Debug, Default)]
pub struct Seeds {
    low: Lanes<u32, BLOCK>,
    high: Lanes<u32, BLOCK>,
}

impl Seeds {
    pub(crate) fn insert(&mut self, at: usize, seed: u64) {
        self.low.insert(at, seed as u32);
        self.high.insert(at, (seed >> 32) as u32);
    }

    pub(crate) fn remove(&mut self, at: usize) {
        self.low.remove(at);
        self.high.remove(at);
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u64> {
        let halves = self.low.as_slice().iter().zip(self.high.as_slice());
        halves.map(|(&low, &high)| u64::from(high) << 32 | u64::from(low))
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.low.heap_bytes() + self.high.heap_bytes()
    }
}

/// The score of a node whose seed, exclusive-or the key, is this number.
#[inline]
pub(crate) fn score(seeded: u64) -> u32 {
    let mut score = (seeded as u32).wrapping_mul(MULTIPLIERS[0]);
    score ^= score >> 15;
    score = (score ^ (seeded >> 32) as u32).wrapping_mul(MULTIPLIERS[1]);
    score ^= score >> 13;
    score.wrapping_mul(MULTIPLIERS[2])
}

/// The position of the seed whose score is highest, the first among equals; there is at least one.
#[inline]
pub(crate) fn winner(level: Level, key: u64, seeds: &Seeds) -> usize {
    match level.0 {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: such a level exists only on a processor that has these vectors.
        Kind::Avx512 => unsafe { avx512::winner(key, seeds.low.blocks(), seeds.high.blocks()) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above.
        Kind::Avx2 => unsafe { avx2::winner(key, seeds.low.blocks(), seeds.high.blocks()) },
        _ => portable(key, seeds.low.as_slice(), seeds.high.as_slice()),
    }
}

fn portable(key: u64, low: &[u32], high: &[u32]) -> usize {
    let (mut best, mut best_score) = (0, 0);
    for (position, (&low, &high)) in low.iter().zip(high).enumerate() {
        let score = score(key ^ (u64::from(high) << 32 | u64::from(low)));
        if score > best_score {
            (best, best_score) = (position, score);
        }
    }
    best
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::{
        __m512i, _mm_cvtsi128_si32, _mm512_add_epi32, _mm512_castsi512_si128,
        _mm512_cmpeq_epi32_mask, _mm512_cmpgt_epu32_mask, _mm512_loadu_si512,
        _mm512_mask_cmpeq_epi32_mask, _mm512_mask_mov_epi32, _mm512_mask_reduce_min_epu32,
        _mm512_maskz_compress_epi32, _mm512_max_epu32, _mm512_mullo_epi32, _mm512_reduce_max_epu32,
        _mm512_set1_epi32, _mm512_setzero_si512, _mm512_srli_epi32, _mm512_xor_si512,
    };

    use super::{BLOCK, MULTIPLIERS};

    #[target_feature(enable = "avx512f")]
    fn all(number: u32) -> __m512i {
        _mm512_set1_epi32(number.cast_signed())
    }

    #[target_feature(enable = "avx512f")]
    fn score(low: __m512i, high: __m512i) -> __m512i {
        let mut score = _mm512_mullo_epi32(low, all(MULTIPLIERS[0]));
        score = _mm512_xor_si512(score, _mm512_srli_epi32::<15>(score));
        score = _mm512_mullo_epi32(_mm512_xor_si512(score, high), all(MULTIPLIERS[1]));
        score = _mm512_xor_si512(score, _mm512_srli_epi32::<13>(score));
        _mm512_mullo_epi32(score, all(MULTIPLIERS[2]))
    }

    /// Each lane keeps its best score and the block where it was; in the end the highest lane wins,
    /// and of equal ones that of the first position.
    #[target_feature(enable = "avx512f")]
    pub(super) fn winner(key: u64, low: &[[u32; BLOCK]], high: &[[u32; BLOCK]]) -> usize {
        let (key_low, key_high) = (all(key as u32), all((key >> 32) as u32));
        let mut best = _mm512_setzero_si512();
        let mut found = _mm512_setzero_si512();
        let mut number = _mm512_setzero_si512();
        for (low, high) in low.iter().zip(high) {
            // SAFETY: a block is 64 bytes, and the loads need no alignment.
            let (low, high) = unsafe {
                (
                    _mm512_loadu_si512(low.as_ptr().cast()),
                    _mm512_loadu_si512(high.as_ptr().cast()),
                )
            };
            let scores = score(
                _mm512_xor_si512(key_low, low),
                _mm512_xor_si512(key_high, high),
            );
            let higher = _mm512_cmpgt_epu32_mask(scores, best);
            best = _mm512_max_epu32(best, scores);
            found = _mm512_mask_mov_epi32(found, higher, number);
            number = _mm512_add_epi32(number, all(1));
        }
        let wins = _mm512_cmpeq_epi32_mask(best, all(_mm512_reduce_max_epu32(best)));
        if wins & (wins - 1) == 0 {
            let found = _mm512_maskz_compress_epi32(wins, found);
            let block = _mm_cvtsi128_si32(_mm512_castsi512_si128(found)).cast_unsigned() as usize;
            return block * BLOCK + wins.trailing_zeros() as usize;
        }
        // Equal scores are seldom.
        let block = _mm512_mask_reduce_min_epu32(wins, found);
        let equal = _mm512_mask_cmpeq_epi32_mask(wins, found, all(block));
        block as usize * BLOCK + equal.trailing_zeros() as usize
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::{
        __m256i, _mm256_add_epi32, _mm256_blendv_epi8, _mm256_cmpeq_epi32, _mm256_cvtsi256_si32,
        _mm256_loadu_si256, _mm256_max_epu32, _mm256_min_epu32, _mm256_mullo_epi32,
        _mm256_permute2x128_si256, _mm256_set_epi32, _mm256_set1_epi32, _mm256_setzero_si256,
        _mm256_shuffle_epi32, _mm256_slli_epi32, _mm256_srli_epi32, _mm256_xor_si256,
    };

    use super::{BLOCK, MULTIPLIERS};

    /// Vectors of a block.
    const PARTS: usize = BLOCK / 8;

    #[target_feature(enable = "avx2")]
    fn all(number: u32) -> __m256i {
        _mm256_set1_epi32(number.cast_signed())
    }

    #[target_feature(enable = "avx2")]
    fn score(low: __m256i, high: __m256i) -> __m256i {
        let mut score = _mm256_mullo_epi32(low, all(MULTIPLIERS[0]));
        score = _mm256_xor_si256(score, _mm256_srli_epi32::<15>(score));
        score = _mm256_mullo_epi32(_mm256_xor_si256(score, high), all(MULTIPLIERS[1]));
        score = _mm256_xor_si256(score, _mm256_srli_epi32::<13>(score));
        _mm256_mullo_epi32(score, all(MULTIPLIERS[2]))
    }

    #[target_feature(enable = "avx2")]
    fn swap_halves(x: __m256i) -> __m256i {
        _mm256_permute2x128_si256::<0x01>(x, x)
    }

    #[target_feature(enable = "avx2")]
    fn swap_pairs(x: __m256i) -> __m256i {
        _mm256_shuffle_epi32::<0b01_00_11_10>(x)
    }

    #[target_feature(enable = "avx2")]
    fn swap_lanes(x: __m256i) -> __m256i {
        _mm256_shuffle_epi32::<0b10_11_00_01>(x)
    }

    /// The positions of the lanes of one part of the blocks of these numbers.
    #[target_feature(enable = "avx2")]
    fn position(blocks: __m256i, part: u32) -> __m256i {
        let lane = _mm256_set_epi32(7, 6, 5, 4, 3, 2, 1, 0);
        let place = _mm256_add_epi32(lane, all(8 * part));
        _mm256_add_epi32(_mm256_slli_epi32::<4>(blocks), place)
    }

    /// As with AVX-512, but for comparisons: a score is higher if the best one is not the old one.
    #[target_feature(enable = "avx2")]
    pub(super) fn winner(key: u64, low: &[[u32; BLOCK]], high: &[[u32; BLOCK]]) -> usize {
        let (key_low, key_high) = (all(key as u32), all((key >> 32) as u32));
        let mut best = [_mm256_setzero_si256(); PARTS];
        let mut found = [_mm256_setzero_si256(); PARTS];
        let mut number = _mm256_setzero_si256();
        for (low, high) in low.iter().zip(high) {
            for part in 0..PARTS {
                // SAFETY: a block is two parts of 32 bytes, and the loads need no alignment.
                let (low, high) = unsafe {
                    let low = low.as_ptr().add(8 * part).cast();
                    let high = high.as_ptr().add(8 * part).cast();
                    (_mm256_loadu_si256(low), _mm256_loadu_si256(high))
                };
                let scores = score(
                    _mm256_xor_si256(key_low, low),
                    _mm256_xor_si256(key_high, high),
                );
                let higher = _mm256_max_epu32(best[part], scores);
                let same = _mm256_cmpeq_epi32(higher, best[part]);
                best[part] = higher;
                found[part] = _mm256_blendv_epi8(number, found[part], same);
            }
            number = _mm256_add_epi32(number, all(1));
        }
        let top = _mm256_max_epu32(best[0], best[1]);
        let top = _mm256_max_epu32(top, swap_halves(top));
        let top = _mm256_max_epu32(top, swap_pairs(top));
        let top = _mm256_max_epu32(top, swap_lanes(top));
        let mut first = all(u32::MAX);
        for part in 0..PARTS {
            let wins = _mm256_cmpeq_epi32(best[part], top);
            let positions = position(found[part], part as u32);
            let winners = _mm256_blendv_epi8(all(u32::MAX), positions, wins);
            first = _mm256_min_epu32(first, winners);
        }
        let first = _mm256_min_epu32(first, swap_halves(first));
        let first = _mm256_min_epu32(first, swap_pairs(first));
        let first = _mm256_min_epu32(first, swap_lanes(first));
        _mm256_cvtsi256_si32(first).cast_unsigned() as usize
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
            let bid = |at: &usize| (score(key ^ numbers[*at]), std::cmp::Reverse(*at));
            let expected = (0..numbers.len()).max_by_key(bid);
            for level in Level::all() {
                prop_assert_eq!(Some(winner(level, key, &seeds)), expected, "{}", level.name());
            }
        }
    }
}

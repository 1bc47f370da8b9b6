//! The winner of a weighted rendezvous: bounds of all scores, and a logarithm for who has the lowest.

use super::{Kind, Level};
use crate::hash::mix;
use crate::simd::lanes::Lanes;
use crate::weighted_rendezvous::{self, score};

/// Entries of a block.
const BLOCK: usize = 16;
/// Above every rounding error of a bound, a quotient and a logarithm together.
const SLACK: f64 = 1.0 + 1e-12;

/// Seeds and weights of nodes.
#[derive(Clone, Debug)]
pub(crate) struct Bidders {
    seeds: Lanes<u64, BLOCK>,
    weights: Lanes<f64, BLOCK>,
    /// 2^-52/w; infinite for a weight of 0, which then never bids.
    inverses: Lanes<f64, BLOCK>,
}

impl Default for Bidders {
    fn default() -> Self {
        Self {
            seeds: Lanes::default(),
            weights: Lanes::default(),
            inverses: Lanes::filled_with(f64::INFINITY),
        }
    }
}

impl Bidders {
    pub(crate) fn insert(&mut self, at: usize, seed: u64, weight: f64) {
        self.seeds.insert(at, seed);
        self.weights.insert(at, weight);
        self.inverses.insert(at, inverse(weight));
    }

    pub(crate) fn remove(&mut self, at: usize) {
        self.seeds.remove(at);
        self.weights.remove(at);
        self.inverses.remove(at);
    }

    pub(crate) fn reweigh(&mut self, at: usize, weight: f64) {
        self.weights.set(at, weight);
        self.inverses.set(at, inverse(weight));
    }

    pub(crate) fn seeds(&self) -> &[u64] {
        self.seeds.as_slice()
    }

    pub(crate) fn weights(&self) -> &[f64] {
        self.weights.as_slice()
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.seeds.heap_bytes() + self.weights.heap_bytes() + self.inverses.heap_bytes()
    }
}

fn inverse(weight: f64) -> f64 {
    match weight > 0.0 {
        true => 1.0 / weight / (1u64 << 52) as f64,
        false => f64::INFINITY,
    }
}

/// The bits of 2^52, whose last 52 count units; and what leaves the units and a half.
const UNITS: u64 = 0x4330_0000_0000_0000;
const LESS: f64 = (1u64 << 52) as f64 - 0.5;

/// A bound below the score: (1 − U)/w, as 1 − U never exceeds −ln U.
#[inline]
fn bound(key: u64, seed: u64, inverse: f64) -> f64 {
    (f64::from_bits(UNITS | !mix(key ^ seed) >> 12) - LESS) * inverse
}

/// The lowest bound, where it first stands, and the lowest of all others.
#[derive(Clone, Copy, Debug)]
struct Lowest {
    bound: f64,
    at: usize,
    next: f64,
}

/// The position of the node that wins `key`, the first among equals.
///
/// Who has the lowest bound wins nearly always: its score, which takes a logarithm, is mostly below
/// the bounds of all others.
#[inline]
pub(crate) fn winner(level: Level, key: u64, bidders: &Bidders) -> Option<usize> {
    let lowest = lowest(level, key, bidders);
    if lowest.bound == f64::INFINITY {
        return None;
    }
    let at = lowest.at;
    let best = score(mix(key ^ bidders.seeds()[at]), bidders.weights()[at]);
    match lowest.next < best * SLACK {
        true => weighted_rendezvous::winner(key, bidders.seeds(), bidders.weights()),
        false => Some(at),
    }
}

#[inline]
fn lowest(level: Level, key: u64, bidders: &Bidders) -> Lowest {
    match level.0 {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: such a level exists only on a processor that has these vectors.
        Kind::Avx512 => unsafe {
            avx512::lowest(key, bidders.seeds.blocks(), bidders.inverses.blocks())
        },
        // Without a 64-bit multiplication vectors of four gain little.
        _ => portable(key, bidders.seeds(), bidders.inverses.as_slice()),
    }
}

fn portable(key: u64, seeds: &[u64], inverses: &[f64]) -> Lowest {
    let mut lowest = Lowest {
        bound: f64::INFINITY,
        at: 0,
        next: f64::INFINITY,
    };
    for (at, (&seed, &inverse)) in seeds.iter().zip(inverses).enumerate() {
        // Seldom true, and so cheaper than a minimum that each node waits for.
        let bound = bound(key, seed, inverse);
        if bound < lowest.next {
            lowest.next = bound.max(lowest.bound);
            if bound < lowest.bound {
                (lowest.bound, lowest.at) = (bound, at);
            }
        }
    }
    lowest
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::{
        __m512d, __m512i, _CMP_EQ_OQ, _CMP_LT_OQ, _mm512_add_epi64, _mm512_andnot_si512,
        _mm512_castsi512_pd, _mm512_cmp_pd_mask, _mm512_loadu_pd, _mm512_loadu_si512,
        _mm512_mask_mov_epi64, _mm512_mask_mov_pd, _mm512_max_pd, _mm512_min_epu64, _mm512_min_pd,
        _mm512_mul_pd, _mm512_or_si512, _mm512_reduce_min_epu64, _mm512_reduce_min_pd,
        _mm512_set_epi64, _mm512_set1_epi64, _mm512_set1_pd, _mm512_setzero_si512,
        _mm512_slli_epi64, _mm512_srli_epi64, _mm512_sub_pd, _mm512_xor_si512,
    };

    use super::{BLOCK, LESS, Lowest, UNITS};
    use crate::simd::scores::avx512::{all, mix};

    /// [`super::bound`] of eight nodes.
    #[target_feature(enable = "avx512f,avx512dq")]
    fn bound(key: __m512i, seeds: __m512i, inverses: __m512d) -> __m512d {
        let draws = _mm512_srli_epi64::<12>(mix(_mm512_xor_si512(key, seeds)));
        let left = _mm512_andnot_si512(draws, all(u64::MAX >> 12));
        let left = _mm512_castsi512_pd(_mm512_or_si512(left, all(UNITS)));
        _mm512_mul_pd(_mm512_sub_pd(left, _mm512_set1_pd(LESS)), inverses)
    }

    /// Each lane keeps its two lowest bounds, and the block where the lowest one was.
    #[target_feature(enable = "avx512f,avx512dq")]
    pub(super) fn lowest(key: u64, seeds: &[[u64; BLOCK]], inverses: &[[f64; BLOCK]]) -> Lowest {
        let key = all(key);
        let never = _mm512_set1_pd(f64::INFINITY);
        let (mut best, mut next) = ([never; 2], [never; 2]);
        let mut found = [_mm512_setzero_si512(); 2];
        let mut number = _mm512_setzero_si512();
        for (seeds, inverses) in seeds.iter().zip(inverses) {
            for half in 0..2 {
                // SAFETY: a block is two halves of 64 bytes, and the loads need no alignment.
                let (seeds, inverses) = unsafe {
                    let seeds = seeds.as_ptr().add(8 * half).cast();
                    (
                        _mm512_loadu_si512(seeds),
                        _mm512_loadu_pd(inverses.as_ptr().add(8 * half)),
                    )
                };
                let bounds = bound(key, seeds, inverses);
                let lower = _mm512_cmp_pd_mask::<_CMP_LT_OQ>(bounds, best[half]);
                next[half] = _mm512_min_pd(next[half], _mm512_max_pd(best[half], bounds));
                best[half] = _mm512_min_pd(best[half], bounds);
                found[half] = _mm512_mask_mov_epi64(found[half], lower, number);
            }
            number = _mm512_add_epi64(number, _mm512_set1_epi64(1));
        }
        let bound = _mm512_reduce_min_pd(_mm512_min_pd(best[0], best[1]));
        let top = _mm512_set1_pd(bound);
        let (first, second) = (equal(best[0], top), equal(best[1], top));
        let at = _mm512_reduce_min_epu64(_mm512_min_epu64(
            _mm512_mask_mov_epi64(all(u64::MAX), first, position(found[0], 0)),
            _mm512_mask_mov_epi64(all(u64::MAX), second, position(found[1], 1)),
        ));
        // The lowest of the others: what is second in a lane, and what is lowest in another one.
        let rest = _mm512_reduce_min_pd(_mm512_min_pd(
            _mm512_min_pd(next[0], _mm512_mask_mov_pd(best[0], first, never)),
            _mm512_min_pd(next[1], _mm512_mask_mov_pd(best[1], second, never)),
        ));
        let both = u16::from(first) | u16::from(second) << 8;
        let tied = both & both.wrapping_sub(1) != 0;
        Lowest {
            bound,
            at: at as usize,
            next: if tied { bound } else { rest },
        }
    }

    /// The positions of the lanes of one half of the blocks of these numbers.
    #[target_feature(enable = "avx512f,avx512dq")]
    fn position(blocks: __m512i, half: usize) -> __m512i {
        let lane = _mm512_set_epi64(7, 6, 5, 4, 3, 2, 1, 0);
        let place = _mm512_add_epi64(lane, all(8 * half as u64));
        _mm512_add_epi64(_mm512_slli_epi64::<4>(blocks), place)
    }

    #[target_feature(enable = "avx512f,avx512dq")]
    fn equal(a: __m512d, b: __m512d) -> u8 {
        _mm512_cmp_pd_mask::<_CMP_EQ_OQ>(a, b)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Against a logarithm for every node, with weights that are equal, near or far apart.
        #[test]
        fn the_winner_is_the_one_of_all_logarithms_on_every_processor(
            seeds in prop_oneof![
                prop::collection::vec(any::<u64>(), 1..600),
                prop::collection::vec(0..5u64, 1..40),
            ],
            weights in prop_oneof![
                Just(vec![1.0]),
                prop::collection::vec(prop_oneof![Just(0.0), 0.5..2.0f64, 1e-9..1e9f64], 1..7),
                Just(vec![0.0]),
                Just(vec![1e-100, 1e100]),
            ],
            keys in prop::collection::vec(any::<u64>(), 20),
        ) {
            let mut bidders = Bidders::default();
            for (at, &seed) in seeds.iter().enumerate() {
                bidders.insert(at, seed, weights[at % weights.len()]);
            }
            for key in keys.into_iter().chain([seeds[0]]) {
                let bid = |at: &usize| (score(mix(key ^ seeds[*at]), weights[at % weights.len()]), *at);
                let eligible = (0..seeds.len()).filter(|at| weights[at % weights.len()] > 0.0);
                let expected = eligible.min_by(|a, b| bid(a).partial_cmp(&bid(b)).expect("no bid is NaN"));
                let plain = weighted_rendezvous::winner(key, bidders.seeds(), bidders.weights());
                prop_assert_eq!(plain, expected);
                for level in Level::all() {
                    prop_assert_eq!(winner(level, key, &bidders), expected, "{}", level.name());
                }
            }
        }
    }
}

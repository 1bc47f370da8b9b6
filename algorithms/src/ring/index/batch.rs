//! The owners of many keys, with AVX-512.
//!
//! Keys are taken in blocks, and a block in steps: where each key must look, what stands there, and
//! last the few keys for which that is not enough. Each step is a loop without branches, so that the
//! reads of many keys overlap and hardly a guess of the processor is wrong.

use std::arch::x86_64::{
    _mm256_cmpge_epu16_mask, _mm256_load_si256, _mm256_min_epu16, _mm256_set1_epi16,
    _mm256_set1_epi32, _mm256_testn_epi16_mask, _mm256_xor_si256, _mm512_add_epi32,
    _mm512_cmpeq_epi32_mask, _mm512_loadu_si512, _mm512_maskz_compress_epi32, _mm512_set1_epi32,
    _mm512_storeu_si512,
};

use super::line::{Entry, FULL};
use super::table::Table;
use crate::owners::Packed;
use crate::placement::NodeId;

/// Keys of a block.
const BLOCK: usize = 256;
/// Keys of a block that are looked up without a branch, and owners in a vector.
const GROUP: usize = 16;
/// From so many keys on, steps are faster than one key after another.
pub(super) const MANY: usize = 96;

/// What one step tells the next.
struct Notes {
    /// The line of each key.
    lines: [u32; BLOCK],
    /// The first 16 bits of its offset there, twice.
    bits: [u32; BLOCK],
    /// Keys that need more, and behind them room for one group.
    rare: [u32; BLOCK + GROUP],
}

impl<O: Packed + Entry> Table<O> {
    /// The owners of many keys.
    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
    pub(super) fn find_many_avx512(&self, keys: &[u64], owners: &mut [Option<NodeId>]) {
        // Made once: clearing them for each block would cost as much as a step.
        let mut notes = Notes {
            lines: [0; BLOCK],
            bits: [0; BLOCK],
            rare: [0; BLOCK + GROUP],
        };
        for (keys, owners) in keys.chunks(BLOCK).zip(owners.chunks_mut(BLOCK)) {
            self.find_block(keys, owners, &mut notes);
        }
    }

    #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
    fn find_block(&self, keys: &[u64], owners: &mut [Option<NodeId>], notes: &mut Notes) {
        let Notes { lines, bits, rare } = notes;
        for ((&key, line), bits) in keys.iter().zip(&mut *lines).zip(&mut *bits) {
            (*line, *bits) = self.split_32(key);
        }
        let (groups, last) = owners.as_chunks_mut::<GROUP>();
        let (lines, bits) = (lines.as_chunks::<GROUP>().0, bits.as_chunks::<GROUP>().0);
        let mut ties = [false; BLOCK / GROUP];
        for (((owners, tie), lines), bits) in groups.iter_mut().zip(&mut ties).zip(lines).zip(bits)
        {
            let mut apart = _mm256_set1_epi16(-1);
            for lane in 0..GROUP {
                let line = &self.lines[lines[lane] as usize];
                // SAFETY: the bounds are 32 bytes at the start of a line, which is aligned to 64.
                let bounds = unsafe { _mm256_load_si256(line.bounds.as_ptr().cast()) };
                let key = _mm256_set1_epi32(bits[lane].cast_signed());
                let reached = u32::from(_mm256_cmpge_epu16_mask(bounds, key)) | 1 << FULL;
                apart = _mm256_min_epu16(apart, _mm256_xor_si256(bounds, key));
                owners[lane] = line.owners[reached.trailing_zeros() as usize].unpack();
            }
            *tie = _mm256_testn_epi16_mask(apart, apart) != 0;
        }
        for (owner, &key) in last.iter_mut().zip(&keys[groups.len() * GROUP..]) {
            *owner = self.find(key, &mut ());
        }
        let mut count = 0;
        for (at, (owners, tie)) in groups.iter().zip(ties).enumerate() {
            let first = at * GROUP;
            count += note_rare::<O>(owners, first as u32, tie, &mut rare[count..]);
        }
        for at in rare[..count].iter().map(|&at| at as usize) {
            owners[at] = self.find_exactly(keys[at], &mut ());
        }
    }

    /// The line of a key, and the first 16 bits of its offset there, twice: what `split` gives, as
    /// no table has 2^32 lines.
    #[inline]
    fn split_32(&self, key: u64) -> (u32, u32) {
        let lines = u64::from(self.lines.len() as u32);
        let product = (key >> 32) * lines + ((u64::from(key as u32) * lines) >> 32);
        let bits = (product >> 16) as u32 & 0xffff;
        ((product >> 32) as u32, bits << 16 | bits)
    }
}

/// Puts the places of spare owners at the head of the list, or of `all`, counted from the place of
/// the `first` one, and returns how many they are; what stands behind them means nothing.
#[inline]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,popcnt")]
fn note_rare<O: Packed>(
    owners: &[Option<NodeId>; GROUP],
    first: u32,
    all: bool,
    list: &mut [u32],
) -> usize {
    const LANES: [u32; GROUP] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
    let list = &mut list[..GROUP];
    let spare = _mm512_set1_epi32(O::SPARE.into().cast_signed());
    // SAFETY: owners, lanes and the list have 16 places of four bytes, and such loads and stores
    // need no alignment.
    unsafe {
        let found = _mm512_loadu_si512(owners.as_ptr().cast());
        let spares = _mm512_cmpeq_epi32_mask(found, spare);
        let rare = if all { !0 } else { spares };
        let lanes = _mm512_loadu_si512(LANES.as_ptr().cast());
        let places = _mm512_add_epi32(_mm512_set1_epi32(first.cast_signed()), lanes);
        let places = _mm512_maskz_compress_epi32(rare, places);
        _mm512_storeu_si512(list.as_mut_ptr().cast(), places);
        rare.count_ones() as usize
    }
}

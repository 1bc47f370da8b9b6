//! The key hash, the labels of nodes and points, and the mixer of rendezvous scores.
//!
//! Everything hashed is a run of bytes with fixed-width little-endian numbers, so the same names
//! and keys give the same placement in every process and on every platform.

mod crc16;
#[cfg(feature = "hashes")]
mod more;

use std::fmt;
use std::ops::Range;

pub use crate::simd::mixes::mix_many;
#[cfg(feature = "hashes")]
pub use more::{BLAKE2B, CRC32, FNV1A, MD5, MURMUR3, SHA256, SIPHASH13};

/// Labels that are written before the first of them is hashed: a processor waits long for bytes that
/// were just written and are read in other pieces.
const AHEAD: usize = 16;

/// A named 64-bit hash of bytes: for keys, and for the labels of nodes and points.
///
/// It is a parameter of every placement, so that its cost and evenness can be compared, and so
/// that a test can cut it to a few bits and meet collisions that are otherwise too rare to see.
#[derive(Clone, Copy)]
pub struct KeyHash {
    name: &'static str,
    function: fn(&[u8]) -> u64,
}

/// xxh3-64 with seed 0: the default.
pub const XXH3: KeyHash = KeyHash::new("xxh3", xxhash_rust::xxh3::xxh3_64);
/// xxh64 with seed 0.
pub const XXH64: KeyHash = KeyHash::new("xxh64", |bytes| xxhash_rust::xxh64::xxh64(bytes, 0));

/// Redis Cluster's: CRC-16 (XMODEM) of the part of the key between the first `{` and the next `}`,
/// or of the whole key where that part is not there or is empty. Its 16 bits are the lowest, so that
/// the remainder by 16,384 is the slot that Redis gives the key. The others are mixed from them, so
/// that points made with it lie all over a ring, and remainders by other numbers over all of them.
pub const REDIS: KeyHash = KeyHash::new("crc16-tags", |key| {
    let sum = u64::from(crc16::xmodem(crc16::tag(key)));
    mix(sum) & !0xffff | sum
});

/// The hashes that can be chosen by name.
#[cfg(feature = "hashes")]
pub const ALL: &[KeyHash] = &[
    XXH3, XXH64, SIPHASH13, MURMUR3, FNV1A, CRC32, MD5, SHA256, BLAKE2B, REDIS,
];
/// The hashes that can be chosen by name.
#[cfg(not(feature = "hashes"))]
pub const ALL: &[KeyHash] = &[XXH3, XXH64, REDIS];

/// The hash of this name.
pub fn find(name: &str) -> Option<KeyHash> {
    ALL.iter().copied().find(|hash| hash.name() == name)
}

impl KeyHash {
    /// A hash under a name that goes into records.
    pub const fn new(name: &'static str, function: fn(&[u8]) -> u64) -> Self {
        Self { name, function }
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The hash of a key.
    pub fn of(&self, bytes: &[u8]) -> u64 {
        (self.function)(bytes)
    }

    /// Hashes of the labels (`purpose`, `name`, i) for i in `indices`.
    pub(crate) fn labels(&self, purpose: Purpose, name: &str, indices: Range<u32>) -> Vec<u64> {
        let label = encode(purpose, name, 0);
        let (length, tail) = (label.len(), label.len() - size_of::<u64>());
        let mut ahead = label.repeat(AHEAD.min(indices.len()));
        let mut hashes = Vec::with_capacity(indices.len());
        for first in indices.clone().step_by(AHEAD) {
            let numbers = first..indices.end.min(first.saturating_add(AHEAD as u32));
            let some = numbers.len() * length;
            for (label, number) in ahead.chunks_exact_mut(length).zip(numbers) {
                label[tail..].copy_from_slice(&u64::from(number).to_le_bytes());
            }
            hashes.extend(
                ahead[..some]
                    .chunks_exact(length)
                    .map(|label| self.of(label)),
            );
        }
        hashes
    }

    /// Hash of the one label (`purpose`, `name`, 0).
    pub(crate) fn label(&self, purpose: Purpose, name: &str) -> u64 {
        self.of(&encode(purpose, name, 0))
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "KeyHash({})", self.name)
    }
}

/// What a label is hashed for; two purposes never share a label.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// A point on a ring.
    Point = 1,
    /// The seed of a node's rendezvous scores.
    Score = 2,
    /// The first slot of a Maglev walk.
    Offset = 3,
    /// The step of a Maglev walk.
    Skip = 4,
    /// The group of a node, and the seeds of groups.
    Group = 5,
}

/// The bytes that are hashed for a node: purpose (1 byte), length of the name (8 bytes), the name,
/// index (8 bytes). The length makes it injective: ("node", 11) and ("node1", 1) never meet.
pub fn encode(purpose: Purpose, name: &str, index: u64) -> Vec<u8> {
    let mut label = Vec::with_capacity(name.len() + 17);
    label.push(purpose as u8);
    label.extend((name.len() as u64).to_le_bytes());
    label.extend(name.as_bytes());
    label.extend(index.to_le_bytes());
    label
}

/// The finaliser of splitmix64 (Stafford's mix 13): a bijection in which every input bit flips
/// every output bit with probability one half.
pub fn mix(mut x: u64) -> u64 {
    x ^= x >> 30;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^= x >> 27;
    x = x.wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

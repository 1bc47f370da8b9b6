//! Hashes that systems of the field use, to be compared with the default one.
//!
//! Of a digest of more than 64 bits the first 8 bytes count, read as a little-endian number.

use std::hash::Hasher;

use blake2::{Blake2b512, Digest};
use siphasher::sip::SipHasher13;

use super::KeyHash;

/// SipHash-1-3 with a key of zeros: with a known key it keeps no attacker out.
pub const SIPHASH13: KeyHash = KeyHash::new("siphash13", |bytes| SipHasher13::new().hash(bytes));

/// MurmurHash3 x64-128 with seed 0.
pub const MURMUR3: KeyHash = KeyHash::new("murmur3", |mut bytes| {
    match murmur3::murmur3_x64_128(&mut bytes, 0) {
        Ok(digest) => digest as u64,
        Err(error) => unreachable!("reading from memory does not fail: {error}"),
    }
});

/// FNV-1a of 64 bits.
pub const FNV1A: KeyHash = KeyHash::new("fnv1a", |bytes| {
    let mut hasher = fnv::FnvHasher::default();
    hasher.write(bytes);
    hasher.finish()
});

/// CRC-32 (IEEE). Its 32 bits stand in both halves. With zeros above them all points of a ring would
/// lie in its lowest 2^-32 and one node would have nearly all of it; with zeros below, the remainder
/// by a power of two would be 0 for every key.
pub const CRC32: KeyHash = KeyHash::new("crc32", |bytes| {
    u64::from(crc32fast::hash(bytes)) * 0x1_0000_0001
});

/// MD5.
pub const MD5: KeyHash = KeyHash::new("md5", |bytes| first_eight(&md5::Md5::digest(bytes)));

/// SHA-256.
pub const SHA256: KeyHash =
    KeyHash::new("sha256", |bytes| first_eight(&sha2::Sha256::digest(bytes)));

/// BLAKE2b with a digest of 64 bytes.
pub const BLAKE2B: KeyHash =
    KeyHash::new("blake2b", |bytes| first_eight(&Blake2b512::digest(bytes)));

fn first_eight(digest: &[u8]) -> u64 {
    let first = digest.iter().take(8).rev();
    first.fold(0, |number, byte| number << 8 | u64::from(*byte))
}

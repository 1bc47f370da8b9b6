//! Hashes of keys: the cheapest sound one for everybody, where a crate lets one choose, and what a
//! crate does by itself against xxh3.

use std::hash::{BuildHasherDefault, DefaultHasher, Hasher};

use algorithms::hash::XXH3;

/// The finaliser of MurmurHash3: a bijection that mixes all bits.
#[inline]
pub fn fmix64(mut x: u64) -> u64 {
    x ^= x >> 33;
    x = x.wrapping_mul(0xff51_afd7_ed55_8ccd);
    x ^= x >> 33;
    x = x.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    x ^ (x >> 33)
}

/// How a key is hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hash {
    /// [`fmix64`].
    Fmix64,
    /// xxh3 of its bytes.
    Xxh3,
    /// As the crate does by default, in words.
    Own(&'static str),
}

impl Hash {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Fmix64 => "fmix64",
            Self::Xxh3 => "xxh3",
            Self::Own(words) => words,
        }
    }

    /// The hash that ours have where they are compared with this.
    pub fn of_ours(self) -> Self {
        match self {
            Self::Fmix64 => Self::Fmix64,
            Self::Xxh3 | Self::Own(_) => Self::Xxh3,
        }
    }
}

/// A hash of a key that the compiler sees through.
pub trait HashKey: 'static {
    /// What it is called.
    const HASH: Hash;

    /// The hash of a key.
    fn of(key: u64) -> u64;
}

/// [`Hash::Fmix64`].
#[derive(Clone, Copy, Debug)]
pub struct Fmix64;

impl HashKey for Fmix64 {
    const HASH: Hash = Hash::Fmix64;

    #[inline]
    fn of(key: u64) -> u64 {
        fmix64(key)
    }
}

/// [`Hash::Xxh3`].
#[derive(Clone, Copy, Debug)]
pub struct Xxh3;

impl HashKey for Xxh3 {
    const HASH: Hash = Hash::Xxh3;

    #[inline]
    fn of(key: u64) -> u64 {
        XXH3.of(&key.to_le_bytes())
    }
}

/// [`fmix64`] as a hasher: once for each number, so once for a key.
#[derive(Clone, Copy, Debug, Default)]
pub struct FmixHasher(u64);

impl Hasher for FmixHasher {
    #[inline]
    fn write(&mut self, bytes: &[u8]) {
        for part in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..part.len()].copy_from_slice(part);
            self.write_u64(u64::from_le_bytes(word));
        }
    }

    #[inline]
    fn write_u64(&mut self, number: u64) {
        self.0 = fmix64(self.0 ^ number);
    }

    #[inline]
    fn write_u32(&mut self, number: u32) {
        self.write_u64(number.into());
    }

    #[inline]
    fn write_usize(&mut self, number: usize) {
        self.write_u64(number as u64);
    }

    #[inline]
    fn finish(&self) -> u64 {
        self.0
    }
}

/// Makes hashers of [`fmix64`].
pub type Fmix = BuildHasherDefault<FmixHasher>;

/// Makes the hashers of the standard library with fixed keys, for crates whose own keys are other
/// ones in every process.
pub type Sip = BuildHasherDefault<DefaultHasher>;

/// What [`Sip`] is called.
pub const SIP13: Hash = Hash::Own("SipHash 1-3");

/// The default of crates that use `siphasher`.
pub const SIP24: Hash = Hash::Own("SipHash 2-4");

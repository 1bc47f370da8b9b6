//! Hashes of keys: the cheapest sound one for everybody, where a crate lets one choose, and what a
//! crate does by itself against xxh3.

use std::hash::{BuildHasherDefault, DefaultHasher, Hasher};

use algorithms::hash::{XXH3, mix, mix_many};

/// How a key is hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hash {
    /// The finaliser of splitmix64: as cheap as murmur3's, with other constants.
    Mix64,
    /// xxh3 of its bytes.
    Xxh3,
    /// As the crate does by default, in words.
    Own(&'static str),
}

impl Hash {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Mix64 => "mix64",
            Self::Xxh3 => "xxh3",
            Self::Own(words) => words,
        }
    }

    /// The hash that ours have where they are compared with this.
    pub fn of_ours(self) -> Self {
        match self {
            Self::Mix64 => Self::Mix64,
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

    /// The hashes of many keys.
    #[inline]
    fn of_many(keys: &[u64], hashes: &mut [u64]) {
        for (hash, &key) in hashes.iter_mut().zip(keys) {
            *hash = Self::of(key);
        }
    }
}

/// [`Hash::Mix64`].
#[derive(Clone, Copy, Debug)]
pub struct Mix64;

impl HashKey for Mix64 {
    const HASH: Hash = Hash::Mix64;

    #[inline]
    fn of(key: u64) -> u64 {
        mix(key)
    }

    #[inline]
    fn of_many(keys: &[u64], hashes: &mut [u64]) {
        mix_many(keys, hashes);
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

/// [`mix`] as a hasher: once for each number, so once for a key.
#[derive(Clone, Copy, Debug, Default)]
pub struct MixHasher(u64);

impl Hasher for MixHasher {
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
        self.0 = mix(self.0 ^ number);
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

/// Makes hashers of [`mix`].
pub type Mix = BuildHasherDefault<MixHasher>;

/// Makes the hashers of the standard library with fixed keys, for crates whose own keys are other
/// ones in every process.
pub type Sip = BuildHasherDefault<DefaultHasher>;

/// What [`Sip`] is called.
pub const SIP13: Hash = Hash::Own("SipHash 1-3");

/// The default of crates that use `siphasher`.
pub const SIP24: Hash = Hash::Own("SipHash 2-4");

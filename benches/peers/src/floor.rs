//! The least that a table can cost: hashing a key, and one random read of a table as large as ours.

use std::marker::PhantomData;

use crate::hash::{Hash, HashKey, Mix64, Xxh3};
use crate::row::{Family, Row, Whose};
use crate::subject::Peer;

/// The floor under a table of so many bytes.
pub fn row(family: Family, hash: Hash, bytes: usize) -> Row {
    match hash {
        Hash::Mix64 => of::<Mix64>(family, bytes),
        Hash::Xxh3 | Hash::Own(_) => of::<Xxh3>(family, bytes),
    }
}

fn of<H: HashKey>(family: Family, bytes: usize) -> Row {
    let build = move |_: &_, ()| Floor::<H> {
        // None is 0: pages of zeros would all be one page.
        table: (1..=bytes.div_ceil(size_of::<u64>()) as u64).collect(),
        hash: PhantomData,
    };
    Row::new((Whose::Floor, family, "floor", H::HASH), |_| (), build).with_linear(false)
}

struct Floor<H> {
    table: Vec<u64>,
    hash: PhantomData<H>,
}

impl<H: HashKey> Peer for Floor<H> {
    #[inline]
    fn place(&self, key: u64) -> u32 {
        let at = (u128::from(H::of(key)) * self.table.len() as u128) >> 64;
        self.table[at as usize] as u32
    }

    fn table_bytes(&self) -> Option<usize> {
        Some(self.table.len() * size_of::<u64>())
    }
}

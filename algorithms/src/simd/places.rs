//! Places in a table, of many keys at once.

use super::for_every_level;
use crate::remainder::Divisor;

for_every_level! {
    /// The place of each key in a table of so many slots: see [`Divisor::place_by_halves`].
    places_at(size: Divisor, keys: &[u64], places: &mut [u32]) = body
}

#[inline(always)]
fn body(size: Divisor, keys: &[u64], places: &mut [u32]) {
    for (&key, place) in keys.iter().zip(places) {
        *place = size.place_by_halves(key) as u32;
    }
}

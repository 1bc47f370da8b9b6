//! Places in a table, of many keys at once.

use super::for_every_level;
use crate::remainder::Divisor;

for_every_level! {
    /// The place of each key in a table of so many slots: see [`Divisor::place_by_halves`]. Returns
    /// the last of these places.
    places_at(size: Divisor, keys: &[u64], places: &mut [u32]) -> u32 = body
}

#[inline(always)]
fn body(size: Divisor, keys: &[u64], places: &mut [u32]) -> u32 {
    let mut last = 0;
    for (&key, place) in keys.iter().zip(places) {
        *place = size.place_by_halves(key) as u32;
        last = last.max(*place);
    }
    last
}

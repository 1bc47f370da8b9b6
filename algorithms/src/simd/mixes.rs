//! The mixer of many numbers at once.

use super::{Level, for_every_level};
use crate::hash::mix;

for_every_level! {
    mix_at(numbers: &[u64], mixed: &mut [u64]) = body
}

#[inline(always)]
fn body(numbers: &[u64], mixed: &mut [u64]) {
    for (number, mixed) in numbers.iter().zip(mixed) {
        *mixed = mix(*number);
    }
}

/// `mixed[i]` becomes [`mix`] of `numbers[i]`, for keys that are numbers and come in batches.
///
/// # Panics
/// When the two slices differ in length.
pub fn mix_many(numbers: &[u64], mixed: &mut [u64]) {
    assert_eq!(numbers.len(), mixed.len(), "one place per number");
    mix_at(Level::in_use(), numbers, mixed);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn many_numbers_are_mixed_as_each_is(numbers in prop::collection::vec(any::<u64>(), 0..70)) {
            let each: Vec<u64> = numbers.iter().map(|&number| mix(number)).collect();
            for level in Level::all() {
                let mut mixed = vec![0; numbers.len()];
                mix_at(level, &numbers, &mut mixed);
                prop_assert_eq!(&mixed, &each, "{}", level.name());
            }
        }
    }
}

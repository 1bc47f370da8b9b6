//! Remainders by a divisor that seldom changes, without a division: nearly the remainder, which is
//! enough to find the right entry of a list that begins anew at its end.

/// How far a place that [`Divisor::place`] or [`Divisor::place_by_halves`] gives may lie behind the
/// last remainder. A list that begins anew at its end, for so many entries, needs no exact one.
pub(crate) const BEHIND: usize = 8;

/// A divisor and its reciprocal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Divisor {
    divisor: u64,
    /// ⌊(2^(64 + shift) − 1)/divisor⌋, which is below 2^64 and above 2^63.
    reciprocal: u64,
    /// The divisor's whole binary logarithm.
    shift: u32,
}

impl Divisor {
    /// Places in a list of so many entries, one at least.
    pub(crate) fn new(divisor: usize) -> Self {
        let divisor = divisor as u64;
        let shift = divisor.ilog2();
        let scaled = u128::MAX >> (64 - shift);
        Self {
            divisor,
            reciprocal: (scaled / u128::from(divisor)) as u64,
            shift,
        }
    }

    pub(crate) fn divisor(self) -> u64 {
        self.divisor
    }

    /// A number that has the same remainder and is at most two behind the last remainder.
    ///
    /// The reciprocal is less than 2^(64 + shift)/divisor by at most 1, and so the product less than
    /// number/divisor by at most 1/2^shift. What is left of the number after the whole part of the
    /// product is below divisor · (1 + 1/2^shift), and divisor/2^shift is below 2.
    #[inline]
    pub(crate) fn place(self, number: u64) -> u64 {
        let product = u128::from(number) * u128::from(self.reciprocal);
        self.rest(number, (product >> 64) as u64)
    }

    /// The same, at most eight behind, by products of 32 bits, which vectors have: what the halves
    /// leave out of the product is below 3, so that the rest is below divisor · (1 + 4/2^shift).
    #[inline]
    pub(crate) fn place_by_halves(self, number: u64) -> u64 {
        let halves = |number: u64| (number >> 32, number & u64::from(u32::MAX));
        let ((high, low), (times, fraction)) = (halves(number), halves(self.reciprocal));
        let product = high * times + ((high * fraction) >> 32) + ((low * times) >> 32);
        self.rest(number, product)
    }

    #[inline]
    fn rest(self, number: u64, product: u64) -> u64 {
        number.wrapping_sub((product >> self.shift).wrapping_mul(self.divisor))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn a_place_has_the_remainder_and_is_hardly_behind_the_last_one(
            divisor in prop_oneof![1..100u64, 1..=u64::from(u32::MAX), 1..=u64::MAX],
            number in any::<u64>(),
            near in 0..3u64,
        ) {
            let whole = number / divisor * divisor;
            // Numbers whose quotient is nearly whole and as large as can be.
            let last = (u64::MAX / divisor * divisor).wrapping_sub(near);
            let edges = [last, 0, 1, number, whole, whole.wrapping_sub(1), u64::MAX - near, divisor - 1, divisor];
            let by = Divisor::new(divisor as usize);
            for number in edges {
                let exact = number % divisor;
                for (place, behind) in [(by.place(number), 2), (by.place_by_halves(number), BEHIND)] {
                    prop_assert_eq!(place % divisor, exact, "{} modulo {}", number, divisor);
                    let past = place.saturating_sub(divisor - 1);
                    prop_assert!(past <= behind as u64, "{} modulo {}: {}", number, divisor, place);
                }
            }
        }
    }
}

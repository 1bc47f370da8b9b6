//! Remainders by a divisor that seldom changes, without a division.

/// A divisor and its reciprocal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Divisor {
    divisor: u64,
    /// ⌊(2^64 − 1)/divisor⌋.
    reciprocal: u64,
}

impl Divisor {
    /// Remainders by `divisor`; 0 leaves everything as it is.
    pub(crate) fn new(divisor: usize) -> Self {
        let divisor = divisor as u64;
        Self {
            divisor,
            reciprocal: u64::MAX.checked_div(divisor).unwrap_or(0),
        }
    }

    pub(crate) fn divisor(self) -> u64 {
        self.divisor
    }

    /// `number` modulo the divisor, exactly.
    ///
    /// The reciprocal is less than 2^64/divisor by at most 1, and so the product less than
    /// number/divisor by less than 1: its whole part is the quotient or one below it.
    #[inline]
    pub(crate) fn remainder(self, number: u64) -> u64 {
        let product = u128::from(number) * u128::from(self.reciprocal);
        let rest = number.wrapping_sub(((product >> 64) as u64).wrapping_mul(self.divisor));
        // The compiler makes a conditional move of it.
        if rest >= self.divisor {
            rest.wrapping_sub(self.divisor)
        } else {
            rest
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(20_000))]

        #[test]
        fn a_remainder_is_that_of_the_division(
            divisor in prop_oneof![1..100u64, 1..=u64::from(u32::MAX), 1..=u64::MAX],
            number in any::<u64>(),
            near in 0..3u64,
        ) {
            let whole = number / divisor * divisor;
            let edges = [0, 1, number, whole, whole.wrapping_sub(1), u64::MAX - near, divisor - 1, divisor];
            for number in edges {
                let seen = Divisor::new(divisor as usize).remainder(number);
                prop_assert_eq!(seen, number % divisor, "{} modulo {}", number, divisor);
            }
        }
    }
}

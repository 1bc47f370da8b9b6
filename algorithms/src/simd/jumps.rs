//! Jumps of many keys at once.

use super::for_every_level;

/// Keys that jump together.
pub(crate) const TOGETHER: usize = 32;

/// The multiplier of the generator.
pub(crate) const MULTIPLIER: u64 = 2_862_933_555_777_941_757;

for_every_level! {
    /// The buckets below `count` of so many keys; there is at least one bucket.
    ///
    /// All keys jump until the last one has passed the end. Positions stay floating-point numbers,
    /// cut to whole ones after each jump: below 2^53 that is what an integer would hold, and what
    /// lies beyond is past the end either way.
    buckets(keys: &[u64; TOGETHER], count: u32, buckets: &mut [u32; TOGETHER]) = body
}

/// A number below 2^52 as a floating-point one, in two steps that all vectors have.
#[inline(always)]
fn whole(number: u64) -> f64 {
    f64::from_bits(0x4330_0000_0000_0000 | number) - (1u64 << 52) as f64
}

/// Written over places and not over values: so a compiler makes vectors of it.
#[inline(always)]
fn body(keys: &[u64; TOGETHER], count: u32, buckets: &mut [u32; TOGETHER]) {
    let end = f64::from(count);
    let mut state = *keys;
    let mut last = [0.0; TOGETHER];
    let mut next = [0.0; TOGETHER];
    loop {
        let mut any = false;
        for far in next {
            any |= far < end;
        }
        if !any {
            break;
        }
        for at in 0..TOGETHER {
            last[at] = if next[at] < end { next[at] } else { last[at] };
            state[at] = state[at].wrapping_mul(MULTIPLIER).wrapping_add(1);
            let draw = whole((state[at] >> 33) + 1);
            let far = ((next[at] + 1.0) * ((1u64 << 31) as f64 / draw)).floor();
            next[at] = if next[at] < end { far } else { next[at] };
        }
    }
    for at in 0..TOGETHER {
        buckets[at] = last[at] as u32;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::jump::bucket;
    use crate::simd::Level;

    proptest! {
        #[test]
        fn keys_that_jump_together_land_where_each_does(
            seed in any::<u64>(),
            count in prop_oneof![1..2000u32, 1..=u32::MAX],
        ) {
            let mut keys = [0; TOGETHER];
            for (key, number) in keys.iter_mut().zip(seed..=u64::MAX) {
                *key = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
            }
            let each: Vec<_> = keys.iter().map(|&key| bucket(key, count)).collect();
            for level in Level::all() {
                let mut seen = [0; TOGETHER];
                buckets(level, &keys, count, &mut seen);
                prop_assert_eq!(seen.map(Some).to_vec(), each.clone(), "{}", level.name());
            }
        }
    }
}

//! Xxh3 of the labels of one name, which differ in their numbers alone.
//!
//! Such a label is hashed in pieces of 16 bytes, and only one or two of them have bytes of the
//! number: the others are hashed once for all numbers. Nor is the number written into a buffer that
//! is then read in other pieces, for which a processor waits.

use std::ops::Range;

/// The words of xxh3's secret that labels of these lengths meet.
const SECRET: [u64; 8] = [
    0xbe4b_a423_396c_feb8,
    0x1cad_21f7_2c81_017c,
    0xdb97_9083_e96d_d4de,
    0x1f67_b3b7_a4a4_4072,
    0x78e5_c0cc_4ee6_79cb,
    0x2172_ffcc_7dd0_5a82,
    0x8e24_43f7_7446_08b8,
    0x4c26_3a81_e690_35e0,
];

/// Hashes of a label that ends with 8 bytes of 0, with each of these numbers in their place.
/// `None` when the label is not of 17 to 64 bytes, which is a name of up to 47.
pub(super) fn numbered(label: &[u8], indices: Range<u32>) -> Option<Vec<u64>> {
    let length = label.len();
    if !(17..=64).contains(&length) {
        return None;
    }
    let piece = |at: usize, secret: usize| {
        [0, 1].map(|half| word(label, at + half * 8) ^ SECRET[secret + half])
    };
    let mut same = (length as u64).wrapping_mul(0x9e37_79b1_85eb_ca87);
    let mut front = piece(0, 0);
    if length > 32 {
        same = same
            .wrapping_add(fold(front))
            .wrapping_add(fold(piece(length - 32, 6)));
        front = piece(16, 4);
    }
    // Where the number begins in the second word of this piece; mostly it begins behind it.
    let begin = (length as u32 - if length > 32 { 32 } else { 16 }) * 8;
    let back = piece(length - 16, 2);
    let hashes = indices.map(|index| {
        let number = u64::from(index);
        let front = [front[0], front[1] ^ number.checked_shl(begin).unwrap_or(0)];
        let back = [back[0], back[1] ^ number];
        avalanche(same.wrapping_add(fold(front)).wrapping_add(fold(back)))
    });
    Some(hashes.collect())
}

/// The 8 bytes at a place.
fn word(label: &[u8], at: usize) -> u64 {
    let mut bytes = [0; 8];
    bytes.copy_from_slice(&label[at..at + 8]);
    u64::from_le_bytes(bytes)
}

fn fold([a, b]: [u64; 2]) -> u64 {
    let product = u128::from(a) * u128::from(b);
    product as u64 ^ (product >> 64) as u64
}

fn avalanche(mut x: u64) -> u64 {
    x ^= x >> 37;
    x = x.wrapping_mul(0x1656_6791_9e37_79f9);
    x ^ (x >> 32)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Purpose, XXH3, encode};
    use super::*;

    proptest! {
        #[test]
        fn labels_have_the_hashes_of_their_bytes(name in "[a-z0-9.é-]{0,60}", first in any::<u32>()) {
            let indices = first.saturating_sub(3)..first;
            let label = |index: u32| encode(Purpose::Point, &name, u64::from(index));
            let expected: Vec<u64> = indices.clone().map(|index| XXH3.of(&label(index))).collect();
            if let Some(hashes) = numbered(&label(0), indices.clone()) {
                prop_assert_eq!(&hashes, &expected);
            }
            prop_assert_eq!(XXH3.labels(Purpose::Point, &name, indices), expected);
        }
    }

    #[test]
    fn every_length_up_to_64_bytes_is_hashed_in_pieces() {
        for bytes in 0..=47 {
            let name = "n".repeat(bytes);
            let label = |index: u32| encode(Purpose::Point, &name, u64::from(index));
            let numbers = [0, 1, 99, u32::MAX - 1];
            for number in numbers {
                let hashes = numbered(&label(0), number..number + 1);
                assert_eq!(hashes, Some(vec![XXH3.of(&label(number))]), "{bytes} bytes");
            }
        }
        assert_eq!(
            numbered(&encode(Purpose::Point, &"n".repeat(48), 0), 0..1),
            None
        );
    }
}

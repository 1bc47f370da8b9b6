//! The hashes are the published ones, spread every bit, and the labels of nodes never meet.

// What tests call may unwrap as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::HashSet;

use algorithms::hash::{
    self, ALL, BLAKE2B, CRC32, FNV1A, MD5, MURMUR3, Purpose, REDIS, SHA256, SIPHASH13, XXH3, XXH64,
    encode, mix,
};
use algorithms::{KeyHash, Node, Settings, registry};
use common::{biting_names, random_keys};

/// The input of the sanity vectors of the xxHash project: high bytes of powers of a prime.
fn sanity_buffer(length: usize) -> Vec<u8> {
    const PRIME32: u64 = 2_654_435_761;
    const PRIME64: u64 = 11_400_714_785_074_694_797;
    let step = |state: &u64| Some(state.wrapping_mul(PRIME64));
    let states = std::iter::successors(Some(PRIME32), step);
    states
        .map(|state| (state >> 56) as u8)
        .take(length)
        .collect()
}

#[test]
fn hashes_give_their_published_vectors_every_time() {
    // Lengths on both sides of the places where the hashes change their method.
    let xxh3: &[(usize, u64)] = &[
        (0, 0x2d06_8005_38d3_94c2),
        (1, 0xc44b_dff4_074e_ecdb),
        (6, 0x27b5_6a84_cd2d_7325),
        (12, 0xa713_daf0_dfbb_77e7),
        (24, 0xa3fe_70bf_9d35_10eb),
        (48, 0x397d_a259_ecba_1f11),
        (80, 0xbcde_fbbb_2c47_c90a),
        (195, 0xcd94_217e_e362_ec3a),
        (403, 0xcdeb_804d_65c6_dea4),
        (512, 0x617e_4959_9013_cb6b),
        (2048, 0xdd59_e2c3_a5f0_38e0),
        (2240, 0x6e73_a905_39cf_2948),
        (2367, 0xcb37_aeb9_e5d3_61ed),
    ];
    let xxh64: &[(usize, u64)] = &[
        (0, 0xef46_db37_51d8_e999),
        (1, 0xe934_a84a_db05_2768),
        (14, 0x8282_dcc4_994e_35c8),
        (222, 0xb641_ae8c_b691_c174),
    ];
    let published = [(XXH3, xxh3), (XXH64, xxh64)];
    for _ in 0..2 {
        for (hash, vectors) in published {
            for &(length, expected) in vectors {
                let seen = hash.of(&sanity_buffer(length));
                assert_eq!(
                    seen,
                    expected,
                    "{} of {length} bytes: {seen:#x}",
                    hash.name()
                );
            }
        }
        assert_eq!(XXH64.of(b"a"), 0xd24e_c4f1_a98c_6e5b);
        assert_eq!(XXH64.of(b"abc"), 0x44bc_2cf5_ad77_0999);
    }
    let names: Vec<&str> = ALL.iter().map(KeyHash::name).collect();
    assert_eq!(names.iter().collect::<HashSet<_>>().len(), ALL.len());
    for hash in ALL {
        let found = hash::find(hash.name()).unwrap();
        assert_eq!(found.of(b"key"), hash.of(b"key"));
    }
}

/// Of each hash, vectors of its paper, its standard or its reference, as they are printed there: a
/// digest begins with the eight bytes that count. SipHash-1-3 is CPython's with a key of zeros.
#[test]
fn the_other_hashes_give_their_published_vectors_every_time() {
    let digests = [
        (MD5, "", 0xd41d_8cd9_8f00_b204),
        (MD5, "abc", 0x9001_5098_3cd2_4fb0),
        (SHA256, "", 0xe3b0_c442_98fc_1c14),
        (SHA256, "abc", 0xba78_16bf_8f01_cfea),
        (BLAKE2B, "", 0x786a_02f7_4201_5903),
        (BLAKE2B, "abc", 0xba80_a53f_981c_4d0d),
    ];
    let numbers = [
        (FNV1A, "", 0xcbf2_9ce4_8422_2325),
        (FNV1A, "a", 0xaf63_dc4c_8601_ec8c),
        (FNV1A, "foobar", 0x8594_4171_f739_67e8),
        (MURMUR3, "", 0),
        (MURMUR3, "hello", 0xcbd8_a7b3_41bd_9b02),
        (MURMUR3, "hello, world", 0x342f_ac62_3a5e_bc8e),
        (SIPHASH13, "a", 0x4074_48d2_b89b_1813),
        (SIPHASH13, "abc", 0xc03b_c3a0_0426_30f2),
        (SIPHASH13, "message digest", 0xb2f7_9a94_62cf_6700),
    ];
    for _ in 0..2 {
        for (hash, text, printed) in digests {
            let seen = hash.of(text.as_bytes()).swap_bytes();
            assert_eq!(seen, printed, "{} of {text:?}: {seen:#x}", hash.name());
        }
        for (hash, text, expected) in numbers {
            let seen = hash.of(text.as_bytes());
            assert_eq!(seen, expected, "{} of {text:?}: {seen:#x}", hash.name());
        }
    }
}

/// The check values of both sums are those of the nine digits.
#[test]
fn sums_of_fewer_bits_are_those_of_their_standards() {
    assert_eq!(CRC32.of(b"123456789"), 0xcbf4_3926_cbf4_3926);
    assert_eq!(REDIS.of(b"123456789") & 0xffff, 0x31c3);
    assert_eq!((CRC32.of(b""), REDIS.of(b"")), (0, 0));
}

/// A number may hold few bits, and yet keys go where the nodes' exact shares are: in a table of any
/// size, on a ring and by scores.
#[test]
fn random_keys_follow_the_shares_by_every_hash_and_algorithm() {
    let nodes = || (0..10).map(|at| Node::new(format!("node-{at}"))).collect();
    let keys: Vec<String> = (random_keys(17, 20_000)
        .iter()
        .map(|key| format!("{key:016x}")))
    .collect();
    for hash in ALL {
        let settings = Settings {
            hash: *hash,
            ..Settings::default()
        };
        let hashes: Vec<u64> = keys.iter().map(|key| hash.of(key.as_bytes())).collect();
        for algorithm in registry::ALL {
            let placement = algorithm.build(&settings, nodes()).unwrap();
            let mut counts = [0; 10];
            for &hash in &hashes {
                counts[placement.place(hash).unwrap().index()] += 1;
            }
            for ((_, share), count) in placement.shares().into_iter().zip(counts) {
                let seen = f64::from(count) / keys.len() as f64;
                assert!(
                    (seen - share).abs() < 0.03,
                    "{} by {}: {seen} of the keys on a node with {share}",
                    algorithm.name,
                    hash.name()
                );
            }
        }
    }
}

#[test]
fn keys_of_one_tag_are_in_one_slot() {
    let same = |a: &str, b: &str| REDIS.of(a.as_bytes()) == REDIS.of(b.as_bytes());
    assert!(same("{user1000}.following", "{user1000}.followers"));
    assert!(same("foo{bar}{zap}", "bar") && same("foo{{bar}}zap", "{bar"));
    // Empty, never opened, or never closed, the braces are letters as others.
    assert!(!same("foo{}{bar}", "bar") && !same("foo{}{bar}", "foo{}{zap}"));
    assert!(!same("a}b{c", "c") && !same("}a{", "a"));
}

/// What was encoded, read back from the bytes.
fn decode(label: &[u8]) -> (u8, String, u64) {
    let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
    let length = number(&label[1..9]) as usize;
    let name = String::from_utf8(label[9..9 + length].to_vec()).unwrap();
    assert_eq!(label.len(), length + 17, "nothing is left over");
    (label[0], name, number(&label[9 + length..]))
}

#[test]
fn labels_of_different_nodes_points_and_purposes_never_meet() {
    let purposes = [
        Purpose::Point,
        Purpose::Score,
        Purpose::Offset,
        Purpose::Skip,
    ];
    let mut names = biting_names();
    names.extend(["member", "member1", "addr1"].map(String::from));
    let (mut labels, mut hashes) = (HashSet::new(), HashSet::new());
    for name in &names {
        for purpose in purposes {
            for index in (0..120).chain([u64::from(u32::MAX), u64::MAX]) {
                let label = encode(purpose, name, index);
                assert_eq!(decode(&label), (purpose as u8, name.clone(), index));
                hashes.insert(XXH3.of(&label));
                labels.insert(label);
            }
        }
    }
    let all = names.len() * purposes.len() * 122;
    assert_eq!((labels.len(), hashes.len()), (all, all));
}

/// Flipping any input bit must flip each output bit in half of all cases.
fn assert_avalanche(what: &str, hash: impl Fn(u64) -> u64) {
    let inputs = random_keys(99, 20_000);
    let hashes: Vec<u64> = inputs.iter().map(|&input| hash(input)).collect();
    for flipped in 0..64 {
        let mut counts = [0u32; 64];
        for (input, before) in inputs.iter().zip(&hashes) {
            let changed = before ^ hash(input ^ (1 << flipped));
            for (bit, count) in counts.iter_mut().enumerate() {
                *count += (changed >> bit & 1) as u32;
            }
        }
        for (bit, count) in counts.into_iter().enumerate() {
            let rate = f64::from(count) / inputs.len() as f64;
            assert!(
                (rate - 0.5).abs() < 0.02,
                "{what}: input bit {flipped} flips output bit {bit} at a rate of {rate}"
            );
        }
    }
}

#[test]
fn every_input_bit_flips_every_output_bit_half_the_time() {
    assert_avalanche("mix", mix);
    assert_avalanche("xxh3", |input| XXH3.of(&input.to_le_bytes()));
    for hash in [XXH64, SIPHASH13, MURMUR3, MD5, SHA256, BLAKE2B] {
        assert_avalanche(hash.name(), |input| hash.of(&input.to_le_bytes()));
    }
    let label = |input: u64| XXH3.of(&encode(Purpose::Point, "node-1", input));
    assert_avalanche("xxh3 of a label's index", label);
}

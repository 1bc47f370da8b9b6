//! Vectors that others computed: the algorithms' cores must reproduce them bit for bit.

// What tests call may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use std::fs;
use std::num::NonZeroU32;
use std::path::Path;

use algorithms::hash::mix;
use algorithms::maglev::{self, Walk};
use algorithms::simd::Level;
use algorithms::{jump, rendezvous, weighted_rendezvous};
use serde::Deserialize;
use serde::de::DeserializeOwned;

fn read<T: DeserializeOwned>(file: &str) -> T {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(file);
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

fn hex(digits: &str) -> u64 {
    u64::from_str_radix(digits, 16).unwrap()
}

fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[derive(Deserialize)]
struct Vectors<T> {
    cases: Vec<T>,
}

#[derive(Deserialize)]
struct JumpRow {
    key: String,
    n: u32,
    bucket: u32,
    bucket_guava: u32,
}

/// Some rows are crafted: there, an implementation that rounds once instead of twice goes astray.
#[test]
fn jump_rounds_twice_as_the_paper_does() {
    let vectors: Vectors<JumpRow> = read("jump.json");
    for row in &vectors.cases {
        let bucket = jump::bucket(hex(&row.key), row.n);
        assert_eq!(bucket, Some(row.bucket), "key {} among {}", row.key, row.n);
    }
    let mut together = [0; 40];
    for level in Level::all() {
        level.hold();
        for row in &vectors.cases {
            let count = NonZeroU32::new(row.n).unwrap();
            jump::bucket_many(&[hex(&row.key); 40], count, &mut together);
            assert_eq!(
                together,
                [row.bucket; 40],
                "key {} with {}",
                row.key,
                level.name()
            );
        }
    }
    let crafted = vectors
        .cases
        .iter()
        .filter(|row| row.bucket != row.bucket_guava);
    assert!(crafted.count() >= 50, "the crafted rows are missing");
    for (key, bucket) in [(2, 80_343), (2201, 22_152), (2202, 15_018)] {
        assert_eq!(jump::bucket(key, 100_001), Some(bucket));
    }
}

fn walk(offset: u32, skip: u32) -> Walk {
    Walk {
        offset,
        skip,
        weight: 1.0,
    }
}

#[test]
fn maglev_fills_the_table_that_the_paper_prints() {
    #[derive(Deserialize)]
    struct Example {
        offset_skip: std::collections::BTreeMap<String, (u32, u32)>,
        before: Vec<String>,
        #[serde(rename = "after_B1_removed")]
        after: Vec<String>,
    }
    let example: Example = read("maglev_paper_example.json");
    let table = |gone: &str| -> Vec<&String> {
        let kept = || example.offset_skip.iter().filter(|node| node.0 != gone);
        let walks: Vec<Walk> = kept().map(|node| walk(node.1.0, node.1.1)).collect();
        let slots = maglev::fill(7, &walks).unwrap().into_iter();
        slots.map(|at| kept().nth(at as usize).unwrap().0).collect()
    };
    assert!(table("").into_iter().eq(&example.before));
    assert!(table("B1").into_iter().eq(&example.after));
}

#[test]
fn maglev_fills_tables_as_another_implementation_does() {
    #[derive(Deserialize)]
    struct Case {
        m: u32,
        n: u32,
        offset: Vec<String>,
        skip: Vec<String>,
        steps: Vec<Step>,
    }
    #[derive(Deserialize)]
    struct Step {
        dead: Vec<u32>,
        table: Option<Vec<u32>>,
        table_first_200: Option<Vec<u32>>,
        table_fnv1a64_of_le_u32: String,
    }
    let vectors: Vectors<Case> = read("maglev_dgryski.json");
    for case in &vectors.cases {
        for step in &case.steps {
            let alive: Vec<u32> = (0..case.n).filter(|at| !step.dead.contains(at)).collect();
            let number = |text: &String| text.parse().unwrap();
            let walks: Vec<Walk> = alive
                .iter()
                .map(|&at| at as usize)
                .map(|at| walk(number(&case.offset[at]), number(&case.skip[at])))
                .collect();
            let slots = maglev::fill(case.m, &walks).unwrap().into_iter();
            let table: Vec<u32> = slots.map(|at| alive[at as usize]).collect();
            let start = step
                .table
                .as_ref()
                .or(step.table_first_200.as_ref())
                .unwrap();
            assert!(
                table.starts_with(start),
                "{} slots, dead {:?}",
                case.m,
                step.dead
            );
            let bytes: Vec<u8> = table.iter().flat_map(|at| at.to_le_bytes()).collect();
            assert_eq!(
                fnv1a(&bytes),
                hex(&step.table_fnv1a64_of_le_u32),
                "{} slots",
                case.m
            );
        }
    }
}

#[test]
fn rendezvous_chooses_as_another_implementation_does_under_its_mixer() {
    #[derive(Deserialize)]
    struct Case {
        names: Vec<String>,
        node_hashes: Vec<String>,
        lookups: Vec<Lookup>,
    }
    #[derive(Deserialize)]
    struct Lookup {
        key: String,
        h: String,
        node: usize,
    }
    let xorshift = |mut x: u64| {
        x ^= x >> 12;
        x ^= x << 25;
        x ^= x >> 27;
        x.wrapping_mul(2_685_821_657_736_338_717)
    };
    let vectors: Vectors<Case> = read("rendezvous_dgryski.json");
    for case in &vectors.cases {
        let seeds: Vec<u64> = case
            .names
            .iter()
            .map(|name| fnv1a(name.as_bytes()))
            .collect();
        assert!(
            seeds
                .iter()
                .copied()
                .eq(case.node_hashes.iter().map(|hash| hex(hash)))
        );
        for lookup in &case.lookups {
            let key = fnv1a(lookup.key.as_bytes());
            assert_eq!(key, hex(&lookup.h));
            let winner = rendezvous::winner(key, seeds.iter().copied(), xorshift);
            assert_eq!(
                winner,
                Some(lookup.node),
                "{} of {}",
                lookup.key,
                seeds.len()
            );
        }
    }
}

#[test]
fn weighted_rendezvous_chooses_as_sixty_digits_do() {
    #[derive(Deserialize)]
    struct Case {
        weights: Vec<f64>,
        node_ids: Vec<String>,
        lookups: Vec<Lookup>,
    }
    #[derive(Deserialize)]
    struct Lookup {
        key: String,
        node: usize,
        second: usize,
        score_best: String,
    }
    let vectors: Vectors<Case> = read("weighted_hrw_derived.json");
    for case in &vectors.cases {
        let seeds: Vec<u64> = case.node_ids.iter().map(|id| hex(id)).collect();
        for lookup in &case.lookups {
            let key = hex(&lookup.key);
            let first = weighted_rendezvous::winner(key, &seeds, &case.weights);
            assert_eq!(first, Some(lookup.node), "key {}", lookup.key);
            let mut others = case.weights.clone();
            others[lookup.node] = 0.0;
            let second = weighted_rendezvous::winner(key, &seeds, &others);
            assert_eq!(second, Some(lookup.second), "second for key {}", lookup.key);
            let (seed, weight) = (seeds[lookup.node], case.weights[lookup.node]);
            let score = weighted_rendezvous::score(mix(key ^ seed), weight);
            let exact: f64 = lookup.score_best.parse().unwrap();
            assert!((score / exact - 1.0).abs() < 1e-9, "{score} and {exact}");
        }
    }
}

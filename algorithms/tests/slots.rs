//! Fixed slots: who is due how many, that no change moves one too many, and the slots of Redis.

// What tests call may unwrap as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use algorithms::hash::{REDIS, mix};
use algorithms::slots::{MAX_SLOTS, Slots, due};
use algorithms::{Node, NodeId, Placement, PlacementError};
use common::named_nodes;
use serde_json::Value;

fn read(file: &str) -> Value {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data")
        .join(file);
    serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap()
}

/// Owners of all slots.
fn table(placement: &Slots, slots: u32) -> Vec<Option<NodeId>> {
    (0..slots)
        .map(|slot| placement.place(slot.into()))
        .collect()
}

fn counts(table: &[Option<NodeId>]) -> BTreeMap<NodeId, i64> {
    let mut counts = BTreeMap::new();
    for owner in table.iter().flatten() {
        *counts.entry(*owner).or_default() += 1;
    }
    counts
}

/// Half the sum of the changes of all counts.
fn least(before: &[Option<NodeId>], after: &[Option<NodeId>]) -> i64 {
    let mut changes = counts(after);
    for (node, count) in counts(before) {
        *changes.entry(node).or_default() -= count;
    }
    changes.values().map(|change| change.abs()).sum::<i64>() / 2
}

#[test]
fn quotas_are_rounded_by_the_largest_remainder_and_ties_go_to_the_first() {
    for (slots, weights, expected) in [
        (16_384, &[1.0, 1.0, 1.0][..], &[5462, 5461, 5461][..]),
        (16_384, &[2.0, 1.0, 1.0], &[8192, 4096, 4096]),
        (10, &[1.0, 2.0, 3.0], &[2, 3, 5]),
        // Quotas 1.4, 2.8 and 2.8: whole slots leave two over, for the remainders of 0.8.
        (7, &[0.5, 1.0, 1.0], &[1, 3, 3]),
        (5, &[1.0, 0.0, 1.0], &[3, 0, 2]),
        // Below one slot there is one, and the others share the rest.
        (10, &[1e-9, 1.0, 1e-9, 3.0], &[1, 2, 1, 6]),
        (3, &[1e100, 1.0, 1e-100], &[1, 1, 1]),
        (1, &[7.0], &[1]),
        (4, &[0.0, 0.0], &[0, 0]),
    ] {
        assert_eq!(due(slots, weights).unwrap(), expected, "{weights:?}");
    }
}

/// As exact as whole slots can be, for weights of all kinds.
#[test]
fn every_slot_is_due_to_somebody_and_nobody_is_off_by_a_whole_one() {
    for case in 0..2000 {
        let count = 1 + mix(case) % 40;
        let weight = |at| 1.0 + (mix(mix(case) ^ at) % 1000) as f64 / 100.0;
        let weights: Vec<f64> = (0..count).map(weight).collect();
        let slots = 1000 + (mix(case + 1) % 20_000) as u32;
        let due = due(slots, &weights).unwrap();
        assert_eq!(due.iter().sum::<u32>(), slots);
        let total: f64 = weights.iter().sum();
        for (due, weight) in due.iter().zip(&weights) {
            let quota = f64::from(slots) * weight / total;
            assert!((f64::from(*due) - quota).abs() < 1.0 + 1e-5, "{weights:?}");
        }
    }
}

/// Any change, in any state that other changes have led to, with weights of all kinds.
#[test]
fn no_change_moves_a_slot_more_than_the_change_of_counts_needs() {
    let names = named_nodes(20);
    for case in 0..45 {
        let slots = [64, 1000, 16_384][case as usize % 3];
        let mut placement = Slots::new(slots).unwrap();
        let mut before = table(&placement, slots);
        for step in 0..60 {
            let random = mix(mix(case) ^ step);
            let name = &*names[(random % 20) as usize].name;
            let weight = [1.0, 1.0, 2.0, 0.37, 0.0, 5.5][(random >> 32) as usize % 6];
            match placement.membership().find(name) {
                Err(_) => placement.add(Node::weighing(name, weight)).map(drop),
                Ok(id) if random >> 62 == 0 => placement.remove(id),
                Ok(id) => placement.reweigh(id, weight),
            }
            .unwrap();
            let after = table(&placement, slots);
            let both = |pair: &(&Option<NodeId>, &Option<NodeId>)| {
                pair.0.is_some() && pair.1.is_some() && pair.0 != pair.1
            };
            let moved = before.iter().zip(&after).filter(both).count() as i64;
            let nobody = |table: &[Option<NodeId>]| table.iter().all(Option::is_none);
            if !nobody(&before) && !nobody(&after) {
                assert_eq!(moved, least(&before, &after), "case {case}, step {step}");
            }
            let weights = placement.membership().by_name().map(|member| member.weight);
            let due = due(slots, &weights.collect::<Vec<_>>()).unwrap();
            let owned = counts(&after);
            let members = placement.membership().by_name();
            for (member, due) in members.zip(due) {
                let own = owned.get(&member.id).copied().unwrap_or(0);
                assert_eq!(own, i64::from(due), "case {case}, step {step}");
            }
            before = after;
        }
    }
}

#[test]
fn equal_nodes_that_leave_and_return_get_their_own_slots_again() {
    let slots = 16_384;
    for count in [2, 3, 7, 20] {
        let mut placement = Slots::new(slots).unwrap();
        let ids = placement.extend(named_nodes(count)).unwrap();
        let before = table(&placement, slots);
        // As a stack: the last to leave is the first to return.
        for &id in ids.iter().rev().take(count - 1) {
            placement.remove(id).unwrap();
        }
        let returned = placement.extend(named_nodes(count).split_off(1)).unwrap();
        let renamed = |id: NodeId| match id.index() {
            0 => id,
            at => returned[at - 1],
        };
        let expected: Vec<_> = before.iter().map(|owner| owner.map(renamed)).collect();
        assert!(table(&placement, slots) == expected, "{count} nodes");
    }
}

#[test]
fn too_few_slots_too_many_and_none_are_refused() {
    let refused = |slots| Slots::new(slots).map(drop).unwrap_err();
    for slots in [0, MAX_SLOTS + 1, u32::MAX] {
        let cap = MAX_SLOTS;
        assert_eq!(refused(slots), PlacementError::SlotCount { slots, cap });
    }
    let mut full = Slots::new(3).unwrap();
    let ids = full.extend(named_nodes(3)).unwrap();
    let too_few = PlacementError::TooFewSlots { slots: 3, nodes: 4 };
    assert_eq!(full.add(Node::new("fourth")), Err(too_few.clone()));
    let spare = full.add(Node::weighing("fourth", 0.0)).unwrap();
    assert_eq!(full.reweigh(spare, 1.0), Err(too_few));
    full.remove(ids[0]).unwrap();
    full.reweigh(spare, 1.0).unwrap();
    assert_eq!(counts(&table(&full, 3)).len(), 3);
}

/// As a running cluster answered CLUSTER KEYSLOT, key by key.
#[test]
fn keys_are_in_the_slots_that_redis_cluster_gives_them() {
    let vectors = read("redis_cluster.json");
    let keys = vectors["keys"].as_array().unwrap();
    let slots = vectors["configs"][0]["slot"].as_array().unwrap();
    assert!(keys.len() == slots.len() && keys.len() > 200);
    for (key, slot) in keys.iter().zip(slots) {
        // What is no text is told in hexadecimal.
        let bytes = match key["hex"].as_str() {
            Some(digits) => (0..digits.len() / 2)
                .map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).unwrap())
                .collect(),
            None => key.as_str().unwrap().as_bytes().to_vec(),
        };
        let seen = REDIS.of(&bytes) % 16_384;
        assert_eq!(Some(seen), slot.as_u64(), "{key:?}");
    }
}

/// Its tool rounds elsewhere, so that counts differ by a few slots at most.
#[test]
fn nodes_have_as_many_slots_as_the_tool_of_redis_cluster_gives_them() {
    let vectors = read("redis_cluster_create.json");
    for cluster in vectors["configs"].as_array().unwrap() {
        let ranges = cluster["slot_ranges"].as_array().unwrap();
        let due = due(16_384, &vec![1.0; ranges.len()]).unwrap();
        for (ranges, due) in ranges.iter().zip(due) {
            let length =
                |range: &Value| range[1].as_i64().unwrap() - range[0].as_i64().unwrap() + 1;
            let owned: i64 = ranges.as_array().unwrap().iter().map(length).sum();
            assert!((owned - i64::from(due)).abs() <= 1, "{owned} and {due}");
        }
    }
    for (weights, case) in [
        (vec![1.0; 4], 0),
        (vec![1.0; 6], 1),
        (vec![2.0, 1.0, 1.0], 2),
    ] {
        let seen = vectors["rebalance"][case]["slots_after"]
            .as_array()
            .unwrap();
        for (seen, due) in seen.iter().zip(due(16_384, &weights).unwrap()) {
            assert!((seen.as_i64().unwrap() - i64::from(due)).abs() <= 4);
        }
    }
}

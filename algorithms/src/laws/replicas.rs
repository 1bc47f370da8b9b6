//! Laws of copies: which nodes hold them, and what becomes of them when a node leaves.

use std::collections::BTreeMap;

use crate::algorithm::{Moves, Removal, Replicas};
use crate::laws::Subject;
use crate::laws::view::{Checked, ensure, id_of, probes, remove, sample};
use crate::membership::Node;
use crate::placement::{NodeId, Placement};

/// Keys of the laws' own, beside those of the subject.
const PROBES: u64 = 32;
/// Copies that are asked for, beside more than there are nodes.
const COPIES: usize = 4;

impl Subject<'_> {
    /// Keys to ask copies of: these laws ask several times for each.
    fn keys_for_copies(&self) -> Vec<u64> {
        let step = self.keys.len() / 64 + 1;
        let own = self.keys.iter().copied().step_by(step);
        own.chain(probes(PROBES)).collect()
    }
}

/// The owners that are there, after checking what holds of every list.
fn copies(
    placement: &dyn Placement,
    key: u64,
    wanted: usize,
    zones: bool,
) -> Result<Vec<NodeId>, String> {
    let mut owners = vec![placement.place(!key); wanted];
    let count = match zones {
        false => placement.replicas(key, &mut owners),
        true => placement.replicas_across_zones(key, &mut owners),
    };
    let eligible = placement
        .membership()
        .members()
        .iter()
        .filter(|m| m.weight > 0.0);
    let there = wanted.min(eligible.count());
    ensure!(
        count == there,
        "key {key:#x} has {count} of {wanted} copies, not {there}"
    );
    let (found, rest) = owners.split_at(count);
    ensure!(
        rest.iter().all(Option::is_none),
        "key {key:#x}: what no node holds is not None"
    );
    let found: Vec<NodeId> = found.iter().copied().flatten().collect();
    ensure!(
        found.len() == count,
        "key {key:#x} has fewer copies than it says"
    );
    for (at, &node) in found.iter().enumerate() {
        ensure!(
            !found[..at].contains(&node),
            "key {key:#x} has two copies on {node:?}"
        );
        let weight = placement
            .membership()
            .get(node)
            .map_or(0.0, |member| member.weight);
        ensure!(
            weight > 0.0,
            "key {key:#x} has a copy on {node:?}, which is not eligible"
        );
    }
    ensure!(
        found.first().copied() == placement.place(key) || wanted == 0,
        "key {key:#x} belongs to {:?} and has its first copy on {:?}",
        placement.place(key),
        found.first()
    );
    Ok(found)
}

/// Distinct eligible nodes, the owner first, and a shorter list is the beginning of a longer one.
pub(super) fn copies_are_on_distinct_nodes_and_the_owner_is_the_first(
    subject: &Subject<'_>,
) -> Checked {
    let placement = subject.build()?;
    for key in subject.keys_for_copies() {
        let longest = copies(&*placement, key, COPIES, false)?;
        for shorter in 0..COPIES {
            let list = copies(&*placement, key, shorter, false)?;
            ensure!(
                longest.starts_with(&list),
                "key {key:#x}: {list:?} is no beginning of {longest:?}"
            );
        }
    }
    // As many as there are nodes, and more: of a few nodes.
    let few = subject.few();
    let placement = few.build()?;
    for key in probes(PROBES) {
        copies(&*placement, key, few.nodes.len() + 2, false)?;
    }
    Ok(())
}

/// No zone has two copies more than another with a node to spare; the same nodes without zones give
/// the same list as without the rule.
pub(super) fn copies_go_round_the_zones(subject: &Subject<'_>) -> Checked {
    let few = subject.few();
    // Zones of unequal size, and in a list of some length a node without one.
    let zoned: Vec<Node> = few
        .nodes
        .iter()
        .enumerate()
        .map(|(at, node)| match at % 5 {
            4 => node.clone(),
            0 => node.clone().in_zone("a"),
            _ => node.clone().in_zone("b"),
        })
        .collect();
    let placement = few.build_of(&zoned)?;
    let plain = few.build()?;
    for key in few.keys_for_copies() {
        for wanted in 0..=COPIES {
            let list = copies(&*placement, key, wanted, true)?;
            let longer = copies(&*placement, key, wanted + 1, true)?;
            ensure!(
                longer.starts_with(&list),
                "key {key:#x}: {list:?} is no beginning of {longer:?}"
            );
            round_the_zones(&*placement, key, &list)?;
        }
        let (by_rule, without) = (
            copies(&*plain, key, COPIES, true)?,
            copies(&*plain, key, COPIES, false)?,
        );
        ensure!(
            by_rule == without,
            "key {key:#x}: without zones {by_rule:?}, not {without:?}"
        );
    }
    Ok(())
}

fn round_the_zones(placement: &dyn Placement, key: u64, list: &[NodeId]) -> Checked {
    let membership = placement.membership();
    // Copies and eligible nodes of each zone.
    let mut zones: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for member in membership
        .members()
        .iter()
        .filter(|member| member.weight > 0.0)
    {
        let zone = membership
            .zone_name(member.id)
            .map_err(|error| error.to_string())?;
        let zone = zone.map_or_else(
            || format!("alone {}", member.name),
            |zone| format!("in {zone}"),
        );
        let entry = zones.entry(zone).or_default();
        entry.0 += usize::from(list.contains(&member.id));
        entry.1 += 1;
    }
    let most = zones.values().map(|zone| zone.0).max().unwrap_or(0);
    let spare = zones.values().filter(|zone| zone.0 < zone.1);
    let least = spare.map(|zone| zone.0).min().unwrap_or(most);
    ensure!(
        most <= least + 1,
        "key {key:#x}: a zone has {most} copies while another with a node to spare has {least}"
    );
    Ok(())
}

/// Where copies stand in an order, they are the owner, the owner without it, and so on; where they
/// are rehashed, that is not so for every key.
pub(super) fn the_next_copy_is_the_owner_without_those_before_it_exactly_if_declared(
    subject: &Subject<'_>,
) -> Checked {
    let few = subject.few();
    let ordered = few.algorithm.traits.replicas == Replicas::Ordered;
    if few.algorithm.traits.removal != Removal::Any {
        ensure!(
            !ordered,
            "copies are declared as ordered, and no node can leave to show it"
        );
        return Ok(());
    }
    let placement = few.build()?;
    let mut kept = true;
    for key in few.keys_for_copies().into_iter().take(40) {
        let mut left = placement.boxed_clone();
        for node in copies(&*placement, key, COPIES, false)? {
            let owner = left.place(key);
            ensure!(
                !ordered || owner == Some(node),
                "key {key:#x}: the next copy is on {node:?}, and without those before it {owner:?} owns the key"
            );
            kept &= owner == Some(node);
            left.remove(node).map_err(|error| error.to_string())?;
        }
    }
    // Of very few nodes, or hashes of few bits, chance may keep an order.
    let telling = few.nodes.len() >= 8 && subject.hash_is_whole();
    ensure!(
        ordered || !kept || !telling,
        "copies are declared as rehashed, and yet each is the owner without those before it"
    );
    Ok(())
}

/// A node that holds no copy of a key can leave without changing where they are.
pub(super) fn copies_stay_when_another_node_leaves(subject: &Subject<'_>) -> Checked {
    if subject.algorithm.traits.moves != Moves::Least {
        return Ok(());
    }
    let placement = subject.build()?;
    let removable = match subject.removable() {
        all if all.len() > 4 => sample(all.len())
            .into_iter()
            .take(4)
            .map(|at| all[at])
            .collect(),
        few => few,
    };
    for at in removable {
        let name = &subject.nodes[at].name;
        let gone = id_of(&*placement, name)?;
        let mut after = placement.boxed_clone();
        remove(&mut *after, name)?;
        for key in subject.keys_for_copies() {
            let list = copies(&*placement, key, 3, false)?;
            let now = copies(&*after, key, 3, false)?;
            // With fewer nodes than copies, every node holds one.
            if !list.contains(&gone) && list.len() == now.len() {
                ensure!(
                    list == now,
                    "key {key:#x}: {list:?} became {now:?} when {name:?} left"
                );
            }
        }
    }
    Ok(())
}

//! Laws of a single state: what lookups answer.

use crate::laws::Subject;
use crate::laws::view::{Checked, ensure, owners, remove, same_mapping, same_owners};
use crate::layout::Layout;
use crate::membership::Node;
use crate::placement::{NodeId, Placement};

/// Every answer is a member of weight above 0; there is none exactly when nobody has such a weight.
pub(super) fn a_lookup_answers_an_eligible_member_and_none_only_without_one(
    subject: &Subject<'_>,
) -> Checked {
    let placement = subject.build()?;
    answers_are_eligible(&*placement, subject.keys)
}

/// Fails when some key belongs to a node that cannot own it, or to none though one could.
pub(super) fn answers_are_eligible(placement: &dyn Placement, keys: &[u64]) -> Checked {
    let members = placement.membership().members();
    let anyone = members.iter().any(|member| member.weight > 0.0);
    for &key in keys {
        match placement.place(key) {
            None => ensure!(
                !anyone,
                "key {key:#x} has no owner though a node is eligible"
            ),
            Some(id) => match placement.membership().get(id) {
                Ok(member) => ensure!(
                    member.weight > 0.0,
                    "key {key:#x} belongs to {:?}, whose weight is 0",
                    member.name
                ),
                Err(error) => return Err(format!("key {key:#x} belongs to {id:?}: {error}")),
            },
        }
    }
    Ok(())
}

/// Looking up twice gives one answer.
pub(super) fn the_same_key_gets_the_same_answer_again(subject: &Subject<'_>) -> Checked {
    let placement = subject.build()?;
    let answers: Vec<_> = subject
        .keys
        .iter()
        .map(|&key| placement.place(key))
        .collect();
    for (&key, answer) in subject.keys.iter().zip(answers) {
        let again = placement.place(key);
        ensure!(
            again == answer,
            "key {key:#x} belongs to {answer:?} and then to {again:?}"
        );
    }
    Ok(())
}

/// `place_many` gives what `place` gives, whatever the length of the batch.
pub(super) fn a_batch_answers_as_single_lookups_do(subject: &Subject<'_>) -> Checked {
    let placement = subject.build()?;
    let single: Vec<_> = subject
        .keys
        .iter()
        .map(|&key| placement.place(key))
        .collect();
    // Lengths around the widths by which a batch may be unrolled.
    for length in [0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 17, 33, subject.keys.len()] {
        let length = length.min(subject.keys.len());
        // What stands in the slots before must not shine through.
        let mut batch = vec![Some(NodeId::from_index(u32::MAX - 2)); length];
        placement.place_many(&subject.keys[..length], &mut batch);
        let different = (0..length).find(|&at| batch[at] != single[at]);
        if let Some(at) = different {
            return Err(format!(
                "key {:#x} belongs to {:?}, and in a batch of {length} to {:?}",
                subject.keys[at], single[at], batch[at]
            ));
        }
    }
    Ok(())
}

/// The clever form answers as the plain one.
pub(super) fn owners_are_those_of_the_naive_twin(subject: &Subject<'_>) -> Checked {
    let placement = subject.build()?;
    equals_naive_twin(subject, &*placement, subject.nodes, subject.keys)
}

/// Fails unless a placement that holds `nodes` in this joining order answers as the naive twin.
pub(super) fn equals_naive_twin(
    subject: &Subject<'_>,
    placement: &dyn Placement,
    nodes: &[Node],
    keys: &[u64],
) -> Checked {
    let naive = (subject.algorithm.naive)(&subject.settings, nodes, keys);
    let naive: Vec<_> = naive
        .into_iter()
        .map(|at| at.map(|at| &*nodes[at].name))
        .collect();
    same_owners("naive twin", keys, &naive, &owners(placement, keys)?)
}

/// A ring's layout gives each key to the first point at or after it and wraps; a table's gives it
/// to slot `key mod length`. Points stand in order: by position, then by name.
pub(super) fn the_layout_says_where_every_key_is(subject: &Subject<'_>) -> Checked {
    let placement = subject.build()?;
    let layout = placement.layout();
    if let Layout::Law(_) = layout {
        return Ok(());
    }
    let mut keys = subject.keys.to_vec();
    if let Layout::Points(points) = &layout {
        points_stand_in_order(&*placement, points)?;
        // Where an arc ends and where the next one begins.
        let near = points.iter().step_by(points.len() / 256 + 1);
        keys.extend(near.flat_map(|point| [point.0, point.0.wrapping_add(1)]));
    }
    for key in keys {
        let (expected, seen) = (layout.owner(key), placement.place(key));
        ensure!(
            expected == seen,
            "key {key:#x} belongs to {seen:?}, and by the layout to {expected:?}"
        );
    }
    Ok(())
}

fn points_stand_in_order(placement: &dyn Placement, points: &[(u64, NodeId)]) -> Checked {
    let name = |id| match placement.membership().get(id) {
        Ok(member) => Ok(&*member.name),
        Err(error) => Err(format!("the layout holds {id:?}: {error}")),
    };
    for pair in points.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        ensure!(
            a.0 < b.0 || (a.0 == b.0 && name(a.1)? <= name(b.1)?),
            "the layout has {a:?} before {b:?}"
        );
    }
    Ok(())
}

/// Each node by itself owns everything.
pub(super) fn a_lone_node_owns_every_key(subject: &Subject<'_>) -> Checked {
    let eligible = subject.nodes.iter().filter(|node| node.weight > 0.0);
    for node in eligible.take(3) {
        let placement = subject.build_of(std::slice::from_ref(node))?;
        let expected = vec![Some(&*node.name); subject.keys.len()];
        let seen = owners(&*placement, subject.keys)?;
        same_owners("a lone node", subject.keys, &expected, &seen)?;
        let shares = placement.shares();
        ensure!(
            shares.len() == 1 && shares[0].1 == 1.0,
            "a lone node has the share {shares:?}"
        );
    }
    Ok(())
}

/// Members take memory; lookups take none that stays.
pub(super) fn lookups_leave_the_heap_as_it_is(subject: &Subject<'_>) -> Checked {
    let placement = subject.build()?;
    let before = placement.heap_bytes();
    let listed = size_of_val(placement.membership().members());
    ensure!(
        before >= listed,
        "{before} bytes are counted where the list alone takes {listed}"
    );
    owners(&*placement, subject.keys)?;
    answers_are_eligible(&*placement, subject.keys)?;
    let after = placement.heap_bytes();
    ensure!(
        before == after,
        "{before} bytes before the lookups and {after} after them"
    );
    Ok(())
}

/// A copy is equal at first, and neither sees the other's changes.
pub(super) fn a_copy_answers_alike_and_changes_by_itself(subject: &Subject<'_>) -> Checked {
    let placement = subject.build()?;
    let mut copy = placement.boxed_clone();
    same_mapping("a copy", subject.keys, &*placement, &*copy)?;
    ensure!(
        placement.membership().members() == copy.membership().members(),
        "a copy has other members"
    );
    let before = owners(&*placement, subject.keys)?;
    let Some(last) = subject.nodes.last() else {
        return Ok(());
    };
    remove(&mut *copy, &last.name)?;
    let after = owners(&*placement, subject.keys)?;
    same_owners("after a change of a copy", subject.keys, &before, &after)
}

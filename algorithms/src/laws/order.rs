//! The law of order: what identifies a node is its name, not its place in a list.

use crate::laws::Subject;
use crate::laws::view::{Checked, ensure, good_owners, owners, probes, same_owners, shuffled};
use crate::membership::Node;

/// Sorted, reversed, rotated and shuffled lists give the same owners if the algorithm is free of
/// order; if it is not, some list gives others.
pub(super) fn the_order_of_the_list_decides_owners_exactly_if_declared(
    subject: &Subject<'_>,
) -> Checked {
    let mut keys = subject.keys.to_vec();
    keys.extend(probes(256));
    let placement = subject.build()?;
    let expected = owners(&*placement, &keys)?;
    let order_free = subject.algorithm.traits.order_free;
    let mut shown = false;
    for (order, nodes) in orders(subject.nodes) {
        let other = subject.build_of(&nodes)?;
        let seen = owners(&*other, &keys)?;
        if order_free {
            same_owners(&format!("{order} list"), &keys, &expected, &seen)?;
        }
        shown |= expected != seen;
    }
    ensure!(
        order_free || shown || good_owners(&expected, subject.nodes.len()).len() < 3,
        "the order of the list is declared to matter, and no other order changed an owner"
    );
    Ok(())
}

/// The list in other orders, with what they are called.
pub(super) fn orders(nodes: &[Node]) -> Vec<(&'static str, Vec<Node>)> {
    let mut sorted = nodes.to_vec();
    sorted.sort_by(|a, b| a.name.cmp(&b.name));
    let mut rotated = nodes.to_vec();
    rotated.rotate_left(usize::from(!nodes.is_empty()));
    let reversed = nodes.iter().rev().cloned().collect();
    vec![
        ("sorted", sorted),
        ("reversed", reversed),
        ("rotated", rotated),
        ("shuffled", shuffled(nodes, 1)),
        ("otherwise shuffled", shuffled(nodes, 2)),
    ]
}

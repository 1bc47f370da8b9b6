//! The law of collisions: nodes whose hashes are equal are told apart by their names.

use crate::algorithm::Settings;
use crate::hash::{KeyHash, XXH3};
use crate::laws::Subject;
use crate::laws::history::removing_a_node_equals_never_having_added_it;
use crate::laws::lookups::{
    owners_are_those_of_the_naive_twin, the_layout_says_where_every_key_is,
};
use crate::laws::order::the_order_of_the_list_decides_owners_exactly_if_declared;
use crate::laws::view::{Checked, probes};

/// Hashes with so few values that many labels share one.
const NARROW: [KeyHash; 2] = [
    KeyHash::new("xxh3-3bit", |bytes| XXH3.of(bytes) & 0x7),
    KeyHash::new("xxh3-8bit", |bytes| XXH3.of(bytes) & 0xff),
];

/// With a hash that is cut to a few bits, the laws of order and of removal hold as ever.
pub(super) fn equal_hashes_of_nodes_are_decided_by_names(subject: &Subject<'_>) -> Checked {
    let mut keys: Vec<u64> = (0..260).collect();
    keys.extend(probes(60));
    for hash in NARROW {
        let narrow = Subject {
            settings: Settings {
                hash,
                ..subject.settings
            },
            keys: &keys,
            ..subject.first(8)
        };
        for law in [
            owners_are_those_of_the_naive_twin,
            the_layout_says_where_every_key_is,
            the_order_of_the_list_decides_owners_exactly_if_declared,
            removing_a_node_equals_never_having_added_it,
        ] {
            law(&narrow).map_err(|seen| format!("{}: {seen}", hash.name()))?;
        }
    }
    Ok(())
}

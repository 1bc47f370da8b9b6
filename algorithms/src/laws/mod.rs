//! The laws that every algorithm keeps, according to the traits that it declares.
//!
//! A law is checked on a [`Subject`]: an algorithm with its settings, nodes and keys. The tests run
//! all laws on every entry of the registry, over node names and hashes that provoke faults; the
//! harness runs the same laws on the nodes and keys that it is about to measure.
//!
//! No law passes an algorithm over by its name. Where an algorithm declares that it cannot keep
//! one, the law checks that it really does not, so a declaration never hides a fault and never
//! claims too little.

use crate::algorithm::{Algorithm, Settings};
use crate::membership::Node;

mod collisions;
mod flows;
mod history;
mod lookups;
mod membership;
mod movement;
mod order;
mod refusals;
mod replicas;
mod shares;
mod view;
mod weights;

/// What a law is checked on.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The algorithm.
    pub algorithm: &'a Algorithm,
    /// What it is built with.
    pub settings: Settings,
    /// The nodes, in joining order.
    pub nodes: &'a [Node],
    /// Key hashes to look up.
    pub keys: &'a [u64],
}

/// A law and how to check it.
#[derive(Clone, Copy, Debug)]
pub struct Law {
    /// The law as a sentence, in snake case.
    pub name: &'static str,
    /// Checks it; the error says what was seen.
    pub check: fn(&Subject<'_>) -> Result<(), String>,
}

/// A law that does not hold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{law}: {seen}")]
pub struct Violation {
    /// Name of the law.
    pub law: &'static str,
    /// What was seen instead.
    pub seen: String,
}

/// Laws under the names of the functions that check them.
macro_rules! laws {
    ($($kind:ident: $($name:ident),+;)+) => {
        &[$($(Law { name: stringify!($name), check: $kind::$name }),+),+]
    };
}

/// Every law.
pub const ALL: &[Law] = laws! {
    lookups:
        a_lookup_answers_an_eligible_member_and_none_only_without_one,
        the_same_key_gets_the_same_answer_again,
        a_batch_answers_as_single_lookups_do,
        owners_are_those_of_the_naive_twin,
        the_layout_says_where_every_key_is,
        a_lone_node_owns_every_key,
        lookups_leave_the_heap_as_it_is,
        a_copy_answers_alike_and_changes_by_itself;
    history:
        draining_to_nothing_and_refilling_equals_building_anew,
        removing_a_node_equals_never_having_added_it,
        joining_one_by_one_equals_joining_at_once,
        strangers_that_leave_again_change_no_owner,
        a_node_that_returns_finds_its_keys_exactly_if_history_is_forgotten;
    order:
        the_order_of_the_list_decides_owners_exactly_if_declared;
    collisions:
        equal_hashes_of_nodes_are_decided_by_names;
    movement:
        joining_moves_keys_only_to_the_newcomers,
        leaving_moves_keys_only_from_the_leavers,
        reweighing_moves_keys_only_to_or_from_its_node,
        unneeded_moves_happen_if_they_are_declared;
    flows:
        flows_account_for_the_change_of_every_share;
    shares:
        shares_add_up_to_one,
        shares_follow_the_weights_as_closely_as_declared,
        counted_keys_follow_the_shares;
    weights:
        a_weight_out_of_range_is_refused_by_name,
        weights_are_accepted_exactly_if_declared,
        a_node_of_weight_zero_stays_listed_and_owns_nothing,
        scaling_relative_weights_changes_no_owner;
    membership:
        the_version_counts_every_change,
        ids_are_stable_and_never_given_again,
        every_member_is_found_by_name_and_by_id;
    replicas:
        copies_are_on_distinct_nodes_and_the_owner_is_the_first,
        copies_go_round_the_zones,
        the_next_copy_is_the_owner_without_those_before_it_exactly_if_declared,
        copies_stay_when_another_node_leaves;
    refusals:
        names_that_are_taken_are_refused,
        unknown_nodes_are_refused,
        only_the_newest_leaves_exactly_if_declared;
};

impl Subject<'_> {
    /// Checks every law and returns how many hold.
    ///
    /// # Errors
    /// The first law that does not hold.
    pub fn check_all(&self) -> Result<usize, Violation> {
        for law in ALL {
            (law.check)(self).map_err(|seen| Violation {
                law: law.name,
                seen,
            })?;
        }
        Ok(ALL.len())
    }
}

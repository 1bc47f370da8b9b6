//! The laws can fail: algorithms with planted faults, and the law that each of them breaks.

// What tests call may unwrap as tests do.
#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;
mod planted;

use std::collections::BTreeSet;

use algorithms::algorithm::{Moves, Removal, Replicas, Spread, Table, Traits, Weights};
use algorithms::laws::{self, Subject};
use algorithms::{Algorithm, Node, Settings, registry};
use common::{mixed_weights, named_nodes, random_keys};
use planted::{Fault, planted};

/// The entry of the registry, with a planted fault.
macro_rules! faulty {
    ($base:literal, $fault:ident) => {
        Algorithm {
            empty: |settings| Ok(Box::new(planted($base, settings, Fault::$fault))),
            ..*base($base)
        }
    };
}

fn base(name: &str) -> &'static Algorithm {
    registry::find(name).unwrap()
}

/// The entry of the registry, which works, with a false declaration.
fn lying(name: &str, lie: impl Fn(&mut Traits)) -> Algorithm {
    let mut algorithm = *base(name);
    lie(&mut algorithm.traits);
    algorithm
}

/// What is wrong, the algorithm, and a law that must notice.
type Planting = (&'static str, Algorithm, &'static str);

fn faults() -> Vec<Planting> {
    let mut faults = working_wrongly();
    faults.extend(with_a_twin_that_is_wrong_alike());
    faults.extend(declaring_wrongly());
    faults
}

fn working_wrongly() -> Vec<Planting> {
    macro_rules! faults {
        ($($what:literal: $base:literal $fault:ident breaks $law:ident;)+) => {
            vec![$(($what, faulty!($base, $fault), stringify!($law))),+]
        };
    }
    faults! {
        "any member at each call": "rendezvous" Garbage breaks the_same_key_gets_the_same_answer_again;
        "another member": "jump" WrongOwner breaks owners_are_those_of_the_naive_twin;
        "another member": "rendezvous" WrongOwner breaks leaving_moves_keys_only_from_the_leavers;
        "nobody": "jump" Nobody breaks a_lookup_answers_an_eligible_member_and_none_only_without_one;
        "nobody": "maglev" Nobody breaks a_lone_node_owns_every_key;
        "the ring does not wrap": "ring-1" NoWrap breaks a_lookup_answers_an_eligible_member_and_none_only_without_one;
        "the later of equal points wins": "ring-1" LastWins breaks equal_hashes_of_nodes_are_decided_by_names;
        "points of the removed stay": "ring-1" Ghost breaks draining_to_nothing_and_refilling_equals_building_anew;
        "points of the removed stay": "ring-1" Ghost breaks strangers_that_leave_again_change_no_owner;
        "points of the removed stay": "ring-1" Ghost breaks removing_a_node_equals_never_having_added_it;
        "points in proportion to the total": "ring-vec" Rescaled breaks joining_moves_keys_only_to_the_newcomers;
        "points in proportion to the total": "ring-vec" Rescaled breaks reweighing_moves_keys_only_to_or_from_its_node;
        "one probe at each turn": "maglev" OneProbe breaks shares_follow_the_weights_as_closely_as_declared;
        "built anew at each change": "rendezvous" Rebuilt breaks ids_are_stable_and_never_given_again;
        "built anew at each change": "rendezvous" Rebuilt breaks the_version_counts_every_change;
        "newcomers first": "rendezvous" Reversed breaks every_member_is_found_by_name_and_by_id;
        "newcomers first": "jump" Reversed breaks joining_one_by_one_equals_joining_at_once;
        "the end of a batch is left out": "mod-n" Batch breaks a_batch_answers_as_single_lookups_do;
        "one after another until one is refused": "ring-vec" Piecemeal breaks names_that_are_taken_are_refused;
        "one after another until one is refused": "maglev" Piecemeal breaks a_weight_out_of_range_is_refused_by_name;
        "a refused removal takes the newest": "jump" Eager breaks only_the_newest_leaves_exactly_if_declared;
        "unknown nodes leave all the same": "ring-btree" Obliging breaks unknown_nodes_are_refused;
        "lookups are remembered": "rendezvous" Leak breaks lookups_leave_the_heap_as_it_is;
        "weights are taken and ignored": "weighted-rendezvous" Deaf breaks a_node_of_weight_zero_stays_listed_and_owns_nothing;
        "weights are taken and ignored": "ring-btree" Deaf breaks weights_are_accepted_exactly_if_declared;
        "a copy lacks the last node": "ring-vec" Copy breaks a_copy_answers_alike_and_changes_by_itself;
        "shares of another kind": "maglev" Percent breaks shares_add_up_to_one;
        "shares of another kind": "ring-vec" Percent breaks flows_account_for_the_change_of_every_share;
        "copies on the next points": "ring-vec" Repeats breaks copies_are_on_distinct_nodes_and_the_owner_is_the_first;
        "copies on neighbours in the list": "rendezvous" Neighbours breaks the_next_copy_is_the_owner_without_those_before_it_exactly_if_declared;
        "copies on neighbours in the list": "rendezvous" Neighbours breaks copies_stay_when_another_node_leaves;
        "zones are not looked at": "ring-btree" ZoneBlind breaks copies_go_round_the_zones;
        "the layout is one point off": "ring-vec" Shifted breaks the_layout_says_where_every_key_is;
    }
}

/// Where the naive twin makes the same mistake, only the counts of keys can tell.
fn with_a_twin_that_is_wrong_alike() -> [Planting; 2] {
    let always_the_first = Algorithm {
        naive: |_, nodes, keys| vec![(!nodes.is_empty()).then_some(0); keys.len()],
        ..faulty!("rendezvous", First)
    };
    let quotient = Algorithm {
        naive: planted::naive_quotient,
        ..faulty!("weighted-rendezvous", Quotient)
    };
    let law = "counted_keys_follow_the_shares";
    [
        ("always the first", always_the_first, law),
        ("hash divided by weight", quotient, law),
    ]
}

/// Algorithms that work, and say of themselves what is not so.
fn declaring_wrongly() -> Vec<Planting> {
    macro_rules! lies {
        ($($truth:literal: $base:literal $field:ident = $lie:expr, breaks $law:ident;)+) => {
            vec![$((
                $truth,
                lying($base, |traits| traits.$field = $lie),
                stringify!($law),
            )),+]
        };
    }
    lies! {
        "order does matter": "jump" order_free = true, breaks the_order_of_the_list_decides_owners_exactly_if_declared;
        "order does matter": "mod-n" order_free = true, breaks the_order_of_the_list_decides_owners_exactly_if_declared;
        "order does not matter": "rendezvous" order_free = false, breaks the_order_of_the_list_decides_owners_exactly_if_declared;
        "history does matter": "mod-n" history_free = true, breaks a_node_that_returns_finds_its_keys_exactly_if_history_is_forgotten;
        "history does not matter": "ring-vec" history_free = false, breaks a_node_that_returns_finds_its_keys_exactly_if_history_is_forgotten;
        "changes leave a trace": "slots" traceless = true, breaks removing_a_node_equals_never_having_added_it;
        "changes leave no trace": "ring-vec" traceless = false, breaks removing_a_node_equals_never_having_added_it;
        "history does matter": "slots" history_free = true, breaks a_node_that_returns_finds_its_keys_exactly_if_history_is_forgotten;
        "rounding moves slots": "slots" moves = Moves::Least, breaks unneeded_moves_happen_if_they_are_declared;
        "more than rounding moves": "maglev" moves = Moves::Rounded, breaks leaving_moves_keys_only_from_the_leavers;
        "slots are not counted out": "maglev" spread = Spread::Slots(Table::Quotas), breaks shares_follow_the_weights_as_closely_as_declared;
        "more than the least moves": "maglev" moves = Moves::Least, breaks leaving_moves_keys_only_from_the_leavers;
        "nearly all moves": "mod-n" moves = Moves::Least, breaks leaving_moves_keys_only_from_the_leavers;
        "more than that moves": "maglev" moves = Moves::Approximate { unneeded: 1e-4 }, breaks leaving_moves_keys_only_from_the_leavers;
        "the least moves": "rendezvous" moves = Moves::Unbounded, breaks unneeded_moves_happen_if_they_are_declared;
        "only the newest leaves": "jump" removal = Removal::Any, breaks only_the_newest_leaves_exactly_if_declared;
        "any node leaves": "ring-1" removal = Removal::Newest, breaks only_the_newest_leaves_exactly_if_declared;
        "weights are refused": "rendezvous" weights = Weights::Exact, breaks weights_are_accepted_exactly_if_declared;
        "weights are taken": "weighted-rendezvous" weights = Weights::None, breaks weights_are_accepted_exactly_if_declared;
        "copies stand in no order": "maglev" replicas = Replicas::Ordered, breaks the_next_copy_is_the_owner_without_those_before_it_exactly_if_declared;
        "copies stand in an order": "rendezvous" replicas = Replicas::Rehashed, breaks the_next_copy_is_the_owner_without_those_before_it_exactly_if_declared;
        "weights are absolute": "ring-btree" weights = Weights::Exact, breaks scaling_relative_weights_changes_no_owner;
    }
}

/// Checks all laws on the algorithm, once with equal and, where it takes them, once with mixed
/// weights, and returns those that are broken.
fn broken(algorithm: &Algorithm, built_as: Weights) -> BTreeSet<&'static str> {
    // A prime table above 100 slots for each of 14 nodes.
    let settings = Settings {
        points: 20,
        table: 2003,
        ..Settings::default()
    };
    let mut lists: Vec<Vec<Node>> = vec![named_nodes(3), named_nodes(9), named_nodes(14)];
    if built_as != Weights::None {
        lists.iter_mut().for_each(|nodes| mixed_weights(nodes, 1));
        lists.push(named_nodes(9));
    }
    let keys = random_keys(5, 300);
    let mut broken = BTreeSet::new();
    for nodes in &lists {
        let subject = Subject {
            algorithm,
            settings,
            nodes,
            keys: &keys,
        };
        let failing = laws::ALL
            .iter()
            .filter(|law| (law.check)(&subject).is_err());
        broken.extend(failing.map(|law| law.name));
    }
    broken
}

#[test]
fn every_planted_fault_breaks_its_law() {
    for (fault, algorithm, law) in faults() {
        assert!(
            laws::ALL.iter().any(|known| known.name == law),
            "no law is called {law}"
        );
        let broken = broken(&algorithm, base(algorithm.name).traits.weights);
        assert!(
            broken.contains(law),
            "{} in which {fault} should break {law}, and breaks only {broken:?}",
            algorithm.name
        );
    }
}

#[test]
fn every_law_is_broken_by_some_planted_fault() {
    let mut unbroken: BTreeSet<&str> = laws::ALL.iter().map(|law| law.name).collect();
    for (_, algorithm, _) in faults() {
        for law in broken(&algorithm, base(algorithm.name).traits.weights) {
            unbroken.remove(law);
        }
    }
    assert!(
        unbroken.is_empty(),
        "nothing shows that these laws can fail: {unbroken:?}"
    );
}

#[test]
fn without_a_fault_the_same_construction_breaks_no_law() {
    let sound = [
        faulty!("mod-n", Sound),
        faulty!("ring-1", Sound),
        faulty!("ring-vec", Sound),
        faulty!("ring-btree", Sound),
        faulty!("rendezvous", Sound),
        faulty!("weighted-rendezvous", Sound),
        faulty!("jump", Sound),
        faulty!("maglev", Sound),
    ];
    for algorithm in sound {
        let broken = broken(&algorithm, algorithm.traits.weights);
        assert!(broken.is_empty(), "{}: {broken:?}", algorithm.name);
    }
}

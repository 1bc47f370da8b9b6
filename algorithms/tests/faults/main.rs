//! The laws can fail: algorithms with planted faults, and the law that each of them breaks.

// Helpers of tests may unwrap as tests do.
#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;
mod planted;

use std::collections::BTreeSet;

use algorithms::algorithm::{Moves, Removal, Traits, Weights};
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
fn faults() -> Vec<(&'static str, Algorithm, &'static str)> {
    let mut faults = working_wrongly();
    faults.extend(declaring_wrongly());
    faults
}

fn working_wrongly() -> Vec<(&'static str, Algorithm, &'static str)> {
    let always_the_first = Algorithm {
        // The naive twin makes the same mistake: only the counts can tell.
        naive: |_, nodes, keys| vec![(!nodes.is_empty()).then_some(0); keys.len()],
        ..faulty!("rendezvous", First)
    };
    let quotient = Algorithm {
        naive: planted::naive_quotient,
        ..faulty!("weighted-rendezvous", Quotient)
    };
    vec![
        (
            "any member at each call",
            faulty!("rendezvous", Garbage),
            "the_same_key_gets_the_same_answer_again",
        ),
        (
            "another member",
            faulty!("jump", WrongOwner),
            "owners_are_those_of_the_naive_twin",
        ),
        (
            "another member",
            faulty!("rendezvous", WrongOwner),
            "leaving_moves_keys_only_from_the_leavers",
        ),
        (
            "nobody",
            faulty!("jump", Nobody),
            "a_lookup_answers_an_eligible_member_and_none_only_without_one",
        ),
        (
            "nobody",
            faulty!("maglev", Nobody),
            "a_lone_node_owns_every_key",
        ),
        (
            "always the first",
            always_the_first,
            "counted_keys_follow_the_shares",
        ),
        (
            "the ring does not wrap",
            faulty!("ring-1", NoWrap),
            "a_lookup_answers_an_eligible_member_and_none_only_without_one",
        ),
        (
            "the later of equal points wins",
            faulty!("ring-1", LastWins),
            "equal_hashes_of_nodes_are_decided_by_names",
        ),
        (
            "points of the removed stay",
            faulty!("ring-1", Ghost),
            "draining_to_nothing_and_refilling_equals_building_anew",
        ),
        (
            "points of the removed stay",
            faulty!("ring-1", Ghost),
            "strangers_that_leave_again_change_no_owner",
        ),
        (
            "points of the removed stay",
            faulty!("ring-1", Ghost),
            "removing_a_node_equals_never_having_added_it",
        ),
        (
            "points in proportion to the total",
            faulty!("ring-vec", Rescaled),
            "joining_moves_keys_only_to_the_newcomers",
        ),
        (
            "points in proportion to the total",
            faulty!("ring-vec", Rescaled),
            "reweighing_moves_keys_only_to_or_from_its_node",
        ),
        (
            "hash divided by weight",
            quotient,
            "counted_keys_follow_the_shares",
        ),
        (
            "one probe at each turn",
            faulty!("maglev", OneProbe),
            "shares_follow_the_weights_as_closely_as_declared",
        ),
        (
            "built anew at each change",
            faulty!("rendezvous", Rebuilt),
            "ids_are_stable_and_never_given_again",
        ),
        (
            "built anew at each change",
            faulty!("rendezvous", Rebuilt),
            "the_version_counts_every_change",
        ),
        (
            "newcomers first",
            faulty!("rendezvous", Reversed),
            "every_member_is_found_by_name_and_by_id",
        ),
        (
            "newcomers first",
            faulty!("jump", Reversed),
            "joining_one_by_one_equals_joining_at_once",
        ),
        (
            "the end of a batch is left out",
            faulty!("mod-n", Batch),
            "a_batch_answers_as_single_lookups_do",
        ),
        (
            "one after another until one is refused",
            faulty!("ring-vec", Piecemeal),
            "names_that_are_taken_are_refused",
        ),
        (
            "one after another until one is refused",
            faulty!("maglev", Piecemeal),
            "a_weight_out_of_range_is_refused_by_name",
        ),
        (
            "a refused removal takes the newest",
            faulty!("jump", Eager),
            "only_the_newest_leaves_exactly_if_declared",
        ),
        (
            "unknown nodes leave all the same",
            faulty!("ring-btree", Obliging),
            "unknown_nodes_are_refused",
        ),
        (
            "lookups are remembered",
            faulty!("rendezvous", Leak),
            "lookups_leave_the_heap_as_it_is",
        ),
        (
            "weights are taken and ignored",
            faulty!("weighted-rendezvous", Deaf),
            "a_node_of_weight_zero_stays_listed_and_owns_nothing",
        ),
        (
            "weights are taken and ignored",
            faulty!("ring-btree", Deaf),
            "weights_are_accepted_exactly_if_declared",
        ),
        (
            "a copy lacks the last node",
            faulty!("ring-vec", Copy),
            "a_copy_answers_alike_and_changes_by_itself",
        ),
        (
            "shares of another kind",
            faulty!("maglev", Percent),
            "shares_add_up_to_one",
        ),
        (
            "shares of another kind",
            faulty!("ring-vec", Percent),
            "flows_account_for_the_change_of_every_share",
        ),
        (
            "the layout is one point off",
            faulty!("ring-vec", Shifted),
            "the_layout_says_where_every_key_is",
        ),
    ]
}

fn declaring_wrongly() -> Vec<(&'static str, Algorithm, &'static str)> {
    let order = "the_order_of_the_list_decides_owners_exactly_if_declared";
    let history = "a_node_that_returns_finds_its_keys_exactly_if_history_is_forgotten";
    let removal = "only_the_newest_leaves_exactly_if_declared";
    let weights = "weights_are_accepted_exactly_if_declared";
    let leaving = "leaving_moves_keys_only_from_the_leavers";
    vec![
        (
            "order does matter",
            lying("jump", |t| t.order_free = true),
            order,
        ),
        (
            "order does matter",
            lying("mod-n", |t| t.order_free = true),
            order,
        ),
        (
            "order does not matter",
            lying("rendezvous", |t| t.order_free = false),
            order,
        ),
        (
            "history does matter",
            lying("mod-n", |t| t.history_free = true),
            history,
        ),
        (
            "history does not matter",
            lying("ring-vec", |t| t.history_free = false),
            history,
        ),
        (
            "more than the least moves",
            lying("maglev", |t| t.moves = Moves::Least),
            leaving,
        ),
        (
            "nearly all moves",
            lying("mod-n", |t| t.moves = Moves::Least),
            leaving,
        ),
        (
            "more than that moves",
            lying("maglev", |t| {
                t.moves = Moves::Approximate { unneeded: 1e-4 }
            }),
            leaving,
        ),
        (
            "the least moves",
            lying("rendezvous", |t| t.moves = Moves::Unbounded),
            "unneeded_moves_happen_if_they_are_declared",
        ),
        (
            "only the newest leaves",
            lying("jump", |t| t.removal = Removal::Any),
            removal,
        ),
        (
            "any node leaves",
            lying("ring-1", |t| t.removal = Removal::Newest),
            removal,
        ),
        (
            "weights are refused",
            lying("rendezvous", |t| t.weights = Weights::Exact),
            weights,
        ),
        (
            "weights are taken",
            lying("weighted-rendezvous", |t| t.weights = Weights::None),
            weights,
        ),
        (
            "weights are absolute",
            lying("ring-btree", |t| t.weights = Weights::Exact),
            "scaling_relative_weights_changes_no_owner",
        ),
    ]
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

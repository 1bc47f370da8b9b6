//! Random sequences of changes against a model: the list of nodes in joining order.
//!
//! After every step, granted or refused, a placement is what a fresh build of the model is; where
//! changes leave a trace, its shares are.

// What tests call may unwrap as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::mem::discriminant;
use std::thread;

use algorithms::algorithm::Removal;
use algorithms::hash::mix;
use algorithms::{Algorithm, Layout, Node, NodeId, Placement, PlacementError, Settings, registry};
use common::{HASHES, biting_names};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Sequences for each algorithm.
const CASES: u32 = 5000;
/// Names that nodes are drawn from: few, so that they meet again.
const NAMES: usize = 9;

/// A change. Nodes are numbers of names; whether there is such a member is left to chance.
#[derive(Clone, Debug)]
enum Step {
    Extend(Vec<(usize, f64)>),
    Remove(usize),
    RemoveNewest,
    Reweigh(usize, f64),
    /// All leave, the newest first.
    Drain,
    /// All leave and join again at once, in the same order.
    Refill,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let weight = prop_oneof![
        10 => Just(1.0),
        1 => Just(0.0),
        2 => prop::sample::select(vec![2.0, 0.5, 3.3, 0.2]),
        1 => prop::sample::select(vec![f64::NAN, f64::INFINITY, -1.0, 1e101]),
    ];
    let node = (0..NAMES, weight.clone());
    let step = prop_oneof![
        4 => node.clone().prop_map(|node| Step::Extend(vec![node])),
        2 => prop::collection::vec(node, 0..5).prop_map(Step::Extend),
        3 => (0..NAMES).prop_map(Step::Remove),
        2 => Just(Step::RemoveNewest),
        3 => (0..NAMES, weight).prop_map(|(name, weight)| Step::Reweigh(name, weight)),
        1 => Just(Step::Drain),
        1 => Just(Step::Refill),
    ];
    prop::collection::vec(step, 1..40)
}

fn settings() -> impl Strategy<Value = Settings> {
    let hash = prop::sample::select(HASHES.to_vec());
    let points = prop::sample::select(vec![1, 3, 16]);
    let table = prop::sample::select(vec![2, 5, 7, 53, 101]);
    (hash, points, table).prop_map(|(hash, points, table)| Settings {
        hash,
        points,
        table,
        slots: table,
    })
}

/// A placement beside its model.
struct Pair {
    algorithm: &'static Algorithm,
    settings: Settings,
    names: Vec<String>,
    placement: Box<dyn Placement>,
    model: Vec<Node>,
    /// The last id of each name, and all ids that were ever given.
    ids: BTreeMap<String, NodeId>,
    given: BTreeSet<NodeId>,
    version: u64,
}

impl Pair {
    fn new(algorithm: &'static Algorithm, settings: Settings) -> Self {
        let placement = (algorithm.empty)(&settings).unwrap();
        Self {
            version: placement.membership().version(),
            names: biting_names().split_off(15 - NAMES),
            placement,
            algorithm,
            settings,
            model: Vec::new(),
            ids: BTreeMap::new(),
            given: BTreeSet::new(),
        }
    }

    fn apply(&mut self, step: &Step) {
        match step {
            Step::Extend(nodes) => {
                let node =
                    |&(name, weight): &(usize, f64)| Node::weighing(&*self.names[name], weight);
                self.extend(nodes.iter().map(node).collect());
            }
            Step::Remove(name) => self.remove(&self.names[*name].clone()),
            Step::RemoveNewest => self.remove_newest(),
            Step::Reweigh(name, weight) => self.reweigh(&self.names[*name].clone(), *weight),
            Step::Drain => (0..self.model.len()).for_each(|_| self.remove_newest()),
            Step::Refill => {
                let nodes = self.model.clone();
                (0..nodes.len()).for_each(|_| self.remove_newest());
                self.extend(nodes);
            }
        }
    }

    fn remove_newest(&mut self) {
        if let Some(newest) = self.model.last() {
            self.remove(&newest.name.clone());
        }
    }

    fn extend(&mut self, nodes: Vec<Node>) {
        let model = [&self.model[..], &nodes].concat();
        let result = self.placement.extend(nodes.clone());
        if self.agree(model, result.as_ref().map(drop)) {
            for (node, id) in nodes.into_iter().zip(result.unwrap()) {
                assert!(self.given.insert(id), "{id:?} was given before");
                self.ids.insert(node.name, id);
            }
        }
    }

    /// The id under which a name is or was a member, or one that nobody has.
    fn id(&self, name: &str) -> NodeId {
        let unknown = NodeId::from_index(1_000_000);
        self.ids.get(name).copied().unwrap_or(unknown)
    }

    fn remove(&mut self, name: &str) {
        let id = self.id(name);
        let result = self.placement.remove(id);
        let at = self.model.iter().position(|node| node.name == name);
        let newest = at.is_some_and(|at| at + 1 == self.model.len());
        match at {
            None => assert_eq!(result, Err(PlacementError::UnknownNode { id })),
            Some(_) if self.algorithm.traits.removal == Removal::Newest && !newest => {
                assert!(matches!(result, Err(PlacementError::OnlyNewest { .. })));
            }
            Some(at) => {
                let mut model = self.model.clone();
                model.remove(at);
                self.agree(model, result.as_ref().map(drop));
            }
        }
    }

    fn reweigh(&mut self, name: &str, weight: f64) {
        let id = self.id(name);
        let result = self.placement.reweigh(id, weight);
        let mut model = self.model.clone();
        match model.iter_mut().find(|node| node.name == name) {
            None => assert_eq!(result, Err(PlacementError::UnknownNode { id })),
            Some(node) => {
                node.weight = weight;
                self.agree(model, result.as_ref().map(drop));
            }
        }
    }

    /// A change is granted exactly when a fresh build of what it leads to is, and for the same
    /// reason refused.
    fn agree(&mut self, model: Vec<Node>, result: Result<(), &PlacementError>) -> bool {
        let built = self.algorithm.build(&self.settings, model.clone());
        match (result, built) {
            (Ok(()), Ok(_)) => {
                self.model = model;
                self.version += 1;
                true
            }
            (Err(seen), Err(expected)) if discriminant(seen) == discriminant(&expected) => false,
            (seen, expected) => panic!("{seen:?}, and a fresh build: {:?}", expected.map(drop)),
        }
    }

    fn check(&self, keys: &[u64]) {
        let fresh = self
            .algorithm
            .build(&self.settings, self.model.clone())
            .unwrap();
        let (seen, expected) = (View::of(&*self.placement, keys), View::of(&*fresh, keys));
        if !self.algorithm.traits.traceless {
            assert_eq!(seen.members, expected.members, "(seen, a fresh build)");
            assert_eq!(seen.shares, expected.shares, "(seen, a fresh build)");
            return self.check_membership();
        }
        assert_eq!(seen, expected, "(seen, a fresh build)");
        let naive = (self.algorithm.naive)(&self.settings, &self.model, keys);
        let naive = naive
            .into_iter()
            .map(|at| at.map(|at| &*self.model[at].name));
        assert_eq!(seen.owners, naive.collect::<Vec<_>>(), "(seen, naive twin)");
        self.check_membership();
    }

    fn check_membership(&self) {
        let membership = self.placement.membership();
        assert_eq!(membership.version(), self.version);
        assert_eq!(membership.joined(), self.given.len());
        for member in membership.members() {
            assert_eq!(self.ids[&*member.name], member.id);
        }
    }
}

/// All that can be seen of a placement, by name.
#[derive(Debug, PartialEq)]
struct View<'a> {
    members: Vec<(&'a str, f64)>,
    owners: Vec<Option<&'a str>>,
    shares: Vec<(&'a str, f64)>,
    entries: Vec<(u64, &'a str)>,
    clashes: usize,
}

impl<'a> View<'a> {
    fn of(placement: &'a dyn Placement, keys: &[u64]) -> Self {
        let membership = placement.membership();
        let name = |id| membership.name(id);
        let layout = placement.layout();
        let members = membership.members().iter();
        Self {
            members: members
                .map(|member| (&*member.name, member.weight))
                .collect(),
            owners: keys
                .iter()
                .map(|&key| placement.place(key).map(name))
                .collect(),
            shares: placement
                .shares()
                .iter()
                .map(|&(id, share)| (name(id), share))
                .collect(),
            clashes: layout.clashes(),
            entries: match layout {
                Layout::Points(points) => points.iter().map(|&(at, id)| (at, name(id))).collect(),
                Layout::Table(slots) => slots.iter().map(|&id| (0, name(id))).collect(),
                Layout::Law(nodes) => nodes
                    .iter()
                    .map(|&(id, p)| (p.to_bits(), name(id)))
                    .collect(),
            },
        }
    }
}

#[test]
fn after_any_sequence_of_changes_a_placement_equals_a_fresh_build() {
    let mut keys: Vec<u64> = (0..16).chain([255, 256, 1023, 1024, u64::MAX]).collect();
    keys.extend((1..24).map(mix));
    thread::scope(|scope| {
        let test = |algorithm: &'static Algorithm| {
            let keys = &keys;
            let mut runner = TestRunner::new_with_rng(
                Config {
                    cases: CASES,
                    failure_persistence: None,
                    ..Config::default()
                },
                TestRng::deterministic_rng(RngAlgorithm::ChaCha),
            );
            let run = move || {
                let granted = Cell::new(0);
                let result = runner.run(&(settings(), steps()), |(settings, steps)| {
                    let mut pair = Pair::new(algorithm, settings);
                    for step in &steps {
                        pair.apply(step);
                        pair.check(keys);
                    }
                    granted.set(granted.get() + pair.version);
                    Ok(())
                });
                result.map(|()| granted.get())
            };
            (algorithm.name, scope.spawn(run))
        };
        let threads: Vec<_> = registry::ALL.iter().map(test).collect();
        for (name, thread) in threads {
            match thread.join().unwrap() {
                Ok(granted) => assert!(
                    granted > 6 * u64::from(CASES),
                    "{name}: only {granted} changes were granted"
                ),
                Err(failure) => panic!("{name}: {failure}"),
            }
        }
    });
}

//! Bounded loads: random interleavings against a model, many threads at once, weights, no bound,
//! and what is refused.

// What tests call may unwrap as tests do.
#![allow(clippy::unwrap_used)]

mod common;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::RwLock;
use std::thread;

use algorithms::algorithm::Weights;
use algorithms::bounded::{Bound, Bounded, InvalidBound, Lease};
use algorithms::hash::mix;
use algorithms::{Algorithm, Node, NodeId, PlacementError, Settings, registry};
use common::{named_nodes, random_keys};
use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// Small placements, so that nodes fill up.
const SETTINGS: Settings = Settings {
    hash: algorithms::hash::XXH3,
    points: 5,
    table: 251,
    slots: 512,
};

fn bounded(algorithm: &Algorithm, nodes: Vec<Node>, c: f64) -> Bounded {
    let placement = algorithm.build(&SETTINGS, nodes).unwrap();
    Bounded::new(placement, Bound::new(c).unwrap())
}

fn ids(bounded: &Bounded) -> Vec<NodeId> {
    let members = bounded.placement().membership().members();
    members.iter().map(|member| member.id).collect()
}

/// A request that begins or ends, or a change of membership. Numbers are taken modulo what there is.
#[derive(Clone, Debug)]
enum Step {
    Start(u64),
    Finish(usize),
    Drop(usize),
    Add,
    Remove(usize),
    Reweigh(usize, f64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        // Few keys, so that they are hot.
        12 => (0..20u64).prop_map(Step::Start),
        5 => any::<usize>().prop_map(Step::Finish),
        2 => any::<usize>().prop_map(Step::Drop),
        1 => Just(Step::Add),
        1 => any::<usize>().prop_map(Step::Remove),
        1 => (any::<usize>(), prop::sample::select(vec![0.0, 0.5, 1.0, 3.0]))
            .prop_map(|(at, weight)| Step::Reweigh(at, weight)),
    ];
    prop::collection::vec(step, 1..120)
}

/// A bounded placement beside the plainest account of it.
struct Model {
    bounded: Bounded,
    leases: Vec<Lease>,
    loads: BTreeMap<NodeId, u64>,
    joined: usize,
}

impl Model {
    fn new(algorithm: &Algorithm, nodes: usize, c: f64) -> Self {
        let bounded = bounded(algorithm, named_nodes(nodes), c);
        Self {
            loads: ids(&bounded).into_iter().map(|id| (id, 0)).collect(),
            bounded,
            leases: Vec::new(),
            joined: 0,
        }
    }

    fn apply(&mut self, step: &Step) {
        let members = ids(&self.bounded);
        let member = |at: usize| members.get(at % members.len().max(1)).copied();
        match *step {
            Step::Start(key) => self.start(mix(key)),
            Step::Finish(at) => self.end(at, Lease::finish),
            Step::Drop(at) => self.end(at, drop),
            Step::Add => {
                self.joined += 1;
                let name = format!("joined-{}", self.joined);
                let id = self.bounded.add(Node::new(name)).unwrap();
                self.loads.insert(id, 0);
            }
            Step::Remove(at) => {
                if let Some(id) = member(at)
                    && self.bounded.remove(id).is_ok()
                {
                    self.loads.remove(&id);
                }
            }
            Step::Reweigh(at, weight) => {
                // Placements without weights refuse this and stay as they are.
                member(at).map(|id| self.bounded.reweigh(id, weight));
            }
        }
    }

    fn start(&mut self, key: u64) {
        let before: BTreeMap<NodeId, u64> = ids(&self.bounded)
            .into_iter()
            .map(|id| (id, self.bounded.cap(id).unwrap()))
            .collect();
        let spills = self.bounded.spills();
        let Some(lease) = self.bounded.acquire(key) else {
            let weight = self.bounded.placement().membership().total_weight();
            assert_eq!(weight, 0.0, "a place is found while a node is eligible");
            return;
        };
        let owner = self.bounded.placement().place(key).unwrap();
        let full = self.loads[&owner] >= before[&owner];
        assert_eq!(
            lease.node() != owner,
            full,
            "spills exactly from a full owner"
        );
        assert_eq!(self.bounded.spills() - spills, u64::from(full));
        let load = self.loads.get_mut(&lease.node()).unwrap();
        *load += 1;
        assert!(*load <= before[&lease.node()], "above the cap");
        self.leases.push(lease);
    }

    fn end(&mut self, at: usize, end: fn(Lease)) {
        if self.leases.is_empty() {
            return;
        }
        let lease = self.leases.swap_remove(at % self.leases.len());
        if let Some(load) = self.loads.get_mut(&lease.node()) {
            *load -= 1;
        }
        end(lease);
    }

    fn check(&self) {
        let seen = ids(&self.bounded).into_iter();
        let seen = seen.map(|id| (id, self.bounded.load(id).unwrap()));
        assert_eq!(seen.collect::<BTreeMap<_, _>>(), self.loads);
        assert_eq!(self.bounded.in_flight(), self.loads.values().sum::<u64>());
    }
}

#[test]
fn after_any_interleaving_loads_keep_their_caps_and_add_up_to_what_is_in_flight() {
    let mut steps_taken = 0;
    for algorithm in registry::ALL {
        let config = Config {
            cases: 60,
            failure_persistence: None,
            ..Config::default()
        };
        let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
        let mut runner = TestRunner::new_with_rng(config, rng);
        let bounds = prop::sample::select(vec![1.0, 1.1, 1.25, 2.0, f64::INFINITY]);
        let taken = std::cell::Cell::new(0);
        let result = runner.run(&(0..9usize, bounds, steps()), |(nodes, c, steps)| {
            let mut model = Model::new(algorithm, nodes, c);
            for step in &steps {
                model.apply(step);
                model.check();
            }
            model.leases.clear();
            for id in ids(&model.bounded) {
                assert_eq!(model.bounded.load(id), Ok(0), "all finished, so all zero");
            }
            assert_eq!(model.bounded.in_flight(), 0);
            taken.set(taken.get() + steps.len());
            Ok(())
        });
        if let Err(failure) = result {
            panic!("{}: {failure}", algorithm.name);
        }
        steps_taken += taken.get();
    }
    assert!(steps_taken > 10_000, "only {steps_taken} steps were taken");
}

#[test]
fn threads_that_acquire_and_give_back_at_once_leave_nothing_behind() {
    for algorithm in registry::ALL {
        let bounded = RwLock::new(bounded(algorithm, named_nodes(12), 1.25));
        thread::scope(|scope| {
            for seed in 0..4 {
                let bounded = &bounded;
                scope.spawn(move || {
                    let mut held = Vec::new();
                    for key in random_keys(seed, 3000) {
                        held.extend(bounded.read().unwrap().acquire(key));
                        if held.len() > 40 {
                            drop(held.swap_remove(key as usize % held.len()));
                        }
                    }
                });
            }
            for round in 0..20 {
                let mut bounded = bounded.write().unwrap();
                let newest = bounded.add(Node::new(format!("joined-{round}"))).unwrap();
                assert!(bounded.in_flight() <= 4 * 41);
                let total: u64 = ids(&bounded)
                    .into_iter()
                    .map(|id| bounded.load(id).unwrap())
                    .sum();
                assert_eq!(total, bounded.in_flight());
                if round % 2 == 0 {
                    bounded.remove(newest).unwrap();
                }
                drop(bounded);
                thread::yield_now();
            }
        });
        let bounded = bounded.into_inner().unwrap();
        assert_eq!(bounded.in_flight(), 0, "{}", algorithm.name);
        for id in ids(&bounded) {
            assert_eq!(bounded.load(id), Ok(0), "{}", algorithm.name);
        }
    }
}

#[test]
fn when_threads_fill_a_placement_no_node_exceeds_the_cap_of_the_last_request() {
    for algorithm in registry::ALL {
        let bounded = bounded(algorithm, named_nodes(10), 1.25);
        let leases: Vec<Lease> = thread::scope(|scope| {
            let fill = |seed| {
                let bounded = &bounded;
                scope.spawn(move || {
                    let keys = random_keys(seed, 500).into_iter();
                    keys.filter_map(|key| bounded.acquire(key))
                        .collect::<Vec<_>>()
                })
            };
            let threads: Vec<_> = (0..4).map(fill).collect();
            threads
                .into_iter()
                .flat_map(|t| t.join().unwrap())
                .collect()
        });
        assert_eq!(leases.len(), 2000);
        for id in ids(&bounded) {
            // ceil(1.25·2000/10)
            assert!(bounded.load(id).unwrap() <= 250, "{}", algorithm.name);
        }
    }
}

#[test]
fn without_a_bound_every_request_goes_to_the_owner_of_its_key() {
    for algorithm in registry::ALL {
        let bounded = bounded(algorithm, named_nodes(10), f64::INFINITY);
        let keys = random_keys(3, 1000).into_iter().chain([7; 500]);
        let leases: Vec<Lease> = keys
            .map(|key| {
                let lease = bounded.acquire(key).unwrap();
                assert_eq!(Some(lease.node()), bounded.placement().place(key));
                lease
            })
            .collect();
        assert_eq!((bounded.spills(), bounded.in_flight()), (0, 1500));
        assert_eq!(bounded.cap(leases[0].node()), Ok(u64::MAX));
    }
}

#[test]
fn nodes_may_serve_by_weight_and_a_node_of_weight_zero_serves_nothing() {
    let weighted = |algorithm: &&Algorithm| algorithm.traits.weights != Weights::None;
    for algorithm in registry::ALL.iter().filter(weighted) {
        let weights = [1.0, 2.0, 0.0, 3.0, 2.0];
        let nodes = named_nodes(5).into_iter().zip(weights);
        let nodes = nodes.map(|(node, weight)| Node::weighing(node.name, weight));
        let bounded = bounded(algorithm, nodes.collect(), 1.0);
        // One hot key: with c = 1 it fills every node exactly to its part.
        let leases: Vec<_> = (0..800).map(|_| bounded.acquire(99)).collect();
        assert!(leases.iter().all(Option::is_some));
        let loads: Vec<u64> = ids(&bounded)
            .into_iter()
            .map(|id| bounded.load(id).unwrap())
            .collect();
        assert_eq!(loads, [100, 200, 0, 300, 200], "{}", algorithm.name);
    }
}

#[test]
fn caps_are_rounded_up_from_the_exact_product() {
    let cap = |c, requests| Bound::new(c).unwrap().cap(requests, 1.0, 10.0);
    assert_eq!(cap(1.1, 100), 11, "the nearest number to 1.1 is above it");
    assert_eq!(cap(1.1, 101), 12);
    assert_eq!(cap(1.25, 1), 1);
    assert_eq!(cap(1.0, 100), 10);
    assert_eq!(cap(1.0, 101), 11);
    assert_eq!(Bound::NONE.cap(5, 1.0, 10.0), u64::MAX);
    assert_eq!(Bound::NONE.cap(5, 0.0, 10.0), 0);
    let weights = [1e-100, 0.1, 0.7, 1e100];
    for requests in [1, 2, 17, 1_000_000_007] {
        let caps = weights.map(|w| {
            Bound::new(1.0)
                .unwrap()
                .cap(requests, w, weights.iter().sum())
        });
        assert!(caps.iter().sum::<u64>() >= requests, "{caps:?}");
    }
}

#[test]
fn a_bound_below_one_is_refused_and_the_default_is_one_and_a_quarter() {
    for c in [0.0, 0.999, -1.0, f64::NEG_INFINITY] {
        assert_eq!(Bound::new(c), Err(InvalidBound(c)));
    }
    let error = Bound::new(f64::NAN).unwrap_err();
    assert_eq!(
        error.to_string(),
        "a load bound is a number of at least 1, such as 1.25, but this one is NaN"
    );
    assert_eq!(Bound::new(1.25), Ok(Bound::default()));
    assert_eq!(Bound::new(f64::INFINITY), Ok(Bound::NONE));
}

#[test]
fn candidates_begin_with_the_owner_and_hold_every_eligible_node() {
    for algorithm in registry::ALL {
        let mut nodes = named_nodes(40);
        if algorithm.traits.weights != Weights::None {
            nodes[3].weight = 0.0;
        }
        let eligible = nodes.iter().filter(|node| node.weight > 0.0).count();
        let placement = algorithm.build(&SETTINGS, nodes).unwrap();
        for key in random_keys(5, 50) {
            let mut candidates = Vec::new();
            let _ = placement.prefer(key, &mut |node| {
                candidates.push(node);
                ControlFlow::Continue(())
            });
            assert_eq!(candidates.first().copied(), placement.place(key));
            let distinct: BTreeSet<NodeId> = candidates.into_iter().collect();
            assert_eq!(distinct.len(), eligible, "{}", algorithm.name);
        }
    }
}

#[test]
fn on_a_ring_a_request_spills_to_the_next_distinct_node_clockwise() {
    let algorithm = registry::find("ring-vec").unwrap();
    let bounded = bounded(algorithm, named_nodes(6), 1.0);
    let algorithms::Layout::Points(points) = bounded.placement().layout() else {
        panic!("a ring has points");
    };
    for key in random_keys(8, 50) {
        let next = points.iter().position(|point| point.0 >= key).unwrap_or(0);
        let clockwise = points[next..].iter().chain(&points[..next]);
        let mut distinct = Vec::new();
        for point in clockwise {
            if !distinct.contains(&point.1) {
                distinct.push(point.1);
            }
        }
        let leases: Vec<Lease> = (0..6).map(|_| bounded.acquire(key).unwrap()).collect();
        let nodes: Vec<NodeId> = leases.iter().map(Lease::node).collect();
        assert_eq!(nodes, distinct);
    }
}

#[test]
fn nothing_is_found_without_nodes_and_unknown_nodes_are_refused() {
    for algorithm in registry::ALL {
        let mut bounded = bounded(algorithm, Vec::new(), 1.25);
        assert!(bounded.acquire(1).is_none());
        let id = NodeId::from_index(5);
        let unknown = PlacementError::UnknownNode { id };
        assert_eq!(bounded.load(id), Err(unknown.clone()));
        assert_eq!(bounded.cap(id), Err(unknown.clone()));
        assert_eq!(bounded.remove(id), Err(unknown));
        let id = bounded.add(Node::new("only")).unwrap();
        let held = [bounded.acquire(1), bounded.acquire(1)];
        assert_eq!(bounded.load(id), Ok(2), "one node serves all");
        drop(held);
        assert_eq!(bounded.load(id), Ok(0));
    }
}

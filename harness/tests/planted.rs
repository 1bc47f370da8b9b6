//! Planted faults: an algorithm that answers garbage or does nothing must become a failed row.

#![allow(clippy::unwrap_used)]

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use algorithms::hash::mix;
use algorithms::replicas::Visit;
use algorithms::{
    Algorithm, Layout, Membership, Node, NodeId, Placement, PlacementError, Settings, Work,
};
use algorithms::{jump, rendezvous};
use harness::measure::lookup::{Mode, Series, Track};
use harness::progress::Progress;
use harness::record::{Record, Status};
use harness::run::{Plan, Scope, report};
use harness::speed::{Ask, find};
use harness::verify::place_all;
use harness::workload::random;

/// How a placement goes wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Fault {
    None,
    /// Another member each time.
    Garbage,
    /// No owner for any key.
    Silent,
    /// The batch leaves the owners as they were.
    IdleBatch,
    /// The first member for every key.
    Constant,
    /// Right while it is being verified, then garbage.
    LateGarbage,
    /// Right while it is being verified, then a batch that does nothing.
    LateIdle,
    /// Right in batches, garbage from calls for one key.
    GarbageSingly,
    /// Claims that the order of the list does not matter.
    OrderLie,
}

/// Lookups, and batches, after which the late faults show: verification asks for fewer.
const LATE_LOOKUPS: u64 = 200_000;
const LATE_BATCHES: u64 = 1000;

struct Planted {
    right: Box<dyn Placement>,
    fault: Fault,
    calls: AtomicU64,
}

impl Planted {
    fn late(&self, limit: u64) -> bool {
        self.calls.fetch_add(1, Ordering::Relaxed) > limit
    }

    fn some_member(&self, number: u64) -> Option<NodeId> {
        let members = self.membership().members();
        let at = number.checked_rem(members.len() as u64)?;
        Some(members[at as usize].id)
    }
}

impl Placement for Planted {
    fn place(&self, key: u64) -> Option<NodeId> {
        match self.fault {
            Fault::Garbage => self.some_member(mix(self.calls.fetch_add(1, Ordering::Relaxed))),
            Fault::LateGarbage if self.late(LATE_LOOKUPS) => self.some_member(key >> 7),
            Fault::GarbageSingly => self.some_member(key >> 7),
            Fault::Silent => None,
            Fault::Constant => self.some_member(0),
            Fault::OrderLie => self.some_member(key),
            _ => self.right.place(key),
        }
    }

    fn work(&self, key: u64) -> Work {
        self.right.work(key)
    }

    fn place_many(&self, keys: &[u64], owners: &mut [Option<NodeId>]) {
        if self.fault == Fault::GarbageSingly {
            return self.right.place_many(keys, owners);
        }
        let idle = self.fault == Fault::IdleBatch
            || (self.fault == Fault::LateIdle && self.late(LATE_BATCHES));
        if !idle {
            for (key, owner) in keys.iter().zip(owners) {
                *owner = self.place(*key);
            }
        }
    }

    fn prefer(&self, key: u64, visit: &mut Visit<'_>) -> ControlFlow<()> {
        self.right.prefer(key, visit)
    }

    fn membership(&self) -> &Membership {
        self.right.membership()
    }

    fn extend(&mut self, nodes: Vec<Node>) -> Result<Vec<NodeId>, PlacementError> {
        self.right.extend(nodes)
    }

    fn remove(&mut self, id: NodeId) -> Result<(), PlacementError> {
        self.right.remove(id)
    }

    fn reweigh(&mut self, id: NodeId, weight: f64) -> Result<(), PlacementError> {
        self.right.reweigh(id, weight)
    }

    fn layout(&self) -> Layout {
        self.right.layout()
    }

    fn heap_bytes(&self) -> usize {
        self.right.heap_bytes()
    }

    fn boxed_clone(&self) -> Box<dyn Placement> {
        Box::new(Planted {
            right: self.right.boxed_clone(),
            fault: self.fault,
            calls: AtomicU64::new(0),
        })
    }
}

fn plant<const FAULT: usize>(settings: &Settings) -> Result<Box<dyn Placement>, PlacementError> {
    Ok(Box::new(Planted {
        right: (rendezvous::ALGORITHM.empty)(settings)?,
        fault: FAULTS[FAULT],
        calls: AtomicU64::new(0),
    }))
}

const FAULTS: [Fault; 9] = [
    Fault::None,
    Fault::Garbage,
    Fault::Silent,
    Fault::IdleBatch,
    Fault::Constant,
    Fault::LateGarbage,
    Fault::LateIdle,
    Fault::OrderLie,
    Fault::GarbageSingly,
];

fn run<const FAULT: usize>() -> Record {
    // Under the name that the placement inside gives in its errors.
    let planted = Algorithm {
        empty: plant::<FAULT>,
        ..rendezvous::ALGORITHM
    };
    let plan = plan(&planted, Scope::Everything);
    let keys = random(20_000, 1, plan.settings.hash);
    report(&plan, &keys, &Progress::hidden())
}

fn plan(planted: &Algorithm, scope: Scope) -> Plan<'_> {
    Plan {
        algorithms: vec![&jump::ALGORITHM, planted],
        nodes: vec![10],
        settings: Settings::default(),
        seed: 1,
        quick: true,
        rounds: 40,
        round: Duration::from_millis(2),
        scope,
        plant: None,
    }
}

/// What the row of the planted algorithm says, after making sure that its neighbour is unharmed.
fn verdict(record: &Record) -> Option<String> {
    let of = |name: &'static str| {
        record
            .cells
            .iter()
            .filter(move |cell| cell.algorithm == name)
    };
    assert!(of("jump").all(|cell| cell.status == Status::Ok && !cell.metrics.is_empty()));
    let planted = of("rendezvous").next().expect("a row for every algorithm");
    let failed = planted.status == Status::Failed;
    assert_eq!(failed, planted.reason.is_some());
    assert_eq!(failed, planted.metrics.is_empty());
    assert_eq!(failed, !record.all_hold());
    planted.reason.clone()
}

fn expect(record: Record, words: &str) {
    let reason = verdict(&record).unwrap_or_else(|| panic!("not caught; {words:?} was expected"));
    assert!(reason.contains(words), "{reason}");
}

/// Why `harness speed` has no figures for the planted algorithm.
fn speed<const FAULT: usize>() -> Option<String> {
    let planted = Algorithm {
        empty: plant::<FAULT>,
        ..rendezvous::ALGORITHM
    };
    let ask = Ask {
        plan: Plan {
            rounds: 5,
            round: Duration::from_micros(500),
            ..plan(&planted, Scope::Times)
        },
        threads: vec![1, 2],
    };
    let rows = find(&ask, &Progress::hidden()).rows;
    let [hash, jump, planted] = &rows[..] else {
        panic!("a row for the hash and for every algorithm");
    };
    assert_eq!((&hash.reason, &jump.reason), (&None, &None));
    assert_eq!(planted.reason.is_some(), planted.metrics.is_empty());
    planted.reason.clone()
}

#[test]
fn no_speed_is_shown_of_what_gives_wrong_owners() {
    assert_eq!(speed::<0>(), None);
    for (reason, words) in [
        (speed::<1>(), "by itself"),
        (speed::<3>(), "placed on None"),
        (speed::<5>(), "other owners than the verified ones"),
        (speed::<6>(), "other owners than the verified ones"),
        (speed::<8>(), "by itself"),
    ] {
        let reason = reason.expect(words);
        assert!(reason.contains(words), "{reason}");
    }
}

#[test]
fn the_disguise_alone_harms_nothing() {
    assert_eq!(verdict(&run::<0>()), None);
}

#[test]
fn garbage_is_caught_before_it_is_timed() {
    expect(run::<1>(), "by itself");
}

#[test]
fn doing_nothing_is_caught_before_it_is_timed() {
    expect(run::<2>(), "placed on None");
    expect(run::<3>(), "placed on None");
}

#[test]
fn one_owner_for_all_keys_breaks_a_law() {
    expect(run::<4>(), "naive");
}

#[test]
fn garbage_and_idleness_that_begin_after_the_verification_are_caught_by_the_timed_loop() {
    for record in [run::<5>(), run::<6>()] {
        expect(record, "gave other owners than the verified ones");
    }
}

#[test]
fn each_way_to_look_up_is_checked_by_itself() {
    let settings = Settings::default();
    let mut placement = plant::<8>(&settings).unwrap();
    let nodes = (0..10).map(|n| Node::new(n.to_string())).collect();
    placement.extend(nodes).unwrap();
    let keys = random(1000, 1, settings.hash).hashes;
    let owners = place_all(&*placement, &keys);
    let track = Track::new(&keys, Duration::ZERO, false);
    let wrong = Mode::ALL.map(|mode| {
        let series = Series::new(mode, &*placement, &track, &owners, 0);
        series.err().unwrap_or_default()
    });
    assert_eq!(wrong[0], "");
    assert!(wrong[1].contains("one key per call"), "{wrong:?}");
    assert!(wrong[2].contains("latency"), "{wrong:?}");
}

#[test]
fn a_trait_that_is_not_true_breaks_a_law() {
    let reason = verdict(&run::<7>()).expect("caught");
    assert!(
        reason.contains("order") || reason.contains("naive"),
        "{reason}"
    );
}

//! What is timed: a placement behind loops that are compiled for its very type.

use std::hint::black_box;
use std::time::{Duration, Instant};

use harness::alloc;

use crate::case::Case;
use crate::clock;

/// A placement, wrapped as thinly as its interface allows.
pub trait Peer {
    /// The name of the node that owns the key, its hashing included;
    /// [`NOBODY`](crate::case::NOBODY) when there is none.
    fn place(&self, key: u64) -> u32;

    /// The sum of the owners of many keys, where it answers many keys in one call.
    fn batch(&self, _keys: &[u64]) -> Option<u64> {
        None
    }

    /// Whether it can add a node; if so, the node is there now.
    fn add(&mut self, _name: u32) -> bool {
        false
    }

    /// Whether it can remove a node; if so, the node is gone.
    fn remove(&mut self, _name: u32) -> bool {
        false
    }

    /// Bytes of the table that its lookups read, where that is known.
    fn table_bytes(&self) -> Option<usize> {
        None
    }
}

/// Which loop is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loop {
    /// One call for each of independent keys.
    OneKey,
    /// One call for many independent keys.
    Batch,
    /// Each key depends on the answer before.
    Latency,
}

/// A built [`Peer`], whatever its type: one virtual call for a whole sweep.
pub trait Subject {
    /// The owners of these keys.
    fn owners(&self, keys: &[u64]) -> Vec<u32>;

    /// The sum of the owners of these keys; `None` without such a loop.
    fn sweep(&self, which: Loop, keys: &[u64]) -> Option<u64>;

    /// The ns of building it anew from a list of nodes.
    fn build(&self) -> f64;

    /// The times of adding a node and of removing it again, where the peer can do it.
    fn change(&mut self) -> [Option<Duration>; 2];

    /// Bytes that it held on the heap when it was built.
    fn heap_bytes(&self) -> usize;

    /// As [`Peer::table_bytes`].
    fn table_bytes(&self) -> Option<usize>;
}

/// A peer with what it was built from and how.
pub struct Built<L, B, P> {
    case: Case,
    list: fn(&Case) -> L,
    build: B,
    peer: P,
    heap_bytes: usize,
}

impl<L, B: Fn(&Case, L) -> P, P: Peer> Built<L, B, P> {
    /// Builds the peer from a list of nodes.
    pub fn new(case: Case, list: fn(&Case) -> L, build: B) -> Self {
        let (peer, heap) = alloc::measure(|| build(&case, list(&case)));
        Self {
            case,
            list,
            build,
            peer,
            heap_bytes: heap.live.unsigned_abs(),
        }
    }
}

impl<L, B: Fn(&Case, L) -> P, P: Peer> Subject for Built<L, B, P> {
    fn owners(&self, keys: &[u64]) -> Vec<u32> {
        keys.iter().map(|&key| self.peer.place(key)).collect()
    }

    fn sweep(&self, which: Loop, keys: &[u64]) -> Option<u64> {
        match which {
            Loop::OneKey => Some(one_by_one(&self.peer, keys)),
            Loop::Batch => self.peer.batch(keys),
            Loop::Latency => Some(chase(&self.peer, keys, black_box(0))),
        }
    }

    fn build(&self) -> f64 {
        let list = (self.list)(&self.case);
        let (built, time) = clock::time(|| black_box((self.build)(&self.case, list)));
        drop(built);
        time
    }

    fn change(&mut self) -> [Option<Duration>; 2] {
        let name = self.case.newcomer();
        let start = Instant::now();
        let added = self.peer.add(name);
        let add = start.elapsed();
        let start = Instant::now();
        let removed = self.peer.remove(name);
        [added.then_some(add), removed.then(|| start.elapsed())]
    }

    fn heap_bytes(&self) -> usize {
        self.heap_bytes
    }

    fn table_bytes(&self) -> Option<usize> {
        self.peer.table_bytes()
    }
}

#[inline(never)]
fn one_by_one(peer: &impl Peer, keys: &[u64]) -> u64 {
    keys.iter().map(|&key| u64::from(peer.place(key))).sum()
}

/// `zero` is 0, which the compiler must not know: the key stays the same and yet depends on the
/// owner.
#[inline(never)]
fn chase(peer: &impl Peer, keys: &[u64], zero: u64) -> u64 {
    let (mut sum, mut link) = (0, 0);
    for key in keys {
        let owner = u64::from(peer.place(key ^ link));
        link = owner & zero;
        sum += owner;
    }
    sum
}

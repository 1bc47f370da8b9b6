//! Throughput: threads that look up batches at the same time.

use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use algorithms::{NodeId, Placement};

use crate::hashes::LENGTHS;
use crate::measure::lookup::PER_SAMPLE;
use crate::record::Metric;

/// Keys that each thread looks up over and over, at most: more than a processor learns by heart,
/// and so few that they and their owners leave room in the caches.
const STRETCH: usize = 64 * PER_SAMPLE;
/// How many times as long a round is as those of other loops: threads take a while to start.
const LONGER: u32 = 4;

/// Keys with their verified owners.
#[derive(Clone, Copy)]
pub(super) struct Stretch<'a> {
    keys: &'a [u64],
    owners: &'a [Option<NodeId>],
}

impl<'a> Stretch<'a> {
    /// As many of these keys as there are of one length, or fewer.
    pub(super) fn new(keys: &'a [u64], owners: &'a [Option<NodeId>]) -> Self {
        let count = (keys.len() / LENGTHS.len()).min(STRETCH);
        Self {
            keys: &keys[..count],
            owners: &owners[..count],
        }
    }
}

/// All rounds of one number of threads.
pub(super) struct Crew {
    threads: usize,
    passes: usize,
    rounds: Vec<f64>,
}

impl Crew {
    /// Prepares so many threads; tries one pass over the keys to find how many make a round.
    ///
    /// # Errors
    /// When a thread does not give the verified owners.
    pub(super) fn new(
        threads: u32,
        placement: &dyn Placement,
        stretch: Stretch<'_>,
        round: Duration,
    ) -> Result<Self, String> {
        let mut crew = Self {
            threads: threads as usize,
            passes: 1,
            rounds: Vec::new(),
        };
        crew.round(placement, stretch)?;
        let per_second = 1e6 * crew.rounds.pop().unwrap_or(1.0);
        let wanted = (LONGER * round).as_secs_f64() * per_second;
        let pass = crew.threads * stretch.keys.len();
        crew.passes = ((wanted / pass as f64) as usize).max(1);
        Ok(crew)
    }

    /// Times one round, from the first thread's start to the last one's end.
    ///
    /// # Errors
    /// When a thread does not give the verified owners.
    pub(super) fn round(
        &mut self,
        placement: &dyn Placement,
        stretch: Stretch<'_>,
    ) -> Result<(), String> {
        let ready = AtomicUsize::new(0);
        let work = |thread| self.work(thread, placement, stretch, &ready);
        let times: Result<Vec<[Instant; 2]>, String> = std::thread::scope(|scope| {
            let spawn = |thread| scope.spawn(move || work(thread));
            let running: Vec<_> = (0..self.threads).map(spawn).collect();
            let join = |thread: std::thread::ScopedJoinHandle<'_, _>| {
                thread.join().unwrap_or(Err("a thread panicked".into()))
            };
            running.into_iter().map(join).collect()
        });
        let times = times?;
        let start = times.iter().map(|time| time[0]).min();
        let end = times.iter().map(|time| time[1]).max();
        if let (Some(start), Some(end)) = (start, end) {
            let lookups = self.threads * self.passes * stretch.keys.len();
            let seconds = (end - start).as_secs_f64();
            self.rounds.push(lookups as f64 / seconds / 1e6);
        }
        Ok(())
    }

    /// One thread: when it began and when it was done.
    fn work(
        &self,
        thread: usize,
        placement: &dyn Placement,
        Stretch { keys, owners }: Stretch<'_>,
        ready: &AtomicUsize,
    ) -> Result<[Instant; 2], String> {
        let mut found = vec![None; keys.len()];
        let batches = keys.len() / PER_SAMPLE;
        // Threads do not follow one another through the keys.
        let first = thread * batches / self.threads;
        let mut pass = || {
            for batch in (first..batches).chain(0..first) {
                let at = batch * PER_SAMPLE..(batch + 1) * PER_SAMPLE;
                let found = black_box(&mut found[at.clone()]);
                placement.place_many(black_box(&keys[at]), found);
            }
        };
        // Nothing that may panic comes before: the others would wait for ever.
        ready.fetch_add(1, Ordering::Relaxed);
        while ready.load(Ordering::Relaxed) < self.threads {
            std::thread::yield_now();
        }
        pass();
        let start = Instant::now();
        (0..self.passes).for_each(|_| pass());
        let end = Instant::now();
        match found == owners {
            true => Ok([start, end]),
            false => Err(format!(
                "batches on {} threads gave other owners than the verified ones",
                self.threads
            )),
        }
    }

    /// The median over rounds, in million lookups a second.
    pub(super) fn median(&self) -> Metric {
        Metric::median(&self.rounds)
    }
}

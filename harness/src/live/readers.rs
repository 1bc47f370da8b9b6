//! Threads that look up while one changes the membership.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use algorithms::{NodeId, Placement, PlacementError};

use super::{Handle, Plan, Row};
use crate::measure::{node, nodes};
use crate::progress::Progress;
use crate::record::Metric;
use crate::verify::{checksum, place_all};
use crate::workload::{Random, Workload};

/// Lookups in one view.
pub(super) const BATCH: usize = 512;

/// One row while it is measured.
struct Running<'a> {
    row: Row,
    handle: Handle,
    right: Right,
    plan: &'a Plan,
    lookups: Vec<f64>,
    changed: Vec<f64>,
    longest: Vec<f64>,
    views: u64,
    waits: u64,
}

/// What each batch must give: with the nodes there were, and with the newcomer.
struct Right {
    old: u32,
    first_version: u64,
    without: Vec<u64>,
    with: Vec<u64>,
}

impl Right {
    fn new(
        placement: &dyn Placement,
        newcomer: u32,
        plan: &Plan,
        keys: &[u64],
    ) -> Result<Self, PlacementError> {
        let sums = |placement: &dyn Placement| {
            let owners = place_all(placement, keys);
            owners
                .chunks(BATCH)
                .map(|owners| fold(owners, newcomer))
                .collect()
        };
        let without = sums(placement);
        let mut grown = placement.boxed_clone();
        grown.add(node(plan.seed, newcomer as usize))?;
        Ok(Self {
            old: newcomer,
            first_version: placement.membership().version(),
            without,
            with: sums(&*grown),
        })
    }

    /// Whether a batch's owners are those of the membership of this version: changes take turns, so
    /// every other one has the newcomer.
    fn holds(&self, batch: usize, version: u64, owners: &[Option<NodeId>]) -> bool {
        let right = match (version - self.first_version) % 2 {
            0 => &self.without,
            _ => &self.with,
        };
        fold(owners, self.old) == right[batch]
    }
}

/// Checksum of owners, in which every later joiner counts as the newcomer.
fn fold(owners: &[Option<NodeId>], newcomer: u32) -> u64 {
    let known = |owner: &Option<NodeId>| {
        owner.map(|id| NodeId::from_index((id.index() as u32).min(newcomer)))
    };
    owners
        .iter()
        .fold(0, |sum, owner| checksum(sum, &[known(owner)]))
}

/// All rows, in rounds over them in shuffled order.
pub(super) fn measure(plan: &Plan, workload: &Workload, progress: &Progress) -> Vec<Row> {
    let keys = &workload.hashes[..workload.len() / BATCH * BATCH];
    let mut running = Vec::new();
    let mut failed = Vec::new();
    for algorithm in &plan.algorithms {
        for name in Handle::NAMES {
            for &threads in &plan.threads {
                for &changes in &plan.changes {
                    let row = row(algorithm.name, name, threads, changes);
                    let ready = algorithm
                        .build(&plan.settings, nodes(plan.seed, plan.nodes))
                        .and_then(|placement| {
                            let right = Right::new(&*placement, plan.nodes, plan, keys)?;
                            Ok((Handle::new(name, placement), right))
                        });
                    match ready {
                        Ok((handle, right)) => running.push(Running::new(row, handle, right, plan)),
                        Err(error) => failed.push(Row {
                            reason: Some(error.to_string()),
                            ..row
                        }),
                    }
                }
            }
        }
    }
    progress.total(u64::from(plan.rounds) * running.len() as u64);
    let mut order: Vec<usize> = (0..running.len()).collect();
    let mut random = Random::new(plan.seed, 3);
    for round in 0..plan.rounds {
        progress.now(format!("round {} of {}", round + 1, plan.rounds));
        random.shuffle(&mut order);
        for &at in &order {
            running[at].round(keys);
            progress.done(1);
        }
    }
    running
        .into_iter()
        .map(Running::finish)
        .chain(failed)
        .collect()
}

fn row(algorithm: &str, handle: &str, threads: u32, changes: u32) -> Row {
    Row {
        algorithm: algorithm.into(),
        handle: handle.into(),
        threads,
        changes,
        changed: Metric::default(),
        lookups: Metric::default(),
        waited: Metric::default(),
        longest: Metric::default(),
        torn: 0,
        reason: None,
    }
}

/// What one reader saw in one round.
#[derive(Default)]
struct Seen {
    views: u64,
    waits: u64,
    torn: u64,
    longest: Duration,
}

impl<'a> Running<'a> {
    fn new(row: Row, handle: Handle, right: Right, plan: &'a Plan) -> Self {
        Self {
            row,
            handle,
            right,
            plan,
            lookups: Vec::new(),
            changed: Vec::new(),
            longest: Vec::new(),
            views: 0,
            waits: 0,
        }
    }

    /// One round: readers for its whole length, and a writer beside them.
    fn round(&mut self, keys: &[u64]) {
        let length = self.plan.round(self.row.changes);
        let done = AtomicBool::new(false);
        let start = Instant::now();
        let (seen, changes) = std::thread::scope(|scope| {
            let readers: Vec<_> = (0..self.row.threads as usize)
                .map(|reader| {
                    let (this, done) = (&*self, &done);
                    scope.spawn(move || this.read(keys, reader, done))
                })
                .collect();
            let changes = self.write(start, length);
            done.store(true, Ordering::Relaxed);
            let seen: Vec<Seen> = readers
                .into_iter()
                .filter_map(|reader| reader.join().ok())
                .collect();
            (seen, changes)
        });
        let seconds = start.elapsed().as_secs_f64();
        let views: u64 = seen.iter().map(|seen| seen.views).sum();
        self.lookups
            .push((views * BATCH as u64) as f64 / seconds / 1e6);
        self.longest.extend(
            seen.iter()
                .map(|seen| seen.longest.as_secs_f64() * 1e6)
                .max_by(f64::total_cmp),
        );
        self.views += views;
        self.waits += seen.iter().map(|seen| seen.waits).sum::<u64>();
        self.row.torn += seen.iter().map(|seen| seen.torn).sum::<u64>();
        match changes {
            Ok(changes) => self.changed.push(changes as f64 / seconds),
            Err(error) => self.row.reason = Some(error.to_string()),
        }
    }

    /// Looks up batch after batch, each in one view.
    fn read(&self, keys: &[u64], reader: usize, done: &AtomicBool) -> Seen {
        let mut seen = Seen::default();
        let mut owners = [None; BATCH];
        let batches = keys.len() / BATCH;
        // Readers do not follow one another through the keys.
        let mut batch = reader * batches / self.row.threads as usize;
        while !done.load(Ordering::Relaxed) {
            let start = Instant::now();
            let (version, waited) = self.handle.read(|placement| {
                placement.place_many(&keys[batch * BATCH..][..BATCH], &mut owners);
                placement.membership().version()
            });
            seen.longest = seen.longest.max(start.elapsed());
            seen.views += 1;
            seen.waits += u64::from(waited);
            seen.torn += u64::from(!self.right.holds(batch, version, &owners));
            batch = (batch + 1) % batches;
        }
        seen
    }

    /// Adds the newcomer and removes it, in turns and evenly spread over the round; the last change
    /// of a round removes it. Returns how many changes were made.
    fn write(&self, start: Instant, length: Duration) -> Result<u64, PlacementError> {
        let end = start + length;
        let sleep = |until: Instant| {
            std::thread::sleep(until.saturating_duration_since(Instant::now()));
        };
        let mut made = 0;
        if let Some(pause) = Duration::from_secs(1).checked_div(self.row.changes) {
            let mut next = start + pause / 2;
            // However late the writer gets its turn, one node joins and leaves.
            while made == 0 || made % 2 == 1 || next < end {
                sleep(next);
                self.handle.change(|placement| self.toggle(placement))?;
                made += 1;
                // What could not be made in time is left out, not made up for.
                next = (next + pause).max(Instant::now());
            }
        }
        sleep(end);
        Ok(made)
    }

    fn toggle(&self, placement: &mut dyn Placement) -> Result<(), PlacementError> {
        let members = placement.membership().members();
        match members.last() {
            Some(newest) if members.len() > self.plan.nodes as usize => {
                let newest = newest.id;
                placement.remove(newest)
            }
            _ => placement
                .add(node(self.plan.seed, self.plan.nodes as usize))
                .map(drop),
        }
    }

    fn finish(self) -> Row {
        let per_million = self.waits as f64 / self.views.max(1) as f64 * 1e6;
        let longest = self.longest.iter().copied().max_by(f64::total_cmp);
        Row {
            changed: Metric::median(&self.changed),
            lookups: Metric::median(&self.lookups),
            waited: Metric::of(per_million),
            longest: Metric::or(longest, "no round was measured"),
            ..self.row
        }
    }
}

//! Timing in rounds over all placements in shuffled order.

use std::time::Duration;

use super::end_to_end::{Hashed, Placed, Read, Series, Work, entries, table};
use super::keys::positions;
use super::threads::{Crew, Stretch};
use super::{Ask, Row};
use crate::hashes::LENGTHS;
use crate::measure::lookup::{Lookups, Track};
use crate::measure::{Candidate, Metrics};
use crate::progress::Progress;
use crate::workload::{Random, Workload};

/// A verified placement with its keys.
pub(super) struct Subject<'a> {
    row: usize,
    candidate: Candidate<'a>,
    keys: &'a Workload,
    bytes: Vec<&'a [u8]>,
}

impl<'a> Subject<'a> {
    pub(super) fn new(row: usize, candidate: Candidate<'a>, keys: &'a Workload) -> Self {
        Self {
            row,
            candidate,
            keys,
            bytes: keys.keys().collect(),
        }
    }

    pub(super) fn checksum(&self) -> u64 {
        self.candidate.verified.checksum
    }

    /// Bytes of the placement without its list of nodes: of what decides the owners.
    pub(super) fn table_bytes(&self) -> u64 {
        let placement = &self.candidate.placement;
        let names = placement.membership().heap_bytes();
        placement.heap_bytes().saturating_sub(names) as u64
    }

    fn placed(&self) -> Placed<'_> {
        Placed {
            hash: self.keys.hash(),
            placement: &*self.candidate.placement,
            owners: &self.candidate.verified.owners,
        }
    }

    fn stretch(&self) -> Stretch<'_> {
        Stretch::new(&self.keys.hashes, &self.candidate.verified.owners)
    }
}

/// What needs no placement: keys that are only hashed, and the table of the floor.
struct Plain<'a> {
    keys: &'a Workload,
    bytes: Vec<&'a [u8]>,
    table: Vec<u32>,
}

impl Plain<'_> {
    fn hashed(&self) -> Hashed<'_> {
        Hashed {
            hash: self.keys.hash(),
            hashes: &self.keys.hashes,
        }
    }

    /// The floor beside a placement of so many bytes.
    fn read(&self, bytes: u64) -> Read<'_> {
        Read {
            hash: self.keys.hash(),
            hashes: &self.keys.hashes,
            table: &self.table[..entries(bytes)],
        }
    }
}

/// A series for each length of keys, of lookups that read so many bytes.
fn each_length(
    work: &impl Work,
    keys: &Workload,
    bytes: &[&[u8]],
    round: Duration,
    read: u64,
) -> Result<Vec<Series>, String> {
    let of = |n| Series::new(work, bytes, positions(keys, n), round, read);
    (0..LENGTHS.len()).map(of).collect()
}

/// What is timed of one placement.
struct Clocked<'a> {
    subject: &'a Subject<'a>,
    track: Track,
    lookups: Lookups,
    /// One for each length of keys.
    placed: Vec<Series>,
    read: Vec<Series>,
    crews: Vec<Crew>,
}

impl<'a> Clocked<'a> {
    fn new(ask: &Ask<'_>, subject: &'a Subject<'a>, plain: &Plain<'_>) -> Result<Self, String> {
        let round = ask.plan.round;
        let Subject { keys, bytes, .. } = subject;
        let placement = &*subject.candidate.placement;
        let track = Track::new(&keys.hashes, round, false);
        let owners = &subject.candidate.verified.owners;
        let table = subject.table_bytes();
        let read = plain.read(table);
        let crew = |&threads| Crew::new(threads, placement, subject.stretch(), round);
        Ok(Self {
            subject,
            lookups: Lookups::new(placement, &track, owners, 0)?,
            track,
            placed: each_length(&subject.placed(), keys, bytes, round, table)?,
            read: each_length(&read, plain.keys, &plain.bytes, round, table)?,
            crews: ask.threads.iter().map(crew).collect::<Result<_, _>>()?,
        })
    }

    fn round(&mut self, plain: &Plain<'_>) -> Result<(), String> {
        let subject = self.subject;
        let placement = &*subject.candidate.placement;
        let owners = &subject.candidate.verified.owners;
        self.lookups.round(placement, &self.track, owners)?;
        let placed = subject.placed();
        for series in &mut self.placed {
            series.round(&placed, &subject.bytes)?;
        }
        for crew in &mut self.crews {
            crew.round(placement, subject.stretch())?;
        }
        let read = plain.read(subject.table_bytes());
        for series in &mut self.read {
            series.round(&read, &plain.bytes)?;
        }
        Ok(())
    }

    fn metrics(&self, threads: &[u32]) -> Metrics {
        let mut metrics = self.lookups.medians();
        for (length, (placed, read)) in LENGTHS.iter().zip(self.placed.iter().zip(&self.read)) {
            let (placed, floor) = (placed.median(), read.median());
            metrics.insert(format!("floor_{length}_ratio"), placed.over(&floor));
            metrics.insert(format!("floor_{length}_ns"), floor);
            metrics.insert(format!("key_{length}_ns"), placed);
        }
        let rates: Vec<_> = self.crews.iter().map(Crew::median).collect();
        for (threads, rate) in threads.iter().zip(&rates) {
            if *threads > 1 {
                metrics.insert(format!("threads_{threads}_factor"), rate.over(&rates[0]));
            }
            metrics.insert(format!("threads_{threads}_mlps"), rate.clone());
        }
        metrics
    }
}

/// The hash alone, a series for each length of keys.
struct Hashing(Vec<Series>);

impl Hashing {
    fn round(&mut self, plain: &Plain<'_>) -> Result<(), String> {
        let work = plain.hashed();
        let mut series = self.0.iter_mut();
        series.try_for_each(|series| series.round(&work, &plain.bytes))
    }

    fn metrics(&self) -> Metrics {
        let named = LENGTHS.iter().zip(&self.0);
        let named = named.map(|(length, series)| (format!("hash_{length}_ns"), series.median()));
        named.collect()
    }
}

/// Times all placements and the hash, in rounds over them; their figures go into the rows.
pub(super) fn time(
    ask: &Ask<'_>,
    keys: &Workload,
    subjects: &[Subject<'_>],
    rows: &mut [Row],
    progress: &Progress,
) {
    let largest = subjects.iter().map(Subject::table_bytes).max();
    let plain = Plain {
        keys,
        bytes: keys.keys().collect(),
        table: table(largest.unwrap_or(0)),
    };
    let mut clocked = Vec::new();
    for subject in subjects {
        match Clocked::new(ask, subject, &plain) {
            Ok(ready) => clocked.push(ready),
            Err(reason) => rows[subject.row].fail(reason),
        }
    }
    let series = each_length(&plain.hashed(), keys, &plain.bytes, ask.plan.round, 0);
    let mut hashing = series.map(Hashing);
    let mut random = Random::new(ask.plan.seed, 3);
    for round in 0..ask.plan.rounds {
        progress.now(format!(
            "timing, round {} of {}",
            round + 1,
            ask.plan.rounds
        ));
        hashing = hashing.and_then(|mut hashing| hashing.round(&plain).map(|()| hashing));
        random.shuffle(&mut clocked);
        clocked.retain_mut(|timed| match timed.round(&plain) {
            Ok(()) => true,
            Err(reason) => {
                rows[timed.subject.row].fail(reason);
                false
            }
        });
        progress.done(1);
    }
    match hashing {
        Ok(hashing) => rows[0].metrics = hashing.metrics(),
        Err(reason) => rows[0].fail(reason),
    }
    for timed in clocked {
        rows[timed.subject.row].metrics = timed.metrics(&ask.threads);
    }
}

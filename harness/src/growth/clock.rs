//! Timing in rounds over everything, in shuffled order, so that one slope can be had from each
//! round; and lookups from cold caches and of one key over and over.

use std::hint::black_box;
use std::time::Duration;

use algorithms::NodeId;

use crate::machine::Machine;
use crate::measure::lookup::{Lookups, Mode, PER_SAMPLE, Series, Track};
use crate::measure::{Candidate, Metrics, churn::Churn};
use crate::workload::{Random, Workload};

/// Lookups in every mode and, where asked for, build, addition and removal.
pub(super) struct Clocked<'a> {
    candidate: &'a Candidate<'a>,
    tracks: &'a Tracks,
    lookups: Lookups,
    churn: Option<Churn>,
}

impl<'a> Clocked<'a> {
    pub(super) fn new(
        candidate: &'a Candidate<'a>,
        tracks: &'a Tracks,
        churn: bool,
    ) -> Result<Self, String> {
        let (placement, owners) = (&*candidate.placement, &*candidate.verified.owners);
        let churn = churn.then(|| Churn::new(candidate)).transpose();
        Ok(Self {
            candidate,
            tracks,
            lookups: Lookups::new(placement, &tracks.warm, owners, 0)?,
            churn: churn.map_err(|error| error.to_string())?,
        })
    }
}

/// What is timed round by round.
pub(super) trait Timed {
    /// Times one round.
    ///
    /// # Errors
    /// When a loop does not give the verified owners, in words.
    fn round(&mut self, sweeper: &mut Sweeper) -> Result<(), String>;

    /// Medians over the rounds.
    fn metrics(&self) -> Metrics;
}

impl Timed for Clocked<'_> {
    fn round(&mut self, _: &mut Sweeper) -> Result<(), String> {
        let owners = &*self.candidate.verified.owners;
        let placement = &*self.candidate.placement;
        self.lookups.round(placement, &self.tracks.warm, owners)?;
        match &mut self.churn {
            Some(churn) => churn
                .round(self.candidate)
                .map_err(|error| error.to_string()),
            None => Ok(()),
        }
    }

    fn metrics(&self) -> Metrics {
        let mut metrics = self.churn.as_ref().map_or(Metrics::new(), Churn::metrics);
        metrics.extend(self.lookups.medians());
        metrics
    }
}

/// Times all, in rounds over them in shuffled order. Who fails is told to `fail` and left out.
pub(super) fn rounds<T: Timed>(
    timed: &mut Vec<(usize, T)>,
    sweeper: &mut Sweeper,
    [count, seed]: [u64; 2],
    mut done: impl FnMut(u64),
    mut fail: impl FnMut(usize, String),
) {
    let mut random = Random::new(seed, 3);
    for round in 0..count {
        random.shuffle(timed);
        timed.retain_mut(|(row, timed)| match timed.round(sweeper) {
            Ok(()) => true,
            Err(reason) => {
                fail(*row, reason);
                false
            }
        });
        done(round + 1);
    }
}

/// Keys in the orders in which they are looked up.
pub(super) struct Tracks {
    /// Independent keys, in caches that are warm.
    warm: Track,
    /// The same keys, one stretch at a time and without warming up.
    cold: Track,
    /// A few of the keys, each for a whole sample.
    repeated: Track,
}

/// Keys that are looked up over and over.
const REPEATED: usize = 64;
/// Bytes that are streamed through where the size of the caches is not known.
const UNKNOWN_CACHE: u64 = 64 << 20;

impl Tracks {
    pub(super) fn new(workload: &Workload, round: Duration) -> Self {
        let keys = &workload.hashes;
        let each = |&key: &u64| std::iter::repeat_n(key, PER_SAMPLE);
        let repeated: Vec<u64> = keys.iter().take(REPEATED).flat_map(each).collect();
        Self {
            warm: Track::new(keys, round, false),
            cold: Track::new(keys, Duration::ZERO, false),
            repeated: Track::new(&repeated, round, false),
        }
    }
}

/// More memory than all caches hold.
pub(super) struct Sweeper(Vec<u64>);

impl Sweeper {
    pub(super) fn new() -> Self {
        let cache = Machine::detect().largest_cache().unwrap_or(UNKNOWN_CACHE);
        Self(vec![0; 2 * cache as usize / size_of::<u64>()])
    }

    /// Leaves nothing else in the caches.
    fn evict(&mut self) {
        let line = 64 / size_of::<u64>();
        self.0.iter_mut().step_by(line).for_each(|word| *word += 1);
        black_box(&mut self.0);
    }
}

/// The same lookups from cold caches, from warm ones, and of one key over and over.
pub(super) struct Caches<'a> {
    candidate: &'a Candidate<'a>,
    tracks: &'a Tracks,
    random: Series,
    cold: Series,
    repeated: Series,
    /// Owners along the track of repeated keys.
    owners: Vec<Option<NodeId>>,
}

impl<'a> Caches<'a> {
    pub(super) fn new(candidate: &'a Candidate<'a>, tracks: &'a Tracks) -> Result<Self, String> {
        let (placement, owners) = (&*candidate.placement, &*candidate.verified.owners);
        let each = |&owner: &Option<NodeId>| std::iter::repeat_n(owner, PER_SAMPLE);
        let repeated: Vec<_> = owners.iter().take(REPEATED).flat_map(each).collect();
        let series = |track, owners| Series::new(Mode::Batch, placement, track, owners, 0);
        Ok(Self {
            candidate,
            tracks,
            random: series(&tracks.warm, owners)?,
            cold: series(&tracks.cold, owners)?,
            repeated: series(&tracks.repeated, &repeated)?,
            owners: repeated,
        })
    }
}

impl Timed for Caches<'_> {
    fn round(&mut self, sweeper: &mut Sweeper) -> Result<(), String> {
        let (placement, tracks) = (&*self.candidate.placement, self.tracks);
        let owners = &*self.candidate.verified.owners;
        sweeper.evict();
        // The keys come from elsewhere, as the request does: only the placement is cold.
        self.cold.fetch_keys(&tracks.cold);
        self.cold.round(placement, &tracks.cold, owners)?;
        self.random.round(placement, &tracks.warm, owners)?;
        self.repeated
            .round(placement, &tracks.repeated, &self.owners)
    }

    fn metrics(&self) -> Metrics {
        let random = self.random.median();
        let mut metrics = Metrics::from([("random_ns".into(), random.clone())]);
        for (name, series) in [("cold", &self.cold), ("repeated", &self.repeated)] {
            let median = series.median();
            metrics.insert(format!("{name}_ratio"), median.over(&random));
            metrics.insert(format!("{name}_ns"), median);
        }
        metrics
    }
}

//! Time of a lookup: of independent keys in batches, of independent keys with one call for each, and
//! as latency, where each key depends on the answer before.
//!
//! One sample is the time of [`PER_SAMPLE`] lookups between two clock readings; one round is some
//! dozens of samples over the next stretch of keys. A round's figure is its whole time over its
//! lookups. What the timed loop wrote is checked against the verified owners after the clock has
//! stopped; a difference is an error.

use std::hint::black_box;
use std::ops::Range;
use std::time::{Duration, Instant};

use algorithms::{Layout, Membership, Node, NodeId, Placement, PlacementError, Work};
use hdrhistogram::Histogram;

use super::Metrics;
use crate::record::Metric;
use crate::verify::checksum;
use crate::workload::Workload;

/// Lookups between two clock readings.
pub const PER_SAMPLE: usize = 512;
/// Samples in a round, at least: 31 rounds then give the 1000 samples that p99.9 needs.
const FEWEST_SAMPLES: usize = 33;

/// Keys in the order in which they are looked up.
pub struct Track {
    keys: Vec<u64>,
    distinct: usize,
    round: Duration,
    fewest: usize,
}

impl Track {
    /// The workload's keys; fewer keys than a round needs come again from the start.
    ///
    /// A round takes about `round`, if the keys suffice; before it, as long is spent untimed on
    /// bringing the placement back into the caches. For `percentiles` it has at least some dozens
    /// of samples, however long that takes.
    pub fn new(keys: &[u64], round: Duration, percentiles: bool) -> Self {
        let length = keys.len().max(FEWEST_SAMPLES * PER_SAMPLE) / PER_SAMPLE * PER_SAMPLE;
        Self {
            keys: keys.iter().copied().cycle().take(length).collect(),
            distinct: keys.len(),
            round,
            fewest: match percentiles {
                true => FEWEST_SAMPLES,
                false => 1,
            },
        }
    }

    fn samples(&self) -> usize {
        self.keys.len() / PER_SAMPLE
    }

    /// The checksum that looking up these positions must give, `start` being that of those before.
    fn checksum(&self, start: u64, positions: Range<usize>, owners: &[Option<NodeId>]) -> u64 {
        let owner = |position: usize| owners[position % self.distinct];
        positions.fold(start, |sum, position| checksum(sum, &[owner(position)]))
    }
}

/// Which loop is timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Independent keys, in batches.
    Batch,
    /// Independent keys, one per call.
    Single,
    /// Each key depends on the last answer.
    Latency,
}

impl Mode {
    /// All of them, in the order of the tables.
    pub const ALL: [Self; 3] = [Self::Batch, Self::Single, Self::Latency];

    /// Start of its metrics' names.
    pub fn tag(self) -> &'static str {
        match self {
            Self::Batch => "lookup",
            Self::Single => "single",
            Self::Latency => "latency",
        }
    }

    /// Name of the metric that is its time.
    pub fn metric(self) -> String {
        format!("{}_ns", self.tag())
    }

    /// In words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Batch => "batch",
            Self::Single => "one key per call",
            Self::Latency => "latency",
        }
    }

    /// Looks all keys up.
    pub fn look_up(self, placement: &dyn Placement, keys: &[u64], owners: &mut [Option<NodeId>]) {
        match self {
            Self::Batch => placement.place_many(keys, owners),
            Self::Single => singly(placement, keys, owners),
            Self::Latency => chase(placement, keys, black_box(0), owners),
        }
    }
}

/// The longest time for which caches are warmed before a round, in ns.
const WARMING: f64 = 3e7;

/// Samples that bring so many bytes back into the caches by lookups of so many ns: eight for each line,
/// as the keys choose lines at random, and what comes between must be pushed out again.
pub fn samples_to_warm(bytes: u64, lookup: f64) -> usize {
    let lookups = (bytes / 8) as f64;
    lookups.min(WARMING / lookup) as usize / PER_SAMPLE
}

/// One placement in every mode, in the same rounds.
pub struct Lookups([Series; 3]);

impl Lookups {
    /// Prepares a series of each mode.
    ///
    /// # Errors
    /// When a loop does not give the verified owners.
    pub fn new(
        placement: &dyn Placement,
        track: &Track,
        owners: &[Option<NodeId>],
        extra: usize,
    ) -> Result<Self, String> {
        let series = |at: usize| {
            let series = Series::new(Mode::ALL[at], placement, track, owners, extra)?;
            Ok::<_, String>(Series {
                // Each mode elsewhere, so that none finds in the caches what another one has read.
                next: at * track.samples() / Mode::ALL.len(),
                // The first mode brings the placement back into the caches for all of them.
                warm_up: if at == 0 { series.warm_up } else { 0 },
                ..series
            })
        };
        Ok(Self([series(0)?, series(1)?, series(2)?]))
    }

    /// Times one round of each mode.
    ///
    /// # Errors
    /// When a loop does not give the verified owners.
    pub fn round(
        &mut self,
        placement: &dyn Placement,
        track: &Track,
        verified: &[Option<NodeId>],
    ) -> Result<(), String> {
        let mut series = self.0.iter_mut();
        series.try_for_each(|series| series.round(placement, track, verified))
    }

    /// The median of each mode under its name.
    pub fn medians(&self) -> Metrics {
        let named = |series: &Series| (series.mode.metric(), series.median());
        self.0.iter().map(named).collect()
    }

    /// Medians and percentiles of each mode.
    pub fn metrics(&self) -> Metrics {
        self.0.iter().flat_map(Series::metrics).collect()
    }
}

/// All rounds of one mode of one placement.
pub struct Series {
    mode: Mode,
    rounds: Vec<f64>,
    /// Picoseconds per lookup of each sample.
    samples: Histogram<u64>,
    per_round: usize,
    warm_up: usize,
    next: usize,
    /// Lookups that each sample does beyond its own: a slowdown planted on purpose.
    extra: usize,
}

impl Series {
    /// Prepares a series; tries one stretch of keys to find how many make a round.
    ///
    /// # Errors
    /// When the loop does not give the verified owners.
    pub fn new(
        mode: Mode,
        placement: &dyn Placement,
        track: &Track,
        owners: &[Option<NodeId>],
        extra: usize,
    ) -> Result<Self, String> {
        let mut series = Self {
            mode,
            rounds: Vec::new(),
            // Three significant digits, growing as needed; 3 is within what the type allows.
            samples: Histogram::new(3).map_err(|error| error.to_string())?,
            per_round: 4,
            warm_up: 0,
            next: 0,
            extra,
        };
        series.round(placement, track, owners)?;
        let lookup = series.rounds.pop().unwrap_or(1.0).max(0.01);
        let wanted = (track.round.as_nanos() as f64 / lookup) as usize / PER_SAMPLE;
        series.per_round = wanted.max(track.fewest).min(track.samples());
        let bytes = placement.heap_bytes() as u64;
        let warming = wanted.max(samples_to_warm(bytes, lookup));
        series.warm_up = warming.min(track.samples());
        series.samples.reset();
        Ok(series)
    }

    /// Times one round.
    ///
    /// # Errors
    /// When the loop does not give the verified owners.
    pub fn round(
        &mut self,
        placement: &dyn Placement,
        track: &Track,
        verified: &[Option<NodeId>],
    ) -> Result<(), String> {
        let mut owners = [None; PER_SAMPLE];
        let (mut got, mut wanted) = (0, 0);
        let mut spent = 0;
        for _ in 0..self.warm_up {
            self.sample(placement, track, &mut owners);
        }
        for _ in 0..self.per_round {
            let (time, sample) = self.sample(placement, track, &mut owners);
            got = checksum(got, black_box(&owners));
            wanted = track.checksum(wanted, sample, verified);
            spent += time;
            let each = time * 1000 / PER_SAMPLE as u64;
            self.samples
                .record(each)
                .map_err(|error| error.to_string())?;
        }
        if got != wanted {
            return Err(format!(
                "timed lookups ({}) gave other owners than the verified ones: checksum {got:016x}, not {wanted:016x}",
                self.mode.words()
            ));
        }
        self.rounds
            .push(spent as f64 / (self.per_round * PER_SAMPLE) as f64);
        Ok(())
    }

    /// Times one sample, the next of the track: its ns and its positions.
    fn sample(
        &mut self,
        placement: &dyn Placement,
        track: &Track,
        owners: &mut [Option<NodeId>],
    ) -> (u64, Range<usize>) {
        let sample = self.next * PER_SAMPLE..(self.next + 1) * PER_SAMPLE;
        self.next = (self.next + 1) % track.samples();
        let keys = &track.keys[sample.clone()];
        // Other keys than those of the sample, so that nothing is found in a cache for it.
        let elsewhere = (self.next + track.samples() / 2) % track.samples();
        let extra = &track.keys[elsewhere * PER_SAMPLE..][..self.extra];
        let start = Instant::now();
        for keys in [extra, keys] {
            let (keys, owners) = (black_box(keys), black_box(&mut owners[..keys.len()]));
            self.mode.look_up(placement, keys, owners);
        }
        (start.elapsed().as_nanos() as u64, sample)
    }

    /// Brings the keys of the next sample into the caches.
    pub fn fetch_keys(&self, track: &Track) {
        let keys = &track.keys[self.next * PER_SAMPLE..][..PER_SAMPLE];
        black_box(keys.iter().fold(0, |sum, key| sum ^ key));
    }

    /// The median over rounds.
    pub fn median(&self) -> Metric {
        Metric::median(&self.rounds)
    }

    /// The median over rounds and the percentiles over samples.
    pub fn metrics(&self) -> Metrics {
        let tag = self.mode.tag();
        let count = self.samples.len();
        let mut metrics = Metrics::from([(self.mode.metric(), self.median())]);
        for (name, quantile, fewest) in [
            ("p50", 0.5, 2),
            ("p90", 0.9, 10),
            ("p99", 0.99, 100),
            ("p999", 0.999, 1000),
            ("max", 1.0, 1),
        ] {
            let value = match count >= fewest {
                true => Metric::of(self.samples.value_at_quantile(quantile) as f64 / 1000.0),
                false => Metric::none(format!("{count} samples; {fewest} are needed")),
            };
            metrics.insert(format!("{tag}_{name}_ns"), value);
        }
        metrics
    }
}

/// Looks keys up with one call for each; none waits for the answer before.
pub fn singly(placement: &dyn Placement, keys: &[u64], owners: &mut [Option<NodeId>]) {
    for (key, owner) in keys.iter().zip(owners) {
        *owner = placement.place(*key);
    }
}

/// Looks keys up one after another, each only known when the last owner is. `zero` is 0, which the
/// compiler must not know: the key stays the same and yet depends on the owner.
pub fn chase(placement: &dyn Placement, keys: &[u64], zero: u64, owners: &mut [Option<NodeId>]) {
    let mut link = 0;
    for (key, owner) in keys.iter().zip(owners) {
        let found = placement.place(key ^ link);
        link = found.map_or(0, |id| id.index() as u64) & zero;
        *owner = found;
    }
}

/// Median cost of one clock reading in ns, over back-to-back readings.
pub fn clock_ns() -> Metric {
    let gap = |_| {
        let start = Instant::now();
        start.elapsed().as_nanos() as f64
    };
    let gaps: Vec<f64> = (0..1001).map(gap).collect();
    Metric {
        samples: None,
        ..Metric::median(&gaps)
    }
}

/// Time of hashing one key, over all keys of the workload, in ns.
pub fn hash_ns(workload: &Workload) -> f64 {
    let hash = workload.hash();
    let start = Instant::now();
    let sum = workload
        .keys()
        .fold(0, |sum, key| sum ^ hash.of(black_box(key)));
    let time = start.elapsed();
    black_box(sum);
    time.as_nanos() as f64 / workload.len() as f64
}

/// A placement that gives one node for every key: what the loops around it cost.
#[derive(Clone)]
pub struct EmptyLoop(Membership, NodeId);

impl Default for EmptyLoop {
    fn default() -> Self {
        let membership = Membership::new("empty-loop", algorithms::algorithm::Weights::None);
        Self(membership, NodeId::from_index(0))
    }
}

impl Placement for EmptyLoop {
    #[inline]
    fn place(&self, _: u64) -> Option<NodeId> {
        Some(self.1)
    }

    fn work(&self, _: u64) -> Work {
        Work::default()
    }

    fn membership(&self) -> &Membership {
        &self.0
    }

    fn extend(&mut self, _: Vec<Node>) -> Result<Vec<NodeId>, PlacementError> {
        Ok(Vec::new())
    }

    fn remove(&mut self, id: NodeId) -> Result<(), PlacementError> {
        Err(PlacementError::UnknownNode { id })
    }

    fn reweigh(&mut self, id: NodeId, _: f64) -> Result<(), PlacementError> {
        Err(PlacementError::UnknownNode { id })
    }

    fn layout(&self) -> Layout {
        Layout::Law(Vec::new())
    }

    fn heap_bytes(&self) -> usize {
        0
    }

    fn boxed_clone(&self) -> Box<dyn Placement> {
        Box::new(self.clone())
    }
}

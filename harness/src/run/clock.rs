//! Timing: rounds over all cells in shuffled order, with what measuring itself costs.

use algorithms::NodeId;

use super::{Entry, Plan, Plant, Scope};
use crate::measure::lookup::{self, EmptyLoop, Mode, Series, Track};
use crate::measure::{Candidate, Metrics, churn};
use crate::progress::Progress;
use crate::record::{CellKind, Metric};
use crate::verify::place_all;
use crate::workload::{Random, Workload};

/// Progress of one round of timing.
pub(super) const ROUND_WORK: u64 = 30_000;

/// What is timed of one cell.
struct Clocked {
    entry: usize,
    lookup: Series,
    latency: Series,
    churn: churn::Churn,
}

impl Clocked {
    fn new(
        entry: usize,
        candidate: &Candidate<'_>,
        track: &Track,
        plan: &Plan<'_>,
    ) -> Result<Self, String> {
        let planted = plan
            .plant
            .as_ref()
            .filter(|plant| plant.algorithm == candidate.algorithm.name);
        let extra = planted.map_or(0, Plant::extra);
        let placement = &*candidate.placement;
        let owners = &candidate.verified.owners;
        Ok(Self {
            entry,
            lookup: Series::new(Mode::Throughput, placement, track, owners, extra)?,
            latency: Series::new(Mode::Latency, placement, track, owners, extra)?,
            churn: churn::Churn::new(candidate).map_err(|error| error.to_string())?,
        })
    }

    fn round(&mut self, candidate: &Candidate<'_>, track: &Track) -> Result<(), String> {
        let placement = &*candidate.placement;
        let owners = &candidate.verified.owners;
        self.lookup.round(placement, track, owners)?;
        self.latency.round(placement, track, owners)?;
        self.churn
            .round(candidate)
            .map_err(|error| error.to_string())
    }
}

/// Times all cells that hold, in rounds over all of them in shuffled order, and the overheads with
/// them.
pub(super) fn time(
    plan: &Plan<'_>,
    workload: &Workload,
    entries: &mut [Entry<'_>],
    progress: &Progress,
) -> Metrics {
    let track = Track::new(
        &workload.hashes,
        plan.round,
        plan.scope == Scope::Everything,
    );
    let mut overheads = Overheads::new(workload, &track);
    let mut clocked: Vec<Clocked> = Vec::new();
    for (index, entry) in entries.iter_mut().enumerate() {
        let Some(candidate) = &entry.candidate else {
            continue;
        };
        if entry.cell.kind == CellKind::Placement {
            match Clocked::new(index, candidate, &track, plan) {
                Ok(ready) => clocked.push(ready),
                Err(reason) => entry.fail(reason),
            }
        }
    }
    let mut random = Random::new(plan.seed, 3);
    for round in 0..plan.rounds {
        progress.now(format!("timing, round {} of {}", round + 1, plan.rounds));
        overheads.round(workload, &track);
        random.shuffle(&mut clocked);
        clocked.retain_mut(|timed| {
            let entry = &mut entries[timed.entry];
            let Some(candidate) = &entry.candidate else {
                return false;
            };
            let result = timed.round(candidate, &track);
            result.map_err(|reason| entry.fail(reason)).is_ok()
        });
        progress.done(ROUND_WORK);
    }
    let overheads = overheads.metrics();
    let floor = overheads.get("loop_ns").and_then(|metric| metric.low);
    for timed in clocked {
        let entry = &mut entries[timed.entry];
        let lookup = timed.lookup.median().high;
        // Intervals, not medians: a busy machine may slow the empty loop down for a while.
        if let (Some(floor), Some(lookup)) = (floor, lookup)
            && lookup < floor
        {
            entry.fail(format!(
                "a lookup took at most {lookup} ns, the empty loop at least {floor} ns: nothing was looked up"
            ));
            continue;
        }
        let metrics = [
            timed.lookup.metrics(),
            timed.latency.metrics(),
            timed.churn.metrics(),
        ];
        entry.cell.metrics.extend(metrics.into_iter().flatten());
    }
    overheads
}

/// What measuring itself costs.
struct Overheads {
    placement: EmptyLoop,
    owners: Vec<Option<NodeId>>,
    loops: Option<[Series; 2]>,
    hash: Vec<f64>,
}

impl Overheads {
    fn new(workload: &Workload, track: &Track) -> Self {
        let placement = EmptyLoop::default();
        let owners = place_all(&placement, &workload.hashes);
        let series = |mode| Series::new(mode, &placement, track, &owners, 0);
        let loops = series(Mode::Throughput)
            .and_then(|a| Ok([a, series(Mode::Latency)?]))
            .ok();
        Self {
            placement,
            owners,
            loops,
            hash: Vec::new(),
        }
    }

    fn round(&mut self, workload: &Workload, track: &Track) {
        for series in self.loops.iter_mut().flatten() {
            // The loop gives one owner: it cannot give others.
            let _ = series.round(&self.placement, track, &self.owners);
        }
        self.hash.push(lookup::hash_ns(workload));
    }

    fn metrics(&self) -> Metrics {
        let loops = self.loops.iter().flatten().map(Series::median);
        let names = ["loop_ns", "loop_latency_ns"].map(String::from);
        let mut metrics: Metrics = names.into_iter().zip(loops).collect();
        metrics.insert("clock_ns".into(), lookup::clock_ns());
        metrics.insert("hash_ns".into(), Metric::median(&self.hash));
        metrics
    }
}

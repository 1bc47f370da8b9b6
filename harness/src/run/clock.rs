//! Timing: rounds over all cells in shuffled order, with what measuring itself costs.

use algorithms::NodeId;

use super::{Entry, Plan, Plant, Scope};
use crate::measure::lookup::{self, EmptyLoop, Lookups, Mode, Track};
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
    lookups: Lookups,
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
            lookups: Lookups::new(placement, track, owners, extra)?,
            churn: churn::Churn::new(candidate).map_err(|error| error.to_string())?,
        })
    }

    fn round(&mut self, candidate: &Candidate<'_>, track: &Track) -> Result<(), String> {
        self.lookups
            .round(&*candidate.placement, track, &candidate.verified.owners)?;
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
    for timed in clocked {
        let entry = &mut entries[timed.entry];
        let lookups = timed.lookups.metrics();
        match idle(&lookups, &overheads) {
            Some(reason) => entry.fail(reason),
            None => {
                entry.cell.metrics.extend(lookups);
                entry.cell.metrics.extend(timed.churn.metrics());
            }
        }
    }
    overheads
}

/// Why nothing can have been looked up: it took less time than the empty loop.
fn idle(lookups: &Metrics, overheads: &Metrics) -> Option<String> {
    Mode::ALL.into_iter().find_map(|mode| {
        // Intervals, not medians: a busy machine may slow the empty loop down for a while.
        let lookup = lookups.get(&mode.metric())?.high?;
        let floor = overheads.get(empty(mode))?.low?;
        let words = mode.words();
        (lookup < floor).then(|| {
            format!("a lookup ({words}) took at most {lookup} ns, the empty loop at least {floor} ns: nothing was looked up")
        })
    })
}

/// Name of the time of the empty loop in this mode.
fn empty(mode: Mode) -> &'static str {
    match mode {
        Mode::Batch => "loop_ns",
        Mode::Single => "loop_single_ns",
        Mode::Latency => "loop_latency_ns",
    }
}

/// What measuring itself costs.
struct Overheads {
    placement: EmptyLoop,
    owners: Vec<Option<NodeId>>,
    loops: Option<Lookups>,
    hash: Vec<f64>,
}

impl Overheads {
    fn new(workload: &Workload, track: &Track) -> Self {
        let placement = EmptyLoop::default();
        let owners = place_all(&placement, &workload.hashes);
        let loops = Lookups::new(&placement, track, &owners, 0).ok();
        Self {
            placement,
            owners,
            loops,
            hash: Vec::new(),
        }
    }

    fn round(&mut self, workload: &Workload, track: &Track) {
        if let Some(loops) = &mut self.loops {
            // The loop gives one owner: it cannot give others.
            let _ = loops.round(&self.placement, track, &self.owners);
        }
        self.hash.push(lookup::hash_ns(workload));
    }

    fn metrics(&self) -> Metrics {
        let medians = self
            .loops
            .as_ref()
            .map_or_else(Metrics::new, Lookups::medians);
        let of = |mode: Mode| Some((empty(mode).into(), medians.get(&mode.metric())?.clone()));
        let mut metrics: Metrics = Mode::ALL.into_iter().filter_map(of).collect();
        metrics.insert("clock_ns".into(), lookup::clock_ns());
        metrics.insert("hash_ns".into(), Metric::median(&self.hash));
        metrics
    }
}

//! The right size: the smallest number of points, or the smallest table, that shares the keys
//! evenly enough, and what it costs.
//!
//! Theory proposes a setting and placements with other node names confirm it; where the two differ,
//! the measured figure decides. Costs are then measured side by side, all at the same evenness.

mod answer;
mod confirm;
mod search;
mod settle;
mod target;

use algorithms::algorithm::Spread;
use algorithms::{Algorithm, Settings};

pub use answer::{Found, Knob, Row, SCHEMA_VERSION, SizeSettings, Sizes, Status};
pub use search::smallest;
pub use target::{Bound, Target};

use crate::measure::Metrics;
use crate::progress::Progress;
use crate::record::{CellKind, Status as CellStatus};
use crate::run::{self, Job, Plan};
use crate::theory;
use crate::workload::Workload;
use settle::settle;

/// The most points or slots of a placement that is built: theory alone speaks for larger ones.
pub const LARGEST: u64 = 1 << 24;
/// Entries built to confirm one setting: in full, and with `--quick`.
const CONFIRMED: [u64; 2] = [20_000_000, 4_000_000];
/// Sets of names for one setting, at most and at least: in full, and with `--quick`.
const SETS: [(u64, u64); 2] = [(5000, 4), (1000, 2)];
/// Entries built in all rounds of timing, and the rounds that there are at least: in full, and with
/// `--quick`.
const TIMED: [(u64, u64); 2] = [(80_000_000, 6), (20_000_000, 3)];

/// What is asked.
#[derive(Clone, Debug)]
pub struct Ask<'a> {
    /// The unevenness that is allowed.
    pub target: Target,
    /// Part of all sets of node names that are to meet it.
    pub confidence: f64,
    /// Algorithms, node counts and how to time; of its settings only the hash is used.
    pub plan: Plan<'a>,
    /// Whether large placements may have fewer rounds of timing than the plan says.
    pub fewer_rounds: bool,
}

/// Finds the settings.
pub fn find(ask: &Ask<'_>, progress: &Progress) -> Vec<Row> {
    let pairs = || {
        let nodes = ask.plan.nodes.iter();
        nodes.flat_map(|&nodes| ask.plan.algorithms.iter().map(move |&one| (one, nodes)))
    };
    let work = |(algorithm, nodes): (&Algorithm, u32)| -> u64 {
        let found = ask.bounds().map(|bound| {
            let setting = smallest(algorithm, ask.target, bound, nodes, 1.0);
            setting.ok().flatten()
        });
        let settings = found.into_iter().flatten();
        settings
            .map(|setting| ask.confirming(entries(algorithm, nodes, setting)))
            .sum()
    };
    progress.total(pairs().map(work).sum());
    pairs()
        .map(|(algorithm, nodes)| row(ask, algorithm, nodes, progress))
        .collect()
}

/// Measures what the settings cost: the algorithms of one number of nodes side by side.
pub fn price(ask: &Ask<'_>, rows: &mut [Row], workload: &Workload, progress: &Progress) {
    let prepared: Vec<(Plan<'_>, Vec<Job<'_>>)> = ask
        .plan
        .nodes
        .iter()
        .map(|&nodes| ask.jobs(rows, nodes))
        .collect();
    let work = prepared
        .iter()
        .map(|(plan, jobs)| run::work(plan, jobs, workload));
    progress.total(work.sum());
    for (plan, jobs) in &prepared {
        for cell in run::cost(plan, jobs, workload, progress) {
            let mut rows = rows.iter_mut();
            let own = rows.find(|row| row.nodes == cell.nodes && row.algorithm == cell.algorithm);
            let Some(row) = own else { continue };
            if cell.status == CellStatus::Failed {
                row.status = Status::Failed;
                row.reason = cell.reason;
            }
            row.rounds = plan.rounds;
            row.verified = cell.verified;
            row.metrics = cell.metrics;
        }
    }
}

impl<'a> Ask<'a> {
    fn bounds(&self) -> [Bound; 2] {
        [Bound::Mean, Bound::Sure(self.confidence)]
    }

    /// What a placement is built with.
    fn settings(&self, algorithm: &Algorithm, setting: Option<u32>) -> Settings {
        let settings = self.plan.settings;
        match (algorithm.traits.spread, setting) {
            (Spread::Points(_), Some(points)) => Settings { points, ..settings },
            (Spread::Slots(table), Some(slots)) => table.sized(settings, slots),
            _ => settings,
        }
    }

    /// Judgements that are made together.
    fn checks(&self) -> usize {
        self.plan.algorithms.len() * self.plan.nodes.len() * self.bounds().len()
    }

    /// Sets of names for a placement of this many entries.
    fn sets(&self, entries: u64) -> u32 {
        let (most, least) = SETS[usize::from(self.plan.quick)];
        let sets = CONFIRMED[usize::from(self.plan.quick)] / entries.max(1);
        sets.clamp(least, most) as u32
    }

    /// Progress of confirming a placement of this many entries.
    fn confirming(&self, entries: u64) -> u64 {
        match entries > LARGEST {
            true => 0,
            false => 1 + entries * u64::from(self.sets(entries)) / 1000,
        }
    }

    /// What is to be timed at this number of nodes, and in how many rounds.
    fn jobs(&self, rows: &[Row], nodes: u32) -> (Plan<'a>, Vec<Job<'a>>) {
        let mut plan = Plan {
            nodes: vec![nodes],
            ..self.plan.clone()
        };
        let mut total = 0;
        let jobs = self.plan.algorithms.iter().filter_map(|&algorithm| {
            let mut rows = rows.iter();
            let row = rows.find(|row| row.nodes == nodes && row.algorithm == algorithm.name)?;
            let setting = row.safe.as_ref().map(|found| found.setting);
            if !matches!(row.status, Status::Ok | Status::Contradicted) {
                return None;
            }
            total += setting.map_or(0, |setting| entries(algorithm, nodes, setting));
            Some(Job {
                kind: CellKind::Placement,
                algorithm,
                nodes,
                settings: self.settings(algorithm, setting),
            })
        });
        let jobs = jobs.collect();
        if self.fewer_rounds {
            let (most, least) = TIMED[usize::from(plan.quick)];
            let affordable = (most / total.max(1)).max(least);
            plan.rounds = u64::from(plan.rounds).min(affordable) as u32;
        }
        (plan, jobs)
    }
}

/// Points of the ring, or slots of the table.
fn entries(algorithm: &Algorithm, nodes: u32, setting: u32) -> u64 {
    match algorithm.traits.spread {
        Spread::Points(_) => u64::from(nodes) * u64::from(setting),
        Spread::Slots(_) => setting.into(),
        Spread::Even => 0,
    }
}

fn row(ask: &Ask<'_>, algorithm: &Algorithm, nodes: u32, progress: &Progress) -> Row {
    let mut row = Row {
        algorithm: algorithm.name.into(),
        nodes,
        status: Status::Ok,
        reason: None,
        knob: match algorithm.traits.spread {
            Spread::Points(_) => Knob::Points,
            Spread::Slots(_) => Knob::Slots,
            Spread::Even => Knob::Nothing,
        },
        mean: None,
        safe: None,
        keys_mean: None,
        keys_safe: None,
        rounds: 0,
        verified: None,
        metrics: Metrics::new(),
    };
    for bound in ask.bounds() {
        let settled = match settle(ask, algorithm, bound, nodes, progress) {
            Ok(Some(settled)) => settled,
            Ok(None) => continue,
            Err(reason) => {
                row.status = Status::Cannot;
                row.reason = Some(reason);
                return row;
            }
        };
        if let Some((status, reason)) = settled.doubt {
            row.status = status;
            row.reason = Some(reason);
        }
        match bound {
            Bound::Mean => row.mean = Some(settled.found),
            Bound::Sure(_) => row.safe = Some(settled.found),
        }
    }
    let setting = row.safe.as_ref().map(|found| found.setting);
    let settings = ask.settings(algorithm, setting);
    let keys = |bound| keys(ask.target, bound, algorithm, &settings, nodes);
    row.keys_mean = keys(Bound::Mean);
    row.keys_safe = match row.knob {
        Knob::Points => None,
        Knob::Slots | Knob::Nothing => keys(Bound::Sure(ask.confidence)),
    };
    row
}

/// Keys from which on the counts of keys meet the target: the variances of the shares and of the
/// keys' own chance, (N − 1 − CV²)/K, add up. `None` when the shares leave no room for chance.
fn keys(
    target: Target,
    bound: Bound,
    algorithm: &Algorithm,
    settings: &Settings,
    nodes: u32,
) -> Option<u64> {
    let allowed = target.allowed_cv(bound, nodes)?.powi(2);
    let shares = theory::share_cv(algorithm, settings, nodes as usize).powi(2);
    let room = allowed - shares;
    (room > 0.0).then(|| ((f64::from(nodes) - 1.0 - shares) / room).ceil() as u64)
}

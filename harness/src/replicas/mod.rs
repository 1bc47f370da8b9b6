//! Copies of keys: what moves them when nodes join and leave, how they share the nodes, and what is
//! lost with a zone or with two nodes at once.

mod change;
mod laws;
mod names;
mod pairs;
mod row;
mod sets;
mod zones;

use algorithms::algorithm::Spread;
use algorithms::{Algorithm, Settings};

pub use names::OverNames;
pub use pairs::{POINTS, Pairs};
pub use row::{Change, CopySettings, Row, SCHEMA_VERSION, Selection, Status, Zoned};
pub use zones::Zones;

use crate::progress::Progress;
use crate::record::{Answer, CellKind, Ground, Metric, judge_all};
use crate::run::{self, Job, Plan};
use crate::stats::evenness;
use crate::workload::{Workload, affordable};
use sets::Sets;

/// The most copies that can be asked for.
pub const MOST: u32 = 32;
/// Keys whose copies are followed, at most: in full, and with `--quick`.
const KEYS: [usize; 2] = [100_000, 20_000];
/// Scores that one pass over the keys may take where a lookup asks every node: in full, and with
/// `--quick`.
const SCORES: [usize; 2] = [300_000_000, 60_000_000];
/// The fewest keys that are followed for all that.
const FEWEST: usize = 1000;

/// The answer.
pub type Copies = Answer<CopySettings, Row>;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Ask<'a> {
    /// Algorithms, node counts and settings.
    pub plan: Plan<'a>,
    /// Copies of each key.
    pub replicas: u32,
    /// How the nodes stand in zones, where they do.
    pub zones: Option<Zones>,
}

/// Measures every algorithm at every number of nodes.
pub fn find(ask: &Ask<'_>, workload: &Workload, progress: &Progress) -> Copies {
    let plan = &ask.plan;
    progress.total((plan.nodes.len() * plan.algorithms.len()) as u64);
    let mut rows = Vec::new();
    for &nodes in &plan.nodes {
        for &algorithm in &plan.algorithms {
            progress.now(format!("copies by {} at {nodes} nodes", algorithm.name));
            let mut row = Row::new(algorithm, nodes, ask.replicas.min(nodes));
            if let Err(reason) = measure(ask, algorithm, workload, &mut row) {
                row.fail(reason);
            }
            rows.push(row);
            progress.done(1);
        }
    }
    judge_all(rows.iter_mut().flat_map(Row::metrics).collect());
    let settings = CopySettings {
        replicas: ask.replicas,
        zones: ask.zones.clone(),
        ground: Ground::of(plan, workload),
    };
    Answer::new(SCHEMA_VERSION, settings, rows)
}

fn measure(
    ask: &Ask<'_>,
    algorithm: &Algorithm,
    workload: &Workload,
    row: &mut Row,
) -> Result<(), String> {
    let job = Job {
        kind: CellKind::Placement,
        algorithm,
        nodes: row.nodes,
        settings: ask.plan.settings,
    };
    let candidate = run::candidate(&ask.plan, &job, workload)?;
    let keys = workload.sample(ask.keys(algorithm, row.nodes));
    let sets = Sets::of(&*candidate.placement, &keys, ask.replicas, false)?;
    row.keys = keys.len() as u64;
    if row.nodes < ask.replicas {
        row.status = Status::Shortage;
        row.reason = Some(format!(
            "{} nodes hold {} copies of a key, and {} were asked for",
            row.nodes, row.copies, ask.replicas
        ));
    }
    let spread = |loads: Vec<u64>| {
        let parts = loads.iter().map(|&load| load as f64);
        Metric::or(
            evenness(parts).map(|even| even.max_mean),
            "there are no keys",
        )
    };
    row.owners_max_mean = spread(sets.loads(1));
    row.copies_max_mean = spread(sets.loads(sets.copies()));
    change::measure(ask, &candidate, &keys, &sets, row)?;
    if matches!(algorithm.traits.spread, Spread::Points(_)) {
        names::measure(ask, algorithm, &keys, row)?;
    }
    if let Some(zones) = &ask.zones {
        row.zones = Some(zones::measure(ask, &candidate, zones, &keys, &sets)?);
    }
    row.pairs = pairs::measure(ask, &candidate, &keys)?;
    Ok(())
}

impl Ask<'_> {
    /// Keys whose copies are followed.
    fn keys(&self, algorithm: &Algorithm, nodes: u32) -> usize {
        let quick = usize::from(self.plan.quick);
        let scores = SCORES[quick] / self.replicas as usize;
        affordable(algorithm, nodes, scores, [FEWEST, KEYS[quick]])
    }
}

/// Points per node, where the algorithm is a ring.
fn points_of(algorithm: &Algorithm, settings: &Settings) -> Option<u32> {
    match algorithm.traits.spread {
        Spread::Points(fixed) => Some(fixed.unwrap_or(settings.points)),
        Spread::Slots(_) | Spread::Even => None,
    }
}

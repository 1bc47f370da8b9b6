//! A node whose weight is taken away in steps, so that its keys leave gradually.

use algorithms::algorithm::Moves as Least;
use algorithms::{Algorithm, NodeId, Placement};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::laws::Source;
use super::{Moves, SCHEMA_VERSION};
use crate::error::Error;
use crate::measure::{Candidate, node};
use crate::progress::Progress;
use crate::record::{Answer, CellKind, Ground, Metric, judge_all};
use crate::run::{self, Job, Plan};
use crate::theory::Against;
use crate::trend::near;
use crate::verify::place_all;
use crate::workload::{Random, Workload};

/// The answer.
pub type Drained = Answer<DrainSettings, DrainRow>;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Drain<'a> {
    /// Algorithms, node counts and settings.
    pub plan: Plan<'a>,
    /// The node that goes.
    pub node: Which,
    /// Percent of its weight after each step, falling; it begins with 100 and is removed in the end,
    /// whether or not they are listed.
    pub steps: Vec<f64>,
}

/// Which node is meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Which {
    /// The one that joined last.
    Newest,
    /// The one that joined first.
    Oldest,
    /// A random one.
    Random,
    /// The one of this name.
    Named(String),
}

/// What was asked, for the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DrainSettings {
    /// The node that goes.
    pub node: Which,
    /// Percent of its weight after each step.
    pub steps: Vec<f64>,
    /// Placements and keys.
    #[serde(flatten)]
    pub ground: Ground,
}

/// How a row came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DrainStatus {
    /// The node was drained in steps.
    Ok,
    /// The algorithm has no weights: the node can only be removed at once.
    Unweighted,
    /// The algorithm refuses a step or the removal.
    Refused,
    /// Not built or not verified; it has no figures.
    Failed,
}

/// One algorithm at one number of nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DrainRow {
    /// The algorithm.
    pub algorithm: String,
    /// Number of nodes.
    pub nodes: u32,
    /// How it came out.
    pub status: DrainStatus,
    /// Why not otherwise.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// Name of the node that goes.
    pub node: String,
    /// The steps, the removal as the last of them.
    pub steps: Vec<Step>,
    /// What all steps move together, a key once for each time that it moves.
    pub total: Option<Metric>,
    /// What moves when the node is removed at once.
    pub at_once: Option<Moves>,
}

/// One step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Percent of the weight before.
    pub from: f64,
    /// Percent of the weight after; null for the removal.
    pub to: Option<f64>,
    /// What moves.
    pub moves: Moves,
}

impl Which {
    /// The number of the node among this many.
    ///
    /// # Errors
    /// When none of them has the name; the error tells the nearest.
    pub fn number(&self, seed: u64, nodes: u32) -> Result<usize, Error> {
        let count = nodes as usize;
        match self {
            Self::Newest => Ok(count - 1),
            Self::Oldest => Ok(0),
            Self::Random => Ok(Random::new(seed, 32).below(count)),
            Self::Named(name) => {
                let names: Vec<String> = (0..count).map(|at| node(seed, at).name).collect();
                let found = names.iter().position(|known| known == name);
                found.ok_or_else(|| {
                    let near = near(name, names.iter().map(|name| &**name));
                    Error::Usage(format!(
                        "--node {name:?} is none of {nodes} nodes; the nearest: {}",
                        near.join(", ")
                    ))
                })
            }
        }
    }
}

/// Drains the node by every algorithm at every number of nodes.
///
/// # Errors
/// When no node has the name that was asked for.
pub fn drain(ask: &Drain<'_>, workload: &Workload, progress: &Progress) -> Result<Drained, Error> {
    let plan = &ask.plan;
    progress.total((plan.nodes.len() * plan.algorithms.len()) as u64);
    let mut rows = Vec::new();
    for &nodes in &plan.nodes {
        let number = ask.node.number(plan.seed, nodes)?;
        for &algorithm in &plan.algorithms {
            progress.now(format!("draining by {} at {nodes} nodes", algorithm.name));
            rows.push(ask.row(algorithm, nodes, number, workload));
            progress.done(1);
        }
    }
    judge_all(rows.iter_mut().flat_map(DrainRow::metrics).collect());
    let settings = DrainSettings {
        node: ask.node.clone(),
        steps: ask.steps.clone(),
        ground: Ground::of(plan, workload),
    };
    Ok(Answer::new(SCHEMA_VERSION, settings, rows))
}

impl DrainRow {
    fn metrics(&mut self) -> Vec<&mut Metric> {
        let moves = self.steps.iter_mut().map(|step| &mut step.moves);
        let moves = moves.chain(&mut self.at_once);
        let metrics = moves.flat_map(|moves| [&mut moves.moved, &mut moves.unneeded]);
        metrics.chain(&mut self.total).collect()
    }
}

impl Drain<'_> {
    fn row(
        &self,
        algorithm: &Algorithm,
        nodes: u32,
        number: usize,
        workload: &Workload,
    ) -> DrainRow {
        let mut row = DrainRow {
            algorithm: algorithm.name.into(),
            nodes,
            status: DrainStatus::Ok,
            reason: None,
            node: node(self.plan.seed, number).name,
            steps: Vec::new(),
            total: None,
            at_once: None,
        };
        let job = Job {
            kind: CellKind::Placement,
            algorithm,
            nodes,
            settings: self.plan.settings,
        };
        let candidate = match run::candidate(&self.plan, &job, workload) {
            Ok(candidate) => candidate,
            Err(reason) => {
                (row.status, row.reason) = (DrainStatus::Failed, Some(reason));
                return row;
            }
        };
        let leaving = Leaving {
            id: candidate.placement.membership().members()[number].id,
            source: Source::of(algorithm, &candidate.settings),
            candidate: &candidate,
            workload,
        };
        match leaving.at_once() {
            Ok(moves) => row.at_once = Some(moves),
            Err(reason) => (row.status, row.reason) = (DrainStatus::Refused, Some(reason)),
        }
        if leaving.source.is_none() {
            if row.reason.is_none() {
                let reason = "it has no weights, so the node can only be removed at once";
                (row.status, row.reason) = (DrainStatus::Unweighted, Some(reason.into()));
            }
            return row;
        }
        match leaving.steps(&self.steps) {
            Ok(steps) => {
                row.total = leaving.total(&steps, row.at_once.as_ref());
                row.steps = steps;
            }
            Err(reason) => (row.status, row.reason) = (DrainStatus::Refused, Some(reason)),
        }
        row
    }
}

/// A node that is to leave a placement of equal nodes.
struct Leaving<'a> {
    id: NodeId,
    /// `None` without weights.
    source: Option<Source>,
    candidate: &'a Candidate<'a>,
    workload: &'a Workload,
}

impl Leaving<'_> {
    fn at_once(&self) -> Result<Moves, String> {
        let before = &*self.candidate.placement;
        let mut after = before.boxed_clone();
        after.remove(self.id).map_err(|error| error.to_string())?;
        let was = &self.candidate.verified.owners;
        let is = place_all(&*after, &self.workload.hashes);
        Ok(self.between(before, &*after, [was, &is], [1.0, 0.0]))
    }

    fn steps(&self, percents: &[f64]) -> Result<Vec<Step>, String> {
        let mut before = self.candidate.placement.boxed_clone();
        let mut was = self.candidate.verified.owners.clone();
        let mut from = 100.0;
        let mut steps = Vec::new();
        let further = percents.iter().filter(|percent| **percent < 100.0);
        for to in further.map(|percent| Some(*percent)).chain([None]) {
            let mut after = before.boxed_clone();
            let changed = match to {
                Some(percent) => after.reweigh(self.id, percent / 100.0),
                None => after.remove(self.id),
            };
            changed.map_err(|error| error.to_string())?;
            let is = place_all(&*after, &self.workload.hashes);
            let weights = [from / 100.0, to.unwrap_or(0.0) / 100.0];
            let moves = self.between(&*before, &*after, [&was, &is], weights);
            steps.push(Step { from, to, moves });
            (before, was, from) = (after, is, to.unwrap_or(0.0));
        }
        Ok(steps)
    }

    /// The moves beside their laws.
    fn between(
        &self,
        before: &dyn Placement,
        after: &dyn Placement,
        [was, is]: [&[Option<NodeId>]; 2],
        weights: [f64; 2],
    ) -> Moves {
        let mut moves = Moves::between(before, after, was, is, self.workload);
        let others = vec![1.0; self.candidate.nodes.len() - 1];
        let [from, to] = weights;
        if let Some(source) = self.source {
            moves.moved = source.moved(from, to, &others, &moves, is.len() as u64);
        }
        if self.moves_least()
            && let Some(value) = moves.unneeded.value
        {
            moves.unneeded = moves.unneeded.against(Against::exact(value, 0.0));
        }
        moves
    }

    /// All steps together, which by what moves least are the removal at once: each key leaves the
    /// node one time.
    fn total(&self, steps: &[Step], at_once: Option<&Moves>) -> Option<Metric> {
        let moved = steps.iter().map(|step| step.moves.moved.value);
        let total = moved.sum::<Option<f64>>()?;
        let once = at_once?.moved.value?;
        let metric = Metric::of(total);
        Some(match self.moves_least() {
            true => metric.against(Against::within(total, once, 1e-9)),
            false => metric,
        })
    }

    fn moves_least(&self) -> bool {
        self.candidate.algorithm.traits.moves == Least::Least
    }
}

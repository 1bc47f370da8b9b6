//! Shares beside the weights that they should follow, and what a change of one weight moves.

use algorithms::{Algorithm, Layout, Node, NodeId, Placement};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::laws::Source;
use super::{Moves, SCHEMA_VERSION};
use crate::measure::nodes;
use crate::progress::Progress;
use crate::record::{Answer, Ground, Metric, judge_all};
use crate::run::Plan;
use crate::theory::Against;
use crate::verify::{Depth, place_all, verify};
use crate::workload::Workload;

/// The answer.
pub type Weighed = Answer<WeighSettings, WeighRow>;

/// What is asked.
#[derive(Clone, Debug)]
pub struct Weigh<'a> {
    /// Algorithms, node counts and settings.
    pub plan: Plan<'a>,
    /// Weights, which the nodes get in turns.
    pub weights: Vec<f64>,
}

/// What was asked, for the answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WeighSettings {
    /// Weights, which the nodes get in turns.
    pub weights: Vec<f64>,
    /// Placements and keys.
    #[serde(flatten)]
    pub ground: Ground,
}

/// One algorithm at one number of nodes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WeighRow {
    /// The algorithm.
    pub algorithm: String,
    /// Number of nodes.
    pub nodes: u32,
    /// Whether the placement could not be built, or failed its verification.
    pub failed: bool,
    /// Why there are no figures.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
    /// The nodes by their weights.
    pub classes: Vec<Class>,
}

/// All nodes of one weight.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Class {
    /// The weight of each.
    pub weight: f64,
    /// How many there are.
    pub count: u32,
    /// Their share together: exact from arcs or slots, else counted.
    pub share: Metric,
    /// The smallest share of one of them, over w/Σw.
    pub least: Metric,
    /// The largest share of one of them, over w/Σw.
    pub most: Metric,
    /// Part of the keys that is counted on them.
    pub keys: Metric,
    /// The weight of the first of them doubles.
    pub doubled: Option<Moves>,
    /// The weight of the first of them becomes one half.
    pub halved: Option<Moves>,
}

/// Weighs by every algorithm at every number of nodes.
pub fn weigh(ask: &Weigh<'_>, workload: &Workload, progress: &Progress) -> Weighed {
    let plan = &ask.plan;
    progress.total((plan.nodes.len() * plan.algorithms.len()) as u64);
    let mut rows = Vec::new();
    for &nodes in &plan.nodes {
        for &algorithm in &plan.algorithms {
            progress.now(format!("weighing by {} at {nodes} nodes", algorithm.name));
            rows.push(ask.row(algorithm, nodes, workload));
            progress.done(1);
        }
    }
    judge_all(rows.iter_mut().flat_map(WeighRow::metrics).collect());
    let settings = WeighSettings {
        weights: ask.weights.clone(),
        ground: Ground::of(plan, workload),
    };
    Answer::new(SCHEMA_VERSION, settings, rows)
}

impl WeighRow {
    fn metrics(&mut self) -> impl Iterator<Item = &mut Metric> {
        self.classes.iter_mut().flat_map(|class| {
            let moves = [&mut class.doubled, &mut class.halved]
                .into_iter()
                .flatten();
            let moved = moves.flat_map(|moves| [&mut moves.moved, &mut moves.unneeded]);
            moved.chain([&mut class.share, &mut class.keys])
        })
    }
}

impl Weigh<'_> {
    fn row(&self, algorithm: &Algorithm, count: u32, workload: &Workload) -> WeighRow {
        let mut row = WeighRow {
            algorithm: algorithm.name.into(),
            nodes: count,
            failed: false,
            reason: None,
            classes: Vec::new(),
        };
        let Some(source) = Source::of(algorithm, &self.plan.settings) else {
            row.reason = Some("it has no weights".into());
            return row;
        };
        let turns = self.weights.iter().cycle();
        let nodes: Vec<Node> = nodes(self.plan.seed, count)
            .into_iter()
            .zip(turns)
            .map(|(node, &weight)| Node { weight, ..node })
            .collect();
        let settings = &self.plan.settings;
        let placement = match algorithm.build(settings, nodes.clone()) {
            Ok(placement) => placement,
            Err(error) => {
                (row.failed, row.reason) = (true, Some(error.to_string()));
                return row;
            }
        };
        match verify(
            algorithm,
            settings,
            &nodes,
            &*placement,
            workload,
            Depth::Laws,
        ) {
            Ok(verified) => {
                let scale = Scale {
                    source,
                    least: algorithm.traits.moves == algorithms::algorithm::Moves::Least,
                    placement: &*placement,
                    owners: &verified.owners,
                    nodes: &nodes,
                    workload,
                };
                row.classes = scale.classes();
            }
            Err(reason) => (row.failed, row.reason) = (true, Some(reason)),
        }
        row
    }
}

/// A verified placement of weighted nodes.
struct Scale<'a> {
    source: Source,
    least: bool,
    placement: &'a dyn Placement,
    owners: &'a [Option<NodeId>],
    nodes: &'a [Node],
    workload: &'a Workload,
}

impl Scale<'_> {
    fn classes(&self) -> Vec<Class> {
        let mut counts = vec![0u64; self.nodes.len()];
        for owner in self.owners.iter().flatten() {
            counts[owner.index()] += 1;
        }
        let keys = self.owners.len() as f64;
        let shares: Vec<f64> = match self.placement.layout() {
            // A declared share proves nothing: it is counted.
            Layout::Law(_) => counts.iter().map(|&count| count as f64 / keys).collect(),
            _ => self
                .placement
                .shares()
                .iter()
                .map(|share| share.1)
                .collect(),
        };
        let mut weights: Vec<f64> = self.nodes.iter().map(|node| node.weight).collect();
        weights.sort_by(f64::total_cmp);
        weights.dedup();
        let of_one = |&weight: &f64| self.class(weight, &counts, &shares);
        weights.iter().rev().map(of_one).collect()
    }

    fn class(&self, weight: f64, counts: &[u64], shares: &[f64]) -> Class {
        let mine = |at: &usize| self.nodes[*at].weight == weight;
        let own: Vec<usize> = (0..self.nodes.len()).filter(mine).collect();
        let (keys, hits) = (
            self.owners.len() as u64,
            own.iter().map(|&at| counts[at]).sum::<u64>(),
        );
        let share: f64 = own.iter().map(|&at| shares[at]).sum();
        let others = self.weights(|at| self.nodes[at].weight != weight);
        let law = self
            .source
            .share(share, &vec![weight; own.len()], &others, hits, keys);
        let by_key = Metric::fraction(hits, keys);
        let (share_metric, by_key) = match self.source {
            // The share was counted on the keys, and stands beside its law once.
            Source::Scores => (by_key.clone().against(law), by_key),
            Source::Points(_) | Source::Slots(_) | Source::Fixed(_) => (
                Metric::of(share).against(law),
                by_key.against(Against::fraction(hits, keys, share.min(1.0))),
            ),
        };
        let wanted = weight / self.nodes.iter().map(|node| node.weight).sum::<f64>();
        let relative = own.iter().map(|&at| shares[at] / wanted);
        let ends = |ends: Option<f64>| {
            Metric::or(
                ends.filter(|_| weight > 0.0),
                "nodes of weight 0 have no share",
            )
        };
        Class {
            weight,
            count: own.len() as u32,
            share: share_metric,
            least: ends(relative.clone().min_by(f64::total_cmp)),
            most: ends(relative.max_by(f64::total_cmp)),
            keys: by_key,
            doubled: self.reweighed(own[0], 2.0),
            halved: self.reweighed(own[0], 0.5),
        }
    }

    fn weights(&self, wanted: impl Fn(usize) -> bool) -> Vec<f64> {
        let chosen = (0..self.nodes.len()).filter(|&at| wanted(at));
        chosen.map(|at| self.nodes[at].weight).collect()
    }

    /// What moves when the weight of this node changes by a factor; `None` where that is refused, or
    /// no change.
    fn reweighed(&self, at: usize, factor: f64) -> Option<Moves> {
        let was = self.nodes[at].weight;
        let is = was * factor;
        if was == 0.0 {
            return None;
        }
        let mut after = self.placement.boxed_clone();
        let id = self.placement.membership().members()[at].id;
        after.reweigh(id, is).ok()?;
        let owners = place_all(&*after, &self.workload.hashes);
        let mut moves =
            Moves::between(self.placement, &*after, self.owners, &owners, self.workload);
        let others = self.weights(|other| other != at);
        let keys = owners.len() as u64;
        moves.moved = self.source.moved(was, is, &others, &moves, keys);
        if self.least
            && let Some(value) = moves.unneeded.value
        {
            moves.unneeded = moves.unneeded.against(Against::exact(value, 0.0));
        }
        Some(moves)
    }
}

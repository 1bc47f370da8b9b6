//! Which keys a change of membership moves, how few could have moved, and who is left with them.

use std::collections::{BTreeMap, BTreeSet};

use algorithms::{Member, NodeId, Placement, PlacementError};

use super::against::Laws;
use super::{Candidate, Metrics, index};
use crate::record::Metric;
use crate::scenario::Scenario;
use crate::verify::place_all;
use crate::workload::{Random, Workload};

/// Makes the change.
fn apply(
    scenario: Scenario,
    candidate: &Candidate<'_>,
    placement: &mut dyn Placement,
    random: &mut Random,
) -> Result<(), PlacementError> {
    let members = candidate.placement.membership().members();
    let left = match scenario {
        Scenario::AddOne | Scenario::AddTwo => {
            let newcomers = (0..scenario.added()).map(|further| candidate.newcomer(further));
            return placement.extend(newcomers.collect()).map(drop);
        }
        Scenario::RemoveNewest => members.len() - 1,
        Scenario::RemoveOldest => 0,
        Scenario::RemoveRandom => random.below(members.len()),
    };
    placement.remove(members[left].id)
}

/// Measures one scenario. A change that the algorithm refuses has no values, for that reason.
pub fn measure(
    candidate: &Candidate<'_>,
    workload: &Workload,
    scenario: Scenario,
    seed: u64,
) -> Metrics {
    let mut random = Random::new(seed, 1);
    let mut after = candidate.placement.boxed_clone();
    let refusal = match candidate.nodes.len() {
        1 if scenario.added() == 0 => Some("no node would be left".into()),
        _ => apply(scenario, candidate, &mut *after, &mut random)
            .err()
            .map(|e| e.to_string()),
    };
    let metrics = match refusal {
        Some(reason) => [
            "moved",
            "moved_keys",
            "least",
            "unneeded",
            "receivers",
            "increase",
        ]
        .map(|name| (name.to_owned(), Metric::none(reason.clone())))
        .into(),
        None => compare(candidate, &*after, workload, scenario),
    };
    let tagged = |(name, metric)| (format!("{name}_{}", scenario.tag()), metric);
    metrics.into_iter().map(tagged).collect()
}

/// What one change moves.
pub(crate) struct Moved {
    /// Fraction of the keys: exact where it can be computed, else counted, with its interval.
    pub moved: Metric,
    /// The part of it between unchanged nodes.
    pub unneeded: Metric,
    /// Nodes that receive keys.
    pub receivers: Metric,
}

impl Moved {
    /// From what moves exactly, or else from the owners `was` and `is` of a sample of keys.
    pub fn between(
        before: &dyn Placement,
        after: &dyn Placement,
        was: &[Option<NodeId>],
        is: &[Option<NodeId>],
    ) -> Self {
        Self::exact(before, after).unwrap_or_else(|| Self::counted(was, is, before, after))
    }

    fn exact(before: &dyn Placement, after: &dyn Placement) -> Option<Self> {
        let stays = unchanged(before, after);
        let (mut moved, mut unneeded, mut receivers) = (0, 0, BTreeSet::new());
        let whole = before
            .layout()
            .each_move(&after.layout(), |from, to, size| {
                moved += size;
                unneeded += if stays[from.index()] && stays[to.index()] {
                    size
                } else {
                    0
                };
                receivers.insert(to);
            })?;
        let part = |size: u128| Metric::of(size as f64 / whole as f64);
        Some(Self {
            moved: part(moved),
            unneeded: part(unneeded),
            receivers: Metric::count(receivers.len()),
        })
    }

    fn counted(
        was: &[Option<NodeId>],
        is: &[Option<NodeId>],
        before: &dyn Placement,
        after: &dyn Placement,
    ) -> Self {
        let unchanged = unchanged(before, after);
        let stays = |owner: &Option<NodeId>| index(*owner).is_some_and(|at| unchanged[at]);
        let (mut moved, mut unneeded) = (0, 0);
        for (from, to) in was.iter().zip(is).filter(|(from, to)| from != to) {
            moved += 1;
            unneeded += u64::from(stays(from) && stays(to));
        }
        let keys = was.len() as u64;
        // A sample may miss a receiver; whose share grows is known.
        let receivers = Shares::of(before, after).growing();
        Self {
            moved: Metric::fraction(moved, keys),
            unneeded: Metric::fraction(unneeded, keys),
            receivers: Metric::count(receivers),
        }
    }
}

fn compare(
    candidate: &Candidate<'_>,
    after: &dyn Placement,
    workload: &Workload,
    scenario: Scenario,
) -> Metrics {
    let before = &*candidate.placement;
    let was = &candidate.verified.owners;
    let is = place_all(after, &workload.hashes);
    let Moved {
        moved,
        unneeded,
        receivers,
    } = Moved::between(before, after, was, &is);
    let laws = Laws::of(candidate);
    let shares = Shares::of(before, after);
    let moved = laws.moved(scenario, moved, shares.least(), is.len() as u64);
    let mut metrics = Metrics::from([
        ("moved".into(), moved.clone()),
        ("least".into(), Metric::of(shares.least())),
        ("unneeded".into(), laws.unneeded(scenario, unneeded)),
        ("receivers".into(), laws.receivers(scenario, receivers)),
        (
            "increase".into(),
            laws.increase(
                scenario,
                Metric::or(shares.increase(), "no survivor had a share"),
            ),
        ),
    ]);
    for measure in workload.measures() {
        let differs = |&at: &usize| was[at] != is[at];
        let weight = (0..is.len())
            .filter(differs)
            .map(|at| measure.of(at))
            .sum::<u64>();
        let whole = measure.total(is.len());
        let part = (whole > 0).then(|| weight as f64 / whole as f64);
        let metric = match measure.name {
            "keys" => laws.moved_keys(&moved, Metric::fraction(weight, whole), whole),
            _ => Metric::or(part, "they add up to 0"),
        };
        metrics.insert(format!("moved_{}", measure.name), metric);
    }
    metrics
}

/// For each index of an id, whether the node is there before and after with the same weight.
fn unchanged(before: &dyn Placement, after: &dyn Placement) -> Vec<bool> {
    let (before, after) = (before.membership(), after.membership());
    let mut unchanged = vec![false; before.joined().max(after.joined())];
    for member in before.members() {
        let same = |now: &Member| now.weight == member.weight;
        unchanged[member.id.index()] = after.get(member.id).is_ok_and(same);
    }
    unchanged
}

/// Shares before and after, by node.
pub(crate) struct Shares(BTreeMap<NodeId, (f64, f64)>);

impl Shares {
    pub fn of(before: &dyn Placement, after: &dyn Placement) -> Self {
        let mut shares: BTreeMap<NodeId, (f64, f64)> = BTreeMap::new();
        for (id, share) in before.shares() {
            shares.entry(id).or_default().0 = share;
        }
        for (id, share) in after.shares() {
            shares.entry(id).or_default().1 = share;
        }
        Self(shares)
    }

    /// ½·Σ|share after − share before|: no scheme can move less.
    pub fn least(&self) -> f64 {
        self.0
            .values()
            .map(|(was, is)| (is - was).abs())
            .sum::<f64>()
            / 2.0
    }

    /// Nodes whose share grows.
    fn growing(&self) -> usize {
        self.0.values().filter(|(was, is)| is > was).count()
    }

    /// Largest relative growth of a node's share among those that had and have one; 0 when none
    /// grows.
    fn increase(&self) -> Option<f64> {
        let survivors = self.0.values().filter(|(was, is)| *was > 0.0 && *is > 0.0);
        let growth = survivors.map(|(was, is)| (is / was - 1.0).max(0.0));
        growth.max_by(f64::total_cmp)
    }
}

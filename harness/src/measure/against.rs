//! Which figure of a placement has which law.

use algorithms::algorithm::{Moves, Spread};
use statrs::distribution::Beta;

use super::Candidate;
use crate::record::Metric;
use crate::scenario::Scenario;
use crate::stats::Evenness;
use crate::theory::{Against, maglev, modulo, ring, shares};

/// Where owners come from, which decides what is exact and what scatters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// Random points on a ring, so many for each node.
    Points(u32),
    /// Slots of a table of this size.
    Slots(u32),
    /// The remainder of the key names the node.
    Remainder,
    /// Scores or draws: each key chooses by itself.
    Scores,
}

/// The laws of one placement of equal nodes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Laws {
    source: Source,
    nodes: u64,
    least: bool,
    order_free: bool,
    history_free: bool,
}

impl Laws {
    /// Those that follow from what the algorithm declares.
    pub fn of(candidate: &Candidate<'_>) -> Self {
        let traits = candidate.algorithm.traits;
        let least = traits.moves.is_least();
        let source = match traits.spread {
            Spread::Points(points) => Source::Points(points.unwrap_or(candidate.settings.points)),
            Spread::Slots(table) => Source::Slots(table.slots(&candidate.settings)),
            Spread::Even if traits.moves == Moves::Unbounded => Source::Remainder,
            Spread::Even => Source::Scores,
        };
        Self {
            source,
            nodes: candidate.nodes.len() as u64,
            least,
            order_free: traits.order_free,
            history_free: traits.history_free,
        }
    }

    /// Nodes after the change.
    fn after(&self, scenario: Scenario) -> u64 {
        match scenario.added() as u64 {
            0 => self.nodes - 1,
            added => self.nodes + added,
        }
    }

    /// The law of the share that `own` of `total` nodes have on a ring of this many points each.
    fn share(points: u32, own: u64, total: u64) -> Option<Beta> {
        let points = u64::from(points);
        ring::share(own * points, total * points).ok()
    }

    /// Part of the keys that a change moves, `least` being what the change of shares needs; those
    /// without a layout were counted on `keys` keys.
    pub fn moved(&self, scenario: Scenario, metric: Metric, least: f64, keys: u64) -> Metric {
        let Some(value) = metric.value else {
            return metric;
        };
        let after = self.after(scenario);
        match self.source {
            Source::Points(points) => {
                let changed = (scenario.added() as u64).max(1);
                match Self::share(points, changed, self.nodes.max(after)) {
                    Some(law) => metric.against(Against::share(value, &law)),
                    None => metric,
                }
            }
            Source::Remainder => {
                let expected = modulo::moved(self.nodes, after);
                metric.against(Against::exact(value, expected))
            }
            // How much more than the least depends on the groups of the names.
            Source::Scores if !self.least => metric,
            Source::Scores => {
                let chance = scenario.ideal(self.nodes as usize);
                let moved = (value * keys as f64).round() as u64;
                metric.against(Against::fraction(moved, keys, chance))
            }
            Source::Slots(_) if self.least => metric.against(Against::exact(value, least)),
            // How much more than the least has no closed form.
            Source::Slots(_) => metric,
        }
    }

    /// Part of these keys that moves, where the part of all possible keys is known exactly.
    pub fn moved_keys(&self, moved: &Metric, metric: Metric, keys: u64) -> Metric {
        let chance = match self.source {
            Source::Scores => moved.expected,
            _ => moved.value,
        };
        match (metric.value, chance) {
            (Some(value), Some(chance)) => {
                let hits = (value * keys as f64).round() as u64;
                metric.against(Against::fraction(hits, keys, chance))
            }
            _ => metric,
        }
    }

    /// Part of the keys that moves between unchanged nodes.
    pub fn unneeded(&self, scenario: Scenario, metric: Metric) -> Metric {
        let expected = match self.source {
            _ if self.least => 0.0,
            Source::Remainder => modulo::unneeded(self.nodes, self.after(scenario)),
            _ => return metric,
        };
        exactly(metric, expected)
    }

    /// Nodes that receive moved keys.
    pub fn receivers(&self, scenario: Scenario, metric: Metric) -> Metric {
        let expected = match (scenario.added(), self.source) {
            _ if !self.least => return metric,
            (0, Source::Points(1)) => 1,
            (0, Source::Scores) => self.nodes - 1,
            // How many own the points that follow is a matter of the ring.
            (0, _) => return metric,
            (added, _) => added as u64,
        };
        exactly(metric, expected as f64)
    }

    /// Largest relative growth of a survivor's share.
    pub fn increase(&self, scenario: Scenario, metric: Metric) -> Metric {
        match (self.source, scenario.added()) {
            (Source::Remainder, 0) => exactly(metric, 1.0 / (self.nodes as f64 - 1.0)),
            _ => metric,
        }
    }

    /// Keys that move when the list is shuffled, or a node leaves and comes back.
    pub fn dependence(&self, order: Metric, history: Metric) -> [Metric; 2] {
        let none = |free: bool, metric: Metric| match free {
            true => exactly(metric, 0.0),
            false => metric,
        };
        [
            none(self.order_free, order),
            none(self.history_free, history),
        ]
    }

    /// Keys that move when one weight doubles, `least` being what the change of shares needs; those
    /// without a layout were counted.
    pub fn reweigh_moved(&self, metric: Metric, least: f64, keys: u64) -> Metric {
        let n = self.nodes as f64;
        let expected = 2.0 / (n + 1.0) - 1.0 / n;
        match (self.source, metric.value) {
            (Source::Points(points), Some(value)) => {
                metric.against(ring::grown(self.nodes, points, value))
            }
            (Source::Scores, Some(value)) if self.least => {
                let moved = (value * keys as f64).round() as u64;
                metric.against(Against::fraction(moved, keys, expected))
            }
            (Source::Slots(_), Some(value)) if self.least => {
                metric.against(Against::exact(value, least))
            }
            _ => metric,
        }
    }

    /// Keys that move between two others when one weight doubles.
    pub fn reweigh_unneeded(&self, metric: Metric) -> Metric {
        match self.least {
            true => exactly(metric, 0.0),
            false => metric,
        }
    }

    /// The share of a node of weight 2 among others of weight 1, given relative to 2/(N + 1).
    pub fn doubled(&self, share: f64, off: Metric, keys: u64) -> Metric {
        let wanted = 2.0 / (self.nodes as f64 + 1.0);
        let law = match self.source {
            Source::Points(points) => {
                Self::share(points, 2, self.nodes + 1).map(|law| Against::share(share, &law))
            }
            Source::Slots(slots) => Some(Against::within(share, wanted, 2.0 / f64::from(slots))),
            Source::Scores => {
                let hits = (share * keys as f64).round() as u64;
                Some(Against::fraction(hits, keys, wanted))
            }
            Source::Remainder => None,
        };
        law.map_or(off.clone(), |law| off.against(law.seen_as(0.0)))
    }

    /// Evenness of the exact shares, in the order max/mean, min/mean, CV. That of scores is
    /// declared and not measured, so it proves nothing.
    pub fn evenness(&self, seen: &Evenness) -> [Option<Against>; 3] {
        let nodes = self.nodes as usize;
        let figures = [seen.max_mean, seen.min_mean, seen.cv];
        let exact = |expected: [f64; 3]| {
            [0, 1, 2].map(|at| Some(Against::exact(figures[at], expected[at])))
        };
        match self.source {
            Source::Points(points) => match shares::evenness(nodes, points, seen) {
                Some(laws) => laws.map(Some),
                None => exact([1.0, 1.0, 0.0]),
            },
            Source::Slots(slots) => exact([
                maglev::max_mean(nodes, slots),
                maglev::min_mean(nodes, slots),
                maglev::cv(nodes, slots),
            ]),
            Source::Remainder => exact([1.0, 1.0, 0.0]),
            Source::Scores => [None; 3],
        }
    }

    /// Points, slots or nodes that decide the owners.
    pub fn entries(&self, metric: Metric) -> Metric {
        let expected = match self.source {
            Source::Points(points) => self.nodes * u64::from(points),
            Source::Slots(slots) => slots.into(),
            Source::Remainder | Source::Scores => self.nodes,
        };
        exactly(metric, expected as f64)
    }

    /// Entries that one node more, or less, changes.
    pub fn entries_changed(&self, metric: Metric) -> Metric {
        match self.source {
            Source::Points(points) => exactly(metric, points.into()),
            Source::Remainder | Source::Scores => exactly(metric, 1.0),
            Source::Slots(_) => metric,
        }
    }
}

/// A figure with a law that leaves no room.
pub(super) fn exactly(metric: Metric, expected: f64) -> Metric {
    match metric.value {
        Some(value) => metric.against(Against::exact(value, expected)),
        None => metric,
    }
}

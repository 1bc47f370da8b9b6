//! Two records side by side: which figures got better or worse, and which cannot be compared.
//!
//! Exact figures are compared exactly, on whatever machine they were found. Times are compared only
//! within one machine and with the same settings: a change is called one when the whole interval of
//! the factor between the two lies beyond the smallest change of interest, so that noise below it
//! never raises an alarm, and noise above it ends as "inconclusive".

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use crate::record::{Better, Cell, Kind, Metric, Record, Status, Tool, Unit};
use crate::stats;

/// Confidence of the interval of each factor: with a hundred times in one comparison, 99 % would
/// leave one outside.
pub const CONFIDENCE: f64 = 0.999;

/// Smallest change of a time that is of interest, unless told otherwise.
pub const THRESHOLD: f64 = 0.05;

/// The same for a build, an addition and a removal: they are timed one by one, last microseconds,
/// and hang on where the allocator puts things.
const CHURN_THRESHOLD: f64 = 0.20;
const CHURN: [&str; 3] = ["add_ns", "build_ns", "remove_ns"];

/// What became of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// Worse.
    Regressed,
    /// Different, where neither direction is better: another mapping, say.
    Changed,
    /// Better.
    Improved,
    /// The noise is larger than the change of interest.
    Inconclusive,
    /// In the old record only.
    Missing,
    /// In the new record only.
    New,
    /// Times of two machines or settings, or counts of two compilers.
    NotComparable,
    /// A time that changed by less than what is of interest.
    WithinNoise,
    /// An exact figure that is the same.
    Unchanged,
}

impl Verdict {
    /// All, the most urgent first.
    pub const ALL: [Self; 9] = [
        Self::Regressed,
        Self::Changed,
        Self::Improved,
        Self::Inconclusive,
        Self::Missing,
        Self::New,
        Self::NotComparable,
        Self::WithinNoise,
        Self::Unchanged,
    ];

    /// The verdict in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Regressed => "regressed",
            Self::Changed => "changed",
            Self::Improved => "improved",
            Self::Inconclusive => "inconclusive",
            Self::Missing => "missing",
            Self::New => "new",
            Self::NotComparable => "not comparable",
            Self::WithinNoise => "within noise",
            Self::Unchanged => "unchanged",
        }
    }
}

/// Which figures are compared, and what counts as a change.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Smallest change of a time that is of interest, as a fraction.
    pub threshold: f64,
    /// The same for single metrics.
    pub thresholds: BTreeMap<String, f64>,
    /// Only exact figures or only times, where one kind is asked for.
    pub only: Option<Kind>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            threshold: THRESHOLD,
            thresholds: CHURN
                .map(|metric| (metric.to_owned(), CHURN_THRESHOLD))
                .into(),
            only: None,
        }
    }
}

impl Rules {
    fn threshold(&self, metric: &str) -> f64 {
        self.thresholds
            .get(metric)
            .copied()
            .unwrap_or(self.threshold)
    }
}

/// One figure of both records.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Row {
    /// The cell.
    pub id: String,
    /// Its algorithm.
    pub algorithm: String,
    /// Its node count.
    pub nodes: u32,
    /// The metric, "checksum" for the mapping, or "status".
    pub metric: String,
    /// What became of it.
    pub verdict: Verdict,
    /// The old figure.
    pub old: Option<f64>,
    /// The new figure.
    pub new: Option<f64>,
    /// New over old: for times the estimate over all rounds.
    pub factor: Option<f64>,
    /// Lower end of the factor's interval.
    pub low: Option<f64>,
    /// Upper end of the factor's interval.
    pub high: Option<f64>,
    /// What there is to add.
    pub note: Option<String>,
}

/// The outcome.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Comparison {
    /// What made the old record.
    pub old: Tool,
    /// What made the new record.
    pub new: Tool,
    /// A slowdown that was planted in one of them on purpose.
    pub planted: Option<String>,
    /// Why times are not comparable, where they are not.
    pub times_incomparable: Option<String>,
    /// Smallest change of a time that is of interest.
    pub threshold: f64,
    /// The same for single metrics.
    pub thresholds: BTreeMap<String, f64>,
    /// Figures that stand in both records.
    pub pairs: usize,
    /// Rows per verdict.
    pub counts: BTreeMap<String, usize>,
    /// All rows, in the order of cells and metrics.
    pub rows: Vec<Row>,
}

impl Comparison {
    /// Rows with this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.rows
            .iter()
            .filter(|row| row.verdict == verdict)
            .count()
    }
}

/// Compares two records.
pub fn compare(old: &Record, new: &Record, rules: &Rules) -> Comparison {
    let context = Context {
        old,
        new,
        rules,
        times: times_incomparable(old, new),
        counts: counts_incomparable(old, new),
    };
    let cells = |record| -> BTreeMap<String, Cell> {
        let record: &Record = record;
        record
            .cells
            .iter()
            .map(|cell| (cell.id.clone(), cell.clone()))
            .collect()
    };
    let (old_cells, new_cells) = (cells(old), cells(new));
    let ids: BTreeSet<&String> = old_cells.keys().chain(new_cells.keys()).collect();
    let mut rows = Vec::new();
    for id in ids {
        match (old_cells.get(id), new_cells.get(id)) {
            (Some(was), Some(is)) => context.cell(was, is, &mut rows),
            (Some(was), None) => rows.push(Row {
                note: Some(was.id.clone()),
                ..row(was, "status", Verdict::Missing)
            }),
            (None, Some(is)) => rows.push(Row {
                note: Some(is.id.clone()),
                ..row(is, "status", Verdict::New)
            }),
            (None, None) => {}
        }
    }
    let mut counts = BTreeMap::new();
    for row in &rows {
        *counts.entry(row.verdict.words().to_owned()).or_default() += 1;
    }
    let paired = |row: &&Row| !matches!(row.verdict, Verdict::Missing | Verdict::New);
    Comparison {
        old: old.tool.clone(),
        new: new.tool.clone(),
        planted: new
            .settings
            .planted
            .clone()
            .or(old.settings.planted.clone()),
        times_incomparable: context.times.clone(),
        threshold: rules.threshold,
        thresholds: rules.thresholds.clone(),
        pairs: rows.iter().filter(paired).count(),
        counts,
        rows,
    }
}

fn times_incomparable(old: &Record, new: &Record) -> Option<String> {
    let (was, is) = (&old.machine, &new.machine);
    if was.cpu.is_none() || is.cpu.is_none() {
        return Some("a record does not name its processor".into());
    }
    if was.id != is.id {
        return Some(format!(
            "the machines or builds differ: {} and {}",
            was.id, is.id
        ));
    }
    // Keys, points and tables stand in the ids of the cells. Merged records may have any number of
    // runs, but each run is a round there, and that is no round of a single run.
    let apart = [
        "keys", "points", "table", "slots", "hash", "seed", "planted", "runs",
    ];
    let mut differ = old.settings.differences(&new.settings, &apart);
    if (old.settings.runs > 1) != (new.settings.runs > 1) {
        differ.push("runs".into());
    }
    (!differ.is_empty()).then(|| {
        format!(
            "the records differ in these settings: {}",
            differ.join(", ")
        )
    })
}

/// Why counts of instructions cannot be compared. The C library picks its routines by processor.
fn counts_incomparable(old: &Record, new: &Record) -> Option<String> {
    let of = |record: &Record| {
        let machine = &record.machine;
        (
            machine.rustc.clone(),
            machine.target.clone(),
            machine.target_features.clone(),
            machine.cpu.clone(),
        )
    };
    let (was, is) = (of(old), of(new));
    (was != is).then(|| {
        let words = |(rustc, target, _, cpu): &(String, String, String, Option<String>)| {
            let cpu = cpu.as_deref().unwrap_or("unknown processor");
            format!("{rustc} for {target} on {cpu}")
        };
        format!("counted by {} and by {}", words(&was), words(&is))
    })
}

fn row(cell: &Cell, metric: &str, verdict: Verdict) -> Row {
    Row {
        id: cell.id.clone(),
        algorithm: cell.algorithm.clone(),
        nodes: cell.nodes,
        metric: metric.into(),
        verdict,
        old: None,
        new: None,
        factor: None,
        low: None,
        high: None,
        note: None,
    }
}

struct Context<'a> {
    old: &'a Record,
    new: &'a Record,
    rules: &'a Rules,
    times: Option<String>,
    counts: Option<String>,
}

impl Context<'_> {
    fn cell(&self, was: &Cell, is: &Cell, rows: &mut Vec<Row>) {
        match (was.status, is.status) {
            (Status::Ok, Status::Ok) => {}
            (Status::Ok, Status::Failed) => {
                return rows.push(Row {
                    note: is.reason.clone(),
                    ..row(is, "status", Verdict::Regressed)
                });
            }
            (Status::Failed, Status::Ok) => return rows.push(row(is, "status", Verdict::Improved)),
            (Status::Failed, Status::Failed) => {
                return rows.push(Row {
                    note: is.reason.clone(),
                    ..row(is, "status", Verdict::Unchanged)
                });
            }
        }
        if self.rules.only != Some(Kind::Sampled) {
            rows.extend(checksum(was, is));
        }
        let names: BTreeSet<&String> = was.metrics.keys().chain(is.metrics.keys()).collect();
        for name in names {
            let unit = self.new.units.get(name).or(self.old.units.get(name));
            let Some(unit) =
                unit.filter(|unit| self.rules.only.is_none_or(|kind| kind == unit.kind))
            else {
                continue;
            };
            let of = |cell: &Cell| cell.metrics.get(name).cloned().unwrap_or_default();
            rows.extend(self.metric(row(is, name, Verdict::Unchanged), unit, &of(was), &of(is)));
        }
    }

    fn metric(&self, row: Row, unit: &Unit, was: &Metric, is: &Metric) -> Option<Row> {
        // A time is judged by its rounds; one without rounds, such as a percentile, is not judged.
        if unit.kind == Kind::Sampled && was.samples.is_none() && is.samples.is_none() {
            return None;
        }
        let row = Row {
            old: was.value,
            new: is.value,
            ..row
        };
        let (old, new) = match (was.value, is.value) {
            (Some(old), Some(new)) => (old, new),
            (Some(_), None) => {
                return Some(Row {
                    verdict: Verdict::Missing,
                    note: is.reason.clone(),
                    ..row
                });
            }
            (None, Some(_)) => {
                return Some(Row {
                    verdict: Verdict::New,
                    ..row
                });
            }
            (None, None) => return None,
        };
        let row = Row {
            factor: (old != 0.0)
                .then(|| new / old)
                .filter(|factor| factor.is_finite()),
            ..row
        };
        if unit.kind == Kind::Sampled {
            return self.time(row, unit, was, is);
        }
        let counted = ["instructions_", "reads_", "writes_"]
            .iter()
            .any(|start| row.metric.starts_with(start));
        if let Some(reason) = self.counts.clone().filter(|_| counted) {
            return Some(Row {
                verdict: Verdict::NotComparable,
                note: Some(reason),
                ..row
            });
        }
        let verdict = match old == new {
            true => Verdict::Unchanged,
            false => direction(unit.better, new > old),
        };
        Some(Row { verdict, ..row })
    }

    fn time(&self, row: Row, unit: &Unit, was: &Metric, is: &Metric) -> Option<Row> {
        let rounds = |metric: &Metric| metric.samples.clone().unwrap_or_default();
        let (old, new) = (rounds(was), rounds(is));
        if let Some(reason) = &self.times {
            return Some(Row {
                verdict: Verdict::NotComparable,
                note: Some(reason.clone()),
                ..row
            });
        }
        let Some(factor) = stats::factor(&old, &new, CONFIDENCE) else {
            let note = format!("{} and {} rounds are too few", old.len(), new.len());
            return Some(Row {
                verdict: Verdict::Inconclusive,
                note: Some(note),
                ..row
            });
        };
        let bound = 1.0 + self.rules.threshold(&row.metric);
        let verdict = if factor.low > bound {
            direction(unit.better, true)
        } else if factor.high < bound.recip() {
            direction(unit.better, false)
        } else if factor.low > bound.recip() && factor.high < bound {
            Verdict::WithinNoise
        } else {
            Verdict::Inconclusive
        };
        Some(Row {
            verdict,
            factor: Some(factor.value),
            low: Some(factor.low),
            high: Some(factor.high),
            ..row
        })
    }
}

fn direction(better: Better, grew: bool) -> Verdict {
    match better {
        Better::Neither => Verdict::Changed,
        Better::Lower if grew => Verdict::Regressed,
        Better::Higher if !grew => Verdict::Regressed,
        Better::Lower | Better::Higher => Verdict::Improved,
    }
}

/// Whether the mapping is the same.
fn checksum(was: &Cell, is: &Cell) -> Option<Row> {
    let (old, new) = (was.verified.as_ref()?, is.verified.as_ref()?);
    let verdict = match old.checksum == new.checksum {
        true => Verdict::Unchanged,
        false => Verdict::Changed,
    };
    let versions = match was.algorithm_version == is.algorithm_version {
        true => format!(
            "the mapping changed and its version is still {}",
            is.algorithm_version
        ),
        false => format!(
            "the mapping went from version {} to {}",
            was.algorithm_version, is.algorithm_version
        ),
    };
    Some(Row {
        note: (verdict == Verdict::Changed).then_some(versions),
        ..row(is, "checksum", verdict)
    })
}

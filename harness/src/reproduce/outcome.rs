//! What a reproduction finds, and the verdict.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::row::Row;
use crate::machine::Machine;
use crate::record::Tool;

/// Version of the shape of [`Report`].
pub const SCHEMA_VERSION: u32 = 1;

/// Everything that one run reproduced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Report {
    /// Version of this shape.
    pub schema_version: u32,
    /// What measured.
    pub tool: Tool,
    /// When the run ended, in seconds since 1970-01-01 UTC.
    pub created_unix_s: u64,
    /// What was measured on.
    pub machine: Machine,
    /// Seed of everything random.
    pub seed: u64,
    /// Whether fewer trials were wanted.
    pub quick: bool,
    /// Figures that are held against a law.
    pub figures: usize,
    /// The distance beyond which a figure contradicts its law, corrected for the number of figures
    /// when everything runs.
    pub critical: f64,
    /// One for each name, in the order of the list.
    pub reproductions: Vec<Reproduced>,
}

/// One published figure or claim, and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Reproduced {
    /// Its name.
    pub name: String,
    /// What it is about.
    pub title: String,
    /// What is claimed.
    pub claim: String,
    /// By whom.
    pub source: String,
    /// Under which conditions it was tried.
    pub conditions: String,
    /// What theory expects to come out; null where there is no theory, as for times.
    pub expected: Option<Verdict>,
    /// What came out.
    pub verdict: Verdict,
    /// Under which condition the claim holds, where it does not hold everywhere.
    pub condition: Option<String>,
    /// Whether a figure contradicts theory, or the run itself failed.
    pub failed: bool,
    /// Why the run itself failed.
    pub error: Option<String>,
    /// The figures.
    pub rows: Vec<Row>,
    /// A distribution beside its law, bin by bin.
    pub histograms: Vec<Histogram>,
}

/// What became of a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It holds wherever it was tried.
    Reproduced,
    /// It holds nowhere.
    Refuted,
    /// It holds under a condition.
    HoldsOnly,
    /// The intervals are too wide to tell.
    Undecided,
}

impl Verdict {
    /// In words, for tables.
    pub fn words(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Refuted => "refuted",
            Self::HoldsOnly => "holds only for",
            Self::Undecided => "cannot tell",
        }
    }

    /// In one word, for CSV.
    pub fn word(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::Refuted => "refuted",
            Self::HoldsOnly => "holds-only",
            Self::Undecided => "undecided",
        }
    }

    /// From what holds and what does not.
    fn of(holds: impl Iterator<Item = bool>) -> Self {
        let (mut yes, mut no) = (false, false);
        holds.for_each(|holds| *(if holds { &mut yes } else { &mut no }) = true);
        match (yes, no) {
            (true, false) => Self::Reproduced,
            (false, true) => Self::Refuted,
            (true, true) => Self::HoldsOnly,
            (false, false) => Self::Undecided,
        }
    }
}

/// A distribution beside its law.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Histogram {
    /// What is distributed.
    pub what: String,
    /// The bins, in ascending order.
    pub bins: Vec<Bin>,
}

/// One bin: how often a value falls into it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Bin {
    /// Lower end; null if there is none.
    pub from: Option<f64>,
    /// Upper end; null if there is none.
    pub to: Option<f64>,
    /// By the law: the difference of its distribution function.
    pub law: f64,
    /// As measured.
    pub measured: f64,
}

/// What the run of a reproduction gives.
#[derive(Clone, Debug, Default)]
pub struct Finding {
    /// The figures.
    pub rows: Vec<Row>,
    /// Distributions.
    pub histograms: Vec<Histogram>,
    /// The condition under which the claim holds, by theory or by the figures.
    pub condition: Option<String>,
}

impl Finding {
    /// Figures alone.
    pub fn of(rows: Vec<Row>) -> Self {
        Self {
            rows,
            ..Self::default()
        }
    }

    /// With the condition under which the claim holds.
    pub fn only_if(self, condition: impl Into<String>) -> Self {
        Self {
            condition: Some(condition.into()),
            ..self
        }
    }

    /// Figures that are held against a law.
    pub(super) fn figures(&self) -> usize {
        self.rows
            .iter()
            .filter(|row| row.distance.is_some())
            .count()
    }
}

impl Reproduced {
    /// The figures for which the claim holds, by name.
    fn holding(&self) -> String {
        let holding = self.rows.iter().filter(|row| row.holds == Some(true));
        let names: Vec<&str> = holding.map(|row| &*row.what).collect();
        names.join(" and ")
    }

    /// Judges every figure as one of `figures`, and from them the whole.
    pub(super) fn judge(&mut self, figures: usize) {
        self.rows.iter_mut().for_each(|row| row.judge(figures));
        let rows = || self.rows.iter();
        let (verdict, expected) = match rows().any(|row| row.claimed.is_some()) {
            true => (
                Verdict::of(rows().filter_map(|row| row.holds)),
                Verdict::of(rows().filter_map(|row| row.holds_in_theory)),
            ),
            // Theory itself is the claim, and one figure off refutes it.
            false => {
                let agree = rows()
                    .filter_map(|row| row.agrees)
                    .reduce(|all, one| all && one);
                let expected = agree.map(|_| true);
                (
                    Verdict::of(agree.into_iter()),
                    Verdict::of(expected.into_iter()),
                )
            }
        };
        let known = expected != Verdict::Undecided;
        let another = known && verdict != Verdict::Undecided && verdict != expected;
        self.failed = self.error.is_some() || another || rows().any(Row::contradicts);
        self.condition = match verdict {
            Verdict::HoldsOnly => self.condition.take().or_else(|| Some(self.holding())),
            _ => None,
        };
        self.verdict = verdict;
        self.expected = known.then_some(expected);
    }
}

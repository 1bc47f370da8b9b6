//! What a reproduction finds: figures beside the published ones and beside theory, and a verdict.

use serde::{Deserialize, Serialize};

use crate::machine::Machine;
use crate::record::Tool;
use crate::stats;
use crate::theory::{Against, critical};

/// Version of the shape of [`Report`].
pub const SCHEMA_VERSION: u32 = 1;

/// Everything that one run reproduced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// Figures that are held against a law: the marks are corrected for their number.
    pub figures: usize,
    /// The distance beyond which a figure contradicts its law.
    pub critical: f64,
    /// One for each name, in the order of the list.
    pub reproductions: Vec<Reproduced>,
}

/// One published figure or claim, and what became of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
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

/// What a figure is a figure of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Unit {
    /// A plain number, such as a ratio or a count.
    Number,
    /// A part of a whole.
    Fraction,
    /// Nanoseconds.
    Ns,
}

impl Unit {
    /// In one word, for CSV.
    pub fn word(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Fraction => "fraction",
            Self::Ns => "ns",
        }
    }
}

/// How a figure was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Computed or counted without chance.
    Exact,
    /// Over random rings, tables or keys.
    Sampled,
    /// With a clock, on this machine.
    Timed,
}

impl Kind {
    /// In one word, for CSV.
    pub fn word(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Sampled => "sampled",
            Self::Timed => "timed",
        }
    }
}

/// Values for which a claim holds, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Range {
    /// The smallest, if there is one.
    pub low: Option<f64>,
    /// The largest, if there is one.
    pub high: Option<f64>,
}

impl Range {
    /// Within `tolerance` of a value.
    pub fn about(value: f64, tolerance: f64) -> Self {
        Self::between(value - tolerance, value + tolerance)
    }

    /// Between two values.
    pub fn between(low: f64, high: f64) -> Self {
        Self {
            low: Some(low),
            high: Some(high),
        }
    }

    /// At least this.
    pub fn at_least(low: f64) -> Self {
        Self {
            low: Some(low),
            high: None,
        }
    }

    /// At most this.
    pub fn at_most(high: f64) -> Self {
        Self {
            low: None,
            high: Some(high),
        }
    }

    /// Whether a value is in the range.
    pub fn holds(self, value: f64) -> bool {
        self.holds_between(value, value) == Some(true)
    }

    /// Whether the values between two ends are all in the range, or all outside; `None` for a part.
    fn holds_between(self, from: f64, to: f64) -> Option<bool> {
        // Room for the rounding of exact figures.
        let slack = 1e-9 * from.abs().max(to.abs());
        let low = self.low.unwrap_or(f64::NEG_INFINITY);
        let high = self.high.unwrap_or(f64::INFINITY);
        match (
            from >= low - slack && to <= high + slack,
            to < low || from > high,
        ) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }
}

/// A measured value with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Half a 95 % interval of a normal figure, in standard deviations.
const HALF: f64 = 1.959_964;

impl Estimate {
    /// A normal figure with this standard error.
    pub fn normal(value: f64, error: f64) -> Self {
        Self {
            value,
            low: value - HALF * error,
            high: value + HALF * error,
        }
    }

    /// The mean of independent samples.
    pub fn mean(samples: &[f64]) -> Self {
        let (mean, sd) = mean_sd(samples);
        Self::normal(mean, sd / (samples.len() as f64).sqrt())
    }

    /// A part of `trials` independent trials.
    pub fn fraction(hits: u64, trials: u64) -> Self {
        let value = hits as f64 / trials.max(1) as f64;
        let (low, high) = stats::fraction_interval(hits, trials).unwrap_or((0.0, 1.0));
        Self { value, low, high }
    }

    /// The same seen through a growing function.
    pub fn map(self, function: impl Fn(f64) -> f64) -> Self {
        Self {
            value: function(self.value),
            low: function(self.low),
            high: function(self.high),
        }
    }
}

/// Mean and standard deviation of samples.
pub fn mean_sd(samples: &[f64]) -> (f64, f64) {
    let count = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / count;
    let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
    (mean, (squares / (count - 1.0).max(1.0)).sqrt())
}

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// What it is a figure of.
    pub what: String,
    /// Its unit.
    pub unit: Unit,
    /// How it was found.
    pub kind: Kind,
    /// The published value.
    pub published: Option<f64>,
    /// The values for which the claim holds; null where this figure decides nothing.
    pub claimed: Option<Range>,
    /// What theory expects.
    pub theory: Option<f64>,
    /// What was measured.
    pub measured: f64,
    /// Lower end of its 95 % interval.
    pub low: Option<f64>,
    /// Upper end of its 95 % interval.
    pub high: Option<f64>,
    /// Over how many trials.
    pub trials: Option<u64>,
    /// What a trial is.
    pub trial: Option<String>,
    /// How far it is above its law, in standard errors.
    pub distance: Option<f64>,
    /// Whether it agrees with its law.
    pub agrees: Option<bool>,
    /// Whether the claim holds in theory.
    pub holds_in_theory: Option<bool>,
    /// Whether the claim holds as measured; null where the interval is too wide to tell.
    pub holds: Option<bool>,
}

impl Row {
    fn new(what: impl Into<String>, kind: Kind, measured: f64) -> Self {
        Self {
            what: what.into(),
            unit: Unit::Number,
            kind,
            published: None,
            claimed: None,
            theory: None,
            measured,
            low: None,
            high: None,
            trials: None,
            trial: None,
            distance: None,
            agrees: None,
            holds_in_theory: None,
            holds: None,
        }
    }

    /// A figure without chance.
    pub fn exact(what: impl Into<String>, measured: f64) -> Self {
        Self::new(what, Kind::Exact, measured)
    }

    /// A figure of random trials.
    pub fn sampled(
        what: impl Into<String>,
        measured: Estimate,
        trials: usize,
        trial: &str,
    ) -> Self {
        Self {
            low: Some(measured.low),
            high: Some(measured.high),
            trials: Some(trials as u64),
            trial: Some(trial.into()),
            ..Self::new(what, Kind::Sampled, measured.value)
        }
    }

    /// A figure of timed rounds.
    pub fn timed(what: impl Into<String>, measured: Estimate, rounds: usize) -> Self {
        Self {
            kind: Kind::Timed,
            ..Self::sampled(what, measured, rounds, "rounds")
        }
    }

    /// Held against its law.
    pub fn against(self, law: Against) -> Self {
        Self {
            theory: Some(law.expected),
            distance: Some(law.distance),
            ..self
        }
    }

    /// An exact figure that theory gives exactly.
    pub fn equals(self, theory: f64) -> Self {
        let law = Against::exact(self.measured, theory);
        self.against(law)
    }

    /// With a value of theory that it is not held against.
    pub fn beside(self, theory: f64) -> Self {
        Self {
            theory: Some(theory),
            ..self
        }
    }

    /// The claim holds for these values.
    pub fn claimed(self, range: Range) -> Self {
        Self {
            claimed: Some(range),
            ..self
        }
    }

    /// The published value.
    pub fn published(self, value: f64) -> Self {
        Self {
            published: Some(value),
            ..self
        }
    }

    /// A part of a whole.
    pub fn fraction(self) -> Self {
        Self {
            unit: Unit::Fraction,
            ..self
        }
    }

    /// In nanoseconds.
    pub fn ns(self) -> Self {
        Self {
            unit: Unit::Ns,
            ..self
        }
    }

    /// Says whether the figure agrees with its law and whether the claim holds, as one of `figures`.
    pub(super) fn judge(&mut self, figures: usize) {
        let critical = critical(figures);
        self.agrees = self.distance.map(|distance| distance.abs() <= critical);
        let Some(range) = self.claimed else { return };
        // Times are judged by their own interval, sampled figures as cautiously as their laws.
        let widened = match self.kind {
            Kind::Timed | Kind::Exact => 1.0,
            Kind::Sampled => critical / HALF,
        };
        let end = |end: Option<f64>| {
            end.map_or(self.measured, |end| {
                self.measured + (end - self.measured) * widened
            })
        };
        self.holds = range.holds_between(end(self.low), end(self.high));
        self.holds_in_theory = self.theory.map(|theory| range.holds(theory));
    }

    /// Whether what was measured contradicts theory.
    fn contradicts(&self) -> bool {
        let claim = self.holds.zip(self.holds_in_theory);
        self.agrees == Some(false) || claim.is_some_and(|(seen, theory)| seen != theory)
    }
}

/// A distribution beside its law.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Histogram {
    /// What is distributed.
    pub what: String,
    /// The bins, in ascending order.
    pub bins: Vec<Bin>,
}

/// One bin: how often a value falls into it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
        let rows = self.rows.iter();
        let (verdict, expected) = match self.rows.iter().any(|row| row.claimed.is_some()) {
            true => (
                Verdict::of(rows.clone().filter_map(|row| row.holds)),
                Verdict::of(rows.clone().filter_map(|row| row.holds_in_theory)),
            ),
            // Theory itself is the claim.
            false => (
                Verdict::of(rows.clone().filter_map(|row| row.agrees)),
                Verdict::of(rows.clone().filter_map(|row| row.agrees.map(|_| true))),
            ),
        };
        let known = expected != Verdict::Undecided;
        self.verdict = verdict;
        self.expected = known.then_some(expected);
        self.condition = match verdict {
            Verdict::HoldsOnly => self.condition.take().or_else(|| Some(self.holding())),
            _ => None,
        };
        let another = known && verdict != Verdict::Undecided && verdict != expected;
        self.failed = self.error.is_some() || another || rows.clone().any(Row::contradicts);
    }
}

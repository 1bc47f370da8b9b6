//! One figure: what was measured, with its interval, beside what is published and what theory says.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::estimate::{Estimate, HALF};
use crate::theory::{Against, critical};

/// What a figure is a figure of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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

/// One figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    pub(super) fn contradicts(&self) -> bool {
        let claim = self.holds.zip(self.holds_in_theory);
        self.agrees == Some(false) || claim.is_some_and(|(seen, theory)| seen != theory)
    }
}

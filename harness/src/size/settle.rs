//! One setting: proposed by theory, confirmed or corrected by what is measured.

use algorithms::Algorithm;
use algorithms::algorithm::Spread;

use super::confirm::{Seen, draw, judge, met};
use super::search::{expected, smallest};
use super::{Ask, Bound, Found, LARGEST, Status, entries};
use crate::progress::Progress;
use crate::record::Metric;

/// How often a setting is measured, each time corrected by the time before.
const TRIES: u64 = 5;

/// A setting, and what is wrong with it.
pub struct Settled {
    /// The setting.
    pub found: Found,
    /// What keeps it from being as good as its word.
    pub doubt: Option<(Status, String)>,
}

/// Finds the smallest setting; `None` where nothing is to be set.
///
/// # Errors
/// When no setting meets the target.
pub fn settle(
    ask: &Ask<'_>,
    algorithm: &Algorithm,
    bound: Bound,
    nodes: u32,
    progress: &Progress,
) -> Result<Option<Settled>, String> {
    let Some(by_theory) = smallest(algorithm, ask.target, bound, nodes, 1.0)? else {
        return Ok(None);
    };
    let trial = Trial {
        ask,
        algorithm,
        bound,
        nodes,
    };
    let size = entries(algorithm, nodes, by_theory);
    let settled = match algorithm.traits.spread {
        _ if size > LARGEST => trial.unmeasured(by_theory, size),
        Spread::Slots(_) => trial.table(by_theory, progress),
        Spread::Points(_) | Spread::Even => trial.ring(by_theory, progress),
    };
    progress.done(ask.confirming(size));
    settled.map(Some)
}

/// What is held against placements.
struct Trial<'a> {
    ask: &'a Ask<'a>,
    algorithm: &'a Algorithm,
    bound: Bound,
    nodes: u32,
}

impl Trial<'_> {
    fn unmeasured(&self, setting: u32, size: u64) -> Result<Settled, String> {
        let reason = format!(
            "it takes {size} points or slots, and none above {LARGEST} is built here: by theory alone"
        );
        let found = Found {
            setting,
            by_theory: setting,
            expected: self.expected(setting, 1.0)?,
            measured: Metric::none(reason.clone()),
            sets: 0,
            met: 0,
        };
        Ok(Settled {
            found,
            doubt: Some((Status::Unmeasured, reason)),
        })
    }

    /// A table must be shared as theory says with every set of names.
    fn table(&self, setting: u32, progress: &Progress) -> Result<Settled, String> {
        let figures = self.draw(setting, 0, progress)?;
        let expected = self.expected(setting, 1.0)?;
        let differs = |figure: &&f64| (**figure - expected).abs() > 1e-9;
        let other = figures.iter().find(differs);
        let words = self.ask.target.words();
        let doubt = other.map(|figure| {
            let reason = format!("a table of {setting} slots has {words} {figure}, not {expected}");
            (Status::Contradicted, reason)
        });
        let measured = Metric::or(figures.last().copied(), "there is no table");
        let found = self.found(setting, setting, &figures, measured)?;
        Ok(Settled { found, doubt })
    }

    /// What is measured confirms the setting. Where it does not, by chance in one of a hundred
    /// answers, other names are tried: so one answer in ten thousand is wrong about a sound ring.
    /// Where neither does, what is measured decides, and contradicts a law that is further off than
    /// it may be: an exact one by anything.
    fn ring(&self, by_theory: u32, progress: &Progress) -> Result<Settled, String> {
        let target = self.ask.target;
        let (mut factor, mut setting, mut doubt) = (1.0, by_theory, None);
        for attempt in 0.. {
            let figures = self.draw(setting, attempt, progress)?;
            let law = self.expected(setting, 1.0)?;
            let wanted = self.expected(setting, factor)?;
            let Some(Seen {
                measured,
                estimate,
                agrees,
            }) = judge(target, self.bound, &figures, wanted, self.ask.checks())
            else {
                break;
            };
            let again = attempt == 0 && !agrees;
            if again {
                continue;
            }
            if agrees || attempt + 1 == TRIES {
                let found = self.found(setting, by_theory, &figures, measured)?;
                return Ok(Settled { found, doubt });
            }
            factor = (estimate - target.floor()) / (law - target.floor());
            if (factor - 1.0).abs() > target.slack(self.bound) {
                let reason = format!(
                    "theory expects {} {law:.4} at {setting} points a node, and {} sets of names give {estimate:.4}",
                    target.words(),
                    figures.len()
                );
                doubt = Some((Status::Contradicted, reason));
            }
            setting = self.smallest(factor)?;
        }
        Err("nothing could be measured".into())
    }

    fn smallest(&self, factor: f64) -> Result<u32, String> {
        let found = smallest(
            self.algorithm,
            self.ask.target,
            self.bound,
            self.nodes,
            factor,
        )?;
        found.ok_or_else(|| "there is nothing to set".into())
    }

    fn expected(&self, setting: u32, factor: f64) -> Result<f64, String> {
        match self.algorithm.traits.spread {
            Spread::Slots(_) => Ok(self.ask.target.in_table(self.nodes, setting)),
            Spread::Points(_) | Spread::Even => {
                expected(self.ask.target, self.bound, self.nodes, setting, factor)
            }
        }
    }

    /// Figures of placements with names that no other attempt has.
    fn draw(&self, setting: u32, attempt: u64, progress: &Progress) -> Result<Vec<f64>, String> {
        let size = entries(self.algorithm, self.nodes, setting);
        let sets = self.ask.sets(size);
        progress.now(format!(
            "{} at {} nodes: {sets} times {size} points or slots",
            self.algorithm.name, self.nodes
        ));
        let settings = self.ask.settings(self.algorithm, Some(setting));
        let seed = self.ask.plan.seed.wrapping_add(attempt);
        draw(
            self.algorithm,
            &settings,
            self.ask.target,
            self.nodes,
            sets,
            seed,
        )
    }

    fn found(
        &self,
        setting: u32,
        by_theory: u32,
        figures: &[f64],
        measured: Metric,
    ) -> Result<Found, String> {
        Ok(Found {
            setting,
            by_theory,
            expected: self.expected(setting, 1.0)?,
            measured,
            sets: figures.len() as u32,
            met: met(figures, self.ask.target.at_most()),
        })
    }
}

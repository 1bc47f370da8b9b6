//! `harness compare OLD NEW`: which figures got better or worse between two records.

use std::path::PathBuf;

use clap::Args;

use crate::compare::{Comparison, Rules, Verdict, compare};
use crate::error::{Error, REGRESSION};
use crate::options::{Only, OutputOptions};
use crate::output::Output;
use crate::record::{Kind, read, units};
use crate::render;

/// Options of the command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    /// The older record; - is standard input
    old: PathBuf,
    /// The newer record
    new: PathBuf,
    /// Smallest change of a time that is of interest, for all metrics (5%) or for one, such as
    /// lookup_ns=10%; build_ns, add_ns and remove_ns have 20% unless they are named
    #[arg(long, value_name = "[METRIC=]PERCENT", value_parser = threshold)]
    threshold: Vec<(Option<String>, f64)>,
    /// Compare only figures that are the same on every machine, or only times
    #[arg(long, value_name = "KIND")]
    only: Option<Only>,
    /// Count a figure that the newer record lacks as a regression
    #[arg(long)]
    fail_on_missing: bool,
    /// Count every difference of an exact figure as a regression, improvements too
    #[arg(long)]
    fail_on_change: bool,
    /// Show every row, not only those that are worth a look
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    output: OutputOptions,
}

fn threshold(text: &str) -> Result<(Option<String>, f64), String> {
    let (metric, percent) = match text.split_once('=') {
        Some((metric, percent)) => (Some(metric.to_owned()), percent),
        None => (None, text),
    };
    let number = percent
        .strip_suffix('%')
        .unwrap_or(percent)
        .trim()
        .parse::<f64>();
    let percent = number
        .ok()
        .filter(|percent| *percent > 0.0 && percent.is_finite());
    let percent =
        percent.ok_or("a threshold is a percentage above 0, such as 5% or lookup_ns=10%")?;
    let units = units();
    match metric {
        Some(metric) if !units.contains_key(&metric) => Err(format!("there is no metric {metric}")),
        Some(metric) if units[&metric].kind == Kind::Exact => {
            Err(format!("{metric} is compared exactly and has no threshold"))
        }
        metric => Ok((metric, percent / 100.0)),
    }
}

impl Options {
    fn rules(&self) -> Rules {
        let mut rules = Rules {
            only: self.only.map(|only| match only {
                Only::Exact => Kind::Exact,
                Only::Times => Kind::Sampled,
            }),
            ..Rules::default()
        };
        for (metric, percent) in self.threshold.iter().cloned() {
            match metric {
                Some(metric) => drop(rules.thresholds.insert(metric, percent)),
                None => rules.threshold = percent,
            }
        }
        rules
    }

    fn failed(&self, comparison: &Comparison) -> bool {
        let any = |verdict| comparison.count(verdict) > 0;
        // An improved time is no change of what was decided; an improved exact figure is.
        let improved = comparison
            .rows
            .iter()
            .any(|row| row.verdict == Verdict::Improved && row.low.is_none());
        any(Verdict::Regressed)
            || any(Verdict::Changed)
            || (self.fail_on_missing && any(Verdict::Missing))
            || (self.fail_on_change && (improved || any(Verdict::New)))
    }
}

/// Runs the command and returns its exit code.
///
/// # Errors
/// When a record cannot be read, nothing can be paired, or the result cannot be written.
pub fn run(options: &Options) -> Result<u8, Error> {
    let output = Output::open(options.output.path.output.as_deref())?;
    let (old, new) = (read(&options.old)?, read(&options.new)?);
    let comparison = compare(&old, &new, &options.rules());
    output.write(&render::comparison(
        &comparison,
        options.all,
        &options.output,
    )?)?;
    if comparison.pairs == 0 {
        return Err(Error::NothingCompared {
            old: options.old.clone(),
            new: options.new.clone(),
            differ: match old.settings.differences(&new.settings, &[]) {
                none if none.is_empty() => "nothing that was asked for".into(),
                differ => differ.join(", "),
            },
        });
    }
    Ok(if options.failed(&comparison) {
        REGRESSION
    } else {
        0
    })
}

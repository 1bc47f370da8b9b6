//! `harness size`: the smallest number of points and the smallest table that share keys evenly
//! enough, and what they cost.

use algorithms::Settings;
use clap::Args;

use crate::error::{Error, VERIFICATION};
use crate::options::KeyOptions;
use crate::output::Output;
use crate::progress::Progress;
use crate::render;
use crate::run::Scope;
use crate::size::{Ask, Sizes, Target, find, price};
use crate::values::fraction;

/// Options of the command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    #[command(flatten)]
    target: TargetOptions,
    /// Part of all sets of node names that are to meet it, such as 0.95 or 95%
    #[arg(long, value_name = "PART", default_value = "95%", value_parser = confidence)]
    confidence: f64,
    #[command(flatten)]
    on: KeyOptions,
}

/// The two ways to say how even is even enough.
#[derive(Clone, Debug, Args)]
#[group(required = true, multiple = false)]
pub(crate) struct TargetOptions {
    /// Largest share of a node over the mean share, such as 1.05
    #[arg(long, value_name = "X", value_parser = max_over_mean)]
    max_over_mean: Option<f64>,
    /// Coefficient of variation of the shares, such as 0.05 or 5%
    #[arg(long, value_name = "Y", value_parser = cv)]
    cv: Option<f64>,
}

fn max_over_mean(text: &str) -> Result<f64, String> {
    let number = text
        .parse()
        .ok()
        .filter(|number: &f64| *number > 1.0 && number.is_finite());
    number.ok_or("the largest share is above the mean: a number above 1, such as 1.05".into())
}

fn cv(text: &str) -> Result<f64, String> {
    let part = fraction(text).filter(|part| *part > 0.0 && *part < 1.0);
    part.ok_or(
        "a CV is a number between 0 and 1, such as 0.05 or 5%; one point a node gives about 1"
            .into(),
    )
}

fn confidence(text: &str) -> Result<f64, String> {
    let part = fraction(text).filter(|part| (0.5..=0.999).contains(part));
    part.ok_or("a confidence is a part from 0.5 to 0.999, such as 0.95 or 95%".into())
}

impl Options {
    fn ask(&self) -> Result<Ask<'static>, Error> {
        let target = match (self.target.max_over_mean, self.target.cv) {
            (Some(at_most), _) => Target::MaxOverMean(at_most),
            (None, Some(at_most)) => Target::Cv(at_most),
            (None, None) => return Err(Error::Usage("say --max-over-mean or --cv".into())),
        };
        if self.on.nodes.contains(&1) {
            let problem = "--nodes 1: one node has nothing to share; ask for 2 or more";
            return Err(Error::Usage(problem.into()));
        }
        let settings = Settings {
            hash: self.on.common.hash,
            ..Settings::default()
        };
        Ok(Ask {
            target,
            confidence: self.confidence,
            plan: self.on.plan(settings, Scope::Times)?,
            fewer_rounds: self.on.common.rounds.is_none(),
        })
    }
}

/// Runs the command and returns its exit code.
///
/// # Errors
/// When the keys cannot be read or the result cannot be written.
pub fn run(options: &Options) -> Result<u8, Error> {
    let ask = options.ask()?;
    let form = &options.on.output;
    let output = Output::open(form.path.output.as_deref())?;
    let workload = options.on.workload()?;
    let mut rows = find(&ask, &Progress::new(1));
    price(&ask, &mut rows, &workload, &Progress::new(1));
    let sizes = Sizes::new(&ask, &workload, rows);
    output.write(&render::sizes(&sizes, form)?)?;
    let wrong = sizes.wrong();
    if wrong == 0 {
        return Ok(0);
    }
    eprintln!(
        "error: {wrong} of {} rows failed or contradict theory; the output says why",
        sizes.rows.len()
    );
    Ok(VERIFICATION)
}

//! `harness weights`: hold the shares of nodes with different weights against those weights.

use algorithms::membership::{MAX_WEIGHT, MIN_WEIGHT};
use clap::Args;

use crate::cmd::exit_code_of;
use crate::error::Error;
use crate::options::UntimedOptions;
use crate::output::Output;
use crate::progress::Progress;
use crate::render;
use crate::values::within;
use crate::weights::{Weigh, weigh};

/// Options of the command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    /// Weights, which the nodes get in turns
    #[arg(long, value_name = "WEIGHTS", value_delimiter = ',', required = true, value_parser = weight)]
    weights: Vec<f64>,
    #[command(flatten)]
    measured: UntimedOptions,
}

fn weight(text: &str) -> Result<f64, String> {
    let number = within(text, 0.0..=MAX_WEIGHT);
    let number = number.filter(|weight| *weight == 0.0 || *weight >= MIN_WEIGHT);
    number.ok_or_else(|| format!("a weight is 0 or a number from {MIN_WEIGHT:e} to {MAX_WEIGHT:e}"))
}

impl Options {
    fn ask(&self) -> Result<Weigh<'static>, Error> {
        let plan = self.measured.plan()?;
        if let Some(&few) = plan.nodes.iter().min()
            && (few as usize) < self.weights.len()
        {
            return Err(Error::Usage(format!(
                "--weights has {} weights, and there are {few} nodes",
                self.weights.len()
            )));
        }
        if self.weights.iter().all(|weight| *weight == 0.0) {
            let problem = "--weights: with nothing but 0 no node has keys";
            return Err(Error::Usage(problem.into()));
        }
        Ok(Weigh {
            plan,
            weights: self.weights.clone(),
        })
    }
}

/// Runs the command and returns its exit code.
///
/// # Errors
/// When the options contradict each other, the keys cannot be read or the result cannot be written.
pub fn run(options: &Options) -> Result<u8, Error> {
    let ask = options.ask()?;
    let on = &options.measured.on;
    let output = Output::open(on.output.path.output.as_deref())?;
    let workload = on.workload()?;
    let weighed = weigh(&ask, &workload, &Progress::new(1));
    output.write(&render::weighed(&weighed, &on.output)?)?;
    let failed = weighed.rows.iter().filter(|row| row.failed);
    Ok(exit_code_of(failed.count(), weighed.rows.len()))
}

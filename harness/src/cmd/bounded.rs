//! `harness bounded`: what a bound on the load of nodes buys and costs.

use algorithms::bounded::Bound;
use clap::Args;

use crate::bounded::{Ask, measure};
use crate::cmd::exit_code_of;
use crate::error::Error;
use crate::options::{SkewOptions, each_once};
use crate::output::Output;
use crate::progress::Progress;
use crate::record::Status;
use crate::render;
use crate::values::{bound, zipf};

/// Options of the command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    /// Load bounds to compare, separated by commas: the largest load over the mean, or none
    #[arg(long = "bound", value_name = "C", value_delimiter = ',',
          default_value = "1.05,1.1,1.25,1.5,2,none", value_parser = bound)]
    bounds: Vec<Bound>,
    /// Exponents of the Zipf laws of requests, separated by commas
    #[arg(long, value_name = "S", value_delimiter = ',', default_value = "1.0",
          value_parser = zipf)]
    zipf: Vec<f64>,
    #[command(flatten)]
    skew: SkewOptions,
}

/// Runs the command and returns its exit code.
///
/// # Errors
/// When the keys cannot be read or the result cannot be written.
pub fn run(options: &Options) -> Result<u8, Error> {
    let bounds = &options.bounds;
    let factors: Vec<f64> = bounds.iter().map(|bound| bound.factor()).collect();
    each_once("--bound", "bound", &factors)?;
    let ask = Ask {
        setup: options.skew.setup(&options.zipf)?,
        bounds: bounds.clone(),
    };
    let output = Output::open(options.skew.output.path.output.as_deref())?;
    let workload = options.skew.workload()?;
    let report = measure(&ask, &workload, &Progress::new(1));
    output.write(&render::bounded(&report, &options.skew.output)?)?;
    let failed = report.rows.iter();
    let failed = failed.filter(|row| row.status == Status::Failed).count();
    Ok(exit_code_of(failed, report.rows.len()))
}

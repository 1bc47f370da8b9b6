//! `harness hot`: what helps against hot keys.

use algorithms::bounded::Bound;
use clap::Args;

use crate::cmd::exit_code_of;
use crate::error::Error;
use crate::hot::{Ask, measure};
use crate::options::SkewOptions;
use crate::output::Output;
use crate::progress::Progress;
use crate::record::Status;
use crate::render;
use crate::values::{bound, whole, zipf};

/// Options of the command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    /// Exponents of the Zipf laws of requests, separated by commas
    #[arg(long, value_name = "S", value_delimiter = ',', default_value = "0.8,1.0,1.2",
          value_parser = zipf)]
    zipf: Vec<f64>,
    /// How many of the most requested keys are split, or served by several nodes
    #[arg(long, value_name = "K", default_value_t = 10,
          value_parser = whole::<u32>(1..=10_000))]
    hottest: u32,
    /// Keys that each of them is split into: key:0, key:1, and so on
    #[arg(long, value_name = "N", default_value_t = 10,
          value_parser = whole::<u32>(1..=10_000))]
    pieces: u32,
    /// Nodes that serve each of them
    #[arg(long, value_name = "R", default_value_t = 3,
          value_parser = whole::<u32>(1..=10_000))]
    replicas: u32,
    /// Load bound: the largest load over the mean, or none
    #[arg(long, value_name = "C", default_value = "1.25", value_parser = bound)]
    bound: Bound,
    #[command(flatten)]
    skew: SkewOptions,
}

impl Options {
    fn ask(&self) -> Result<Ask, Error> {
        let replicas = self.replicas;
        if let Some(few) = self.skew.nodes.iter().find(|&&count| count < replicas) {
            return Err(Error::Usage(format!(
                "--replicas {replicas}: of {few} nodes no {replicas} can serve a key; ask for at most {few}, or for more --nodes"
            )));
        }
        Ok(Ask {
            setup: self.skew.setup(&self.zipf)?,
            hottest: self.hottest as usize,
            pieces: self.pieces,
            replicas: replicas as usize,
            bound: self.bound,
        })
    }
}

/// Runs the command and returns its exit code.
///
/// # Errors
/// When the keys cannot be read or the result cannot be written.
pub fn run(options: &Options) -> Result<u8, Error> {
    let ask = options.ask()?;
    let output = Output::open(options.skew.output.path.output.as_deref())?;
    let workload = options.skew.workload()?;
    let ask = Ask {
        hottest: ask.hottest.min(workload.len()),
        ..ask
    };
    let report = measure(&ask, &workload, &Progress::new(1));
    output.write(&render::hot(&report, &options.skew.output)?)?;
    let failed = report.rows.iter();
    let failed = failed.filter(|row| row.status == Status::Failed).count();
    Ok(exit_code_of(failed, report.rows.len()))
}

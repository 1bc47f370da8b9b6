//! `harness callgrind`: make a record of the counts that the benchmark callgrind printed.

use std::path::PathBuf;

use clap::Args;

use crate::counts;
use crate::error::Error;
use crate::options::OutputPath;
use crate::output::Output;

/// Options of the command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    /// What the benchmark printed with --output-format=json; - is standard input
    #[arg(default_value = "-")]
    counts: PathBuf,
    #[command(flatten)]
    output: OutputPath,
}

/// Runs the command and returns its exit code.
///
/// # Errors
/// When the counts cannot be read or the record cannot be written.
pub fn run(options: &Options) -> Result<u8, Error> {
    let output = Output::open(options.output.output.as_deref())?;
    let record = counts::read(&options.counts)?;
    output.write(&record.to_json()?)?;
    Ok(0)
}

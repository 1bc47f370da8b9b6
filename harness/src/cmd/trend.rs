//! `harness trend FILES…`: how figures went over a series of records.

use std::path::PathBuf;

use clap::Args;

use crate::error::Error;
use crate::options::OutputOptions;
use crate::output::Output;
use crate::record::read;
use crate::render;
use crate::trend::Trend;

/// Options of the command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    /// The records, in any order; - is standard input
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Metrics to show, "checksum" for changes of the mapping [default: the headlines]
    #[arg(long = "metric", value_name = "NAME", value_delimiter = ',')]
    metrics: Vec<String>,
    /// Show only cells whose id contains this; may be given again
    #[arg(long = "cell", value_name = "SUBSTRING")]
    cells: Vec<String>,
    #[command(flatten)]
    output: OutputOptions,
}

/// Runs the command and returns its exit code.
///
/// # Errors
/// When a record cannot be read, nothing is what was asked for, or the result cannot be written.
pub fn run(options: &Options) -> Result<u8, Error> {
    let output = Output::open(options.output.path.output.as_deref())?;
    let records = options.files.iter().map(|path| read(path));
    let records = records.collect::<Result<Vec<_>, _>>()?;
    let trend = Trend::of(&records, &options.metrics, &options.cells)?;
    output.write(&render::trend(&trend, &options.output)?)?;
    Ok(0)
}

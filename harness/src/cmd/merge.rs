//! `harness merge FILES…`: several runs of one program made into one record.

use std::path::PathBuf;

use clap::Args;

use crate::cmd::exit_code;
use crate::error::Error;
use crate::merge::merge;
use crate::options::OutputPath;
use crate::output::Output;
use crate::record::read;

/// Options of the command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    /// Records of the same program, machine and settings
    #[arg(required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    output: OutputPath,
}

/// Runs the command and returns its exit code.
///
/// # Errors
/// When a record cannot be read, the records do not belong together, or the result cannot be
/// written.
pub fn run(options: &Options) -> Result<u8, Error> {
    let output = Output::open(options.output.output.as_deref())?;
    let named = |path: &PathBuf| Ok((path.display().to_string(), read(path)?));
    let records = options
        .files
        .iter()
        .map(named)
        .collect::<Result<Vec<_>, Error>>()?;
    let merged = merge(&records)?;
    output.write(&merged.to_json()?)?;
    Ok(exit_code(&merged))
}

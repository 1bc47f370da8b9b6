//! `harness schema`: print the JSON Schema of a record, or of what another command answers.

use clap::Args;
use clap::builder::PossibleValuesParser;

use crate::error::Error;
use crate::options::OutputPath;
use crate::output::Output;
use crate::render::json::{names, schema};

/// Options of the command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    /// Whose JSON: a report's, which is a record, or another command's
    #[arg(long, value_name = "COMMAND", default_value = "report",
          value_parser = PossibleValuesParser::new(names()))]
    of: String,
    #[command(flatten)]
    output: OutputPath,
}

/// Runs the command and returns its exit code.
///
/// # Errors
/// When the schema cannot be written.
pub fn run(options: &Options) -> Result<u8, Error> {
    let output = Output::open(options.output.output.as_deref())?;
    output.write(&schema(&options.of)?)?;
    Ok(0)
}

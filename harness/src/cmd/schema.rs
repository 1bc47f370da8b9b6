//! `harness schema`: print the JSON Schema of the records.

use crate::error::Error;
use crate::options::OutputPath;
use crate::output::Output;
use crate::record;

/// Runs the command and returns its exit code.
///
/// # Errors
/// When the schema cannot be written.
pub fn run(options: &OutputPath) -> Result<u8, Error> {
    let output = Output::open(options.output.as_deref())?;
    output.write(&record::schema()?)?;
    Ok(0)
}

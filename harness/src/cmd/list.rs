//! `harness list`: the algorithms with their traits and claimed costs.

use crate::error::Error;
use crate::options::OutputOptions;
use crate::output::Output;
use crate::render;

/// Runs the command and returns its exit code.
///
/// # Errors
/// When the list cannot be written.
pub fn run(options: &OutputOptions) -> Result<u8, Error> {
    let output = Output::open(options.path.output.as_deref())?;
    output.write(&render::list(options)?)?;
    Ok(0)
}

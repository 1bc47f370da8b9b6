//! `harness --report`: measure everything and print the trade-off tables.

use crate::cmd::exit_code;
use crate::error::Error;
use crate::options::RunOptions;
use crate::output::Output;
use crate::progress::Progress;
use crate::render;
use crate::run;

/// Runs the command and returns its exit code.
///
/// # Errors
/// When the keys cannot be read or the result cannot be written.
pub fn run(options: &RunOptions) -> Result<u8, Error> {
    let plan = options.plan()?;
    let output = Output::open(options.on.output.path.output.as_deref())?;
    let workload = options.on.workload()?;
    let record = run::report(&plan, &workload, &Progress::new(1));
    output.write(&render::report(&record, &options.on.output)?)?;
    Ok(exit_code(&record))
}

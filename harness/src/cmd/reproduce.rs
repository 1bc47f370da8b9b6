//! `harness reproduce NAMES…`: published figures and popular claims, tried out.

use clap::Args;

use crate::error::{Error, VERIFICATION};
use crate::options::OutputOptions;
use crate::output::Output;
use crate::progress::Progress;
use crate::render;
use crate::reproduce::{self, Lab, Reproduced, Reproduction};
use crate::values::whole;

/// Options of the command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    /// What to reproduce, by the names that --list gives
    #[arg(required_unless_present_any = ["all", "list"], conflicts_with_all = ["all", "list"])]
    names: Vec<String>,
    /// Reproduce everything
    #[arg(long, conflicts_with = "list")]
    all: bool,
    /// Tell what can be reproduced, and measure nothing
    #[arg(long)]
    list: bool,
    /// Seed of everything random
    #[arg(long, value_name = "SEED", default_value_t = 42, value_parser = whole(0..=u64::MAX))]
    seed: u64,
    /// Fewer trials: all in about 20 seconds
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    output: OutputOptions,
}

/// Runs the command and returns its exit code.
///
/// # Errors
/// When a name is not known or the result cannot be written.
pub fn run(options: &Options) -> Result<u8, Error> {
    let chosen: Vec<&Reproduction> = match options.all {
        true => reproduce::all().collect(),
        false => reproduce::choose(&options.names)?,
    };
    let output = Output::open(options.output.path.output.as_deref())?;
    if options.list {
        output.write(&render::reproductions(&options.output)?)?;
        return Ok(0);
    }
    let lab = Lab {
        seed: options.seed,
        quick: options.quick,
    };
    let report = reproduce::run(&chosen, &lab, &Progress::new(1));
    output.write(&render::reproduced(&report, &options.output)?)?;
    let failed = |one: &&Reproduced| one.failed;
    Ok(match report.reproductions.iter().filter(failed).count() {
        0 => 0,
        failed => {
            eprintln!(
                "error: {failed} of {} reproductions contradict theory; the output says why",
                report.reproductions.len()
            );
            VERIFICATION
        }
    })
}

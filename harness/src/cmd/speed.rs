//! `harness speed`: how fast lookups are, from the bytes of a key to its owner and on several threads.

use std::time::Duration;

use clap::Args;

use crate::cmd::exit_code_of;
use crate::error::Error;
use crate::options::{CommonOptions, OutputOptions, SettingsOptions, each_once};
use crate::output::Output;
use crate::progress::Progress;
use crate::render;
use crate::run::{Plan, Scope};
use crate::speed::{Ask, find};
use crate::values::node_count;

/// Time for one round of one loop: in full, and with `--quick`.
const ROUND: [Duration; 2] = [Duration::from_millis(1), Duration::from_micros(500)];
/// Threads, at most.
const THREADS: u32 = 2;

/// Options of the command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    #[command(flatten)]
    common: CommonOptions,
    /// Node counts, separated by commas
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', default_value = "10,100,1000,10000",
          value_parser = node_count)]
    nodes: Vec<u32>,
    #[command(flatten)]
    with: SettingsOptions,
    #[command(flatten)]
    output: OutputOptions,
}

impl Options {
    fn ask(&self) -> Result<Ask<'static>, Error> {
        let common = &self.common;
        each_once("--nodes", "count", &self.nodes)?;
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        Ok(Ask {
            plan: Plan {
                algorithms: common.algorithms()?,
                nodes: self.nodes.clone(),
                settings: self.with.settings(common)?,
                seed: common.seed,
                quick: common.quick,
                rounds: common.rounds(),
                round: ROUND[usize::from(common.quick)],
                scope: Scope::Times,
                plant: None,
            },
            threads: (1..=THREADS.min(processors as u32)).collect(),
        })
    }
}

/// Runs the command and returns its exit code.
///
/// # Errors
/// When the options contradict each other or the result cannot be written.
pub fn run(options: &Options) -> Result<u8, Error> {
    let ask = options.ask()?;
    let output = Output::open(options.output.path.output.as_deref())?;
    let speed = find(&ask, &Progress::new(1));
    output.write(&render::speed::report(&speed, &options.output)?)?;
    let failed = speed.rows.iter().filter(|row| row.reason.is_some());
    Ok(exit_code_of(failed.count(), speed.rows.len()))
}

//! `harness growth`: how costs grow with nodes and points, beside what is claimed.

use std::time::Duration;

use algorithms::Settings;
use clap::Args;

use crate::cmd::exit_code_of;
use crate::error::Error;
use crate::growth::fit::FEWEST_SIZES;
use crate::growth::{Scope, study};
use crate::options::{CommonOptions, OutputOptions, TableOptions, each_once};
use crate::output::Output;
use crate::progress::Progress;
use crate::render;
use crate::run::{self, Plan};
use crate::values::{node_count, whole};

/// Random keys: in full, and with `--quick`.
const KEYS: [usize; 2] = [100_000, 20_000];
/// Time for one round of one loop: in full, and with `--quick`.
const ROUND: [Duration; 2] = [Duration::from_millis(1), Duration::from_micros(500)];

/// Options of the command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    #[command(flatten)]
    common: CommonOptions,
    #[command(flatten)]
    table: TableOptions,
    /// Node counts, separated by commas; at least 3
    #[arg(long, value_name = "COUNTS", value_delimiter = ',',
          default_value = "10,32,100,316,1000,3162,10000", value_parser = node_count)]
    nodes: Vec<u32>,
    /// Points per node of the vnode rings, separated by commas; at least 3
    #[arg(long, value_name = "COUNTS", value_delimiter = ',',
          default_value = "1,3,10,32,100,316,1000", value_parser = whole(1..=u32::MAX))]
    points: Vec<u32>,
    #[command(flatten)]
    output: OutputOptions,
}

impl Options {
    fn scope(&self) -> Result<Scope<'static>, Error> {
        let common = &self.common;
        let quick = usize::from(common.quick);
        Ok(Scope {
            plan: Plan {
                algorithms: common.algorithms()?,
                nodes: ascending("--nodes", &self.nodes)?,
                settings: self
                    .table
                    .settings(common.hash, Settings::default().points)?,
                seed: common.seed,
                quick: common.quick,
                rounds: common.rounds(),
                round: ROUND[quick],
                scope: run::Scope::Times,
                plant: None,
            },
            points: ascending("--points", &self.points)?,
            keys: KEYS[quick],
        })
    }
}

fn ascending(option: &str, counts: &[u32]) -> Result<Vec<u32>, Error> {
    each_once(option, "count", counts)?;
    if counts.len() < FEWEST_SIZES {
        return Err(Error::Usage(format!(
            "{option} has {} counts; an exponent needs at least {FEWEST_SIZES}",
            counts.len()
        )));
    }
    let mut sorted = counts.to_vec();
    sorted.sort_unstable();
    Ok(sorted)
}

/// Runs the command and returns its exit code.
///
/// # Errors
/// When the options contradict each other or the result cannot be written.
pub fn run(options: &Options) -> Result<u8, Error> {
    let scope = options.scope()?;
    let output = Output::open(options.output.path.output.as_deref())?;
    let study = study(&scope, &Progress::new(1));
    output.write(&render::growth(&study, &options.output)?)?;
    let failed = study.rows.iter().filter(|row| row.reason.is_some());
    Ok(exit_code_of(failed.count(), study.rows.len()))
}

//! `harness cascade`: how many nodes survive when one leaves and the overloaded follow.

use clap::Args;

use crate::cascade::{self, Ask, Cascades};
use crate::cmd::exit_code_of;
use crate::error::Error;
use crate::options::{KeyOptions, SettingsOptions, each_once};
use crate::output::Output;
use crate::progress::Progress;
use crate::render;
use crate::run::Scope;
use crate::values::{times_mean, whole};

/// Sets of node names: in full, and with `--quick`.
const SETS: [u32; 2] = [20, 5];

/// Options of the command.
#[derive(Clone, Debug, Args)]
#[command(mut_arg("nodes", |nodes| nodes.default_value("10,100")))]
pub(crate) struct Options {
    /// Capacities of a node over the mean load, separated by commas
    #[arg(long, value_name = "FACTORS", value_delimiter = ',', default_value = "1.1,1.25,1.5",
          value_parser = times_mean)]
    headroom: Vec<f64>,
    /// Sets of node names, each with another node that leaves first [default: 20, with --quick 5]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=10_000))]
    sets: Option<u32>,
    #[command(flatten)]
    on: KeyOptions,
    #[command(flatten)]
    with: SettingsOptions,
}

impl Options {
    fn ask(&self) -> Result<Ask<'static>, Error> {
        self.on.common.untimed()?;
        each_once("--headroom", "factor", &self.headroom)?;
        if self.on.nodes.contains(&1) {
            let problem = "--nodes 1: without the only node nothing is left; ask for 2 or more";
            return Err(Error::Usage(problem.into()));
        }
        let common = &self.on.common;
        Ok(Ask {
            plan: self.on.plan(self.with.settings(common)?, Scope::Exact)?,
            headrooms: self.headroom.clone(),
            sets: self.sets.unwrap_or(SETS[usize::from(common.quick)]),
        })
    }
}

/// Runs the command and returns its exit code.
///
/// # Errors
/// When the keys cannot be read or the result cannot be written.
pub fn run(options: &Options) -> Result<u8, Error> {
    let ask = options.ask()?;
    let form = &options.on.output;
    let output = Output::open(form.path.output.as_deref())?;
    let workload = options.on.workload()?;
    let rows = cascade::run(&ask, &workload, &Progress::new(1));
    let cascades = Cascades::new(&ask, &workload, rows);
    output.write(&render::cascades(&cascades, form)?)?;
    let failed = cascades.rows.iter().filter(|row| row.reason.is_some());
    Ok(exit_code_of(failed.count(), cascades.rows.len()))
}

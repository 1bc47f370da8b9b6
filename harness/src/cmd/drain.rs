//! `harness drain`: take the weight of one node away in steps, and tell what moves at each.

use algorithms::membership::MIN_WEIGHT;
use clap::Args;

use crate::cmd::exit_code_of;
use crate::error::Error;
use crate::options::UntimedOptions;
use crate::output::Output;
use crate::progress::Progress;
use crate::render;
use crate::values::within;
use crate::weights::{Drain, DrainStatus, Which, drain};

/// Options of the command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    /// The node that goes: newest, oldest, random, or its name, such as node-42-7
    #[arg(
        long,
        visible_alias = "drain",
        value_name = "NODE",
        default_value = "random"
    )]
    node: String,
    /// Percent of its weight after each step, falling
    #[arg(long, value_name = "PERCENTS", value_delimiter = ',', default_value = "100,50,25,0",
          value_parser = percent)]
    steps: Vec<f64>,
    #[command(flatten)]
    measured: UntimedOptions,
}

fn percent(text: &str) -> Result<f64, String> {
    let least = 100.0 * MIN_WEIGHT;
    let number = within(text.trim_end_matches('%'), 0.0..=100.0);
    let number = number.filter(|percent| *percent == 0.0 || *percent >= least);
    number.ok_or_else(|| {
        format!("a step is a percentage from 0 to 100; above 0 it is at least {least:.0e}")
    })
}

impl Options {
    fn ask(&self) -> Result<Drain<'static>, Error> {
        let plan = self.measured.plan()?;
        if let Some(pair) = self.steps.windows(2).find(|pair| pair[1] >= pair[0]) {
            return Err(Error::Usage(format!(
                "--steps goes from {} to {}; a drain only goes down",
                pair[0], pair[1]
            )));
        }
        let node = match &*self.node {
            "newest" => Which::Newest,
            "oldest" => Which::Oldest,
            "random" => Which::Random,
            name => Which::Named(name.into()),
        };
        for &nodes in &plan.nodes {
            node.number(plan.seed, nodes)?;
        }
        Ok(Drain {
            plan,
            node,
            steps: self.steps.clone(),
        })
    }
}

/// Runs the command and returns its exit code.
///
/// # Errors
/// When the options contradict each other, the keys cannot be read or the result cannot be written.
pub fn run(options: &Options) -> Result<u8, Error> {
    let ask = options.ask()?;
    let on = &options.measured.on;
    let output = Output::open(on.output.path.output.as_deref())?;
    let workload = on.workload()?;
    let drained = drain(&ask, &workload, &Progress::new(1))?;
    output.write(&render::drained(&drained, &on.output)?)?;
    let failed = drained.rows.iter();
    let failed = failed.filter(|row| row.status == DrainStatus::Failed);
    Ok(exit_code_of(failed.count(), drained.rows.len()))
}

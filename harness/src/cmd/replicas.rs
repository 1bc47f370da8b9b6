//! `harness replicas`: what copies of keys do when nodes come, go and fail.

use clap::Args;

use crate::cmd::exit_code_of;
use crate::error::Error;
use crate::options::UntimedOptions;
use crate::output::Output;
use crate::progress::Progress;
use crate::render;
use crate::replicas::{Ask, MOST, Status, Zones, find};

/// Options of the command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    /// Copies of each key
    #[arg(long, value_name = "R", value_parser = clap::value_parser!(u32).range(1..=i64::from(MOST)))]
    replicas: u32,
    /// Number of zones, or the nodes of each, such as 3,3,2
    #[arg(long, value_name = "ZONES", value_delimiter = ',')]
    zones: Vec<u32>,
    #[command(flatten)]
    measured: UntimedOptions,
}

impl Options {
    fn ask(&self) -> Result<Ask<'static>, Error> {
        let plan = self.measured.plan()?;
        let zones = match self.zones[..] {
            [] => None,
            [count] => Some(Zones::Count(count)),
            _ => Some(Zones::Sizes(self.zones.clone())),
        };
        if let Some(zones) = &zones {
            let mut counts = plan.nodes.iter();
            counts
                .try_for_each(|&nodes| zones.check(nodes))
                .map_err(|problem| Error::Usage(format!("--zones: {problem}")))?;
        }
        Ok(Ask {
            plan,
            replicas: self.replicas,
            zones,
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
    let copies = find(&ask, &workload, &Progress::new(1));
    output.write(&render::copies(&copies, &on.output)?)?;
    let failed = copies.rows.iter();
    let failed = failed.filter(|row| row.status == Status::Failed).count();
    Ok(exit_code_of(failed, copies.rows.len()))
}

//! `harness replicas`: what copies of keys do when nodes come, go and fail.

use clap::Args;
use clap::builder::Resettable;

use crate::cmd::exit_code_of;
use crate::error::Error;
use crate::options::UntimedOptions;
use crate::output::Output;
use crate::progress::Progress;
use crate::render;
use crate::replicas::{Ask, MOST, Status, Zones, find};
use crate::values::{MOST_NODES, whole};

/// Node counts where nothing tells them.
const NODES: [u32; 3] = [10, 100, 1000];

/// Options of the command.
#[derive(Clone, Debug, Args)]
#[command(mut_arg("nodes", |nodes| nodes.default_value(Resettable::Reset).help(
    "Node counts, separated by commas [default: those that --zones adds up to, else 10,100,1000]"
)))]
pub(crate) struct Options {
    /// Copies of each key, up to 32
    #[arg(long, value_name = "R", value_parser = whole(1..=MOST))]
    replicas: u32,
    /// Number of zones, or the nodes of each, such as 3,3,2
    #[arg(long, value_name = "ZONES", value_delimiter = ',', value_parser = whole(0..=u32::MAX))]
    zones: Vec<u32>,
    #[command(flatten)]
    measured: UntimedOptions,
}

impl Options {
    fn ask(&self) -> Result<Ask<'static>, Error> {
        let zones = match self.zones[..] {
            [] => None,
            [count] => Some(Zones::Count(count)),
            _ => Some(Zones::Sizes(self.zones.clone())),
        };
        let mut measured = self.measured.clone();
        if measured.on.nodes.is_empty() {
            measured.on.nodes = match zones.as_ref().and_then(Zones::nodes) {
                Some(sum) if (2..=MOST_NODES).contains(&sum) => vec![sum],
                Some(sum) => {
                    let problem = format!("--zones has {sum} nodes; have 2 to {MOST_NODES}");
                    return Err(Error::Usage(problem));
                }
                None => NODES.into(),
            };
        }
        let plan = measured.plan()?;
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

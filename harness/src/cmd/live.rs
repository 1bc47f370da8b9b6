//! `harness live`: lookups while the membership changes, and what clients disagree on meanwhile.

use clap::Args;

use crate::cmd::exit_code_of;
use crate::error::Error;
use crate::live::{Plan, report, skew};
use crate::options::{CommonOptions, OutputOptions, TableOptions, each_once};
use crate::output::Output;
use crate::progress::Progress;
use crate::render;
use crate::values::{node_count, whole};
use crate::workload::random;

/// Random keys: in full, and with `--quick`.
const KEYS: [usize; 2] = [1_000_000, 100_000];
/// Milliseconds of a round: in full, and with `--quick`.
const ROUND_MS: [u64; 2] = [100, 30];
/// Rounds: in full, and with `--quick`.
const ROUNDS: [u32; 2] = [7, 3];
/// Changes a second beyond which a writer does nothing else.
const MOST_CHANGES: u32 = 1_000_000;

/// Options of the command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    #[command(flatten)]
    common: CommonOptions,
    #[command(flatten)]
    table: TableOptions,
    /// Nodes before the first change
    #[arg(long, value_name = "N", default_value = "100", value_parser = node_count)]
    nodes: u32,
    /// Points per node of the vnode rings
    #[arg(long, value_name = "V", default_value_t = algorithms::Settings::default().points,
          value_parser = whole(1..=u32::MAX))]
    points: u32,
    /// Numbers of threads that look up, up to 64, separated by commas
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', default_value = "1,2",
          value_parser = whole::<u32>(1..=64), conflicts_with = "version_skew")]
    threads: Vec<u32>,
    /// Changes of membership a second, separated by commas
    #[arg(long, value_name = "RATES", value_delimiter = ',', default_value = "0,10,1000",
          value_parser = whole(0..=MOST_CHANGES), conflicts_with = "version_skew")]
    changes: Vec<u32>,
    /// Tell instead on how many keys clients with the old and the new membership disagree
    #[arg(long)]
    version_skew: bool,
    /// With --version-skew: nodes that join one after another while a client keeps the old version
    #[arg(long, value_name = "COUNT", default_value_t = 3, requires = "version_skew",
          value_parser = whole::<u32>(1..=1000))]
    versions: u32,
    #[command(flatten)]
    output: OutputOptions,
}

impl Options {
    fn plan(&self) -> Result<Plan, Error> {
        let common = &self.common;
        each_once("--threads", "count", &self.threads)?;
        each_once("--changes", "rate", &self.changes)?;
        let quick = usize::from(common.quick);
        Ok(Plan {
            algorithms: common.algorithms()?,
            settings: self.table.settings(common.hash, self.points)?,
            nodes: self.nodes,
            threads: self.threads.clone(),
            changes: self.changes.clone(),
            round_ms: ROUND_MS[quick],
            rounds: common.rounds.unwrap_or(ROUNDS[quick]),
            seed: common.seed,
        })
    }
}

/// Runs the command and returns its exit code.
///
/// # Errors
/// When the options contradict each other or the result cannot be written.
pub fn run(options: &Options) -> Result<u8, Error> {
    let plan = options.plan()?;
    let output = Output::open(options.output.path.output.as_deref())?;
    let common = &options.common;
    let keys = random(KEYS[usize::from(common.quick)], common.seed, common.hash);
    let failed = match options.version_skew {
        true => {
            let skew = skew(&plan, options.versions, &keys);
            output.write(&render::live::skew(&skew, &options.output)?)?;
            let failed = skew.rows.iter().filter(|row| row.reason.is_some());
            [failed.count(), skew.rows.len()]
        }
        false => {
            let report = report(&plan, &keys, &Progress::new(1));
            output.write(&render::live::report(&report, &options.output)?)?;
            [report.failed(), report.rows.len()]
        }
    };
    Ok(exit_code_of(failed[0], failed[1]))
}

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
/// The same with `--scale`, where as few would keep the part of a large ring that they need in the
/// caches.
const KEYS_AT_SCALE: [usize; 2] = [1_000_000, 200_000];
/// Rounds with `--scale`, where one takes some seconds: in full, and with `--quick`.
const ROUNDS_AT_SCALE: [u32; 2] = [9, 5];
/// Time for one round of one loop with `--scale`, where a lookup of some algorithms takes a microsecond.
const ROUND_AT_SCALE: [Duration; 2] = [Duration::from_millis(10), Duration::from_millis(5)];
/// Node counts.
const NODES: [u32; 7] = [10, 32, 100, 316, 1000, 3162, 10_000];
/// The node count with `--scale`.
const NODES_AT_SCALE: u32 = 100_000;
/// Time for one round of one loop: in full, and with `--quick`.
const ROUND: [Duration; 2] = [Duration::from_millis(1), Duration::from_micros(500)];

/// Options of the command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    #[command(flatten)]
    common: CommonOptions,
    #[command(flatten)]
    table: TableOptions,
    /// Node counts, separated by commas; at least 3 without --scale [default:
    /// 10,32,100,316,1000,3162,10000, with --scale 100000]
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', value_parser = node_count)]
    nodes: Vec<u32>,
    /// Tell what everything costs with very many nodes, and no exponents
    #[arg(long, conflicts_with = "points")]
    scale: bool,
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
        let at_scale = || common.rounds.unwrap_or(ROUNDS_AT_SCALE[quick]);
        let (nodes, fewest) = match self.scale {
            true => (vec![NODES_AT_SCALE], 1),
            false => (NODES.into(), FEWEST_SIZES),
        };
        let nodes = match self.nodes.is_empty() {
            true => nodes,
            false => ascending("--nodes", &self.nodes, fewest)?,
        };
        Ok(Scope {
            plan: Plan {
                algorithms: common.algorithms()?,
                nodes,
                settings: self
                    .table
                    .settings(common.hash, Settings::default().points)?,
                seed: common.seed,
                quick: common.quick,
                rounds: if self.scale {
                    at_scale()
                } else {
                    common.rounds()
                },
                round: if self.scale { ROUND_AT_SCALE } else { ROUND }[quick],
                scope: run::Scope::Times,
                plant: None,
            },
            points: ascending("--points", &self.points, FEWEST_SIZES)?,
            keys: if self.scale { KEYS_AT_SCALE } else { KEYS }[quick],
            scale: self.scale,
        })
    }
}

fn ascending(option: &str, counts: &[u32], fewest: usize) -> Result<Vec<u32>, Error> {
    each_once(option, "count", counts)?;
    if counts.len() < fewest {
        return Err(Error::Usage(format!(
            "{option} has {} counts; an exponent needs at least {fewest}",
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

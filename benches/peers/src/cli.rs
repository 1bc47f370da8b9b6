//! The command line.

use std::process::ExitCode;

use algorithms::simd::Level;
use clap::builder::PossibleValuesParser;
use clap::{CommandFactory, FromArgMatches, Parser, value_parser};
use harness::cli::{exit_code, signed};
use harness::error::{Error, VERIFICATION};
use harness::options::{OutputOptions, each_once};
use harness::output::Output;
use harness::progress::Progress;
use harness::record::Status;

use crate::case::MOST_NODES;
use crate::peers;
use crate::render;
use crate::row::Whose;
use crate::run::{Ask, survey};

/// Rounds of timing: in full, and with `--quick`.
const ROUNDS: [u32; 2] = [13, 7];

/// Measures published crates that place keys beside ours, key hash included
#[derive(Debug, Parser)]
#[command(
    name = "peers",
    version,
    after_help = "Exit codes: 0 done, 1 error, 2 usage, 4 one of ours failed."
)]
struct Options {
    /// Crates to compare ours with, separated by commas; all by default
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = crate_names())]
    peers: Vec<String>,
    /// Node counts, separated by commas
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', default_value = "10,100,1000,10000",
          value_parser = value_parser!(u32).range(1..=i64::from(MOST_NODES)))]
    nodes: Vec<u32>,
    /// Rounds of timing [default: 13, with --quick 7]
    #[arg(long, value_name = "N", value_parser = value_parser!(u32).range(1..=100_000))]
    rounds: Option<u32>,
    /// Seed of the random keys and of the order of rounds
    #[arg(long, value_name = "SEED", default_value_t = 42)]
    seed: u64,
    /// Vectors that ours may use; by default all that the processor has
    #[arg(long, value_name = "KIND", value_parser = level_names())]
    vectors: Option<String>,
    /// Fewer keys and rounds, in about an eighth of the time
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    output: OutputOptions,
}

fn crate_names() -> PossibleValuesParser {
    let mut names: Vec<&str> = peers::rows().iter().map(|row| row.name).collect();
    names.sort_unstable();
    names.dedup();
    PossibleValuesParser::new(names)
}

fn level_names() -> PossibleValuesParser {
    PossibleValuesParser::new(Level::all().map(Level::name))
}

/// Runs the program on its arguments.
pub fn main() -> ExitCode {
    let matches = Options::command().mut_args(signed).get_matches();
    let options = Options::from_arg_matches(&matches);
    exit_code(run(&options.unwrap_or_else(|error| error.exit())))
}

fn run(options: &Options) -> Result<u8, Error> {
    each_once("--peers", "name", &options.peers)?;
    each_once("--nodes", "count", &options.nodes)?;
    let vectors = |level: &Level| Some(level.name()) == options.vectors.as_deref();
    if let Some(level) = Level::all().find(vectors) {
        level.hold();
    }
    let ask = Ask {
        peers: options.peers.clone(),
        nodes: options.nodes.clone(),
        rounds: options.rounds.unwrap_or(ROUNDS[usize::from(options.quick)]),
        seed: options.seed,
        quick: options.quick,
    };
    let output = Output::open(options.output.path.output.as_deref())?;
    let survey = survey(&ask, &Progress::new(1));
    output.write(&render::survey(&survey, &options.output)?)?;
    let failed = |whose, status| whose == Whose::Ours && status == Status::Failed;
    let mut cells = survey.cells.iter();
    Ok(
        match cells.any(|cell| failed(cell.whose, cell.cell.status)) {
            true => VERIFICATION,
            false => 0,
        },
    )
}

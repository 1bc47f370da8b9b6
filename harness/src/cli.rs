//! The command line: parse, dispatch, exit code.

use std::path::PathBuf;
use std::process::ExitCode;

use algorithms::hash::{self, KeyHash};
use algorithms::{Algorithm, Settings, registry};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::cmd;
use crate::error::Error;
use crate::workload::Column;

/// Measures key placement algorithms on the same keys and prints the trade-offs.
#[derive(Debug, Parser)]
#[command(
    name = "harness",
    version,
    args_conflicts_with_subcommands = true,
    arg_required_else_help = true,
    after_help = "Exit codes: 0 done, 1 error, 2 usage, 3 regression found, 4 verification failed.\n\
                  Data goes to standard output, progress and errors to standard error."
)]
struct Cli {
    /// Measure everything and print the trade-off tables
    #[arg(long)]
    report: bool,
    #[command(flatten)]
    options: RunOptions,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// List the algorithms with their traits and claimed costs
    List(OutputOptions),
    /// Check every law on the very nodes and keys, and measure nothing
    Verify(RunOptions),
    /// Tell which figures got better or worse between two records
    Compare(cmd::compare::Options),
    /// Make several runs of one program into one record
    Merge(cmd::merge::Options),
    /// Put a record into the format of a service that keeps track of figures
    Export(cmd::export::Options),
    /// Show how figures went over a series of records
    Trend(cmd::trend::Options),
    /// Make a record of the counts that the benchmark callgrind printed
    Callgrind(cmd::callgrind::Options),
    /// Print the JSON Schema of the records
    Schema(OutputPath),
}

/// What is measured, on which keys, and how it is shown.
#[derive(Clone, Debug, Args)]
pub(crate) struct RunOptions {
    /// Algorithms to compare, separated by commas; all by default
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = algorithm_names())]
    pub algorithms: Vec<&'static Algorithm>,
    /// Node counts, separated by commas
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', default_value = "10,100,1000",
          value_parser = node_count)]
    pub nodes: Vec<u32>,
    /// Points per node of the vnode rings
    #[arg(long, value_name = "V", default_value_t = Settings::default().points,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub points: u32,
    /// Slots of the Maglev table, a prime
    #[arg(long, value_name = "M", default_value_t = Settings::default().table)]
    pub table: u32,
    /// Number of random distinct keys [default: 1000000, with --quick 100000]
    #[arg(long, value_name = "N", conflicts_with = "keys_file",
          value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    pub keys: Option<u32>,
    /// Take real keys from a file, one a line; - is standard input
    #[arg(long, value_name = "PATH")]
    pub keys_file: Option<PathBuf>,
    /// TAB-separated columns of the key file, such as key,count,size
    #[arg(
        long,
        value_name = "COLUMNS",
        value_delimiter = ',',
        requires = "keys_file"
    )]
    pub keys_columns: Vec<Column>,
    /// Hash of keys, node names and points
    #[arg(long, value_name = "NAME", default_value = hash::XXH3.name(), value_parser = hash_names())]
    pub hash: KeyHash,
    /// Seed of the random keys and of everything else random
    #[arg(long, value_name = "SEED", default_value_t = 42)]
    pub seed: u64,
    /// Fewer keys and rounds: at most some 10 seconds
    #[arg(long)]
    pub quick: bool,
    /// Measure only what is the same on every machine, or only times
    #[arg(long, value_name = "KIND")]
    pub only: Option<Only>,
    /// Rounds of timing [default: 31, with --quick 9]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub rounds: Option<u32>,
    #[command(flatten)]
    pub output: OutputOptions,
}

/// How a result is shown and where it goes.
#[derive(Clone, Debug, Args)]
pub(crate) struct OutputOptions {
    /// Form of the output
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    #[command(flatten)]
    pub path: OutputPath,
    /// Columns that tables may take [default: those of the terminal, else 120]
    #[arg(long, value_name = "COLUMNS", value_parser = clap::value_parser!(u16).range(40..))]
    pub width: Option<u16>,
}

/// Where a result goes.
#[derive(Clone, Debug, Args)]
pub(crate) struct OutputPath {
    /// Write to a file, whole or not at all, instead of standard output
    #[arg(long, value_name = "PATH")]
    pub output: Option<PathBuf>,
}

/// Kinds of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Only {
    /// Figures that are the same on every machine
    Exact,
    /// Times: each placement's owners are checked, but not every law
    Times,
}

/// Forms of output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Tables for a terminal
    Table,
    /// Tables for a README or a comment
    Markdown,
    /// One line per figure
    Csv,
    /// The whole record
    Json,
}

fn algorithm_names() -> impl TypedValueParser<Value = &'static Algorithm> {
    let names = registry::ALL.iter().map(|algorithm| algorithm.name);
    PossibleValuesParser::new(names).try_map(|name| registry::find(&name).ok_or("not registered"))
}

fn node_count(text: &str) -> Result<u32, String> {
    let count = text
        .parse()
        .ok()
        .filter(|count| (1..=MOST_NODES).contains(count));
    count.ok_or_else(|| format!("a node count is a whole number from 1 to {MOST_NODES}"))
}

/// The largest node count that can be asked for.
const MOST_NODES: u32 = 1_000_000;

fn hash_names() -> impl TypedValueParser<Value = KeyHash> {
    let find = |name: String| hash::ALL.iter().find(|hash| hash.name() == name).copied();
    PossibleValuesParser::new(hash::ALL.iter().map(|hash| hash.name()))
        .try_map(move |name| find(name).ok_or("not known"))
}

impl RunOptions {
    /// Refuses what each option allows by itself and all of them do not.
    fn check(&self) -> Result<(), Error> {
        let usage = |problem: String| Err(Error::Usage(problem));
        if let Some(twice) = repeated(&self.nodes) {
            return usage(format!("--nodes names {twice} twice; give each count once"));
        }
        let names: Vec<&str> = self
            .algorithms
            .iter()
            .map(|algorithm| algorithm.name)
            .collect();
        if let Some(twice) = repeated(&names) {
            return usage(format!(
                "--algorithms names {twice} twice; give each name once"
            ));
        }
        if !self.keys_columns.is_empty() && !self.keys_columns.contains(&Column::Key) {
            return usage("--keys-columns has no column named key; add it".into());
        }
        if let Some(twice) = repeated(&self.keys_columns) {
            return usage(format!(
                "--keys-columns names {twice:?} twice; give each column once"
            ));
        }
        match algorithms::maglev::fill(self.table, &[]) {
            Ok(_) => Ok(()),
            Err(error) => usage(format!("--table {}: {error}", self.table)),
        }
    }
}

fn repeated<T: PartialEq>(items: &[T]) -> Option<&T> {
    let mut indexed = items.iter().enumerate();
    indexed.find_map(|(index, item)| items[..index].contains(item).then_some(item))
}

/// Runs the program on its arguments.
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    match dispatch(cli) {
        Ok(code) => ExitCode::from(code),
        Err(Error::Stdout(error)) if error.kind() == std::io::ErrorKind::BrokenPipe => {
            // The reader has seen enough.
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            if matches!(error, Error::Usage(_)) {
                eprintln!("\nFor more information, try '--help'.");
            }
            ExitCode::from(error.exit_code())
        }
    }
}

fn dispatch(cli: Cli) -> Result<u8, Error> {
    match cli.command {
        Some(Command::List(options)) => cmd::list::run(&options),
        Some(Command::Verify(options)) => {
            options.check()?;
            cmd::verify::run(&options)
        }
        Some(Command::Compare(options)) => cmd::compare::run(&options),
        Some(Command::Merge(options)) => cmd::merge::run(&options),
        Some(Command::Export(options)) => cmd::export::run(&options),
        Some(Command::Trend(options)) => cmd::trend::run(&options),
        Some(Command::Callgrind(options)) => cmd::callgrind::run(&options),
        Some(Command::Schema(output)) => cmd::schema::run(&output),
        None if cli.report => {
            cli.options.check()?;
            cmd::report::run(&cli.options)
        }
        None => Err(Error::Usage(
            "say --report to measure, or name a command".into(),
        )),
    }
}

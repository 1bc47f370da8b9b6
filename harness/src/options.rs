//! Options that several commands share, and the plan that they make.

use std::path::PathBuf;
use std::time::Duration;

use algorithms::bounded::Bound;
use algorithms::hash::{self, KeyHash};
use algorithms::{Algorithm, Settings, registry};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use crate::error::Error;
use crate::run::{Plan, Plant, Scope};
use crate::skew::Setup;
use crate::workload::{Column, Workload, random, read};

/// Random keys when none are asked for: in full, and with `--quick`.
const KEYS: [u32; 2] = [1_000_000, 100_000];
/// The same for skewed loads.
const SKEWED_KEYS: [u32; 2] = [100_000, 20_000];
/// Rounds of timing: in full, and with `--quick`.
const ROUNDS: [u32; 2] = [31, 9];
/// Time for one round of one loop: in full, and with `--quick`.
const ROUND: [Duration; 2] = [Duration::from_millis(2), Duration::from_micros(500)];

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

/// Placements under skewed loads, and how the result is shown.
#[derive(Clone, Debug, Args)]
pub(crate) struct SkewOptions {
    /// Algorithms to compare, separated by commas; all by default
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = algorithm_names())]
    pub algorithms: Vec<&'static Algorithm>,
    /// Node counts, separated by commas
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', default_value = "10,100",
          value_parser = node_count)]
    pub nodes: Vec<u32>,
    /// Points per node of the vnode rings
    #[arg(long, value_name = "V", default_value_t = Settings::default().points,
          value_parser = clap::value_parser!(u32).range(1..))]
    pub points: u32,
    /// Slots of the Maglev table, a prime
    #[arg(long, value_name = "M", default_value_t = Settings::default().table)]
    pub table: u32,
    /// Number of random distinct keys [default: 100000, with --quick 20000]
    #[arg(long, value_name = "N", conflicts_with = "keys_file",
          value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    pub keys: Option<u32>,
    /// Take real keys from a file, one a line; - is standard input. A repeated line is one more request
    #[arg(long, value_name = "PATH")]
    pub keys_file: Option<PathBuf>,
    /// TAB-separated columns of the key file, such as key,count
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
    /// Fewer keys and requests
    #[arg(long)]
    pub quick: bool,
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

/// The first item that stands in a list twice.
pub(crate) fn repeated<T: PartialEq>(items: &[T]) -> Option<&T> {
    let mut indexed = items.iter().enumerate();
    indexed.find_map(|(index, item)| items[..index].contains(item).then_some(item))
}

impl RunOptions {
    /// The plan that the options make.
    ///
    /// # Errors
    /// When they contradict each other.
    pub fn plan(&self) -> Result<Plan<'static>, Error> {
        self.check()?;
        Ok(Plan {
            algorithms: all_unless_named(&self.algorithms),
            nodes: self.nodes.clone(),
            settings: Settings {
                hash: self.hash,
                points: self.points,
                table: self.table,
            },
            seed: self.seed,
            quick: self.quick,
            rounds: self.rounds.unwrap_or(ROUNDS[usize::from(self.quick)]),
            scope: match self.only {
                None => Scope::Everything,
                Some(Only::Exact) => Scope::Exact,
                Some(Only::Times) => Scope::Times,
            },
            plant: Plant::from_environment()?,
            round: ROUND[usize::from(self.quick)],
        })
    }

    /// The keys that the options name.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn workload(&self) -> Result<Workload, Error> {
        match &self.keys_file {
            Some(path) => read(path, &self.keys_columns, self.hash),
            None => {
                let count = self.keys.unwrap_or(KEYS[usize::from(self.quick)]);
                Ok(random(count as usize, self.seed, self.hash))
            }
        }
    }

    /// Refuses what each option allows by itself and all of them do not.
    fn check(&self) -> Result<(), Error> {
        check_placements(&self.algorithms, &self.nodes, self.table)?;
        check_columns(&self.keys_columns)
    }
}

impl SkewOptions {
    /// The placements and the Zipf laws that the options make.
    ///
    /// # Errors
    /// When they contradict each other.
    pub fn setup(&self, zipf: &[f64]) -> Result<Setup, Error> {
        check_placements(&self.algorithms, &self.nodes, self.table)?;
        check_columns(&self.keys_columns)?;
        if let Some(twice) = repeated(zipf) {
            let problem = format!("--zipf names {twice} twice; give each exponent once");
            return Err(Error::Usage(problem));
        }
        Ok(Setup {
            algorithms: all_unless_named(&self.algorithms),
            nodes: self.nodes.clone(),
            settings: Settings {
                hash: self.hash,
                points: self.points,
                table: self.table,
            },
            seed: self.seed,
            quick: self.quick,
            zipf: zipf.to_vec(),
        })
    }

    /// The keys that the options name.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn workload(&self) -> Result<Workload, Error> {
        match &self.keys_file {
            Some(path) => read(path, &self.keys_columns, self.hash),
            None => {
                let count = self.keys.unwrap_or(SKEWED_KEYS[usize::from(self.quick)]);
                Ok(random(count as usize, self.seed, self.hash))
            }
        }
    }
}

/// The exponent of a Zipf law on the command line.
///
/// # Errors
/// When it is no finite number of at least 0.
pub(crate) fn zipf(text: &str) -> Result<f64, String> {
    let exponent = text.parse().ok();
    let exponent = exponent.filter(|exponent: &f64| *exponent >= 0.0 && exponent.is_finite());
    exponent.ok_or("a Zipf exponent is a number of at least 0, such as 1.0".into())
}

/// A load bound on the command line.
///
/// # Errors
/// When it is below 1, not a number, or not "none".
pub(crate) fn bound(text: &str) -> Result<Bound, String> {
    let number = match text {
        "none" => Some(f64::INFINITY),
        _ => text.parse().ok(),
    };
    let number = number.ok_or("a load bound is a number of at least 1, such as 1.25, or none")?;
    Bound::new(number).map_err(|error| error.to_string())
}

fn all_unless_named(named: &[&'static Algorithm]) -> Vec<&'static Algorithm> {
    match named.is_empty() {
        true => registry::ALL.iter().collect(),
        false => named.to_vec(),
    }
}

fn check_placements(named: &[&Algorithm], nodes: &[u32], table: u32) -> Result<(), Error> {
    let usage = |problem: String| Err(Error::Usage(problem));
    if let Some(twice) = repeated(nodes) {
        return usage(format!("--nodes names {twice} twice; give each count once"));
    }
    let names: Vec<&str> = named.iter().map(|algorithm| algorithm.name).collect();
    if let Some(twice) = repeated(&names) {
        return usage(format!(
            "--algorithms names {twice} twice; give each name once"
        ));
    }
    algorithms::maglev::check_size(table, 0)
        .map_err(|error| Error::Usage(format!("--table {table}: {error}")))
}

fn check_columns(columns: &[Column]) -> Result<(), Error> {
    let usage = |problem: String| Err(Error::Usage(problem));
    if !columns.is_empty() && !columns.contains(&Column::Key) {
        return usage("--keys-columns has no column named key; add it".into());
    }
    match repeated(columns) {
        None => Ok(()),
        Some(twice) => usage(format!(
            "--keys-columns names {} twice; give each column once",
            twice.name()
        )),
    }
}

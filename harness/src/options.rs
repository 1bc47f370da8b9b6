//! Options that several commands share, and the plan that they make.

use std::fmt::Display;
use std::path::PathBuf;
use std::time::Duration;

use algorithms::algorithm::Table;
use algorithms::hash::{self, KeyHash};
use algorithms::{Algorithm, Settings, registry};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};

use crate::error::Error;
use crate::run::{Plan, Plant, Scope};
use crate::skew::Setup;
use crate::values::{node_count, whole};
use crate::workload::{Column, Workload, random, read};

/// Random keys when none are asked for: in full, and with `--quick`.
const KEYS: [u32; 2] = [1_000_000, 100_000];
/// The same for skewed loads.
const SKEWED_KEYS: [u32; 2] = [100_000, 20_000];
/// Rounds of timing: in full, and with `--quick`.
const ROUNDS: [u32; 2] = [31, 9];
/// Time for one round of one loop: in full, and with `--quick`.
const ROUND: [Duration; 2] = [Duration::from_millis(2), Duration::from_micros(500)];

/// What every measurement asks for.
#[derive(Clone, Debug, Args)]
pub(crate) struct CommonOptions {
    /// Algorithms to compare, separated by commas; all by default
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = algorithm_names())]
    pub algorithms: Vec<&'static Algorithm>,
    /// Hash of keys, node names and points
    #[arg(long, value_name = "NAME", default_value = hash::XXH3.name(), value_parser = hash_names())]
    pub hash: KeyHash,
    /// Seed of the random keys and of everything else random
    #[arg(long, value_name = "SEED", default_value_t = 42, value_parser = whole(0..=u64::MAX))]
    pub seed: u64,
    /// Fewer keys and rounds, in about a third of the time
    #[arg(long)]
    pub quick: bool,
    /// Rounds of timing [default: 31, with --quick 9]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=100_000))]
    pub rounds: Option<u32>,
}

/// The sizes of tables.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct TableOptions {
    /// Slots of the Maglev table, a prime
    #[arg(long, value_name = "M", default_value_t = Settings::default().table,
          value_parser = whole(0..=u32::MAX))]
    pub table: u32,
    /// Fixed slots that nodes share
    #[arg(long, value_name = "S", default_value_t = Settings::default().slots,
          value_parser = whole(0..=u32::MAX))]
    pub slots: u32,
}

/// On how many nodes and on which keys, and how it is shown.
#[derive(Clone, Debug, Args)]
pub(crate) struct KeyOptions {
    #[command(flatten)]
    pub common: CommonOptions,
    /// Node counts, separated by commas
    #[arg(long, value_name = "COUNTS", value_delimiter = ',', default_value = "10,100,1000",
          value_parser = node_count)]
    pub nodes: Vec<u32>,
    /// Number of random distinct keys [default: 1000000, with --quick 100000]
    #[arg(long, value_name = "N", conflicts_with = "keys_file",
          value_parser = whole::<u32>(1..=100_000_000))]
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
    #[command(flatten)]
    pub output: OutputOptions,
}

/// What placements are built with.
#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct SettingsOptions {
    /// Points per node of the vnode rings
    #[arg(long, value_name = "V", default_value_t = Settings::default().points,
          value_parser = whole(1..=u32::MAX))]
    pub points: u32,
    #[command(flatten)]
    pub table: TableOptions,
}

/// What a report or a verification is made of.
#[derive(Clone, Debug, Args)]
pub(crate) struct RunOptions {
    #[command(flatten)]
    pub on: KeyOptions,
    #[command(flatten)]
    pub with: SettingsOptions,
    /// Measure only what is the same on every machine, or only times
    #[arg(long, value_name = "KIND")]
    pub only: Option<Only>,
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
    #[command(flatten)]
    pub with: SettingsOptions,
    /// Number of random distinct keys [default: 100000, with --quick 20000]
    #[arg(long, value_name = "N", conflicts_with = "keys_file",
          value_parser = whole::<u32>(1..=10_000_000))]
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
    #[arg(long, value_name = "SEED", default_value_t = 42, value_parser = whole(0..=u64::MAX))]
    pub seed: u64,
    /// Fewer keys and requests
    #[arg(long)]
    pub quick: bool,
    #[command(flatten)]
    pub output: OutputOptions,
}

/// What a measurement of several nodes asks for that times nothing.
#[derive(Clone, Debug, Args)]
pub(crate) struct UntimedOptions {
    #[command(flatten)]
    pub on: KeyOptions,
    #[command(flatten)]
    pub with: SettingsOptions,
}

/// How a result is shown and where it goes.
#[derive(Clone, Debug, Args)]
pub struct OutputOptions {
    /// Form of the output
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Where it goes.
    #[command(flatten)]
    pub path: OutputPath,
    /// Columns that tables may take [default: those of the terminal, else 120]
    #[arg(long, value_name = "COLUMNS", value_parser = whole(60..=u16::MAX))]
    pub width: Option<u16>,
}

/// Where a result goes.
#[derive(Clone, Debug, Args)]
pub struct OutputPath {
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
pub enum Format {
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

pub(crate) fn hash_names() -> impl TypedValueParser<Value = KeyHash> {
    PossibleValuesParser::new(hash::ALL.iter().map(KeyHash::name))
        .try_map(|name| hash::find(&name).ok_or("not known"))
}

/// Refuses a list that an option was given with something twice in it.
///
/// # Errors
/// What stands there twice.
pub fn each_once<T: PartialEq + Display>(
    option: &str,
    what: &str,
    items: &[T],
) -> Result<(), Error> {
    let mut indexed = items.iter().enumerate();
    match indexed.find(|(index, item)| items[..*index].contains(item)) {
        None => Ok(()),
        Some((_, twice)) => Err(Error::Usage(format!(
            "{option} names {twice} twice; give each {what} once"
        ))),
    }
}

impl CommonOptions {
    /// The algorithms that the options name.
    ///
    /// # Errors
    /// When one is named twice.
    pub fn algorithms(&self) -> Result<Vec<&'static Algorithm>, Error> {
        named_or_all(&self.algorithms)
    }

    /// Refuses rounds of timing where nothing is timed.
    ///
    /// # Errors
    /// When they were asked for.
    pub fn untimed(&self) -> Result<(), Error> {
        let problem = "--rounds: nothing is timed here; leave it out";
        match self.rounds {
            None => Ok(()),
            Some(_) => Err(Error::Usage(problem.into())),
        }
    }

    /// Rounds of timing.
    pub fn rounds(&self) -> u32 {
        self.rounds.unwrap_or(ROUNDS[usize::from(self.quick)])
    }
}

impl TableOptions {
    /// What placements are built with.
    ///
    /// # Errors
    /// When no table can have one of these sizes.
    pub fn settings(&self, hash: KeyHash, points: u32) -> Result<Settings, Error> {
        let settings = Settings {
            hash,
            points,
            table: self.table,
            slots: self.slots,
        };
        for table in [Table::Turns, Table::Quotas] {
            let (setting, slots) = (table.setting(), table.slots(&settings));
            table
                .check(slots, 0)
                .map_err(|error| Error::Usage(format!("--{setting} {slots}: {error}")))?;
        }
        Ok(settings)
    }
}

impl SettingsOptions {
    /// What placements are built with.
    ///
    /// # Errors
    /// As [`TableOptions::settings`].
    pub fn settings(&self, common: &CommonOptions) -> Result<Settings, Error> {
        self.table.settings(common.hash, self.points)
    }
}

impl KeyOptions {
    /// The plan that the options make with these settings.
    ///
    /// # Errors
    /// When they contradict each other.
    pub fn plan(&self, settings: Settings, scope: Scope) -> Result<Plan<'static>, Error> {
        each_once("--nodes", "count", &self.nodes)?;
        check_columns(&self.keys_columns)?;
        let common = &self.common;
        Ok(Plan {
            algorithms: common.algorithms()?,
            nodes: self.nodes.clone(),
            settings,
            seed: common.seed,
            quick: common.quick,
            rounds: common.rounds(),
            scope,
            plant: Plant::from_environment()?,
            round: ROUND[usize::from(common.quick)],
        })
    }

    /// The keys that the options name.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn workload(&self) -> Result<Workload, Error> {
        self.workload_or(KEYS)
    }

    /// The keys that the options name, or so many random ones: in full, and with `--quick`.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn workload_or(&self, random_keys: [u32; 2]) -> Result<Workload, Error> {
        let common = &self.common;
        match &self.keys_file {
            Some(path) => read(path, &self.keys_columns, common.hash),
            None => {
                let count = self.keys.unwrap_or(random_keys[usize::from(common.quick)]);
                Ok(random(count as usize, common.seed, common.hash))
            }
        }
    }
}

impl RunOptions {
    /// The plan that the options make.
    ///
    /// # Errors
    /// When they contradict each other.
    pub fn plan(&self) -> Result<Plan<'static>, Error> {
        let settings = self.with.settings(&self.on.common)?;
        let scope = match self.only {
            None => Scope::Everything,
            Some(Only::Exact) => Scope::Exact,
            Some(Only::Times) => Scope::Times,
        };
        self.on.plan(settings, scope)
    }
}

impl SkewOptions {
    /// The placements and the Zipf laws that the options make.
    ///
    /// # Errors
    /// When they contradict each other.
    pub fn setup(&self, zipf: &[f64]) -> Result<Setup, Error> {
        each_once("--nodes", "count", &self.nodes)?;
        each_once("--zipf", "exponent", zipf)?;
        check_columns(&self.keys_columns)?;
        Ok(Setup {
            algorithms: named_or_all(&self.algorithms)?,
            nodes: self.nodes.clone(),
            settings: self.with.table.settings(self.hash, self.with.points)?,
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

/// The algorithms that were named, or all.
fn named_or_all(named: &[&'static Algorithm]) -> Result<Vec<&'static Algorithm>, Error> {
    let names: Vec<&str> = named.iter().map(|algorithm| algorithm.name).collect();
    each_once("--algorithms", "name", &names)?;
    Ok(match named.is_empty() {
        true => registry::ALL.iter().collect(),
        false => named.to_vec(),
    })
}

fn check_columns(columns: &[Column]) -> Result<(), Error> {
    if !columns.is_empty() && !columns.contains(&Column::Key) {
        let problem = "--keys-columns has no column named key; add it";
        return Err(Error::Usage(problem.into()));
    }
    let names: Vec<&str> = columns.iter().map(|column| column.name()).collect();
    each_once("--keys-columns", "column", &names)
}

impl UntimedOptions {
    /// The plan that the options make.
    ///
    /// # Errors
    /// When they contradict each other, ask for one node alone, or for rounds of timing.
    pub fn plan(&self) -> Result<Plan<'static>, Error> {
        self.on.common.untimed()?;
        if self.on.nodes.contains(&1) {
            let problem = "--nodes 1: one node is alone with all keys; ask for 2 or more";
            return Err(Error::Usage(problem.into()));
        }
        let settings = self.with.settings(&self.on.common)?;
        self.on.plan(settings, Scope::Exact)
    }
}

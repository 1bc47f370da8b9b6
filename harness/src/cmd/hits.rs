//! `harness hits`: cache hit rates straight after a change of nodes, and how they recover.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;

use crate::cmd::exit_code_of;
use crate::error::{Error, VERIFICATION};
use crate::hits::memcached::Program;
use crate::hits::{Ask, Cache, Hits, Popularity, simulate, try_memcached};
use crate::options::{KeyOptions, SettingsOptions, each_once};
use crate::output::Output;
use crate::progress::Progress;
use crate::render;
use crate::run::Scope;
use crate::values::{fraction, whole, zipf};

/// Random keys when none are asked for: in full, and with `--quick`.
const KEYS: [u32; 2] = [100_000, 20_000];
/// Sets of node names: in full, and with `--quick`.
const SETS: [u32; 2] = [5, 3];
/// Keys per request of a window, unless asked for otherwise.
const WINDOW: usize = 100;
/// Nodes that real servers are started for, at most.
const MOST_SERVERS: u32 = 32;

/// Options of the command.
#[derive(Clone, Debug, Args)]
#[command(mut_arg("nodes", |nodes| nodes.default_value("10")))]
#[command(mut_arg("keys", |keys| keys.help(
    "Number of random distinct keys [default: 100000, with --quick 20000]"
)))]
pub(crate) struct Options {
    /// Hit rate before the change, such as 0.9 or 90%
    #[arg(long, value_name = "PART", default_value = "90%", value_parser = base)]
    base: f64,
    /// What a node's cache holds, separated by commas: unlimited, fitted (to the base rate), or a
    /// number of objects
    #[arg(long, value_name = "CACHES", value_delimiter = ',', default_value = "unlimited,fitted",
          value_parser = cache)]
    cache: Vec<Cache>,
    /// Exponent of Zipf's law, by which keys without counts are asked for [default: 1.0]
    #[arg(long, value_name = "S", value_parser = zipf)]
    zipf: Option<f64>,
    /// Requests in a window [default: one per 100 keys]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=10_000_000))]
    window: Option<u32>,
    /// Windows after the change
    #[arg(long, value_name = "N", default_value_t = 2000,
          value_parser = whole::<u32>(1..=1_000_000))]
    windows: u32,
    /// Sets of node names, each with its own requests [default: 5, with --quick 3]
    #[arg(long, value_name = "N", value_parser = whole::<u32>(1..=10_000))]
    sets: Option<u32>,
    /// Also try real memcached servers, with the same keys and popularity: the path of the program, or
    /// auto. --base, --cache, --window, --windows and --sets are for the simulation alone
    #[arg(long, value_name = "PATH")]
    memcached: Option<PathBuf>,
    #[command(flatten)]
    on: KeyOptions,
    #[command(flatten)]
    with: SettingsOptions,
}

fn base(text: &str) -> Result<f64, String> {
    let part = fraction(text).filter(|part| (0.0..=1.0).contains(part));
    part.ok_or("a hit rate is a part from 0 to 1, or from 0% to 100%, such as 0.9 or 90%".into())
}

fn cache(text: &str) -> Result<Cache, String> {
    let objects = || {
        text.parse()
            .ok()
            .filter(|&n: &NonZeroUsize| n.get() <= 1 << 30)
    };
    match text {
        "unlimited" => Ok(Cache::Unlimited),
        "fitted" => Ok(Cache::Fitted),
        _ => objects()
            .map(Cache::Objects)
            .ok_or("a cache is unlimited, fitted, or a number of objects from 1 to 2^30".into()),
    }
}

impl Options {
    fn ask(&self, keys: usize) -> Result<Ask<'static>, Error> {
        let common = &self.on.common;
        common.untimed()?;
        let caches: Vec<String> = self.cache.iter().copied().map(Cache::word).collect();
        each_once("--cache", "cache", &caches)?;
        if self.on.nodes.contains(&1) {
            let problem = "--nodes 1: without the only node nothing is left; ask for 2 or more";
            return Err(Error::Usage(problem.into()));
        }
        let most = self.on.nodes.iter().max().copied().unwrap_or(0);
        if self.memcached.is_some() && most > MOST_SERVERS {
            return Err(Error::Usage(format!(
                "--memcached starts a server for each node; give --nodes up to {MOST_SERVERS}"
            )));
        }
        let window = self.window.map(|window| window as usize);
        Ok(Ask {
            plan: self.on.plan(self.with.settings(common)?, Scope::Exact)?,
            base: self.base,
            caches: self.cache.clone(),
            window: window.unwrap_or(keys.div_ceil(WINDOW)),
            windows: self.windows as usize,
            sets: self.sets.unwrap_or(SETS[usize::from(common.quick)]),
        })
    }
}

/// Runs the command and returns its exit code.
///
/// # Errors
/// When the keys cannot be read, memcached is asked for and does not work, or the result cannot be
/// written.
pub fn run(options: &Options) -> Result<u8, Error> {
    // Contradictions are told before keys are read; how many there are matters for windows alone.
    options.ask(0)?;
    let program = options
        .memcached
        .as_ref()
        .map(|path| match path.as_os_str() == "auto" {
            true => Program::find("memcached"),
            false => Program::find(path),
        });
    let program = program.transpose()?;
    let form = &options.on.output;
    let output = Output::open(form.path.output.as_deref())?;
    let workload = options.on.workload_or(KEYS)?;
    let popularity = Popularity::of(&workload, options.zipf)?;
    let ask = options.ask(workload.len())?;
    let real = program.as_ref().map(|program| {
        let rows = try_memcached(&ask, program, &workload, &popularity, &Progress::new(1));
        rows.map(|rows| (program, rows))
    });
    let real = real.transpose()?;
    let rows = simulate(&ask, &workload, &popularity, &Progress::new(1));
    let hits = Hits::new(&ask, &workload, &popularity, rows, real);
    output.write(&render::hits(&hits, form)?)?;
    let rows = hits.rows.len() + hits.memcached.len();
    match hits.failed() {
        differ if differ > 0 && program.is_some() => {
            eprintln!(
                "error: {differ} of {rows} rows failed, or differ from the real servers; the output says why"
            );
            Ok(VERIFICATION)
        }
        failed => Ok(exit_code_of(failed, rows)),
    }
}

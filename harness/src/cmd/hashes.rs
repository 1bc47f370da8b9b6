//! `harness hashes`: what the choice of the hash does to cost, evenness and mixing.

use algorithms::KeyHash;
use algorithms::hash;
use clap::Args;

use crate::error::Error;
use crate::hashes::{Ask, survey};
use crate::options::{OutputOptions, each_once, hash_names};
use crate::output::Output;
use crate::progress::Progress;
use crate::render;
use crate::values::whole;

/// Options of the command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    /// Hashes to compare, separated by commas; all by default
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = hash_names())]
    hashes: Vec<KeyHash>,
    /// Seed of the random keys and of everything else random
    #[arg(long, value_name = "SEED", default_value_t = 42, value_parser = whole(0..=u64::MAX))]
    seed: u64,
    /// Fewer keys and rounds, in about a third of the time
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    output: OutputOptions,
}

impl Options {
    fn ask(&self) -> Result<Ask, Error> {
        let names: Vec<&str> = self.hashes.iter().map(KeyHash::name).collect();
        each_once("--hashes", "name", &names)?;
        Ok(Ask {
            hashes: match self.hashes.is_empty() {
                true => hash::ALL.to_vec(),
                false => self.hashes.clone(),
            },
            seed: self.seed,
            quick: self.quick,
        })
    }
}

/// Runs the command and returns its exit code. A hash that is marked wrong is a finding.
///
/// # Errors
/// When a name is given twice or the result cannot be written.
pub fn run(options: &Options) -> Result<u8, Error> {
    let ask = options.ask()?;
    let output = Output::open(options.output.path.output.as_deref())?;
    let survey = survey(&ask, &Progress::new(1))?;
    output.write(&render::hashes(&survey, &options.output)?)?;
    Ok(0)
}

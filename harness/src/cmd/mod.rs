//! One file per command.

pub mod callgrind;
pub mod compare;
pub mod export;
pub mod list;
pub mod merge;
pub mod report;
pub mod schema;
pub mod trend;
pub mod verify;

use std::time::Duration;

use algorithms::{Settings, registry};

use crate::cli::{Only, RunOptions};
use crate::error::{Error, VERIFICATION};
use crate::record::Record;
use crate::run::{Plan, Plant, Scope};
use crate::workload::{Workload, random, read};

/// Random keys when none are asked for: in full, and with `--quick`.
const KEYS: [u32; 2] = [1_000_000, 100_000];
/// Rounds of timing: in full, and with `--quick`.
const ROUNDS: [u32; 2] = [31, 9];
/// Time for one round of one loop: in full, and with `--quick`.
const ROUND: [Duration; 2] = [Duration::from_millis(2), Duration::from_micros(500)];

/// Exit code of a command that made this record.
fn exit_code(record: &Record) -> u8 {
    match record.all_hold() {
        true => 0,
        false => VERIFICATION,
    }
}

impl RunOptions {
    fn plan(&self) -> Result<Plan<'static>, Error> {
        let algorithms = match self.algorithms.is_empty() {
            true => registry::ALL.iter().collect(),
            false => self.algorithms.clone(),
        };
        Ok(Plan {
            algorithms,
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

    fn workload(&self) -> Result<Workload, Error> {
        match &self.keys_file {
            Some(path) => read(path, &self.keys_columns, self.hash),
            None => {
                let count = self.keys.unwrap_or(KEYS[usize::from(self.quick)]);
                Ok(random(count as usize, self.seed, self.hash))
            }
        }
    }
}

//! What can go wrong, in words that say what to do, and the exit code of each.

use std::io;
use std::path::{Path, PathBuf};

/// Exit code of a run in which something did not work.
pub const ERROR: u8 = 1;
/// Exit code of a command line that makes no sense; clap uses the same.
pub const USAGE: u8 = 2;
/// Exit code of a comparison that found a regression.
pub const REGRESSION: u8 = 3;
/// Exit code of a run in which a placement could not be built or failed its verification, or of a
/// command that is asked to hold something against theory or real servers, and does not.
pub const VERIFICATION: u8 = 4;

/// The file as people call it.
fn name(path: &Path) -> String {
    match path.as_os_str() == "-" {
        true => "standard input".into(),
        false => path.display().to_string(),
    }
}

/// An error that ends the command.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Options that contradict each other or the algorithms.
    #[error("{0}")]
    Usage(String),
    /// A file could not be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    File {
        /// What was tried: "read", "write".
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// A key file has no key.
    #[error("{} has no keys; give one key a line", name(path))]
    NoKeys {
        /// The file.
        path: PathBuf,
    },
    /// A key file has counts, and all of them are 0.
    #[error(
        "{} has no requests: all counts are 0; give counts above 0, or leave the column out",
        name(path)
    )]
    NoRequests {
        /// The file.
        path: PathBuf,
    },
    /// A line of a key file does not have the announced columns.
    #[error("{}:{line}: {column} {problem}", path.display())]
    KeyLine {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// The column's name.
        column: &'static str,
        /// What is wrong and what is wanted.
        problem: String,
    },
    /// A file is no record that can be read.
    #[error("{} {problem}", path.display())]
    Record {
        /// The file.
        path: PathBuf,
        /// What it is instead.
        problem: String,
    },
    /// A line of the benchmark runner's output does not hold the counts that it should.
    #[error("{}:{line}: {problem}", path.display())]
    Counts {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: usize,
        /// What is wrong and what is wanted.
        problem: String,
    },
    /// Two records have nothing in common.
    #[error("{} and {} have no figure in common; their settings differ in: {differ}", old.display(), new.display())]
    NothingCompared {
        /// The older record.
        old: PathBuf,
        /// The newer record.
        new: PathBuf,
        /// Settings in which they differ.
        differ: String,
    },
    /// Records that do not belong together.
    #[error("{0}")]
    Merge(#[from] crate::merge::MergeError),
    /// Real servers do not work.
    #[error(transparent)]
    Memcached(#[from] crate::hits::memcached::MemcachedError),
    /// Nothing in the records is what was asked for.
    #[error("no {what}; the nearest: {}", near.join(", "))]
    NoMatch {
        /// What there is none of.
        what: String,
        /// What may have been meant.
        near: Vec<String>,
    },
    /// A result could not be put into JSON.
    #[error("cannot write JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A result could not be put into CSV.
    #[error("cannot write CSV: {0}")]
    Csv(#[from] csv::Error),
    /// A placement could not be built.
    #[error(transparent)]
    Placement(#[from] algorithms::PlacementError),
    /// Standard output could not be written.
    #[error("cannot write to standard output: {0}")]
    Stdout(io::Error),
}

impl Error {
    /// Exit code of the program.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => USAGE,
            _ => ERROR,
        }
    }
}

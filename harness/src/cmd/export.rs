//! `harness export FILE`: a record in the format of a service that keeps track of figures.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::error::Error;
use crate::options::OutputPath;
use crate::output::Output;
use crate::record::{Better, Status, read};
use crate::render::{bencher, github_action};

/// Options of the command.
#[derive(Clone, Debug, Args)]
pub(crate) struct Options {
    /// The record; - is standard input
    file: PathBuf,
    /// Whose format
    #[arg(long, value_name = "SERVICE")]
    to: Service,
    /// Figures of which direction github-action gets [default: smaller]
    #[arg(long, value_name = "DIRECTION")]
    better: Option<Direction>,
    #[command(flatten)]
    output: OutputPath,
}

/// Services that take figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Service {
    /// Bencher Metric Format, for the adapter "json"
    Bencher,
    /// github-action-benchmark: the tool customSmallerIsBetter or customBiggerIsBetter
    GithubAction,
}

/// Which direction is better.
#[derive(Clone, Copy, Debug, ValueEnum)]
enum Direction {
    /// For the tool customSmallerIsBetter
    Smaller,
    /// For the tool customBiggerIsBetter
    Bigger,
}

/// Runs the command and returns its exit code.
///
/// # Errors
/// When the record cannot be read or the result cannot be written.
pub fn run(options: &Options) -> Result<u8, Error> {
    if options.to == Service::Bencher && options.better.is_some() {
        let problem = "--better is for --to github-action; Bencher takes both directions at once";
        return Err(Error::Usage(problem.into()));
    }
    let output = Output::open(options.output.output.as_deref())?;
    let record = read(&options.file)?;
    let text = match (options.to, options.better) {
        (Service::Bencher, _) => bencher::record(&record)?,
        (Service::GithubAction, Some(Direction::Bigger)) => {
            github_action::record(&record, Better::Higher)?
        }
        (Service::GithubAction, _) => github_action::record(&record, Better::Lower)?,
    };
    let failed = record.cells.iter();
    let failed = failed.filter(|cell| cell.status == Status::Failed).count();
    if failed > 0 {
        let all = record.cells.len();
        eprintln!("note: {failed} of {all} cells failed and are left out");
    }
    output.write(&text)?;
    Ok(0)
}

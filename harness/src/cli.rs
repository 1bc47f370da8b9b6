//! The command line: parse, dispatch, exit code.

use std::process::ExitCode;

use clap::{Arg, CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::cmd;
use crate::error::Error;
use crate::options::{OutputOptions, RunOptions};

/// Measures key placement algorithms on the same keys and prints the trade-offs.
#[derive(Debug, Parser)]
#[command(
    name = "harness",
    version,
    args_conflicts_with_subcommands = true,
    arg_required_else_help = true,
    after_help = "Exit codes: 0 done, 1 error, 2 usage, 3 regression found, 4 a placement failed, or what was tried contradicts theory.\n\
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
    /// Find the smallest number of points and the smallest table that share keys evenly enough
    Size(cmd::size::Options),
    /// Measure what copies of keys do when nodes come, go and fail, with and without zones
    Replicas(cmd::replicas::Options),
    /// Take the weight of one node away in steps, and tell what moves at each
    Drain(cmd::drain::Options),
    /// Hold the shares of nodes with different weights against those weights
    Weights(cmd::weights::Options),
    /// Tell which figures got better or worse between two records
    Compare(cmd::compare::Options),
    /// Make several runs of one program into one record
    Merge(cmd::merge::Options),
    /// Put a record into the format of a service that keeps track of figures
    Export(cmd::export::Options),
    /// Show how figures went over a series of records
    Trend(cmd::trend::Options),
    /// Show what a bound on the load of nodes buys and costs
    Bounded(cmd::bounded::Options),
    /// Show what helps against hot keys
    Hot(cmd::hot::Options),
    /// Show how costs grow with nodes and points, beside what is claimed
    Growth(cmd::growth::Options),
    /// Time lookups from the bytes of a key to its owner, and on several threads
    Speed(cmd::speed::Options),
    /// Show what each hash costs, how evenly it spreads keys and nodes, and how well it mixes
    Hashes(cmd::hashes::Options),
    /// Try published figures and popular claims, and hold them against theory
    Reproduce(cmd::reproduce::Options),
    /// Measure lookups while the membership changes, or what clients disagree on meanwhile
    Live(cmd::live::Options),
    /// Let one node leave and the overloaded follow, and tell how many survive
    Cascade(cmd::cascade::Options),
    /// Show cache hit rates after a node joins or leaves, simulated and with real memcached
    Hits(cmd::hits::Options),
    /// Make a record of the counts that the benchmark callgrind printed
    Callgrind(cmd::callgrind::Options),
    /// Print the JSON Schema of a record, or of another command's answer
    Schema(cmd::schema::Options),
}

/// An argument whose values may begin with a minus sign, so that it is the option that tells what is
/// wrong with them.
pub fn signed(arg: Arg) -> Arg {
    match arg.get_value_delimiter() {
        _ if arg.is_positional() || !arg.get_action().takes_values() => arg,
        Some(_) => arg.allow_hyphen_values(true),
        None => arg.allow_negative_numbers(true),
    }
}

/// The command line.
fn command() -> clap::Command {
    let command = Cli::command().mut_args(signed);
    command.mut_subcommands(|command| command.mut_args(signed))
}

/// Runs the program on its arguments.
pub fn main() -> ExitCode {
    let cli = Cli::from_arg_matches(&command().get_matches());
    exit_code(dispatch(cli.unwrap_or_else(|error| error.exit())))
}

/// The exit code of a program that ended so, with a word on standard error when it failed.
pub fn exit_code(ended: Result<u8, Error>) -> ExitCode {
    match ended {
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
        Some(Command::Verify(options)) => cmd::verify::run(&options),
        Some(Command::Size(options)) => cmd::size::run(&options),
        Some(Command::Replicas(options)) => cmd::replicas::run(&options),
        Some(Command::Drain(options)) => cmd::drain::run(&options),
        Some(Command::Weights(options)) => cmd::weights::run(&options),
        Some(Command::Compare(options)) => cmd::compare::run(&options),
        Some(Command::Merge(options)) => cmd::merge::run(&options),
        Some(Command::Export(options)) => cmd::export::run(&options),
        Some(Command::Trend(options)) => cmd::trend::run(&options),
        Some(Command::Bounded(options)) => cmd::bounded::run(&options),
        Some(Command::Hot(options)) => cmd::hot::run(&options),
        Some(Command::Growth(options)) => cmd::growth::run(&options),
        Some(Command::Speed(options)) => cmd::speed::run(&options),
        Some(Command::Hashes(options)) => cmd::hashes::run(&options),
        Some(Command::Reproduce(options)) => cmd::reproduce::run(&options),
        Some(Command::Live(options)) => cmd::live::run(&options),
        Some(Command::Cascade(options)) => cmd::cascade::run(&options),
        Some(Command::Hits(options)) => cmd::hits::run(&options),
        Some(Command::Callgrind(options)) => cmd::callgrind::run(&options),
        Some(Command::Schema(options)) => cmd::schema::run(&options),
        None if cli.report => cmd::report::run(&cli.options),
        None => Err(Error::Usage(
            "say --report to measure, or name a command".into(),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::error::ErrorKind;

    /// Words of parsers and not of people, and what is said of a value that is taken for an option.
    const JARGON: [&str; 5] = [
        "invalid digit",
        "invalid float",
        "number too",
        "is not in",
        "unexpected argument",
    ];

    /// A value may be wrong in many ways, and each option that takes one says which it wants.
    #[test]
    fn every_option_says_in_plain_words_what_is_wrong_with_its_value() {
        let mut command = command();
        command.build();
        let mut refused = 0;
        let commands = std::iter::once(&command).chain(command.get_subcommands());
        for one in commands.filter(|one| one.get_name() != "help") {
            let options = one.get_arguments().filter(|arg| !arg.is_positional());
            for option in options.filter(|arg| arg.get_action().takes_values()) {
                let name = format!("--{}", option.get_long().unwrap_or_default());
                for value in ["-1", "x", "1e999", "99999999999999999999999"] {
                    let sub = (one.get_name() != "harness").then(|| one.get_name());
                    let words = ["harness"].into_iter().chain(sub).chain([&*name, value]);
                    let Err(error) = super::command().try_get_matches_from(words) else {
                        continue;
                    };
                    let said = error.to_string();
                    let jargon = JARGON.iter().find(|words| said.contains(**words));
                    assert_eq!(jargon, None, "{} {name} {value}: {said}", one.get_name());
                    refused += usize::from(error.kind() == ErrorKind::ValueValidation);
                }
            }
        }
        assert!(refused > 300, "only {refused} values were refused");
    }
}

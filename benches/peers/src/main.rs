//! The program `peers`.

use std::process::ExitCode;

fn main() -> ExitCode {
    peers::cli::main()
}

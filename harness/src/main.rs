//! `harness`: see `harness --help`.

use std::process::ExitCode;

fn main() -> ExitCode {
    harness::cli::main()
}

//! Calls of the program as its users make them.

use snapbox::cmd::{Command, cargo_bin};

/// Exit code, standard output and standard error of one call.
pub fn call(arguments: &[&str], input: &str) -> (i32, String, String) {
    let output = Command::new(cargo_bin!("harness"))
        .args(arguments)
        .stdin(input)
        .output()
        .unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (
        output.status.code().unwrap(),
        text(output.stdout),
        text(output.stderr),
    )
}

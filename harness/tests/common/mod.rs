//! Calls of the program as its users make them.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, from_str, to_value};
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

/// What a command answered in JSON, which says no more than the answer but for the command's name.
#[allow(dead_code, reason = "not every test reads answers")]
pub fn read<T: Serialize + DeserializeOwned>(json: &str) -> T {
    let answer: T = from_str(json).unwrap();
    let mut said: Value = from_str(json).unwrap();
    said.as_object_mut().unwrap().remove("command").unwrap();
    assert_eq!(to_value(&answer).unwrap(), said);
    answer
}

//! A record from a file.

use std::path::Path;

use serde_json::{Value, from_slice};

use super::{Record, SCHEMA_VERSION};
use crate::error::Error;
use crate::input;

/// Reads a record from a file, or from standard input for `-`. Fields that are not known are
/// ignored.
///
/// # Errors
/// When the file cannot be read, is no JSON, is no record, or is of another schema version.
pub fn read(path: &Path) -> Result<Record, Error> {
    let text = input::bytes(path)?;
    parse(&text).map_err(|problem| Error::Record {
        path: path.into(),
        problem,
    })
}

fn parse(text: &[u8]) -> Result<Record, String> {
    if text.trim_ascii().is_empty() {
        return Err("is empty; a record comes from --report --format json".into());
    }
    let value: Value = from_slice(text).map_err(|error| format!("is not JSON: {error}"))?;
    if let Some(command) = value.get("command").and_then(Value::as_str) {
        return Err(format!(
            "is the answer of `{command}`; only the records of --report and verify are read here"
        ));
    }
    // Before the other fields: those of another version may be of another shape.
    let version = value.get("schema_version").and_then(Value::as_u64);
    match version {
        Some(version) if version == u64::from(SCHEMA_VERSION) => {
            from_slice(text).map_err(|error| format!("is not a record: {error}"))
        }
        Some(version) => Err(format!(
            "is of schema version {version}; this harness reads {SCHEMA_VERSION}"
        )),
        None => Err("is not a record: it has no schema_version".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = include_str!("../../tests/data/record.json");

    #[test]
    fn a_record_is_read_whatever_else_it_holds() {
        let more = RECORD.replacen('{', "{ \"later\": [1],", 1);
        let record = parse(more.as_bytes()).expect("a record");
        assert_eq!(Ok(record), parse(RECORD.as_bytes()));
    }

    #[test]
    fn what_is_no_record_of_this_version_is_refused_by_name() {
        let later = RECORD.replacen("\"schema_version\": 1", "\"schema_version\": 9", 1);
        let cut = &RECORD[..2000];
        for (text, problem) in [
            ("", "is empty"),
            (" \n", "is empty"),
            (cut, "is not JSON: EOF while parsing"),
            (
                "{\n  \"a\": x",
                "is not JSON: expected value at line 2 column 8",
            ),
            ("[]", "is not a record: it has no schema_version"),
            ("{\"schema_version\": \"1\"}", "it has no schema_version"),
            (
                "{\"schema_version\": 1}",
                "is not a record: missing field `tool` at line 1",
            ),
            (
                "{\"schema_version\": 0}",
                "is of schema version 0; this harness reads 1",
            ),
            (&*later, "is of schema version 9; this harness reads 1"),
            ("{\"schema_version\": 9, \"cells\": 3}", "version 9"),
            (
                "{\"command\": \"drain\", \"schema_version\": 1}",
                "is the answer of `drain`; only the records",
            ),
        ] {
            let got = parse(text.as_bytes()).expect_err(text);
            assert!(got.contains(problem), "{got}");
        }
    }
}

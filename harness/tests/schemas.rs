//! What every command answers in JSON: it has a schema, keeps to it, and tells whose answer it is.

#![allow(clippy::unwrap_used)]

mod common;

use std::collections::BTreeSet;
use std::fs;

use common::call;
use serde_json::{Value, from_str};

/// Small calls of all commands that answer in JSON, by the names of their schemas.
const CALLS: [(&str, &str); 20] = [
    (
        "report",
        "--report --quick --nodes 2,3,10 --algorithms ring-vec,jump,slots --keys 2000 --rounds 3",
    ),
    ("report", "verify --quick --nodes 3 --keys 500"),
    (
        "bounded",
        "bounded --quick --nodes 5 --keys 500 --algorithms jump",
    ),
    (
        "cascade",
        "cascade --quick --nodes 5 --keys 500 --sets 2 --algorithms jump,ring-1",
    ),
    ("compare", "compare RECORD RECORD"),
    ("drain", "drain --quick --nodes 5 --keys 500"),
    (
        "growth",
        "growth --quick --nodes 3,10,30 --points 1,3,10 --algorithms ring-vec,jump --rounds 3",
    ),
    ("hashes", "hashes --quick --hashes fnv1a"),
    (
        "hits",
        "hits --quick --nodes 3 --keys 500 --windows 20 --sets 1",
    ),
    ("hot", "hot --quick --nodes 5 --keys 500 --algorithms jump"),
    ("list", "list"),
    (
        "live",
        "live --quick --nodes 3 --rounds 1 --changes 0,1000 --algorithms jump,maglev --table 3",
    ),
    (
        "replicas",
        "replicas --replicas 2 --zones 2 --quick --nodes 5 --keys 500 --algorithms ring-1,maglev",
    ),
    ("reproduce", "reproduce ring-cv --quick"),
    ("reproduce-list", "reproduce --list"),
    (
        "size",
        "size --cv 20% --quick --nodes 5 --keys 500 --rounds 3 --algorithms ring-vec,jump",
    ),
    ("trend", "trend RECORD RECORD"),
    (
        "version-skew",
        "live --version-skew --quick --nodes 3 --algorithms jump,maglev --table 3",
    ),
    (
        "speed",
        "speed --quick --rounds 2 --nodes 3 --algorithms mod-n",
    ),
    (
        "weights",
        "weights --weights 1,2 --quick --nodes 5 --keys 500",
    ),
];

fn answer(arguments: &str) -> String {
    let record = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/data/record.json");
    let arguments = arguments.split(' ').map(|word| match word {
        "RECORD" => record,
        _ => word,
    });
    let arguments: Vec<&str> = arguments.chain(["--format", "json"]).collect();
    let (_, json, error) = call(&arguments, "");
    assert!(json.starts_with('{'), "{arguments:?}: {error}");
    json
}

#[test]
fn every_answer_keeps_to_its_schema_and_tells_its_command() {
    for (name, arguments) in CALLS {
        let (code, schema, _) = call(&["schema", "--of", name], "");
        assert_eq!(code, 0, "{name}");
        let (schema, answer): (Value, Value) = (
            from_str(&schema).unwrap(),
            from_str(&answer(arguments)).unwrap(),
        );
        if let Err(problem) = jsonschema::validate(&schema, &answer) {
            panic!("{arguments}: {problem}");
        }
        let command = answer.get("command").and_then(Value::as_str);
        assert_eq!(command.unwrap_or("report"), name, "{arguments}");
    }
}

/// A command that is new has a schema and a call above, or is one of those that answer with others'
/// shapes or with none.
#[test]
fn no_command_and_no_schema_is_left_out() {
    let (_, help, _) = call(&["schema", "--help"], "");
    let listed = help.split("[possible values: ").nth(1).unwrap();
    let listed = listed.split(']').next().unwrap();
    let schemas: BTreeSet<&str> = listed.split(',').map(str::trim).collect();
    let called: BTreeSet<&str> = CALLS.iter().map(|call| call.0).collect();
    assert_eq!(schemas, called);

    let (_, help, _) = call(&["--help"], "");
    let commands = help.split("Commands:\n").nth(1).unwrap();
    let commands = commands.lines().take_while(|line| !line.is_empty());
    let commands = commands.filter_map(|line| line.split_whitespace().next());
    for command in commands {
        let other = ["verify", "merge", "export", "callgrind", "schema", "help"];
        assert!(
            schemas.contains(command) || other.contains(&command),
            "{command} has no schema"
        );
    }
}

#[test]
fn what_is_no_record_is_refused_with_the_name_of_its_command() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("answer.json");
    fs::write(
        &path,
        answer("drain --quick --nodes 3 --keys 50 --algorithms jump"),
    )
    .unwrap();
    let path = path.to_str().unwrap();
    for arguments in [
        &["compare", path, path][..],
        &["trend", path],
        &["merge", path, path],
        &["export", "--to", "bencher", path],
    ] {
        let (code, out, error) = call(arguments, "");
        assert_eq!((code, &*out), (1, ""), "{arguments:?}");
        assert!(error.contains("is the answer of `drain`"), "{error}");
    }
}

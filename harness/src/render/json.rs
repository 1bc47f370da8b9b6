//! What each command answers in JSON: under its name, and with a schema that the types give.

use schemars::{JsonSchema, Schema, schema_for};
use serde::Serialize;

use super::list::Algorithms;
use super::reproduce::Reproductions;
use crate::error::Error;
use crate::record::Record;

/// What one command answers.
pub(super) trait Shape: Serialize + JsonSchema {
    /// The command, by which its answer and its schema are known.
    const COMMAND: &'static str;
}

/// The one list of shapes: what has a name here has a schema.
macro_rules! shapes {
    ($($command:literal: $answer:ty,)*) => {
        $(impl Shape for $answer {
            const COMMAND: &'static str = $command;
        })*

        /// Names of all answers and what makes their schemas; that of a report is a record.
        const SCHEMAS: &[(&str, fn() -> Schema)] = &[
            ("report", || schema_for!(Record)),
            $(($command, || schema_for!(Named<'_, $answer>)),)*
        ];
    };
}

shapes! {
    "bounded": crate::bounded::Report,
    "cascade": crate::cascade::Cascades,
    "compare": crate::compare::Comparison,
    "drain": crate::weights::Drained,
    "growth": crate::growth::Study,
    "hashes": crate::hashes::Survey,
    "hits": crate::hits::Hits,
    "hot": crate::hot::Report,
    "list": Algorithms,
    "live": crate::live::LiveReport,
    "replicas": crate::replicas::Copies,
    "reproduce": crate::reproduce::Report,
    "reproduce-list": Reproductions,
    "size": crate::size::Sizes,
    "speed": crate::speed::Speed,
    "trend": crate::trend::Trend,
    "version-skew": crate::live::Skew,
    "weights": crate::weights::Weighed,
}

/// An answer under the name of its command.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "{T}")]
struct Named<'a, T> {
    /// The command that gave the answer.
    command: &'static str,
    #[serde(flatten)]
    answer: &'a T,
}

/// Indented JSON with a final line feed.
pub(super) fn json<T: Shape>(answer: &T) -> Result<String, Error> {
    let command = T::COMMAND;
    Ok(serde_json::to_string_pretty(&Named { command, answer })? + "\n")
}

/// Names of all answers that have a schema.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    SCHEMAS.iter().map(|schema| schema.0)
}

/// The JSON Schema of this name.
///
/// # Errors
/// When there is none, or JSON cannot be made.
pub(crate) fn schema(name: &str) -> Result<String, Error> {
    let found = SCHEMAS.iter().find(|schema| schema.0 == name);
    let (_, make) = found.ok_or_else(|| Error::Usage(format!("{name} has no schema")))?;
    Ok(serde_json::to_string_pretty(&make())? + "\n")
}

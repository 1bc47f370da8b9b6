//! Which cells and metrics are meant, and what may have been meant instead.

use std::cmp::Reverse;

use super::CHECKSUM;
use crate::error::Error;
use crate::record::{OVERHEAD, Record};

/// Ids that contain one of the texts, in the order in which they come up; all without a text.
pub fn cells<'a>(records: &[&'a Record], texts: &[String]) -> Result<Vec<&'a str>, Error> {
    let mut ids = Vec::new();
    let cells = records.iter().flat_map(|record| &record.cells);
    for id in cells.map(|cell| &*cell.id).chain([OVERHEAD]) {
        if !ids.contains(&id) {
            ids.push(id);
        }
    }
    for text in texts {
        if !ids.iter().any(|id| id.contains(&**text)) {
            return Err(Error::NoMatch {
                what: format!("cell has {text:?} in its id"),
                near: near(text, ids.iter().flat_map(|id| runs(id, text))),
            });
        }
    }
    if !texts.is_empty() {
        ids.retain(|id| texts.iter().any(|text| id.contains(&**text)));
    }
    Ok(ids)
}

/// The error of a metric that no chosen cell has.
pub fn no_metric(records: &[&Record], ids: &[&str], metric: &str) -> Error {
    let figures = records.iter().flat_map(|record| record.figures());
    let chosen = figures.filter(|(id, ..)| ids.contains(id));
    let known = chosen.map(|(_, name, ..)| name).chain([CHECKSUM]);
    Error::NoMatch {
        what: format!("chosen cell has the metric {metric}"),
        near: near(metric, known),
    }
}

/// Runs of as many parts of an id as the text has.
fn runs<'a>(id: &'a str, text: &str) -> impl Iterator<Item = &'a str> {
    let ends = |at: usize| id[at..].match_indices('/').map(move |(end, _)| at + end);
    let starts = [0].into_iter().chain(ends(0).map(|end| end + 1));
    let parts = text.matches('/').count();
    starts.filter_map(move |start| {
        let end = ends(start).chain([id.len()]).nth(parts)?;
        Some(&id[start..end])
    })
}

/// The three names that are most like a text.
pub(crate) fn near<'a>(text: &str, names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut names: Vec<&str> = names.collect();
    names.sort_unstable();
    names.dedup();
    let likeness = |name: &&str| (1e6 * strsim::jaro_winkler(text, name)) as u32;
    names.sort_by_key(|name| Reverse(likeness(name)));
    names.into_iter().take(3).map(String::from).collect()
}

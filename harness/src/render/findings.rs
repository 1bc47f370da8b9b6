//! What the figures show, in sentences that are computed from them.

use super::numbers::{grouped, percent, short};
use super::section::NOTHING;
use crate::record::{Cell, CellKind, Record, Status};
use crate::theory::against::FALSE_MARKS;
use crate::theory::critical;

/// Sentences about the largest node count, and about 12 → 14.
pub fn findings(record: &Record) -> Vec<String> {
    let holds = |cell: &&Cell| cell.status == Status::Ok;
    let largest = record.settings.nodes.iter().max().copied().unwrap_or(0);
    let cells: Vec<&Cell> = record
        .cells
        .iter()
        .filter(holds)
        .filter(|cell| cell.kind == CellKind::Placement && cell.nodes == largest)
        .collect();
    let resized: Vec<&Cell> = record
        .cells
        .iter()
        .filter(holds)
        .filter(|cell| cell.kind == CellKind::Resize)
        .collect();
    let at = format!("At N = {largest}");
    let sentences = [
        fastest(&cells, &at),
        extremes(
            &cells,
            "heap_bytes",
            &format!("{at} the smallest are"),
            "the largest",
            |v| format!("{} bytes", grouped(v)),
        ),
        extremes(
            &cells,
            "shares_cv",
            &format!("{at} the most even in exact shares are"),
            "the least even",
            |v| format!("CV {} %", percent(v)),
        ),
        unneeded(
            &cells,
            "unneeded_add_1",
            &format!("{at}, when one node joins,"),
        ),
        extremes(
            &cells,
            "increase_remove_random",
            &format!("{at}, when a random node leaves, a survivor's share grows least on"),
            "most on",
            |v| format!("{} %", percent(v)),
        ),
        unneeded(&resized, "unneeded_add_2", "When 12 nodes become 14,"),
        pareto(&cells, &at),
    ];
    sentences.into_iter().flatten().collect()
}

/// How the figures stand to theory: how many have a law, and which of them contradict it.
pub fn theory(record: &Record) -> Vec<String> {
    let figures = record.cells.iter().flat_map(|cell| {
        cell.metrics
            .iter()
            .map(move |(name, metric)| (cell, name, metric))
    });
    let held: Vec<_> = figures.filter(|figure| figure.2.agrees.is_some()).collect();
    if held.is_empty() {
        return Vec::new();
    }
    let wrong: Vec<_> = held
        .iter()
        .filter(|figure| figure.2.agrees == Some(false))
        .collect();
    let chance = FALSE_MARKS * 100.0;
    let mut lines = vec![format!(
        "{} figures were held against a law: {}. One is marked beyond {:.2} standard errors; sound placements get a mark in at most {chance} % of whole reports.",
        grouped(held.len() as f64),
        match wrong.len() {
            0 => "all agree".into(),
            1 => "1 contradicts it".into(),
            many => format!("{many} contradict it"),
        },
        critical(held.len())
    )];
    lines.extend(wrong.iter().map(|(cell, name, metric)| {
        let about = record
            .units
            .get(*name)
            .map_or(name.as_str(), |unit| &unit.about);
        let of = |value: Option<f64>| value.map_or_else(|| NOTHING.into(), short);
        format!(
            "✗ {}, N = {}: {about} ({name}) is {}, by theory {}, {:+.1} standard errors off.",
            cell.algorithm,
            cell.nodes,
            of(metric.value),
            of(metric.expected),
            metric.distance.unwrap_or(0.0)
        )
    }));
    lines
}

/// Cells by a metric, ascending, with its values.
fn ranked<'a>(cells: &[&'a Cell], metric: &str) -> Vec<(&'a Cell, f64)> {
    let mut ranked: Vec<(&Cell, f64)> = cells
        .iter()
        .filter_map(|cell| Some((*cell, cell.value(metric)?)))
        .collect();
    ranked.sort_by(|a, b| a.1.total_cmp(&b.1));
    ranked
}

/// "a", "a and b", "a, b and c".
fn names(cells: impl Iterator<Item = impl AsRef<str>>) -> String {
    let names: Vec<String> = cells.map(|name| name.as_ref().to_owned()).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// The fastest and the slowest, with those that they cannot be told apart from.
fn fastest(cells: &[&Cell], at: &str) -> Option<String> {
    let ranked = ranked(cells, "lookup_ns");
    let ((first, best), (last, worst)) = (ranked.first()?, ranked.last()?);
    let range = |cell: &Cell| {
        let metric = cell.metrics.get("lookup_ns")?;
        Some((metric.low.or(metric.value)?, metric.high.or(metric.value)?))
    };
    let alike = |to: &Cell| {
        let reached = |cell: &&Cell| {
            let overlap = range(cell)
                .zip(range(to))
                .is_some_and(|(a, b)| a.0 <= b.1 && b.0 <= a.1);
            overlap && cell.id != to.id
        };
        let others = names(
            ranked
                .iter()
                .map(|pair| pair.0)
                .filter(reached)
                .map(|cell| &cell.algorithm),
        );
        match others.is_empty() {
            true => String::new(),
            false => format!(" (not to be told from {others})"),
        }
    };
    let mut text = format!(
        "{at} the fastest lookup is {}{}, {} ns",
        first.algorithm,
        alike(first),
        short(*best)
    );
    if ranked.len() > 1 {
        text += &format!(
            "; the slowest, {}{}, takes {} times as long",
            last.algorithm,
            alike(last),
            short(worst / best)
        );
    }
    Some(text + ".")
}

/// Who has the least and who the most of a metric, all of those that are equal.
fn extremes(
    cells: &[&Cell],
    metric: &str,
    least: &str,
    most: &str,
    show: fn(f64) -> String,
) -> Option<String> {
    let ranked = ranked(cells, metric);
    let ((_, best), (_, worst)) = (ranked.first()?, ranked.last()?);
    if best == worst {
        return None;
    }
    let all = |value: f64| {
        names(
            ranked
                .iter()
                .filter(|pair| pair.1 == value)
                .map(|pair| &pair.0.algorithm),
        )
    };
    Some(format!(
        "{least} {}: {}; {most} {}: {}.",
        all(*best),
        show(*best),
        all(*worst),
        show(*worst)
    ))
}

/// Who moves no more than needed, and what the others move beyond that.
fn unneeded(cells: &[&Cell], metric: &str, when: &str) -> Option<String> {
    let ranked = ranked(cells, metric);
    let (needed, beyond): (Vec<_>, Vec<_>) = ranked.into_iter().partition(|pair| pair.1 == 0.0);
    let beyond = beyond
        .iter()
        .map(|(cell, value)| format!("{} moves {} % of all keys", cell.algorithm, percent(*value)));
    let beyond = names(beyond);
    let needed = names(needed.iter().map(|pair| &pair.0.algorithm));
    match (needed.is_empty(), beyond.is_empty()) {
        (true, true) => None,
        (false, true) => Some(format!("{when} no key moves without need on {needed}.")),
        (true, false) => Some(format!("{when} {beyond} without need.")),
        (false, false) => Some(format!(
            "{when} no key moves without need on {needed}; {beyond} without need."
        )),
    }
}

/// What the front is taken over: less is better in each.
const GOALS: [(&str, &str); 4] = [
    ("lookup_ns", "lookup time"),
    ("heap_bytes", "memory"),
    ("shares_cv", "unevenness"),
    (
        "unneeded_add_1",
        "keys moved without need when a node joins",
    ),
];

/// Those that no other beats in one goal without losing in another. Being able to remove any node
/// counts as a goal too.
fn pareto(cells: &[&Cell], at: &str) -> Option<String> {
    let scores: Vec<(&str, Vec<f64>)> = cells
        .iter()
        .filter_map(|cell| {
            let values = GOALS
                .iter()
                .map(|goal| cell.value(goal.0))
                .collect::<Option<Vec<_>>>()?;
            let bound = f64::from(u8::from(cell.traits.removal != "any"));
            Some((&*cell.algorithm, [values, vec![bound]].concat()))
        })
        .collect();
    let beats = |a: &[f64], b: &[f64]| a != b && a.iter().zip(b).all(|(a, b)| a <= b);
    let front = scores
        .iter()
        .filter(|(_, own)| !scores.iter().any(|(_, other)| beats(other, own)));
    let front = names(front.map(|(name, _)| *name));
    let goals = names(
        GOALS
            .iter()
            .map(|goal| goal.1)
            .chain(["the removal of any node"]),
    );
    (!front.is_empty()).then(|| format!("{at} the Pareto front over {goals} is {front}."))
}

//! What the figures show, in sentences that are computed from them.

use super::numbers::{grouped, percent, short};
use crate::record::{Cell, CellKind, Record, Status};

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
    let sentences = [
        fastest(&cells, largest),
        extremes(&cells, "heap_bytes", "Smallest", "largest", |v| {
            format!("{} bytes", grouped(v))
        }),
        extremes(
            &cells,
            "shares_cv",
            "Most even in exact shares",
            "least even",
            |v| format!("CV {} %", percent(v)),
        ),
        moved(&cells, "moved_add_1", "one node joins"),
        survivors(&cells),
        moved(&resized, "moved_add_2", "12 nodes become 14"),
        pareto(&cells, largest),
    ];
    sentences.into_iter().flatten().collect()
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

/// The fastest, with those that it cannot be told apart from, and the slowest.
fn fastest(cells: &[&Cell], nodes: u32) -> Option<String> {
    let ranked = ranked(cells, "lookup_ns");
    let ((first, best), (last, worst)) = (ranked.first()?, ranked.last()?);
    let reach = first.metrics.get("lookup_ns")?.high?;
    let low = |cell: &Cell| cell.metrics.get("lookup_ns").and_then(|metric| metric.low);
    let tied: Vec<&str> = ranked[1..]
        .iter()
        .filter(|(cell, _)| low(cell).is_some_and(|low| low <= reach))
        .map(|(cell, _)| &*cell.algorithm)
        .collect();
    let mut text = format!(
        "At N = {nodes} the fastest lookup is {}, {} ns",
        first.algorithm,
        short(*best)
    );
    if !tied.is_empty() {
        text += &format!(" (its interval reaches {})", names(tied.iter()));
    }
    if ranked.len() > 1 {
        text += &format!(
            "; the slowest, {}, takes {} times as long",
            last.algorithm,
            short(worst / best)
        );
    }
    Some(text + ".")
}

/// Who has the least and who the most of a metric.
fn extremes(
    cells: &[&Cell],
    metric: &str,
    least: &str,
    most: &str,
    show: fn(f64) -> String,
) -> Option<String> {
    let ranked = ranked(cells, metric);
    let ((_, best), (last, worst)) = (ranked.first()?, ranked.last()?);
    if best == worst {
        return None;
    }
    let tied = ranked
        .iter()
        .filter(|(_, value)| value == best)
        .map(|(cell, _)| &cell.algorithm);
    Some(format!(
        "{least}: {}, {}; {most}: {}, {}.",
        names(tied),
        show(*best),
        last.algorithm,
        show(*worst)
    ))
}

/// Who moves no more than needed, and who moves the most.
fn moved(cells: &[&Cell], metric: &str, when: &str) -> Option<String> {
    let unneeded = metric.replace("moved", "unneeded");
    let ranked = ranked(cells, metric);
    let (last, most) = ranked.last().filter(|_| ranked.len() > 1)?;
    let least = names(
        cells
            .iter()
            .filter(|cell| cell.value(&unneeded) == Some(0.0))
            .map(|cell| &cell.algorithm),
    );
    let none = match least.is_empty() {
        true => "nobody moves only what it must".into(),
        false => format!("only needed moves: {least}"),
    };
    Some(format!(
        "When {when}, {none}; most moved: {}, {} % of all keys.",
        last.algorithm,
        percent(*most)
    ))
}

/// Whose survivors suffer most when a random node leaves.
fn survivors(cells: &[&Cell]) -> Option<String> {
    let ranked = ranked(cells, "increase_remove_random");
    let ((first, least), (last, most)) = (ranked.first()?, ranked.last()?);
    (least != most).then(|| {
        format!(
            "When a random node leaves, one survivor's share grows by {} % on {}, and by at most {} % on {}.",
            percent(*most),
            last.algorithm,
            percent(*least),
            first.algorithm
        )
    })
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

/// Those that no other beats in one goal without losing in another.
fn pareto(cells: &[&Cell], nodes: u32) -> Option<String> {
    let scores: Vec<(&str, Vec<f64>)> = cells
        .iter()
        .filter_map(|cell| {
            let values = GOALS
                .iter()
                .map(|goal| cell.value(goal.0))
                .collect::<Option<_>>()?;
            Some((&*cell.algorithm, values))
        })
        .collect();
    let beats = |a: &[f64], b: &[f64]| {
        let mut pairs = a.iter().zip(b);
        a != b && pairs.all(|(a, b)| a <= b)
    };
    let front = scores
        .iter()
        .filter(|(_, own)| !scores.iter().any(|(_, other)| beats(other, own)));
    let front = names(front.map(|(name, _)| *name));
    let goals = names(GOALS.iter().map(|goal| goal.1));
    (!front.is_empty())
        .then(|| format!("On the Pareto front at N = {nodes}, over {goals}: {front}."))
}

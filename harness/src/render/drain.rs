//! A node drained in steps as tables and as lines of CSV.

use super::header::ground;
use super::numbers::{factor, grouped, law, metric, percent, plain};
use super::section::{NOTHING, Section};
use crate::weights::{DrainRow, DrainStatus, Drained, Moves, Receiver, Step, Which};

/// What was asked, and where it was measured.
pub fn lines(drained: &Drained) -> Vec<String> {
    let settings = &drained.settings;
    let mut lines = ground(&drained.tool, &drained.machine, &settings.ground);
    let node = match &settings.node {
        Which::Newest => "the newest node",
        Which::Oldest => "the oldest node",
        Which::Random => "a random node",
        Which::Named(name) => name,
    };
    let steps: Vec<String> = settings.steps.iter().map(|&step| factor(step)).collect();
    lines.push(format!(
        "Drained: {node}, to {} % of its weight, then removed",
        steps.join(", ")
    ));
    lines
}

/// All tables.
pub fn sections(drained: &Drained) -> Vec<Section> {
    vec![totals(drained), steps(drained), receivers(drained)]
}

/// Why rows are not as asked; what has no weights is told in its row.
pub fn reasons(drained: &Drained) -> Vec<String> {
    let other = |row: &&DrainRow| row.status != DrainStatus::Unweighted;
    let reason = |row: &DrainRow| {
        let (reason, what) = (row.reason.as_deref()?, word(row.status));
        Some(format!(
            "N = {}, {}, {what}: {reason}",
            row.nodes, row.algorithm
        ))
    };
    drained
        .rows
        .iter()
        .filter(other)
        .filter_map(reason)
        .collect()
}

/// How to read the tables.
pub fn legend(_: &Drained) -> Vec<String> {
    vec![
        "Moved: parts of the key space, exact from arcs and slots; of scores and draws counted on the keys, ± half a 95 % interval, so that it may fall below the least. Least: half the sum of all changes of shares, of which no scheme can move less. Unneeded: moved between nodes whose weight did not change.".into(),
        "Law: what theory expects, how far off the figure is in standard errors, and ✓ or ✗. Of a ring it is over names: points that leave among all points; of scores the difference of w/Σw. By what moves least the steps together are the removal at once, since each key leaves the node one time; a Maglev table refills at every step.".into(),
        "Top receiver: of the keys that move, the part that goes to the node with the most of them; CSV and JSON name all receivers with their parts. Without weights a node cannot be drained, only removed at once.".into(),
    ]
}

fn names(row: &DrainRow) -> [String; 3] {
    [
        row.nodes.to_string(),
        row.algorithm.clone(),
        row.node.clone(),
    ]
}

fn table(
    drained: &Drained,
    about: [&str; 2],
    heads: Vec<String>,
    cells: impl Fn(&DrainRow) -> Vec<Vec<String>>,
) -> Section {
    let of_row = |row: &DrainRow| {
        let lines = cells(row).into_iter();
        let named = lines.map(|line| names(row).into_iter().chain(line).collect());
        named.collect::<Vec<Vec<String>>>()
    };
    let groups = drained.rows.chunk_by(|a, b| a.nodes == b.nodes);
    Section {
        title: about[0].into(),
        about: about[1].into(),
        names: 3,
        heads: ["N", "algorithm", "node"]
            .map(String::from)
            .into_iter()
            .chain(heads)
            .collect(),
        groups: groups
            .map(|group| group.iter().flat_map(of_row).collect())
            .collect(),
    }
    .without_empty_columns()
}

/// Figures of one change, after its name.
fn figures(moves: &Moves) -> Vec<String> {
    let mut cells = vec![
        metric(Some(&moves.moved), 1.0, percent),
        law(Some(&moves.moved), 1.0, percent),
        plain(Some(&moves.least), 1.0, percent),
        plain(Some(&moves.unneeded), 1.0, percent),
        plain(Some(&moves.receivers), 1.0, grouped),
        plain(Some(&moves.top), 1.0, percent),
    ];
    let counted = |name: &str| plain(moves.counted.get(name), 1.0, percent);
    cells.extend(COUNTED.map(counted));
    cells
}

/// What keys are weighed by.
const COUNTED: [&str; 3] = ["keys", "requests", "bytes"];

fn heads(first: &str) -> Vec<String> {
    let heads = [
        "moved %",
        "law",
        "least %",
        "unneeded %",
        "receivers",
        "top receiver %",
    ];
    let counted = COUNTED.map(|name| format!("{name} moved %"));
    let all = [first].into_iter().chain(heads).map(String::from);
    all.chain(counted).collect()
}

fn totals(drained: &Drained) -> Section {
    let mut heads = heads("in steps %");
    heads.insert(1, "law".into());
    heads[2] = "at once %".into();
    let about =
        "All steps together beside the removal at once, which the further columns are about.";
    table(drained, ["In steps and at once", about], heads, |row| {
        let total = match row.status {
            DrainStatus::Ok => plain(row.total.as_ref(), 1.0, percent),
            other => word(other).into(),
        };
        let width = 7 + COUNTED.len();
        let once = row.at_once.as_ref();
        let once = once.map_or(vec![NOTHING.into(); width - 1], figures);
        let total = [total, law(row.total.as_ref(), 1.0, percent)];
        vec![total.into_iter().chain(once).collect()]
    })
}

fn steps(drained: &Drained) -> Section {
    let about = "Percent of the node's weight before and after.";
    table(drained, ["Step by step", about], heads("step"), |row| {
        let line = |one: &Step| {
            let mut cells = vec![step(one)];
            cells.extend(figures(&one.moves));
            cells
        };
        row.steps.iter().map(line).collect()
    })
}

fn step(step: &Step) -> String {
    match step.to {
        Some(to) => format!("{} → {}", factor(step.from), factor(to)),
        None => format!("{} → removed", factor(step.from)),
    }
}

/// Receivers that the table names.
const NAMED: usize = 3;

/// Who receives the keys when the node is removed at once.
fn receivers(drained: &Drained) -> Section {
    let about = "When the node is removed at once: who receives the most of its keys, and what part of all that move.";
    let heads = ["first", "second", "third", "all others %"];
    let heads = heads.map(String::from).into();
    table(drained, ["Who receives the keys", about], heads, |row| {
        let Some(moves) = &row.at_once else {
            return Vec::new();
        };
        let named = |at: usize| {
            let to = moves.to.get(at);
            to.map_or(NOTHING.into(), |to| {
                format!("{} {} %", to.node, percent(to.part))
            })
        };
        let others: f64 = moves.to.iter().skip(NAMED).map(|to| to.part).sum();
        let cells = (0..NAMED).map(named).chain([percent(others)]);
        vec![cells.collect()]
    })
}

/// All receivers in one cell.
fn all_receivers(to: &[Receiver]) -> String {
    let each = to.iter().map(|to| format!("{} {:.6}", to.node, to.part));
    each.collect::<Vec<_>>().join("; ")
}

fn word(status: DrainStatus) -> &'static str {
    match status {
        DrainStatus::Ok => "ok",
        DrainStatus::Unweighted => "no weights",
        DrainStatus::Refused => "refused",
        DrainStatus::Failed => "failed",
    }
}

/// One line per step and one for the removal at once, below the heads.
pub fn rows(drained: &Drained) -> Vec<Vec<String>> {
    let mut heads: Vec<String> = [
        "algorithm",
        "nodes",
        "node",
        "status",
        "reason",
        "step",
        "moved",
        "law",
        "distance",
        "agrees",
        "least",
        "unneeded",
        "receivers",
        "top",
        "to",
    ]
    .map(String::from)
    .into();
    heads.extend(COUNTED.map(|name| format!("moved_{name}")));
    heads.push("tool_commit".into());
    let lines = drained.rows.iter().flat_map(|row| {
        let steps = row.steps.iter().map(|one| (step(one), &one.moves));
        let once = row.at_once.iter().map(|moves| ("at once".into(), moves));
        let mut lines: Vec<_> = steps
            .chain(once)
            .map(|(step, moves)| line(drained, row, step, Some(moves)))
            .collect();
        if lines.is_empty() {
            lines.push(line(drained, row, String::new(), None));
        }
        lines
    });
    [heads].into_iter().chain(lines).collect()
}

fn line(drained: &Drained, row: &DrainRow, step: String, moves: Option<&Moves>) -> Vec<String> {
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let of = |get: &dyn Fn(&Moves) -> Option<f64>| number(moves.and_then(get));
    let agrees = moves.and_then(|moves| moves.moved.agrees);
    let mut line = vec![
        row.algorithm.clone(),
        row.nodes.to_string(),
        row.node.clone(),
        word(row.status).into(),
        row.reason.clone().unwrap_or_default(),
        step,
        of(&|moves| moves.moved.value),
        of(&|moves| moves.moved.expected),
        of(&|moves| moves.moved.distance),
        agrees.map_or(String::new(), |agrees| agrees.to_string()),
        of(&|moves| moves.least.value),
        of(&|moves| moves.unneeded.value),
        of(&|moves| moves.receivers.value),
        of(&|moves| moves.top.value),
        moves.map_or(String::new(), |moves| all_receivers(&moves.to)),
    ];
    line.extend(COUNTED.map(|name| of(&|moves| moves.counted.get(name)?.value)));
    line.push(drained.tool.commit.clone().unwrap_or_default());
    line
}

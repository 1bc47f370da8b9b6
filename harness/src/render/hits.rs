//! Hit rates as tables and as lines of CSV.

use super::header::{keys_in_words, origin, sizes_in_words};
use super::numbers::{grouped, law, mark, percent, short};
use super::section::{FAILED, NOTHING, Section};
use crate::hits::{Change, Hits, Real, Row, TOLERANCE};

/// What was asked, and where it was measured.
pub fn lines(hits: &Hits) -> Vec<String> {
    let settings = &hits.settings;
    let mut lines = origin(&hits.tool, &hits.machine);
    lines.extend([
        format!(
            "{}, hash {}, seed {}",
            keys_in_words(&settings.keys),
            settings.hash,
            settings.seed
        ),
        sizes_in_words(settings.points, settings.table, Some(settings.slots)),
        format!(
            "Base rate {} %, popularity {}, {} windows of {} requests, {} sets of node names",
            percent(settings.base),
            settings.popularity,
            grouped(settings.windows as f64),
            grouped(settings.window as f64),
            settings.sets
        ),
    ]);
    lines.extend(settings.memcached.clone());
    lines
}

/// All tables: one for each kind of cache and change, and one for the real servers.
pub fn sections(hits: &Hits) -> Vec<Section> {
    let limits = hits
        .rows
        .chunk_by(|a, b| a.objects.is_some() == b.objects.is_some());
    let mut sections = Vec::new();
    for rows in limits {
        sections.extend(Change::ALL.map(|change| section(rows, change)));
    }
    let memories = hits
        .memcached
        .chunk_by(|a, b| a.objects.is_some() == b.objects.is_some());
    sections.extend(memories.map(real));
    sections
}

fn section(rows: &[Row], change: Change) -> Section {
    let rows: Vec<&Row> = rows.iter().filter(|row| row.change == change).collect();
    let limited = rows.iter().any(|row| row.objects.is_some());
    let caches = match limited {
        true => "LRU caches",
        false => "caches without a limit",
    };
    let joins = match change {
        Change::Add => "A node joins",
        Change::Remove => "A node leaves",
    };
    let windows: Vec<u32> = rows
        .iter()
        .flat_map(|row| row.curve.iter().map(|point| point.0))
        .collect::<std::collections::BTreeSet<u32>>()
        .into_iter()
        .collect();
    let mut heads = [
        "N",
        "algorithm",
        "objects",
        "moved %",
        "before %",
        "straight after %",
    ]
    .map(String::from)
    .to_vec();
    heads.push("base × (1 − moved)".into());
    let in_window = |window: &u32| format!("window {} %", grouped((*window).into()));
    heads.extend(windows.iter().map(in_window));
    heads.extend(["recovered in".into(), "extra misses".into()]);
    let groups = rows.chunk_by(|a, b| a.nodes == b.nodes && a.objects == b.objects);
    let row = |row: &&Row| cells(row, &windows);
    Section {
        title: format!("{joins}: {caches}"),
        about: String::new(),
        names: 2,
        heads,
        groups: groups
            .map(|group| group.iter().map(row).collect())
            .collect(),
    }
    .without_empty_columns()
}

fn cells(row: &Row, windows: &[u32]) -> Vec<String> {
    let names = vec![row.nodes.to_string(), row.algorithm.clone()];
    let objects = row
        .objects
        .map_or(NOTHING.into(), |objects| grouped(objects as f64));
    let mut cells = [names, vec![objects]].concat();
    if row.reason.is_some() {
        cells.push(FAILED.into());
        cells.extend(vec![NOTHING.into(); windows.len() + 5]);
        return cells;
    }
    let straight = row.straight.value.map_or(NOTHING.into(), percent);
    cells.extend([
        percent(row.moved),
        percent(row.before),
        straight,
        law(Some(&row.straight), 1.0, percent),
    ]);
    let rate = |window: &u32| {
        let point = row.curve.iter().find(|point| point.0 == *window);
        point.map_or(NOTHING.into(), |point| percent(point.1))
    };
    cells.extend(windows.iter().map(rate));
    cells.extend([
        match row.recovered {
            Some(window) => grouped(window.into()),
            None => "not yet".into(),
        },
        grouped(row.extra),
    ]);
    cells
}

fn real(rows: &[Real]) -> Section {
    let limited = rows.iter().any(|row| row.objects.is_some());
    let title = match limited {
        true => "A node joins: real memcached with little memory",
        false => "A node joins: real memcached with memory for all",
    };
    let heads = [
        "N",
        "algorithm",
        "objects",
        "evicted",
        "before %",
        "simulated",
        "straight after %",
        "simulated",
        "then %",
        "simulated",
        "difference, points",
    ];
    let row = |row: &Real| {
        let mut cells = vec![row.nodes.to_string(), row.algorithm.clone()];
        if row.reason.is_some() {
            cells.push(FAILED.into());
            cells.extend(vec![NOTHING.into(); heads.len() - cells.len()]);
            return cells;
        }
        let (measured, simulated) = (&row.measured, &row.simulated);
        cells.push(row.objects.map_or(NOTHING.into(), |n| grouped(n as f64)));
        cells.push(grouped(row.evictions as f64));
        for (measured, simulated) in [
            (measured.before, simulated.before),
            (measured.straight, simulated.straight),
            (measured.after, simulated.after),
        ] {
            cells.extend([percent(measured), percent(simulated)]);
        }
        cells.push(format!(
            "{} {}",
            short(100.0 * row.difference),
            mark(row.agrees)
        ));
        cells
    };
    let groups = rows.chunk_by(|a, b| a.nodes == b.nodes);
    Section {
        title: title.into(),
        about: String::new(),
        names: 2,
        heads: heads.map(String::from).into(),
        groups: groups
            .map(|group| group.iter().map(row).collect())
            .collect(),
    }
    .without_empty_columns()
}

/// Why rows have no figures.
pub fn reasons(hits: &Hits) -> Vec<String> {
    let rows = hits
        .rows
        .iter()
        .map(|row| (row.nodes, &row.algorithm, &row.reason));
    let real = hits
        .memcached
        .iter()
        .map(|row| (row.nodes, &row.algorithm, &row.reason));
    let mut reasons: Vec<String> = rows
        .chain(real)
        .filter_map(|(nodes, name, reason)| {
            let reason = reason.as_ref()?;
            Some(format!("N = {nodes}, {name}: {reason}"))
        })
        .collect();
    reasons.dedup();
    reasons
}

/// How to read the tables.
pub fn legend(hits: &Hits) -> Vec<String> {
    let mut legend = vec![
        "Moved: part of the requests whose key has another owner. Straight after: hits when nothing has been fetched again yet. Then missed objects are put where they were missed, and the hit rate recovers window by window; rates are over all sets of names.".into(),
        "Without a limit, caches hold every key and the rest of the base rate is asked for what cannot be cached; the law of a hit straight after is then exact, with how far off the figure is in standard errors, and ✓ or ✗. LRU caches have room for as many objects as the base rate takes by Che's approximation, or for as many as asked; there base × (1 − moved) takes the rate before for the base, and fits the better the more even the shares are.".into(),
        "Recovered in: the first window with 99 % of the hits that unchanged nodes have on the same requests. Extra misses: those of all windows that unchanged nodes would not have had, for one set of names; a further LRU cache can make up for them, and one less goes on to cost. Below 0 there were fewer misses than unchanged nodes would have had.".into(),
    ];
    if hits.rows.iter().any(|row| row.removal == "newest") {
        legend.push("A node that leaves is drawn at random; of jump, which can only drop its newest, the newest leaves.".into());
    }
    if !hits.memcached.is_empty() {
        legend.push(format!(
            "Real servers and simulated caches got the same requests for the same keys; the base rate, the caches and the windows are those of the simulation above alone. Where nothing is evicted the rates must be equal. With little memory, a server holds as many objects as were counted on one; memcached is no plain LRU cache, so the rates may differ by {} points.",
            short(100.0 * TOLERANCE)
        ));
    }
    legend
}

const HEADS: [&str; 25] = [
    "kind",
    "algorithm",
    "nodes",
    "objects",
    "change",
    "removal",
    "reason",
    "moved",
    "before",
    "straight",
    "expected",
    "distance",
    "agrees",
    "first",
    "recovered",
    "extra",
    "after",
    "evictions",
    "simulated_before",
    "simulated_straight",
    "simulated_after",
    "difference",
    "tolerance",
    "popularity",
    "tool_commit",
];

/// One line per row of the answer, below the heads; real servers after the simulated caches.
pub fn rows(hits: &Hits) -> Vec<Vec<String>> {
    let simulated = hits.rows.iter().map(simulated_line);
    let real = hits.memcached.iter().map(real_line);
    let ends = [
        hits.settings.popularity.clone(),
        text(hits.tool.commit.clone()),
    ];
    let lines = simulated.chain(real).map(|mut line| {
        line.resize(HEADS.len() - ends.len(), String::new());
        line.extend(ends.clone());
        line
    });
    let heads = HEADS.map(String::from).into();
    [heads].into_iter().chain(lines).collect()
}

/// A value, or nothing.
fn text(value: Option<impl ToString>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

fn simulated_line(row: &Row) -> Vec<String> {
    let straight = &row.straight;
    vec![
        "simulated".into(),
        row.algorithm.clone(),
        row.nodes.to_string(),
        text(row.objects),
        row.change.word().into(),
        row.removal.clone(),
        text(row.reason.clone()),
        row.moved.to_string(),
        row.before.to_string(),
        text(straight.value),
        text(straight.expected),
        text(straight.distance),
        text(straight.agrees),
        row.first.to_string(),
        text(row.recovered),
        row.extra.to_string(),
    ]
}

fn real_line(row: &Real) -> Vec<String> {
    let none = String::new;
    let (measured, simulated) = (&row.measured, &row.simulated);
    vec![
        "memcached".into(),
        row.algorithm.clone(),
        row.nodes.to_string(),
        text(row.objects),
        Change::Add.word().into(),
        none(),
        text(row.reason.clone()),
        none(),
        measured.before.to_string(),
        measured.straight.to_string(),
        none(),
        none(),
        row.agrees.to_string(),
        none(),
        none(),
        none(),
        measured.after.to_string(),
        row.evictions.to_string(),
        simulated.before.to_string(),
        simulated.straight.to_string(),
        simulated.after.to_string(),
        row.difference.to_string(),
        row.tolerance.to_string(),
    ]
}

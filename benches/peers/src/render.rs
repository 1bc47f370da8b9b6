//! A survey as tables.

use harness::error::Error;
use harness::options::OutputOptions;
use harness::record::{Metric, Status};
use harness::render::numbers::{grouped, metric, plain, short};
use harness::render::section::{FAILED, NOTHING, Section};
use harness::render::{Page, origin};

use crate::cell::{BATCH, LATENCY, Measured, NOT_RUN, ONE_KEY};
use crate::row::{Family, Whose};
use crate::run::Survey;

/// The survey in the wanted form.
///
/// # Errors
/// When JSON or CSV cannot be made.
pub fn survey(survey: &Survey, options: &OutputOptions) -> Result<String, Error> {
    let page = Page {
        lines: lines(survey),
        sections: Family::ALL.map(|family| section(survey, family)).into(),
        lists: vec![
            ("Rows without figures", failures(survey)),
            ("How to read this", legend(survey)),
        ],
    };
    page.of_record(&survey.record, options)
}

fn lines(survey: &Survey) -> Vec<String> {
    let settings = &survey.record.settings;
    let mut lines = origin(&survey.record.tool, &survey.record.machine);
    lines.push(format!(
        "{} random keys of 8 bytes, seed {}; {} points per node on rings; 65,537 slots in a Maglev table for up to 100 nodes, else 655,373; weights, where there are any, 1, 2, 3, 4, 1, …",
        grouped(settings.keys.distinct as f64),
        settings.seed,
        settings.points,
    ));
    lines
}

const HEADS: [&str; 15] = [
    "N",
    "implementation",
    "key hash",
    "one key ns",
    "batch ns",
    "latency ns",
    "one key / ours",
    "one key / our batch",
    "latency / ours",
    "one key / floor",
    "build ms",
    "add one µs",
    "remove one µs",
    "bytes/entry",
    "keys checked",
];

fn section(survey: &Survey, family: Family) -> Section {
    let cells = || survey.cells.iter().filter(|cell| cell.family == family);
    let group = |&nodes: &u32| {
        let group: Vec<&Measured> = cells().filter(|cell| cell.cell.nodes == nodes).collect();
        group.iter().map(|cell| row(&group, cell)).collect()
    };
    let entry = match family {
        Family::Ring => "point",
        Family::Maglev | Family::Slots => "slot",
        _ => "node",
    };
    Section {
        title: family.title().into(),
        about: String::new(),
        names: 3,
        heads: HEADS.map(|head| head.replace("entry", entry)).into(),
        groups: survey.record.settings.nodes.iter().map(group).collect(),
    }
}

fn row(group: &[&Measured], row: &Measured) -> Vec<String> {
    let cell = &row.cell;
    let figure = |name: &str| cell.metrics.get(name);
    let mut cells = vec![
        cell.nodes.to_string(),
        row.title.clone(),
        row.hash.name().into(),
    ];
    if cell.status == Status::Failed {
        let reason = cell.reason.as_deref().unwrap_or_default();
        cells.push(match reason.starts_with(NOT_RUN) {
            true => format!("({NOT_RUN})"),
            false => FAILED.into(),
        });
        cells.resize(HEADS.len(), NOTHING.into());
        return cells;
    }
    let over = |name: &str, whose, of: &str| {
        let ratio = ratio(figure(name), fastest(group, row, whose, of));
        metric(ratio.as_ref(), 1.0, short)
    };
    // What many keys take in the fastest way that the row has.
    let many = figure(BATCH).filter(|batch| batch.value.is_some());
    let many = many.map_or(ONE_KEY, |_| BATCH);
    cells.extend([
        metric(figure(ONE_KEY), 1.0, short),
        metric(figure(BATCH), 1.0, short),
        metric(figure(LATENCY), 1.0, short),
        over(ONE_KEY, Whose::Ours, ONE_KEY),
        over(many, Whose::Ours, BATCH),
        over(LATENCY, Whose::Ours, LATENCY),
        over(ONE_KEY, Whose::Floor, ONE_KEY),
    ]);
    let is_floor = row.whose == Whose::Floor;
    let upkeep = |name, scale| match is_floor {
        true => NOTHING.into(),
        false => plain(figure(name), scale, short),
    };
    cells.extend([
        upkeep("build_ns", 1e-6),
        upkeep("add_ns", 1e-3),
        upkeep("remove_ns", 1e-3),
        upkeep("heap_bytes_per_entry", 1.0),
        cell.verified
            .as_ref()
            .map_or(NOTHING.into(), |verified| grouped(verified.keys as f64)),
    ]);
    cells
}

/// The least figure of this name among the rows of `whose`, with the hash that `row` is compared
/// under.
fn fastest<'a>(
    group: &[&'a Measured],
    row: &Measured,
    whose: Whose,
    name: &str,
) -> Option<&'a Metric> {
    let same = group
        .iter()
        .filter(|other| other.whose == whose && other.hash == row.hash.of_ours());
    let figures = same.filter_map(|other| other.cell.metrics.get(name));
    let known = figures.filter(|metric| metric.value.is_some());
    known.min_by(|a, b| f64::total_cmp(&a.value.unwrap_or(0.0), &b.value.unwrap_or(0.0)))
}

/// The median over rounds of the quotient of two times of one round.
fn ratio(time: Option<&Metric>, of: Option<&Metric>) -> Option<Metric> {
    let (times, ofs) = (time?.samples.as_ref()?, of?.samples.as_ref()?);
    let quotients: Vec<f64> = times.iter().zip(ofs).map(|(time, of)| time / of).collect();
    Some(Metric::median(&quotients))
}

/// Each reason with the rows that it stands for.
fn failures(survey: &Survey) -> Vec<String> {
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for measured in &survey.cells {
        let Some(reason) = &measured.cell.reason else {
            continue;
        };
        let reason = format!("{} ({}): {reason}", measured.title, measured.hash.name());
        let nodes = grouped(measured.cell.nodes.into());
        match reasons.iter_mut().find(|known| known.0 == reason) {
            Some(known) => known.1.push(nodes),
            None => reasons.push((reason, vec![nodes])),
        }
    }
    let line =
        |(reason, nodes): (String, Vec<String>)| format!("N = {}, {reason}", nodes.join(" and "));
    reasons.into_iter().map(line).collect()
}

fn legend(survey: &Survey) -> Vec<String> {
    vec![
        format!(
            "Times are medians over {} rounds, interleaved over all rows of all tables in shuffled order; lookups and builds in processor time of the thread, a node that comes or goes by the clock, one reading included. ± is the larger half of a 95 % interval of the median. The hashing of the key is in every lookup.",
            survey.record.settings.rounds
        ),
        "One key: one call for each of independent keys. Batch: one call for 512 of them, where there is one. Latency: each key depends on the answer before.".into(),
        "A row is compared with the fastest of ours in its table at its N with the same key hash, which shows 1: mix64, where a crate lets one choose its hasher, and else xxh3 beside the crate's own hash. Ratios are medians over rounds of the quotient within a round. One key / our batch: for rows that have a batch themselves, their batch.".into(),
        "Floor: hashing the key and one random read of 8 bytes from a table as large as the smallest of ours, which is the least that a table can take. Scores and draws read no table at random, and have no such limit.".into(),
        "Keys checked: on how many the owners were checked before timing. A round sweeps all keys; of rows that look at every node for a key, as many as make a million looks, or a quarter with --quick.".into(),
        "Bytes are counted by the allocator, all that the built value holds: ours hold names and weights of nodes, peers have numbers for nodes.".into(),
        "Every timed loop gave the owners that were checked: each key is on a node of the list, and each node has keys.".into(),
    ]
}

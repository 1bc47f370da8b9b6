//! Cascades as tables and as lines of CSV.

use super::header::{keys_in_words, origin, sizes_in_words};
use super::numbers::percent;
use super::section::{FAILED, NOTHING, Section};
use crate::cascade::{Cascades, Row};

/// What was asked, and where it was measured.
pub fn lines(cascades: &Cascades) -> Vec<String> {
    let settings = &cascades.settings;
    let mut lines = origin(&cascades.tool, &cascades.machine);
    lines.extend([
        format!(
            "{}, hash {}, seed {}",
            keys_in_words(&settings.keys),
            settings.hash,
            settings.seed
        ),
        sizes_in_words(settings.points, settings.table, Some(settings.slots)),
        format!(
            "Load is counted in {}; {} sets of node names, each with another node that leaves first",
            settings.load, settings.sets
        ),
    ]);
    lines
}

/// One table per node count.
pub fn sections(cascades: &Cascades) -> Vec<Section> {
    let by_nodes = cascades.rows.chunk_by(|a, b| a.nodes == b.nodes);
    by_nodes.map(section).collect()
}

const HEADS: [&str; 13] = [
    "capacity",
    "algorithm",
    "over before",
    "needed",
    "held",
    "survive",
    "worst",
    "waves",
    "worst",
    "lost %",
    "worst %",
    "moved %",
    "stuck",
];

fn section(rows: &[Row]) -> Section {
    let nodes = rows[0].nodes;
    // Those of one headroom belong side by side.
    let mut sorted: Vec<&Row> = rows.iter().collect();
    sorted.sort_by(|a, b| a.headroom.total_cmp(&b.headroom));
    let groups = sorted.chunk_by(|a, b| a.headroom == b.headroom);
    let even = f64::from(nodes) / (f64::from(nodes) - 1.0);
    Section {
        title: format!("One of {nodes} nodes leaves, and the overloaded follow"),
        about: format!(
            "Capacity and needed: over the mean load before. Perfectly even nodes need {even:.3}."
        ),
        names: 2,
        heads: HEADS.map(String::from).into(),
        groups: groups
            .map(|group| group.iter().map(|row| cells(row)).collect())
            .collect(),
    }
    .without_empty_columns()
}

fn cells(row: &Row) -> Vec<String> {
    let names = [row.headroom.to_string(), row.algorithm.clone()];
    let figures = match row.reason {
        Some(_) => [FAILED]
            .into_iter()
            .chain([NOTHING; 10])
            .map(String::from)
            .collect(),
        None => vec![
            format!("{:.1}", row.over_before),
            format!("{:.3}", row.needed),
            format!("{} of {}", row.held, row.sets),
            format!("{:.1}", row.survivors),
            row.survivors_worst.to_string(),
            format!("{:.1}", row.waves),
            row.waves_worst.to_string(),
            percent(row.lost),
            percent(row.lost_worst),
            percent(row.moved),
            match row.stuck {
                0 => NOTHING.into(),
                stuck => stuck.to_string(),
            },
        ],
    };
    names.into_iter().chain(figures).collect()
}

/// Why rows have no figures, and where a node could not leave.
pub fn reasons(cascades: &Cascades) -> Vec<String> {
    let reason = |row: &Row| {
        let what = format!(
            "N = {}, capacity {}, {}",
            row.nodes, row.headroom, row.algorithm
        );
        match (&row.reason, &row.refusal) {
            (Some(reason), _) => Some(format!("{what}: {reason}")),
            (None, Some(refusal)) => Some(format!(
                "{what}: in {} of {} sets a node above its capacity could not leave and stayed overloaded: {refusal}",
                row.stuck, row.sets
            )),
            (None, None) => None,
        }
    };
    cascades.rows.iter().filter_map(reason).collect()
}

/// How to read the tables.
pub fn legend(cascades: &Cascades) -> Vec<String> {
    let mut legend = vec![
        "All nodes have the same capacity. One leaves, drawn at random; its load goes where the algorithm places it; all nodes that are then above their capacity leave in one wave, and so on. Figures are means over the sets of names; worst is the worst set.".into(),
        "Over before: nodes above their capacity before any left. Needed: the largest load after the first node left; with less capacity others follow. Held: sets in which none followed.".into(),
        "Lost: load that no node has capacity for in the end. Moved: load that is not where it was, so that caches are cold for it.".into(),
    ];
    legend.push("mod-n and jump go by the position of a node: for jump all sets are alike.".into());
    if cascades.rows.iter().any(|row| row.first == "newest") {
        legend.push("jump can only drop its newest node: that one leaves first. Where another is above its capacity, it cannot be dropped: it stays overloaded, the cascade ends, and what is above its capacity is lost (stuck: in so many sets).".into());
    }
    legend
}

/// One line per row of the answer, below the heads.
pub fn rows(cascades: &Cascades) -> Vec<Vec<String>> {
    let heads = [
        "algorithm",
        "nodes",
        "headroom",
        "reason",
        "first",
        "load",
        "sets",
        "held",
        "collapsed",
        "stuck",
        "refusal",
        "over_before",
        "needed",
        "survivors",
        "survivors_worst",
        "waves",
        "waves_worst",
        "lost",
        "lost_worst",
        "moved",
        "tool_commit",
    ];
    let line = |row: &Row| {
        vec![
            row.algorithm.clone(),
            row.nodes.to_string(),
            row.headroom.to_string(),
            row.reason.clone().unwrap_or_default(),
            row.first.clone(),
            cascades.settings.load.clone(),
            row.sets.to_string(),
            row.held.to_string(),
            row.collapsed.to_string(),
            row.stuck.to_string(),
            row.refusal.clone().unwrap_or_default(),
            row.over_before.to_string(),
            row.needed.to_string(),
            row.survivors.to_string(),
            row.survivors_worst.to_string(),
            row.waves.to_string(),
            row.waves_worst.to_string(),
            row.lost.to_string(),
            row.lost_worst.to_string(),
            row.moved.to_string(),
            cascades.tool.commit.clone().unwrap_or_default(),
        ]
    };
    let heads = heads.map(String::from).into();
    [heads]
        .into_iter()
        .chain(cascades.rows.iter().map(line))
        .collect()
}

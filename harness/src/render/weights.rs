//! Shares beside weights as a table and as lines of CSV.

use super::header::ground;
use super::numbers::{factor, grouped, law, metric, percent, plain, short};
use super::section::{NOTHING, Section};
use crate::weights::{Class, Moves, WeighRow, Weighed};

/// What was asked, and where it was measured.
pub fn lines(weighed: &Weighed) -> Vec<String> {
    let settings = &weighed.settings;
    let mut lines = ground(&weighed.tool, &weighed.machine, &settings.ground);
    let weights: Vec<String> = settings
        .weights
        .iter()
        .map(|&weight| factor(weight))
        .collect();
    lines.push(format!("Weights by turns: {}", weights.join(", ")));
    lines
}

/// All tables.
pub fn sections(weighed: &Weighed) -> Vec<Section> {
    vec![shares(weighed), changes(weighed)]
}

/// Why rows have no figures, each reason once.
pub fn reasons(weighed: &Weighed) -> Vec<String> {
    let mut reasons: Vec<String> = Vec::new();
    for row in &weighed.rows {
        let reason = row.reason.as_ref();
        let reason = reason.map(|reason| format!("{}: {reason}", row.algorithm));
        reasons.extend(reason.filter(|reason| !reasons.contains(reason)));
    }
    reasons
}

/// How to read the tables.
pub fn legend(_: &Weighed) -> Vec<String> {
    vec![
        "Nodes of one weight are taken together. Their share is exact from arcs or slots; of scores it was counted on the keys. Law: w/Σw, how far off the share is in standard errors, and ✓ or ✗. A ring's points are random: its law is over names, Beta of its points among all. Slots are off by at most two a node.".into(),
        "Smallest and largest: the share of one node of the class over w/Σw.".into(),
        "Moved: when the weight of the first node of the class changes; ± where it was counted on the keys, which may then be fewer than the least. Least: half the sum of all changes of shares. Unneeded: moved neither to nor from that node.".into(),
    ]
}

fn table(
    weighed: &Weighed,
    about: [&str; 2],
    heads: &[&str],
    cells: impl Fn(&Class) -> Vec<String>,
) -> Section {
    let heads: Vec<String> = ["N", "algorithm", "weight", "nodes"]
        .iter()
        .chain(heads)
        .map(|head| (*head).to_owned())
        .collect();
    let of_row = |row: &WeighRow| {
        let class = |class: &Class| {
            let mut line = vec![
                row.nodes.to_string(),
                row.algorithm.clone(),
                factor(class.weight),
                grouped(class.count.into()),
            ];
            line.extend(cells(class));
            line
        };
        row.classes.iter().map(class).collect::<Vec<_>>()
    };
    let groups = weighed.rows.chunk_by(|a, b| a.nodes == b.nodes);
    Section {
        title: about[0].into(),
        about: about[1].into(),
        names: 2,
        heads,
        groups: groups
            .map(|group| group.iter().flat_map(of_row).collect())
            .collect(),
    }
}

fn shares(weighed: &Weighed) -> Section {
    let heads = ["share %", "law", "smallest", "largest", "keys %"];
    table(weighed, ["Shares beside weights", ""], &heads, |class| {
        vec![
            plain(Some(&class.share), 1.0, percent),
            law(Some(&class.share), 1.0, percent),
            plain(Some(&class.least), 1.0, short),
            plain(Some(&class.most), 1.0, short),
            plain(Some(&class.keys), 1.0, percent),
        ]
    })
}

fn changes(weighed: &Weighed) -> Section {
    let figures = ["moved %", "law", "least %", "unneeded %"];
    let heads = ["doubled", "halved"].map(|what| figures.map(|figure| format!("{what}: {figure}")));
    let heads: Vec<&str> = heads.iter().flatten().map(|head| &**head).collect();
    let cells = |moves: &Option<Moves>| match moves {
        Some(moves) => [
            metric(Some(&moves.moved), 1.0, percent),
            law(Some(&moves.moved), 1.0, percent),
            plain(Some(&moves.least), 1.0, percent),
            plain(Some(&moves.unneeded), 1.0, percent),
        ],
        None => [NOTHING; 4].map(String::from),
    };
    let about = "The weight of one node becomes twice or half as large.";
    table(weighed, ["A weight changes", about], &heads, |class| {
        [cells(&class.doubled), cells(&class.halved)].concat()
    })
}

/// One line per weight of each row, below the heads.
pub fn rows(weighed: &Weighed) -> Vec<Vec<String>> {
    let heads = [
        "algorithm",
        "nodes",
        "failed",
        "reason",
        "weight",
        "count",
        "share",
        "law",
        "distance",
        "agrees",
        "smallest",
        "largest",
        "keys",
        "doubled_moved",
        "doubled_least",
        "doubled_unneeded",
        "halved_moved",
        "halved_least",
        "halved_unneeded",
        "tool_commit",
    ];
    let lines = weighed.rows.iter().flat_map(|row| {
        let classes = row.classes.iter().map(Some);
        let bare = row.classes.is_empty().then_some(None);
        classes.chain(bare).map(|class| line(weighed, row, class))
    });
    [heads.map(String::from).into()]
        .into_iter()
        .chain(lines)
        .collect()
}

fn line(weighed: &Weighed, row: &WeighRow, class: Option<&Class>) -> Vec<String> {
    let number = |value: Option<f64>| value.map_or(String::new(), |value| value.to_string());
    let of = |get: &dyn Fn(&Class) -> Option<f64>| number(class.and_then(get));
    let agrees = class.and_then(|class| class.share.agrees);
    let mut line = vec![
        row.algorithm.clone(),
        row.nodes.to_string(),
        row.failed.to_string(),
        row.reason.clone().unwrap_or_default(),
        of(&|class| Some(class.weight)),
        of(&|class| Some(class.count.into())),
        of(&|class| class.share.value),
        of(&|class| class.share.expected),
        of(&|class| class.share.distance),
        agrees.map_or(String::new(), |agrees| agrees.to_string()),
        of(&|class| class.least.value),
        of(&|class| class.most.value),
        of(&|class| class.keys.value),
    ];
    for moves in [
        class.and_then(|class| class.doubled.as_ref()),
        class.and_then(|class| class.halved.as_ref()),
    ] {
        let figures = moves.map(|moves| [&moves.moved, &moves.least, &moves.unneeded]);
        match figures {
            Some(figures) => line.extend(figures.map(|metric| number(metric.value))),
            None => line.extend([const { String::new() }; 3]),
        }
    }
    line.push(weighed.tool.commit.clone().unwrap_or_default());
    line
}

//! Copies of keys as tables and as lines of CSV.

use std::collections::BTreeSet;

use super::header::ground;
use super::numbers::{grouped, law, metric, percent, plain, short};
use super::section::{FAILED, NOTHING, Section};
use crate::record::Metric;
use crate::replicas::{Change, Copies, Pairs, Row, Selection, Status, Zoned, Zones};

/// What was asked, and where it was measured.
pub fn lines(copies: &Copies) -> Vec<String> {
    let settings = &copies.settings;
    let mut lines = ground(&copies.tool, &copies.machine, &settings.ground);
    let zones = match &settings.zones {
        None => String::new(),
        Some(Zones::Count(count)) => format!(", nodes in {count} zones by turns"),
        Some(Zones::Sizes(sizes)) => {
            let sizes: Vec<String> = sizes.iter().map(u32::to_string).collect();
            format!(", zones of {} nodes", sizes.join(", "))
        }
    };
    let followed = copies.rows.iter().map(|row| row.keys);
    let followed = followed.filter(|&keys| keys > 0).collect::<BTreeSet<_>>();
    let followed: Vec<String> = [followed.first(), followed.last()]
        .into_iter()
        .flatten()
        .map(|&keys| grouped(keys as f64))
        .collect();
    let followed = match &followed[..] {
        [few, many] if few != many => format!("; {few} to {many} keys are followed, by algorithm"),
        [all, ..] => format!("; {all} keys are followed"),
        [] => String::new(),
    };
    lines.push(format!(
        "{} copies of each key{zones}{followed}",
        settings.replicas
    ));
    lines
}

/// All tables.
pub fn sections(copies: &Copies) -> Vec<Section> {
    vec![
        change(copies, "One node joins", |row| {
            (&row.join, row.zones.as_ref().map(|zones| &zones.join))
        }),
        change(copies, "One node leaves", |row| {
            (&row.leave, row.zones.as_ref().map(|zones| &zones.leave))
        }),
        spread(copies),
        zones(copies),
        pairs(copies),
    ]
}

/// Why rows are not as asked.
pub fn reasons(copies: &Copies) -> Vec<String> {
    let reason = |row: &Row| {
        let (reason, what) = (row.reason.as_deref()?, word(row.status));
        Some(format!(
            "N = {}, {}, {what}: {reason}",
            row.nodes, row.algorithm
        ))
    };
    copies.rows.iter().filter_map(reason).collect()
}

/// How to read the tables.
pub fn legend(copies: &Copies) -> Vec<String> {
    let mut legend = vec![
        "A key's set is the nodes of its copies. The law of one node more among N is R/(N+1) for the set and 1/(N+1) for the owner, of one less among N it is R/N and 1/N; mod-n renumbers its nodes and has 1 − 1/C(N+1, R) and 1 − 1/C(N, R). Beside it: how far off the figure is in standard errors, and ✓ or ✗.".into(),
        "A ring's law is over names, and one ring scatters around it: over names is the mean of rings of other names, ± the standard deviation of one ring, and that mean is what the law is held against.".into(),
        "Rehashed orders ask again with further hashes of the key. A set still changes only where the newcomer is met, but may change in two places, so there are more copies to make than sets that change; a Maglev table moves more than it must, and each of R hashes may move, so it has no closed form.".into(),
        "Copies to make: new pairs of key and node per key, in percent. Least: no scheme can do with fewer for the same loads. Hidden: the owner stayed and the set changed. A random node leaves, by jump the newest.".into(),
    ];
    if copies.settings.zones.is_some() {
        legend.push("Zones first, where a node joins or leaves: the nodes of distinct zones come first, and the newcomer stands in the smallest zone. One node more can then change which zone comes next, so that no law is known.".into());
        legend.push("Two in a zone: keys with two copies in one zone. Copies lost, keys without a majority and keys without any copy are those of the zone whose loss is worst for each. Zones that are fewer than the copies cannot keep them apart.".into());
    }
    let several = copies.rows.iter().map(|row| row.copies);
    let several: BTreeSet<u32> = several.filter(|&copies| copies > 1).collect();
    if !several.is_empty() {
        let lost: Vec<String> = several.into_iter().map(majority).collect();
        legend.push(format!(
            "Both: keys with copies on both nodes of a pair. With the R copies that there are, its mean is R(R−1)/(N(N−1)) whatever the placement; {}. Points spread that over more pairs: fewer keys are hit by the worst pair, and more pairs hit some. Arcs of rings are all looked at; of the others only the pairs that these keys meet, beside how many theory expects. Numbers of points with which there would be too many arcs are left out.",
            lost.join(", ")
        ));
    }
    legend
}

/// What two lost copies mean where a key has this many.
fn majority(copies: u32) -> String {
    let left = match copies {
        2 => "all are lost, and one node alone takes the majority",
        3 | 4 => "the majority is lost",
        _ => "the majority is left",
    };
    format!("of {copies} copies {left}")
}

fn names(row: &Row) -> [String; 2] {
    [row.nodes.to_string(), row.algorithm.clone()]
}

/// A table with the rows that `cells` makes of each row.
fn table<const W: usize>(
    copies: &Copies,
    about: [&str; 2],
    heads: [&str; W],
    cells: impl Fn(&Row) -> Vec<Vec<String>>,
) -> Section {
    let groups = copies.rows.chunk_by(|a, b| a.nodes == b.nodes);
    let of_row = |row: &Row| {
        let lines = match row.status {
            Status::Failed => {
                let mut line = vec![NOTHING.to_owned(); W];
                line[0] = FAILED.into();
                vec![line]
            }
            Status::Ok | Status::Shortage => cells(row),
        };
        let lines = lines.into_iter();
        lines
            .map(|line| names(row).into_iter().chain(line).collect())
            .collect::<Vec<Vec<String>>>()
    };
    Section {
        title: about[0].into(),
        about: about[1].into(),
        names: 2,
        heads: ["N", "algorithm"]
            .into_iter()
            .chain(heads)
            .map(String::from)
            .collect(),
        groups: groups
            .map(|group| group.iter().flat_map(of_row).collect())
            .collect(),
    }
    .without_empty_columns()
}

fn change(copies: &Copies, title: &str, of: fn(&Row) -> (&Change, Option<&Change>)) -> Section {
    let heads = [
        "owner moved %",
        "law",
        "set changed %",
        "law",
        "over names",
        "zones first",
        "hidden %",
        "copies to make %",
        "zones first",
        "least %",
    ];
    let about = "Parts of the keys, counted on each placement's keys.";
    table(copies, [title, about], heads, |row| {
        let (change, across) = of(row);
        let zoned = |get: fn(&Change) -> &Metric| metric(across.map(get), 1.0, percent);
        let names = change.over_names.as_ref().map_or(NOTHING.into(), |names| {
            let mean = plain(Some(&names.set), 1.0, percent);
            format!("{mean} ±{}", percent(names.sd))
        });
        let held = change
            .over_names
            .as_ref()
            .map_or(&change.set, |names| &names.set);
        vec![vec![
            metric(Some(&change.owner), 1.0, percent),
            law(Some(&change.owner), 1.0, percent),
            metric(Some(&change.set), 1.0, percent),
            law(Some(held), 1.0, percent),
            names,
            zoned(|change| &change.set),
            plain(Some(&change.hidden), 1.0, percent),
            plain(Some(&change.made), 1.0, percent),
            zoned(|change| &change.made),
            plain(Some(&change.least), 1.0, percent),
        ]]
    })
}

fn spread(copies: &Copies) -> Section {
    let heads = [
        "order",
        "copies",
        "keys",
        "owners max/mean",
        "copies max/mean",
    ];
    let about = "The most on a node over the mean.";
    table(
        copies,
        ["How nodes share owners and copies", about],
        heads,
        |row| {
            let copies = match row.status {
                Status::Shortage => format!("{}, SHORT", row.copies),
                Status::Ok | Status::Failed => row.copies.to_string(),
            };
            vec![vec![
                row.order.clone(),
                copies,
                grouped(row.keys as f64),
                plain(Some(&row.owners_max_mean), 1.0, short),
                plain(Some(&row.copies_max_mean), 1.0, short),
            ]]
        },
    )
}

fn zones(copies: &Copies) -> Section {
    let heads = [
        "two in a zone %",
        "law",
        "zones first",
        "copies lost %",
        "zones first",
        "no majority %",
        "zones first",
        "no copy %",
        "zones first",
    ];
    let about = "By the order of preference alone, and with the nodes of distinct zones first.";
    let mut section = table(copies, ["A zone is lost", about], heads, |row| {
        let Some(Zoned {
            plain: alone,
            across,
            ..
        }) = &row.zones
        else {
            return Vec::new();
        };
        let of = |part: &Metric| plain(Some(part), 1.0, percent);
        let marked = law(Some(&across.shared), 1.0, percent);
        vec![vec![
            metric(Some(&alone.shared), 1.0, percent),
            law(Some(&alone.shared), 1.0, percent),
            marked,
            of(&alone.lost),
            of(&across.lost),
            of(&alone.majority),
            of(&across.majority),
            of(&alone.all),
            of(&across.all),
        ]]
    });
    if copies.settings.zones.is_none() {
        section.groups.clear();
    }
    section
}

fn pairs(copies: &Copies) -> Section {
    let heads = [
        POINTS,
        "pairs that share",
        "law",
        "of all %",
        "both, mean %",
        "law",
        "worst pair %",
        "over mean",
    ];
    let about = "Two nodes are down at once.";
    let mut section = table(copies, ["Two nodes are lost", about], heads, |row| {
        row.pairs.iter().map(pair).collect()
    });
    // Points name a row as well, where there are any.
    section.names += usize::from(section.heads.iter().any(|head| head == POINTS));
    if copies.settings.replicas < 2 {
        section.groups.clear();
    }
    section
}

/// Head of the column that tells a ring's points per node.
const POINTS: &str = "points";

fn pair(pairs: &Pairs) -> Vec<String> {
    let of = |metric: &Metric| metric.value.unwrap_or(0.0);
    vec![
        pairs
            .points
            .map_or(NOTHING.into(), |points| grouped(points.into())),
        plain(Some(&pairs.sharing), 1.0, grouped),
        law(Some(&pairs.sharing), 1.0, grouped),
        percent(of(&pairs.sharing) / pairs.of as f64),
        plain(Some(&pairs.mean), 1.0, percent),
        law(Some(&pairs.mean), 1.0, percent),
        plain(Some(&pairs.worst), 1.0, percent),
        short(of(&pairs.worst) / of(&pairs.mean)),
    ]
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Ok => "ok",
        Status::Shortage => "shortage",
        Status::Failed => "failed",
    }
}

/// One line per row, below the heads; what is lost with two nodes at the points that were asked for.
pub fn rows(copies: &Copies) -> Vec<Vec<String>> {
    let mut heads: Vec<String> = [
        "algorithm",
        "nodes",
        "replicas",
        "status",
        "reason",
        "order",
        "copies",
        "keys",
        "owners_max_mean",
        "copies_max_mean",
    ]
    .map(String::from)
    .into();
    for change in ["join", "leave"] {
        let figures = [
            "owner",
            "owner_law",
            "owner_agrees",
            "set",
            "set_law",
            "set_agrees",
            "set_over_names",
            "set_sd",
            "rings",
            "hidden",
            "made",
            "least",
        ];
        heads.extend(figures.map(|figure| format!("{change}_{figure}")));
    }
    for selection in ["plain", "across"] {
        let figures = ["shared", "shared_law", "lost", "majority", "all"];
        heads.extend(figures.map(|figure| format!("{selection}_{figure}")));
    }
    for change in ["join", "leave"] {
        heads.extend(["set", "made"].map(|figure| format!("across_{change}_{figure}")));
    }
    heads.extend(
        [
            "pairs",
            "pairs_sharing",
            "pairs_mean",
            "pairs_worst",
            "tool_commit",
        ]
        .map(String::from),
    );
    let lines = copies.rows.iter().map(|row| line(copies, row));
    [heads].into_iter().chain(lines).collect()
}

fn line(copies: &Copies, row: &Row) -> Vec<String> {
    let mut line = vec![
        row.algorithm.clone(),
        row.nodes.to_string(),
        copies.settings.replicas.to_string(),
        word(row.status).into(),
        row.reason.clone().unwrap_or_default(),
        row.order.clone(),
        row.copies.to_string(),
        row.keys.to_string(),
        number(row.owners_max_mean.value),
        number(row.copies_max_mean.value),
    ];
    line.extend([&row.join, &row.leave].into_iter().flat_map(change_fields));
    let zones = row.zones.as_ref();
    for selection in [
        zones.map(|zones| &zones.plain),
        zones.map(|zones| &zones.across),
    ] {
        let of = |get: fn(&Selection) -> Option<f64>| number(selection.and_then(get));
        line.extend([
            of(|one| one.shared.value),
            of(|one| one.shared.expected),
            of(|one| one.lost.value),
            of(|one| one.majority.value),
            of(|one| one.all.value),
        ]);
    }
    for change in [
        zones.map(|zones| &zones.join),
        zones.map(|zones| &zones.leave),
    ] {
        line.push(number(change.and_then(|change| change.set.value)));
        line.push(number(change.and_then(|change| change.made.value)));
    }
    let asked = |pairs: &&Pairs| {
        row.pairs.len() == 1 || pairs.points == Some(copies.settings.ground.points)
    };
    let pairs = row.pairs.iter().find(asked);
    line.extend([
        pairs.map_or(String::new(), |pairs| pairs.of.to_string()),
        number(pairs.and_then(|pairs| pairs.sharing.value)),
        number(pairs.and_then(|pairs| pairs.mean.value)),
        number(pairs.and_then(|pairs| pairs.worst.value)),
        copies.tool.commit.clone().unwrap_or_default(),
    ]);
    line
}

fn change_fields(change: &Change) -> [String; 12] {
    let names = change.over_names.as_ref();
    let held = names.map_or(&change.set, |names| &names.set);
    [
        number(change.owner.value),
        number(change.owner.expected),
        truth(change.owner.agrees),
        number(change.set.value),
        number(held.expected),
        truth(held.agrees),
        number(names.and_then(|names| names.set.value)),
        number(names.map(|names| names.sd)),
        names.map_or(String::new(), |names| names.rings.to_string()),
        number(change.hidden.value),
        number(change.made.value),
        number(change.least.value),
    ]
}

fn number(value: Option<f64>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

fn truth(value: Option<bool>) -> String {
    value.map_or(String::new(), |value| value.to_string())
}

//! A survey of hashes as tables, as sentences and as lines of CSV.

use algorithms::registry;

use super::header::origin;
use super::numbers::{grouped, mark, metric, percent, short};
use super::section::{NOTHING, Section};
use crate::hashes::{Family, Figure, LENGTHS, NODES, Row, Survey, judged};
use crate::record::Metric;
use crate::theory::critical;

/// What was measured, and on what machine.
pub fn lines(survey: &Survey) -> Vec<String> {
    let settings = &survey.settings;
    let mut lines = origin(&survey.tool, &survey.machine);
    lines.push(format!(
        "{} keys of each family, {} points per node on the ring, seed {}",
        grouped(settings.keys as f64),
        settings.points,
        settings.seed
    ));
    lines
}

/// All tables.
pub fn sections(survey: &Survey) -> Vec<Section> {
    let mut sections = vec![costs(survey), avalanche(survey)];
    let mut algorithms: Vec<&str> = Vec::new();
    for name in survey
        .rows
        .iter()
        .filter_map(|row| row.algorithm.as_deref())
    {
        if !algorithms.contains(&name) {
            algorithms.push(name);
        }
    }
    sections.extend(algorithms.iter().map(|name| evenness(survey, name)));
    sections
}

/// The figure of a hash that these conditions single out.
fn find<'a>(
    survey: &'a Survey,
    hash: &str,
    figure: Figure,
    wanted: impl Fn(&Row) -> bool,
) -> Option<&'a Metric> {
    let mut rows = survey.rows.iter();
    let row = rows.find(|row| row.hash == hash && row.figure == figure && wanted(row))?;
    Some(&row.metric)
}

fn table(
    survey: &Survey,
    title: &str,
    about: String,
    heads: impl IntoIterator<Item = String>,
    cells: impl Fn(&str) -> Vec<String>,
) -> Section {
    let row = |hash: &String| [vec![hash.clone()], cells(hash)].concat();
    Section {
        title: title.into(),
        about,
        names: 1,
        heads: ["hash".to_owned()].into_iter().chain(heads).collect(),
        groups: vec![survey.settings.hashes.iter().map(row).collect()],
    }
}

fn costs(survey: &Survey) -> Section {
    let about = format!(
        "ns a key, independent keys in a loop: medians over {} rounds that are interleaved over all hashes and lengths in shuffled order; ± is the larger half of a 95 % interval.",
        survey.settings.rounds
    );
    let heads = LENGTHS.map(|length| format!("{length} bytes"));
    table(survey, "Cost of hashing a key", about, heads, |hash| {
        let time = |length| {
            let row = |row: &Row| row.key_bytes == Some(length);
            metric(find(survey, hash, Figure::CostNs, row), 1.0, short)
        };
        LENGTHS.map(time).into()
    })
}

fn avalanche(survey: &Survey) -> Section {
    let about = format!(
        "Each bit of {} random keys of 16 bytes is flipped, and should flip each bit of the hash in half of all cases. How far the rates are off, in percent of the cases: beside it the law for a random function, the distance in standard errors and a mark.",
        grouped(survey.settings.flipped_keys.into())
    );
    let heads = ["worst bit %", "law", "mean %", "law"].map(String::from);
    table(survey, "Avalanche", about, heads, |hash| {
        [Figure::AvalancheWorst, Figure::AvalancheMean]
            .iter()
            .flat_map(|&figure| {
                let metric = find(survey, hash, figure, |_| true);
                let value = metric.and_then(|metric| metric.value);
                [value.map_or(NOTHING.into(), percent), law(metric)]
            })
            .collect()
    })
}

fn evenness(survey: &Survey, algorithm: &str) -> Section {
    let shares = survey
        .rows
        .iter()
        .any(|row| row.figure == Figure::SharesCv && row.algorithm.as_deref() == Some(algorithm));
    let mut columns: Vec<(String, Figure, Option<Family>)> = Vec::new();
    if shares {
        columns.push(("shares".into(), Figure::SharesCv, None));
    }
    let families = Family::ALL.map(|family| (family.words().into(), Figure::KeysCv, Some(family)));
    columns.extend(families);
    let group = |nodes: u32| {
        let row = |hash: &String| {
            let cell = |(_, figure, family): &(String, Figure, Option<Family>)| {
                let own = |row: &Row| {
                    row.algorithm.as_deref() == Some(algorithm)
                        && row.nodes == Some(nodes)
                        && row.family == *family
                };
                judgement(find(survey, hash, *figure, own))
            };
            let names = [nodes.to_string(), hash.clone()];
            names.into_iter().chain(columns.iter().map(cell)).collect()
        };
        survey.settings.hashes.iter().map(row).collect()
    };
    let title = registry::find(algorithm).map_or(algorithm, |known| known.title);
    let of_shares = match shares {
        true => " Shares: of the nodes' arcs, which their hashed names decide.",
        false => "",
    };
    Section {
        title: format!("Evenness: {title}"),
        about: format!(
            "CV of the keys per node in percent, by family of keys; then how far off it is in standard errors, and a mark.{of_shares}"
        ),
        names: 2,
        heads: ["N", "hash"]
            .map(String::from)
            .into_iter()
            .chain(columns.iter().map(|column| column.0.clone()))
            .collect(),
        groups: NODES.map(group).into(),
    }
}

/// What theory expects, how far off the figure is, and a mark.
fn law(metric: Option<&Metric>) -> String {
    super::numbers::law(metric, 1.0, percent)
}

/// The figure, how far off it is, and a mark.
fn judgement(metric: Option<&Metric>) -> String {
    let Some((metric, value)) = metric.and_then(|metric| Some((metric, metric.value?))) else {
        return NOTHING.into();
    };
    match (metric.distance, metric.agrees) {
        (Some(distance), Some(agrees)) => {
            format!("{} {distance:+.1} {}", percent(value), mark(agrees))
        }
        _ => percent(value),
    }
}

/// Where each hash goes wrong and by how much, and where it does no harm.
pub fn findings(survey: &Survey) -> Vec<String> {
    let hashes = survey.settings.hashes.iter();
    let mut findings: Vec<String> = hashes
        .clone()
        .filter_map(|hash| wrong(survey, hash))
        .collect();
    let right = hashes.filter(|hash| {
        !survey
            .rows
            .iter()
            .any(|row| row.hash == **hash && row.is_wrong())
    });
    let right: Vec<&str> = right.map(String::as_str).collect();
    if !right.is_empty() {
        findings.push(format!("No figure is wrong of {}.", right.join(", ")));
    }
    findings
}

fn wrong(survey: &Survey, hash: &str) -> Option<String> {
    let own = || survey.rows.iter().filter(move |row| row.hash == hash);
    let of_counts = |row: &&Row| matches!(row.figure, Figure::SharesCv | Figure::KeysCv);
    let mixes_badly = own().any(|row| row.is_wrong() && !of_counts(&row));
    let wrong: Vec<&Row> = own()
        .filter(of_counts)
        .filter(|row| row.is_wrong())
        .collect();
    if wrong.is_empty() && !mixes_badly {
        return None;
    }
    let mut text = hash.to_owned();
    if mixes_badly {
        text += " does not mix: see the avalanche";
    }
    if !wrong.is_empty() {
        let uneven = wrong.iter().filter(|row| is_uneven(row)).count();
        text += &format!(
            "{} is too uneven in {uneven} and too even in {} of {} figures",
            if mixes_badly { ". It" } else { "" },
            wrong.len() - uneven,
            own().filter(of_counts).count(),
        );
        let times =
            |row: &Row| row.metric.value.unwrap_or(0.0) / row.metric.expected.unwrap_or(1.0);
        let uneven = wrong.iter().filter(|row| is_uneven(row));
        if let Some(worst) = uneven.max_by(|a, b| times(a).total_cmp(&times(b))) {
            text += &format!(
                "; the farthest from chance, as a ratio, is {}: a CV of {} %, {} times {} %",
                place(worst),
                percent(worst.metric.value?),
                short(times(worst)),
                percent(worst.metric.expected?)
            );
        }
    }
    let harmless = harmless(survey, hash);
    if !harmless.is_empty() {
        text += &format!(". It does no harm to {}", harmless.join(", "));
    }
    Some(text + ".")
}

/// Where a figure was taken, in words.
fn place(row: &Row) -> String {
    let what = row.family.map_or("shares", Family::words);
    format!(
        "{} of {} nodes, {what}",
        row.algorithm.as_deref().unwrap_or_default(),
        row.nodes.unwrap_or(0)
    )
}

/// Whether chance does not explain that the figure is so large.
fn is_uneven(row: &Row) -> bool {
    row.is_wrong() && row.metric.distance.is_some_and(|distance| distance > 0.0)
}

/// Algorithms that are nowhere too uneven.
fn harmless<'a>(survey: &'a Survey, hash: &str) -> Vec<&'a str> {
    let mut harmless: Vec<&str> = Vec::new();
    let own = || survey.rows.iter().filter(|row| row.hash == hash);
    for name in own().filter_map(|row| row.algorithm.as_deref()) {
        let harmed = own().any(|row| row.algorithm.as_deref() == Some(name) && is_uneven(row));
        if !harmed && !harmless.contains(&name) {
            harmless.push(name);
        }
    }
    harmless
}

/// How to read the tables.
pub fn legend(survey: &Survey) -> Vec<String> {
    let figures = judged(&survey.rows);
    vec![
        "Families: random: 16 hexadecimal digits; sequential: user:0, user:1, …; common prefix: tenant/orders/2024/ and 8 digits; last bytes: keys of 16 bytes of which the last 3 count up.".into(),
        "Counts of keys are judged by χ² against the exact shares of the very placement: on a ring, too, only the keys' hashes are judged there. Too even is wrong as well: such a hash does not scatter keys but deals them out, as long as they keep counting up. Shares of a ring are judged against random rings; they hang on the nodes' names.".into(),
        "A hash of 32 bits stands in the number twice; the 16 of crc16-tags are its lowest, and the others are mixed from them, so that it has 65,536 values all the same. Longer digests are cut to their first 8 bytes.".into(),
        format!(
            "{figures} figures are held against laws and one is marked beyond {:.1} standard errors, so that sound hashes get a ✗ in at most one whole survey of a hundred. A ✗ is a finding about the hash and no error.",
            critical(figures)
        ),
    ]
}

/// One line per figure, below the heads.
pub fn rows(survey: &Survey) -> Vec<Vec<String>> {
    let heads = [
        "hash",
        "figure",
        "key_bytes",
        "algorithm",
        "nodes",
        "family",
        "value",
        "low",
        "high",
        "expected",
        "distance",
        "agrees",
        "reason",
        "tool_commit",
    ];
    let lines = survey.rows.iter().map(|row| line(survey, row));
    [heads.map(String::from).into()]
        .into_iter()
        .chain(lines)
        .collect()
}

fn line(survey: &Survey, row: &Row) -> Vec<String> {
    fn text(value: Option<impl ToString>) -> String {
        value.map(|value| value.to_string()).unwrap_or_default()
    }
    let figure = match row.figure {
        Figure::CostNs => "cost_ns",
        Figure::SharesCv => "shares_cv",
        Figure::KeysCv => "keys_cv",
        Figure::AvalancheWorst => "avalanche_worst",
        Figure::AvalancheMean => "avalanche_mean",
    };
    let metric = &row.metric;
    vec![
        row.hash.clone(),
        figure.into(),
        text(row.key_bytes),
        text(row.algorithm.as_ref()),
        text(row.nodes),
        text(row.family.map(Family::words)),
        text(metric.value),
        text(metric.low),
        text(metric.high),
        text(metric.expected),
        text(metric.distance),
        text(metric.agrees),
        text(metric.reason.as_ref()),
        text(survey.tool.commit.as_ref()),
    ]
}

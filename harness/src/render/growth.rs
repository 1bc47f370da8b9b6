//! How costs grow, as tables: of a study, and of the node counts of one record.

use algorithms::growth::Size;
use algorithms::{Settings, registry};

use super::header::origin;
use super::numbers::{grouped, metric, plain, short};
use super::section::{FAILED, NOTHING, Section};
use crate::growth::fit::{Axis, Cost, Curve, Fit, Judged};
use crate::growth::{Fitted, POWERS, Part, REFERENCE, Row, SCORES, Study};
use crate::measure::Metrics;
use crate::record::{Cell, CellKind, Metric, Record, Status};

/// Costs that a record has at each of its node counts and that say most.
const OF_A_RECORD: [Cost; 4] = [Cost::Lookup, Cost::Memory, Cost::Build, Cost::Add];

/// Exponents over the node counts of a record; without rows when there are fewer than three.
pub fn section(record: &Record) -> Section {
    let row = |fit: Fit, algorithm: &str| {
        let judged = fit.time.as_ref().or(fit.counted.as_ref());
        let names = [fit.cost.word().into(), algorithm.to_owned()];
        names.into_iter().chain(exponents(&fit, judged)).collect()
    };
    let group = |cost: Cost| {
        let names = record.settings.algorithms.iter();
        let rows = names.filter_map(|name| Some(row(of_record(record, name, cost)?, name)));
        rows.collect()
    };
    Section {
        title: "Growth with N".into(),
        about: "Exponents: a cost with exponent 1 doubles when N does. Claimed is that of the function at these sizes, of a sum from its smallest part to its largest. A time agrees when its interval, widened by 0.15, reaches the claim; bytes agree within 0.05, or beside a constant.".into(),
        names: 2,
        heads: ["cost", "algorithm"]
            .into_iter()
            .chain(EXPONENTS)
            .map(String::from)
            .collect(),
        groups: OF_A_RECORD.into_iter().map(group).collect(),
    }
}

fn of_record(record: &Record, name: &str, cost: Cost) -> Option<Fit> {
    let algorithm = registry::find(name)?;
    let own = |cell: &&Cell| {
        let holds = cell.kind == CellKind::Placement && cell.status == Status::Ok;
        holds && cell.algorithm == name
    };
    let mut cells: Vec<&Cell> = record.cells.iter().filter(own).collect();
    cells.sort_by_key(|cell| cell.nodes);
    let defaults = Settings::default();
    let settings = Settings {
        table: record.settings.table,
        slots: record.settings.slots.unwrap_or(defaults.slots),
        ..defaults
    };
    let size = |cell: &Cell| Size {
        nodes: cell.nodes.into(),
        points: record.settings.points.into(),
        slots: algorithm.slots(&settings).unwrap_or(0).into(),
    };
    let curve = Curve {
        axis: Axis::Nodes,
        points: cells
            .iter()
            .map(|cell| (size(cell), &cell.metrics))
            .collect(),
    };
    curve.fit(cost, cost.claim(&algorithm.costs))
}

/// Heads of what [`exponents`] gives.
const EXPONENTS: [&str; 4] = ["claim", "claimed", "measured", "verdict"];

fn exponents(fit: &Fit, judged: Option<&Judged>) -> [String; 4] {
    let claimed = [fit.claimed_low, fit.claimed_high].map(hundredths);
    let claimed = match claimed[0] == claimed[1] {
        true => claimed[0].clone(),
        false => claimed.join("–"),
    };
    let verdict = judged.map_or(NOTHING, |judged| judged.verdict.words());
    [
        fit.claim.clone(),
        claimed,
        metric(judged.map(|judged| &judged.exponent), 1.0, hundredths),
        verdict.into(),
    ]
}

fn hundredths(value: f64) -> String {
    let text = format!("{value:.2}");
    if text == "-0.00" { "0.00".into() } else { text }
}

/// What was measured, and on what machine.
pub fn lines(study: &Study) -> Vec<String> {
    let settings = &study.settings;
    let mut lines = origin(&study.tool, &study.machine);
    let points = match settings.scale {
        true => format!("{} points per node", settings.fixed_points),
        false => format!(
            "{} points per node while N varies, {} nodes while V does",
            settings.fixed_points, settings.fixed_nodes
        ),
    };
    lines.push(format!(
        "{} random keys, hash {}, seed {}; {points}, {} slots in a Maglev table, {} fixed slots",
        grouped(settings.keys as f64),
        settings.hash,
        settings.seed,
        grouped(settings.table.into()),
        grouped(settings.slots.into())
    ));
    lines
}

/// All tables.
pub fn sections(study: &Study) -> Vec<Section> {
    let of = |part| Cost::ALL.map(|cost| growth(study, part, cost));
    let mut sections = vec![super::scale::section(study)];
    sections.extend(of(Part::Nodes));
    sections.extend([lookup_counts(study), change_counts(study)]);
    if !study.settings.scale {
        sections.extend(of(Part::Points));
        sections.extend([
            powers(study, "lookup", &["ns", "ratio", "steps"]),
            powers(study, "latency", &["ns", "ratio"]),
            caches(study),
        ]);
    }
    sections.retain(|section| !section.is_empty());
    sections
}

/// One cost along one axis: its time, then what of it was counted.
fn growth(study: &Study, part: Part, cost: Cost) -> Section {
    let (sizes, letter, by) = match part {
        Part::Points => (&study.settings.points, "V", "points per node"),
        _ => (&study.settings.nodes, "N", "nodes"),
    };
    let last = sizes.len().saturating_sub(1);
    let shown = [0, last / 2, last].map(|at| sizes.get(at).copied().unwrap_or(0));
    let fits = || {
        let fits = study
            .curves
            .iter()
            .filter(move |fitted| fitted.part == part);
        fits.filter(move |fitted| fitted.fit.cost == cost)
    };
    let timed = |fitted: &Fitted| {
        let (unit, scale) = match cost {
            Cost::Lookup | Cost::Single | Cost::Latency => ("ns", 1.0),
            _ => ("µs", 1e-3),
        };
        let judged = fitted.fit.time.as_ref()?;
        Some(row(
            study,
            fitted,
            judged,
            (cost.time()?, unit, scale),
            &shown,
        ))
    };
    let counted = |fitted: &Fitted| {
        let unit = if cost == Cost::Memory {
            "bytes"
        } else {
            "steps"
        };
        let judged = fitted.fit.counted.as_ref()?;
        Some(row(
            study,
            fitted,
            judged,
            (cost.counted()?, unit, 1.0),
            &shown,
        ))
    };
    let heads = ["in".into(), "algorithm".into()].into_iter();
    let heads = heads.chain(shown.map(|size| format!("{letter}={}", grouped(size.into()))));
    Section {
        title: format!("{} by {by}", capital(cost.word())),
        about: String::new(),
        names: 2,
        heads: heads.chain(EXPONENTS.map(String::from)).collect(),
        groups: vec![
            fits().filter_map(timed).collect(),
            fits().filter_map(counted).collect(),
        ],
    }
}

fn row(
    study: &Study,
    fitted: &Fitted,
    judged: &Judged,
    (name, unit, scale): (&str, &str, f64),
    sizes: &[u32],
) -> Vec<String> {
    let value = |size: &u32| {
        let same = |row: &&Row| {
            let at = if row.part == Part::Points {
                row.points
            } else {
                row.nodes
            };
            (row.part, &*row.algorithm, at) == (fitted.part, &*fitted.algorithm, *size)
        };
        let row = study.rows.iter().find(same);
        row.map_or(NOTHING.into(), |row| cell(row, name, scale, short))
    };
    let names = [unit.into(), fitted.algorithm.clone()];
    let values = names.into_iter().chain(sizes.iter().map(value));
    values.chain(exponents(&fitted.fit, Some(judged))).collect()
}

fn cell(row: &Row, name: &str, scale: f64, format: fn(f64) -> String) -> String {
    match row.reason {
        Some(_) => FAILED.into(),
        None => plain(row.metrics.get(name), scale, format),
    }
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    first.chain(letters).collect()
}

fn lookup_counts(study: &Study) -> Section {
    let columns = [
        ("comparisons", "lookup_comparisons"),
        ("scores, draws", "lookup_draws"),
        ("reads", "lookup_reads"),
        ("rehashes", "lookup_hashes"),
    ];
    counts(study, "Steps of a lookup", "", &columns)
}

fn change_counts(study: &Study) -> Section {
    let columns = [
        ("build: hashes", "build_hashes"),
        ("entries", "build_entries"),
        ("add: hashes", "add_hashes"),
        ("entries", "add_entries"),
        ("remove: hashes", "remove_hashes"),
        ("entries", "remove_entries"),
    ];
    let about = "Labels hashed and entries written, the list of names included; in the mean over nodes that come and go.";
    counts(study, "Steps of changes", about, &columns)
}

/// What the steps are, at the largest number of nodes.
fn counts(study: &Study, title: &str, about: &str, columns: &[(&str, &str)]) -> Section {
    let most = study.settings.nodes.iter().max().copied().unwrap_or(0);
    let counted = |row: &&Row| {
        let largest = row.part == Part::Nodes && row.nodes == most;
        largest
            && columns
                .iter()
                .all(|column| row.metrics.contains_key(column.1))
    };
    let row = |row: &Row| {
        let value = |(_, name): &(&str, &str)| {
            let known = row.metrics.get(*name);
            plain(known.filter(|metric| metric.value != Some(0.0)), 1.0, short)
        };
        let values = columns.iter().map(value);
        [row.algorithm.clone()].into_iter().chain(values).collect()
    };
    let heads = ["algorithm"].into_iter();
    let section = Section {
        title: format!("{title} at N = {}", grouped(most.into())),
        about: about.into(),
        names: 1,
        heads: heads
            .chain(columns.iter().map(|column| column.0))
            .map(String::from)
            .collect(),
        groups: vec![study.rows.iter().filter(counted).map(row).collect()],
    };
    section.without_empty_columns()
}

/// Lookups around powers of two: a row per algorithm for each figure, a column per node count.
fn powers(study: &Study, mode: &str, figures: &[&str]) -> Section {
    let value = |name: &str, figure: &str, nodes: u32| {
        let own =
            |row: &&Row| (row.part, &*row.algorithm, row.nodes) == (Part::Powers, name, nodes);
        let Some(row) = study.rows.iter().find(own) else {
            return NOTHING.into();
        };
        let format = if figure == "ratio" { hundredths } else { short };
        cell(row, &format!("{mode}_{figure}"), 1.0, format)
    };
    let row = |name: &String, figure: &str| {
        let word = if figure == "ratio" { "×" } else { figure };
        let values = POWERS.iter().map(|&nodes| value(name, figure, nodes));
        let names = [word.into(), name.clone()].into_iter();
        names.chain(values).collect()
    };
    let group = |figure: &&str| {
        let names = study.settings.algorithms.iter();
        names.map(|name| row(name, figure)).collect()
    };
    let heads = ["in".into(), "algorithm".into()].into_iter();
    let nodes = POWERS.map(|nodes| format!("N={}", grouped(nodes.into())));
    Section {
        title: format!("{} around powers of two", capital(mode)),
        about: format!("×: times as long as at N = {REFERENCE}, round by round."),
        names: 2,
        heads: heads.chain(nodes).collect(),
        groups: figures.iter().map(group).collect(),
    }
}

fn caches(study: &Study) -> Section {
    let heads = [
        "N",
        "algorithm",
        "random keys",
        "cold",
        "× random",
        "one key",
        "× random",
    ];
    let rows: Vec<&Row> = study
        .rows
        .iter()
        .filter(|row| row.part == Part::Caches)
        .collect();
    let row = |row: &&Row| {
        let time = |name: &str| match row.reason {
            Some(_) => FAILED.into(),
            None => metric(row.metrics.get(name), 1.0, short),
        };
        let ratio = |name: &str| metric(row.metrics.get(name), 1.0, hundredths);
        vec![
            grouped(row.nodes.into()),
            row.algorithm.clone(),
            time("random_ns"),
            time("cold_ns"),
            ratio("cold_ratio"),
            time("repeated_ns"),
            ratio("repeated_ratio"),
        ]
    };
    let group = |nodes: &u32| {
        let own = rows.iter().filter(|row| row.nodes == *nodes);
        own.map(row).collect()
    };
    Section {
        title: "Lookup and caches, ns".into(),
        about: format!(
            "Random keys, as in the other tables; the first {} of them after the placement left all caches; one key, asked for {0} times in a row.",
            study.settings.lookups_per_sample
        ),
        names: 2,
        heads: heads.map(String::from).into(),
        groups: study.settings.nodes.iter().map(group).collect(),
    }
}

/// What has no figures, and why.
pub fn left_out(study: &Study) -> Vec<String> {
    let words = |row: &Row, why: &str| {
        let (nodes, points) = (row.nodes, row.points);
        format!("N = {nodes}, V = {points}, {}: {why}", row.algorithm)
    };
    let reasons = study.rows.iter().flat_map(|row| {
        let timed = row.metrics.iter().filter(|(name, _)| name.ends_with("_ns"));
        let none = timed.filter_map(|(_, metric)| metric.reason.as_ref());
        none.chain(&row.reason).map(move |why| words(row, why))
    });
    reasons.collect()
}

/// How to read the tables.
pub fn legend(study: &Study) -> Vec<String> {
    let settings = &study.settings;
    let scores = SCORES[usize::from(settings.quick)];
    let mut legend = vec![
        format!(
            "Times are medians over {} rounds, interleaved over all rows in shuffled order. Every timed loop gave the verified owners.",
            settings.rounds
        ),
        format!(
            "Where a lookup asks every node, fewer keys are looked up: at most {} over the number of nodes.",
            grouped(scores as f64)
        ),
        "Point by point is what is warned of: one sorted insert for each point gives the same ring, but moves the tail of the array each time. It is no algorithm of the registry, and timed over fewer rounds.".into(),
    ];
    if !settings.scale {
        legend.extend([
            "Claimed and measured are exponents: the slope of the logarithm of the cost over that of the size, by least squares over all sizes. A cost with exponent 1 doubles when the size does. That of a time is the median of one slope per round; ± is the larger half of its 95 % interval. A claim that is a sum has the exponents of its parts.".into(),
            "A time agrees when its interval, widened by 0.15 on both sides, reaches the claim; one that grows slower is still ruled by what does not grow at these sizes.".into(),
            "A time that grows faster than the steps beside it is the caches' doing: the same steps take longer in a larger placement.".into(),
            "Steps of a lookup are counted by the lookup itself, bytes by the allocator; they agree within 0.05, or with a constant beside that is smaller than the growing part at the largest size. Steps of the others are labels hashed and entries written, but not the comparisons of sorting and searching: within says that this part grows no faster than the whole may.".into(),
        ]);
    }
    legend
}

/// Every figure, one a line.
pub fn rows(study: &Study) -> Vec<[String; 13]> {
    let heads = [
        "part",
        "algorithm",
        "nodes",
        "points",
        "metric",
        "value",
        "low",
        "high",
        "claim",
        "claimed_low",
        "claimed_high",
        "verdict",
        "reason",
    ];
    let mut lines = vec![heads.map(String::from)];
    for row in &study.rows {
        let names = [
            row.part.word().into(),
            row.algorithm.clone(),
            row.nodes.to_string(),
            row.points.to_string(),
        ];
        let failed = Metrics::from([(
            String::new(),
            Metric::none(row.reason.clone().unwrap_or_default()),
        )]);
        let metrics = if row.reason.is_some() {
            &failed
        } else {
            &row.metrics
        };
        lines.extend(
            metrics
                .iter()
                .map(|(name, metric)| line(&names, name, metric, Default::default())),
        );
    }
    for fitted in &study.curves {
        let names = [
            fitted.part.word().into(),
            fitted.algorithm.clone(),
            String::new(),
            String::new(),
        ];
        let fit = &fitted.fit;
        let judged = [
            (fit.cost.time(), &fit.time),
            (fit.cost.counted(), &fit.counted),
        ];
        for (name, judged) in judged {
            if let (Some(name), Some(judged)) = (name, judged) {
                let claim = [
                    fit.claim.clone(),
                    fit.claimed_low.to_string(),
                    fit.claimed_high.to_string(),
                    judged.verdict.words().into(),
                ];
                lines.push(line(
                    &names,
                    &format!("{name} exponent"),
                    &judged.exponent,
                    claim,
                ));
            }
        }
    }
    lines
}

fn line(names: &[String; 4], name: &str, metric: &Metric, claim: [String; 4]) -> [String; 13] {
    let number = |value: Option<f64>| value.map(|value| value.to_string()).unwrap_or_default();
    let [part, algorithm, nodes, points] = names.clone();
    let [claim, claimed_low, claimed_high, verdict] = claim;
    let numbers = [metric.value, metric.low, metric.high].map(number);
    let [value, low, high] = numbers;
    let reason = metric.reason.clone().unwrap_or_default();
    [
        part,
        algorithm,
        nodes,
        points,
        name.into(),
        value,
        low,
        high,
        claim,
        claimed_low,
        claimed_high,
        verdict,
        reason,
    ]
}

//! The right sizes as tables and as lines of CSV.

use super::header::{keys_in_words, origin};
use super::numbers::{grouped, percent, plain, short};
use super::section::{FAILED, NOTHING, Section};
use crate::record::Metric;
use crate::size::{Found, Knob, LARGEST, Row, Sizes, Status, Target};

/// What was asked, and where it was measured.
pub fn lines(sizes: &Sizes) -> Vec<String> {
    let settings = &sizes.settings;
    let mut lines = origin(&sizes.tool, &sizes.machine);
    lines.push(format!(
        "{}, hash {}, seed {}",
        keys_in_words(&settings.keys),
        settings.hash,
        settings.seed
    ));
    lines.push(format!(
        "Asked: {} of the nodes' shares of at most {}, in the mean over node names and for {} of all sets of names",
        settings.target.words(),
        figure(settings.target, settings.target.at_most()),
        part(settings.confidence)
    ));
    if let Some(planted) = &settings.planted {
        lines.push(format!("WRONG ON PURPOSE: {planted}."));
    }
    lines
}

/// All tables.
pub fn sections(sizes: &Sizes) -> Vec<Section> {
    vec![settings(sizes), keys(sizes), costs(sizes)]
}

/// Why rows are not as asked.
pub fn reasons(sizes: &Sizes) -> Vec<String> {
    let reason = |row: &Row| {
        let reason = row.reason.as_deref()?;
        let what = word(row.status);
        Some(format!(
            "N = {}, {}, {what}: {reason}",
            row.nodes, row.algorithm
        ))
    };
    sizes.rows.iter().filter_map(reason).collect()
}

/// How to read the tables.
pub fn legend(sizes: &Sizes) -> Vec<String> {
    let confidence = part(sizes.settings.confidence);
    let rounds = |row: &Row| format!("{} at {} nodes", row.rounds, row.nodes);
    let mut timed: Vec<String> = sizes
        .rows
        .iter()
        .filter(|row| row.rounds > 0)
        .map(rounds)
        .collect();
    timed.dedup();
    vec![
        format!(
            "A ring's points are hashes of names, so names decide how even it is. In the mean: the fewest points with which the mean over names (of CVs the root mean square) meets the target. For {confidence}: the fewest with which {confidence} of all sets of names do. Theory gives the number; rings of other names were built and their exact shares measured: the figure with its 95 % interval, and how many sets met the target. Where chance does not explain the difference, theory is off and the number is the measured one (theory's stands beside it). Rings above {} points are not built.",
            grouped(LARGEST as f64)
        ),
        "A Maglev table is shared alike whatever the names. In the mean: the smallest prime at exactly N nodes; a larger table or another N may miss the target. Beside it: the smallest from which on every table meets it, and at any number of nodes up to N + 1.".into(),
        format!(
            "any: the shares of the key space are even by design, and only chance in the keys is left. Keys needed are those from which on the counts of keys per node, too, meet the target (normal law, right from some hundred keys a node on), in the mean and with {confidence}. A ring has none of the latter: its shares alone use the {confidence} up."
        ),
        format!(
            "Costs are at the setting for {confidence}, for one set of names. Times are medians over rounds that are interleaved over all algorithms of one N ({}); the owners of all keys were verified, and every timed loop gave them. ≈ was counted on the keys.",
            timed.join(", ")
        ),
    ]
}

/// How a table column is made from a row.
type Column<'a> = (String, Box<dyn Fn(&Row) -> String + 'a>);

fn column<'a>(head: impl Into<String>, show: impl Fn(&Row) -> String + 'a) -> Column<'a> {
    (head.into(), Box::new(show))
}

fn table(sizes: &Sizes, title: &str, about: &str, columns: &[Column<'_>]) -> Section {
    let names = ["N", "algorithm"].map(String::from);
    let heads = columns.iter().map(|column| column.0.clone());
    let row = |row: &Row| {
        let names = [row.nodes.to_string(), row.algorithm.clone()];
        let cells = columns.iter().map(|column| column.1(row));
        names.into_iter().chain(cells).collect()
    };
    let groups = sizes.rows.chunk_by(|a, b| a.nodes == b.nodes);
    Section {
        title: title.into(),
        about: about.into(),
        names: 2,
        heads: names.into_iter().chain(heads).collect(),
        groups: groups
            .map(|group| group.iter().map(row).collect())
            .collect(),
    }
}

fn settings(sizes: &Sizes) -> Section {
    let target = sizes.settings.target;
    let confidence = part(sizes.settings.confidence);
    let of = |get: fn(&Row) -> Option<&Found>, show: fn(Target, &Found) -> String| {
        move |row: &Row| get(row).map_or(NOTHING.into(), |found| show(target, found))
    };
    let setting = |get: fn(&Row) -> Option<&Found>| {
        move |row: &Row| match (row.knob, get(row)) {
            (_, Some(found)) => grouped(found.setting.into()),
            (Knob::Nothing, None) => "any".into(),
            (_, None) => word(Status::Cannot).into(),
        }
    };
    let mean: fn(&Row) -> Option<&Found> = |row| row.mean.as_ref();
    let safe: fn(&Row) -> Option<&Found> = |row| row.safe.as_ref();
    let columns = [
        column("in the mean", setting(mean)),
        column("theory", of(mean, by_theory)),
        column("measured", of(mean, measured)),
        column(format!("for {confidence}"), setting(safe)),
        column("theory", of(safe, by_theory)),
        column("measured", of(safe, measured)),
        column("sets that met it", of(safe, sets)),
    ];
    let title = format!(
        "Smallest settings for {} ≤ {}",
        target.words(),
        figure(target, target.at_most())
    );
    let about = format!(
        "Points per node of a ring, slots of a Maglev table; any meets the target elsewhere. Measured: {} of the exact shares at that setting, the mean and the quantile of {confidence}, with 95 % intervals where there are enough sets of names.",
        target.words()
    );
    table(sizes, &title, &about, &columns).without_empty_columns()
}

fn keys(sizes: &Sizes) -> Section {
    let target = sizes.settings.target;
    let distinct = grouped(sizes.settings.keys.distinct as f64);
    let name = match target {
        Target::MaxOverMean(_) => "max_mean",
        Target::Cv(_) => "cv",
    };
    let of = |what: &str| {
        let name = format!("{what}_{name}");
        move |row: &Row| {
            let value = row.metrics.get(&name).and_then(|metric| metric.value);
            value.map_or(NOTHING.into(), |value| figure(target, value))
        }
    };
    let count = |keys: Option<u64>| keys.map_or(NOTHING.into(), |keys| rounded(keys as f64));
    let columns = [
        column(format!("shares: {}", target.words()), of("shares")),
        column(format!("{distinct} keys: {}", target.words()), of("keys")),
        column("keys needed, mean", move |row: &Row| count(row.keys_mean)),
        column(
            format!("for {}", part(sizes.settings.confidence)),
            move |row: &Row| count(row.keys_safe),
        ),
    ];
    let about = "Shares are those of the key space. Keys fall on them by chance, and their counts are less even.";
    table(sizes, "Key space and keys", about, &columns)
}

fn costs(sizes: &Sizes) -> Section {
    let of = |name: &'static str, scale: f64, format: fn(f64) -> String| {
        move |row: &Row| plain(row.metrics.get(name), scale, format)
    };
    let columns = [
        column("setting", |row: &Row| match (row.status, &row.safe) {
            (Status::Failed, _) => FAILED.into(),
            (Status::Cannot, _) => word(Status::Cannot).into(),
            (_, Some(found)) => grouped(found.setting.into()),
            (_, None) => "any".into(),
        }),
        column("lookup ns", of("lookup_ns", 1.0, short)),
        column("latency ns", of("latency_ns", 1.0, short)),
        column("bytes/node", of("heap_bytes_per_node", 1.0, grouped)),
        column("build ms", of("build_ns", 1e-6, short)),
        column("add one µs", of("add_ns", 1e-3, short)),
        column("moved %", |row: &Row| moved(row.metrics.get("moved_add_1"))),
        column("least %", of("least_add_1", 1.0, percent)),
    ];
    let about = "All of one N share the key space equally evenly. Moved: when one node is added; least: no scheme can move less for the same shares.";
    table(sizes, "What that costs", about, &columns)
}

/// A fraction moved; ≈ where it was counted on the keys.
fn moved(metric: Option<&Metric>) -> String {
    let counted = metric.is_some_and(|metric| metric.low.is_some());
    let mark = if counted { "≈" } else { "" };
    format!("{mark}{}", plain(metric, 1.0, percent))
}

/// What theory alone would set, where it is another number.
fn by_theory(_: Target, found: &Found) -> String {
    match found.by_theory == found.setting {
        true => NOTHING.into(),
        false => grouped(found.by_theory.into()),
    }
}

fn measured(target: Target, found: &Found) -> String {
    let Some(value) = found.measured.value else {
        return NOTHING.into();
    };
    match (found.measured.low, found.measured.high) {
        (Some(low), Some(high)) => format!(
            "{} [{}, {}]",
            figure(target, value),
            figure(target, low),
            figure(target, high)
        ),
        _ => figure(target, value),
    }
}

fn sets(_: Target, found: &Found) -> String {
    match found.sets {
        0 => NOTHING.into(),
        sets => format!("{} of {sets}", found.met),
    }
}

/// A figure of the target's kind.
fn figure(target: Target, value: f64) -> String {
    match target {
        Target::MaxOverMean(_) => format!("{value:.4}"),
        Target::Cv(_) => format!("{} %", percent(value)),
    }
}

/// A part of the whole, in percent without needless digits.
fn part(fraction: f64) -> String {
    format!("{} %", (fraction * 1e4).round() / 100.0)
}

/// A count of which three digits mean something.
fn rounded(count: f64) -> String {
    let unit = 10f64.powf((count.max(1.0).log10().floor() - 2.0).max(0.0));
    grouped((count / unit).ceil() * unit)
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Ok => "ok",
        Status::Unmeasured => "unmeasured",
        Status::Cannot => "cannot",
        Status::Contradicted => "contradicted",
        Status::Failed => "failed",
    }
}

/// Metrics that have a column of their own in CSV.
const METRICS: [&str; 11] = [
    "lookup_ns",
    "latency_ns",
    "heap_bytes_per_node",
    "build_ns",
    "add_ns",
    "moved_add_1",
    "least_add_1",
    "shares_max_mean",
    "shares_cv",
    "keys_max_mean",
    "keys_cv",
];

/// One line per row of the answer, below the heads.
pub fn rows(sizes: &Sizes) -> Vec<Vec<String>> {
    let names = [
        "algorithm",
        "nodes",
        "status",
        "reason",
        "target",
        "at_most",
        "confidence",
        "knob",
    ];
    let of_found = [
        "setting",
        "by_theory",
        "expected",
        "measured",
        "low",
        "high",
        "sets",
        "met",
    ];
    let mut heads: Vec<String> = names.map(String::from).into();
    for bound in ["mean", "safe"] {
        heads.extend(of_found.map(|name| format!("{bound}_{name}")));
    }
    heads.extend(["keys_mean", "keys_safe", "rounds"].map(String::from));
    heads.extend(METRICS.map(String::from));
    heads.push("tool_commit".into());
    let lines = sizes.rows.iter().map(|row| line(sizes, row));
    [heads].into_iter().chain(lines).collect()
}

fn line(sizes: &Sizes, row: &Row) -> Vec<String> {
    let text = |value: Option<String>| value.unwrap_or_default();
    let number = |value: Option<f64>| text(value.map(|value| value.to_string()));
    let found = |found: &Option<Found>| -> [String; 8] {
        let of = |get: &dyn Fn(&Found) -> Option<f64>| number(found.as_ref().and_then(get));
        [
            of(&|found| Some(found.setting.into())),
            of(&|found| Some(found.by_theory.into())),
            of(&|found| Some(found.expected)),
            of(&|found| found.measured.value),
            of(&|found| found.measured.low),
            of(&|found| found.measured.high),
            of(&|found| Some(found.sets.into())),
            of(&|found| Some(found.met.into())),
        ]
    };
    let settings = &sizes.settings;
    let mut line = vec![
        row.algorithm.clone(),
        row.nodes.to_string(),
        word(row.status).into(),
        text(row.reason.clone()),
        settings.target.words().into(),
        settings.target.at_most().to_string(),
        settings.confidence.to_string(),
        format!("{:?}", row.knob).to_lowercase(),
    ];
    line.extend(found(&row.mean));
    line.extend(found(&row.safe));
    line.extend([row.keys_mean, row.keys_safe].map(|keys| text(keys.map(|keys| keys.to_string()))));
    line.push(row.rounds.to_string());
    line.extend(METRICS.map(|name| number(row.metrics.get(name).and_then(|metric| metric.value))));
    line.push(text(sizes.tool.commit.clone()));
    line
}

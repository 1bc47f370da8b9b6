//! The tables of a report.

use std::collections::BTreeSet;

use super::numbers::{grouped, law, mark, metric, percent, plain, short};
use super::section::{FAILED, NOTHING, Section};
use crate::record::{Cell, CellKind, Record, Status};
use crate::scenario::Scenario;

/// How a column is made from a cell.
struct Column {
    head: String,
    show: Box<dyn Fn(&Cell) -> String>,
}

fn column(head: impl Into<String>, show: impl Fn(&Cell) -> String + 'static) -> Column {
    Column {
        head: head.into(),
        show: Box::new(show),
    }
}

/// A metric with its interval, scaled.
fn figure(head: &str, name: &str, scale: f64, format: fn(f64) -> String) -> Column {
    let name = name.to_owned();
    column(head, move |cell| {
        metric(cell.metrics.get(&name), scale, format)
    })
}

/// The law of a metric, and whether it agrees.
fn law_of(name: impl Into<String>, scale: f64, format: fn(f64) -> String) -> Column {
    let name = name.into();
    column("law", move |cell| {
        law(cell.metrics.get(&name), scale, format)
    })
}

/// All tables of a report.
pub fn report(record: &Record) -> Vec<Section> {
    let all = Scenario::ALL;
    let mut sections = vec![
        glance(record),
        lookup(record),
        memory(record),
        change(record),
        moved(record),
        per_scenario(
            record,
            "unneeded",
            "Moved without need, % of keys",
            &all,
            percent,
        ),
        per_scenario(
            record,
            "receivers",
            "Nodes that receive moved keys",
            &all,
            grouped,
        ),
        per_scenario(
            record,
            "increase",
            "Largest increase of a survivor's share, %",
            &all[1..4],
            percent,
        ),
        spread(
            record,
            "Spread of the key space, and of these keys",
            &["shares", "keys"],
        ),
        spread(
            record,
            "Spread of requests and bytes",
            &["requests", "bytes"],
        ),
        moved_weight(record, "requests"),
        moved_weight(record, "bytes"),
        layout(record),
        traits(record),
        resize(record),
        super::growth::section(record),
    ];
    sections.retain(|section| !section.is_empty());
    let mut sections: Vec<Section> = sections
        .into_iter()
        .map(Section::without_empty_columns)
        .collect();
    sections.retain(|section| section.heads.len() > section.names);
    sections
}

/// The outcome of a verification.
pub fn verification(record: &Record) -> Vec<Section> {
    let checked = |show: fn(&crate::record::Verified) -> String| {
        move |cell: &Cell| cell.verified.as_ref().map_or(NOTHING.into(), show)
    };
    let columns = vec![
        column("status", |cell| match cell.status {
            Status::Ok => "ok".into(),
            Status::Failed => FAILED.into(),
        }),
        column("keys", checked(|verified| grouped(verified.keys as f64))),
        column("laws", checked(|verified| verified.laws.to_string())),
        column(
            "checksum of all owners",
            checked(|verified| verified.checksum.clone()),
        ),
    ];
    let verified = by_nodes(record, "Verification", "", columns);
    vec![verified]
}

fn placements(record: &Record) -> impl Iterator<Item = &Cell> {
    record
        .cells
        .iter()
        .filter(|cell| cell.kind == CellKind::Placement)
}

/// A table with a group of rows per node count.
fn by_nodes(record: &Record, title: &str, about: &str, columns: Vec<Column>) -> Section {
    let sizes: BTreeSet<u32> = placements(record).map(|cell| cell.nodes).collect();
    let group = |nodes: u32| {
        let cells = placements(record).filter(move |cell| cell.nodes == nodes);
        cells.map(|cell| row(cell, &columns)).collect()
    };
    Section {
        title: title.into(),
        about: about.into(),
        names: 2,
        groups: sizes.into_iter().map(group).collect(),
        heads: heads(&columns),
    }
}

fn heads(columns: &[Column]) -> Vec<String> {
    let names = ["N".to_owned(), "algorithm".to_owned()];
    names
        .into_iter()
        .chain(columns.iter().map(|column| column.head.clone()))
        .collect()
}

fn row(cell: &Cell, columns: &[Column]) -> Vec<String> {
    let names = [cell.nodes.to_string(), cell.algorithm.clone()];
    let failed = cell.status == Status::Failed && columns[0].head != "status";
    let values = columns
        .iter()
        .enumerate()
        .map(|(index, column)| match (failed, index) {
            (false, _) => (column.show)(cell),
            (true, 0) => FAILED.into(),
            (true, _) => NOTHING.into(),
        });
    names.into_iter().chain(values).collect()
}

/// One column of each kind: what most people choose by.
fn glance(record: &Record) -> Section {
    let point = |head: &str, name: &'static str, scale: f64, format: fn(f64) -> String| {
        column(head, move |cell| {
            // Counted on the keys, where there is an interval around an exact figure.
            let metric = cell.metrics.get(name);
            let counted =
                !name.ends_with("_ns") && metric.is_some_and(|metric| metric.low.is_some());
            let mark = if counted && metric.and_then(|m| m.value) != Some(0.0) {
                "≈"
            } else {
                ""
            };
            format!("{mark}{}", plain(metric, scale, format))
        })
    };
    let columns = vec![
        point("batch ns", "lookup_ns", 1.0, short),
        point("one key ns", "single_ns", 1.0, short),
        point("latency ns", "latency_ns", 1.0, short),
        point("bytes/node", "heap_bytes_per_node", 1.0, grouped),
        point("add one µs", "add_ns", 1e-3, short),
        point("moved %", "moved_add_1", 1.0, percent),
        law_of("moved_add_1", 1.0, percent),
        point("unneeded %", "unneeded_add_1", 1.0, percent),
        law_of("unneeded_add_1", 1.0, percent),
        point("CV %", "shares_cv", 1.0, percent),
        evenness_law(),
        column("removal", |cell| cell.traits.removal.clone()),
        column("weights", |cell| cell.traits.weights.clone()),
    ];
    let about = "A lookup in a batch, by a call of its own, and as latency. \
         Moved, and moved without need: when one node is added; ≈ was counted on the keys, the rest is exact. \
         CV: of the nodes' exact shares; keys ✗ where these keys do not follow them.";
    by_nodes(record, "At a glance", about, columns)
}

/// The law of the exact shares, which tell little where the keys do not follow them.
fn evenness_law() -> Column {
    column("law", |cell| {
        let shares = law(cell.metrics.get("shares_cv"), 1.0, percent);
        match cell.metrics.get("keys_cv").and_then(|keys| keys.agrees) {
            Some(false) => format!("{shares}, keys {}", mark(false)),
            _ => shares,
        }
    })
}

fn lookup(record: &Record) -> Section {
    let columns = vec![
        figure("batch", "lookup_ns", 1.0, short),
        figure("one key per call", "single_ns", 1.0, short),
        figure("latency", "latency_ns", 1.0, short),
        figure("p50", "lookup_p50_ns", 1.0, short),
        figure("p90", "lookup_p90_ns", 1.0, short),
        figure("p99", "lookup_p99_ns", 1.0, short),
        figure("p99.9", "lookup_p999_ns", 1.0, short),
        figure("max", "lookup_max_ns", 1.0, short),
    ];
    let about = "The key's hash is given. Percentiles are those of batches.";
    by_nodes(record, "Lookup, ns", about, columns)
}

fn memory(record: &Record) -> Section {
    let columns = vec![
        figure("heap", "heap_bytes", 1.0, grouped),
        figure("per node", "heap_bytes_per_node", 1.0, grouped),
        figure("build peak", "build_peak_bytes", 1.0, grouped),
        figure("allocs", "lookup_allocations", 1.0, short),
        law_of("lookup_allocations", 1.0, short),
        figure("entries", "entries", 1.0, grouped),
        law_of("entries", 1.0, grouped),
    ];
    let about = "Counted by the allocator; the membership with its names is included. Allocs are allocations per lookup, entries are points, slots or nodes.";
    by_nodes(record, "Memory, bytes", about, columns)
}

fn change(record: &Record) -> Section {
    let columns = vec![
        figure("build µs", "build_ns", 1e-3, short),
        figure("add one µs", "add_ns", 1e-3, short),
        figure("remove one µs", "remove_ns", 1e-3, short),
        figure("entries changed", "add_entries", 1.0, grouped),
        law_of("add_entries", 1.0, grouped),
    ];
    let about = "One node is added, and that node is removed again. Entries changed by either: points, slots or nodes.";
    by_nodes(record, "Build, add, remove", about, columns)
}

fn head_of(scenario: Scenario) -> &'static str {
    match scenario {
        Scenario::AddOne => "one added",
        Scenario::RemoveNewest => "newest removed",
        Scenario::RemoveOldest => "oldest removed",
        Scenario::RemoveRandom => "random removed",
        Scenario::AddTwo => "two added",
    }
}

fn per_scenario(
    record: &Record,
    name: &str,
    title: &str,
    scenarios: &[Scenario],
    format: fn(f64) -> String,
) -> Section {
    let show = |&scenario: &Scenario| {
        let name = format!("{name}_{}", scenario.tag());
        let law = law_of(&name, 1.0, format);
        let value = column(head_of(scenario), move |cell| {
            plain(cell.metrics.get(&name), 1.0, format)
        });
        [value, law]
    };
    by_nodes(record, title, "", scenarios.iter().flat_map(show).collect())
}

fn moved(record: &Record) -> Section {
    let show = |scenario: Scenario| {
        let tag = scenario.tag();
        let value = column(head_of(scenario), move |cell| moved_of_least(cell, tag));
        [value, law_of(format!("moved_{tag}"), 1.0, percent)]
    };
    let about =
        "Moved / least possible for this change of shares; beside it the law of what is moved.";
    let columns = Scenario::ALL.into_iter().flat_map(show).collect();
    by_nodes(record, "Keys moved, %", about, columns)
}

fn moved_of_least(cell: &Cell, tag: &str) -> String {
    let of = |name: &str| cell.metrics.get(&format!("{name}_{tag}"));
    let moved = metric(of("moved"), 1.0, percent);
    match of("least").and_then(|metric| metric.value) {
        Some(least) => format!("{moved} / {}", percent(least)),
        None => moved,
    }
}

fn moved_weight(record: &Record, what: &str) -> Section {
    let title = match what {
        "requests" => "Requests whose key moved, %",
        _ => "Bytes whose key moved, %",
    };
    let name = format!("moved_{what}");
    let mut section = per_scenario(record, &name, title, &Scenario::ALL, percent);
    // Else a failed row alone would make a table.
    let cv = format!("{what}_cv");
    let known = record
        .cells
        .iter()
        .any(|cell| cell.metrics.contains_key(&cv));
    section.groups.retain(|_| known);
    section
}

fn spread(record: &Record, title: &str, measures: &[&str]) -> Section {
    let mut columns = Vec::new();
    let mut known = false;
    for what in measures {
        known |= record
            .cells
            .iter()
            .any(|cell| cell.metrics.contains_key(&format!("{what}_cv")));
        let of = |name: &str| format!("{what}_{name}");
        let head = format!("{what}: max/mean");
        columns.extend([
            figure(&head, &of("max_mean"), 1.0, short),
            law_of(of("max_mean"), 1.0, short),
            figure("min/mean", &of("min_mean"), 1.0, short),
            law_of(of("min_mean"), 1.0, short),
            figure("CV %", &of("cv"), 1.0, percent),
            law_of(of("cv"), 1.0, percent),
        ]);
    }
    let mut section = by_nodes(record, title, "", columns);
    section.groups.retain(|_| known);
    section
}

fn layout(record: &Record) -> Section {
    let columns = vec![
        figure("keys astray %", "astray", 1.0, percent),
        law_of("astray", 1.0, percent),
        figure("points that meet", "clashes", 1.0, grouped),
        law_of("clashes", 1.0, short),
        figure("arcs: KS distance", "arcs_ks", 1.0, short),
        law_of("arcs_ks", 1.0, short),
    ];
    let about = "Astray are keys that another node owns than the points or slots say. The distance is that of the lengths of arcs from their law.";
    by_nodes(
        record,
        "Keys and points where they should be",
        about,
        columns,
    )
}

fn traits(record: &Record) -> Section {
    let columns = vec![
        column("removal", |cell| cell.traits.removal.clone()),
        column("moves", |cell| cell.traits.moves.clone()),
        column("order matters", |cell| {
            depends(cell, cell.traits.order_free, "order_moved")
        }),
        column("history matters", |cell| {
            depends(cell, cell.traits.history_free, "history_moved")
        }),
        column("weights", |cell| cell.traits.weights.clone()),
        column("weight ×2: moved/least %", moved_by_weight),
        law_of("reweigh_moved", 1.0, percent),
        column("unneeded %", |cell| {
            plain(cell.metrics.get("reweigh_unneeded"), 1.0, percent)
        }),
        law_of("reweigh_unneeded", 1.0, percent),
        figure("share off %", "reweigh_share_error", 1.0, percent),
        law_of("reweigh_share_error", 1.0, percent),
    ];
    if record.settings.only.as_deref() == Some("times") {
        return by_nodes(
            record,
            "Traits, as declared",
            "",
            columns.into_iter().take(2).collect(),
        );
    }
    let about = "In brackets, keys with another owner when the same list is shuffled, or when a node is removed and added back. \
                 Share off: from 2/(N+1).";
    by_nodes(record, "Traits, checked", about, columns)
}

/// Whether owners depend on something, by declaration, and which part of the keys does.
fn depends(cell: &Cell, free: bool, metric: &str) -> String {
    let word = if free { "no" } else { "yes" };
    let metric = cell.metrics.get(metric);
    let moved = plain(metric, 1.0, percent);
    match metric.and_then(|metric| metric.agrees) {
        Some(agrees) => format!("{word} ({moved} % {})", mark(agrees)),
        None => format!("{word} ({moved} %)"),
    }
}

fn moved_by_weight(cell: &Cell) -> String {
    let moved = metric(cell.metrics.get("reweigh_moved"), 1.0, percent);
    match cell.value("reweigh_least") {
        Some(least) => format!("{moved} / {}", percent(least)),
        None => moved,
    }
}

fn resize(record: &Record) -> Section {
    let tag = Scenario::AddTwo.tag();
    let of = |name: &str| format!("{name}_{tag}");
    let columns = vec![
        figure("moved", &of("moved"), 1.0, percent),
        law_of(of("moved"), 1.0, percent),
        figure("least", &of("least"), 1.0, percent),
        column("unneeded", |cell| {
            plain(cell.metrics.get("unneeded_add_2"), 1.0, percent)
        }),
        law_of(of("unneeded"), 1.0, percent),
        figure("receivers", &of("receivers"), 1.0, grouped),
        law_of(of("receivers"), 1.0, grouped),
        figure("of these keys", &of("moved_keys"), 1.0, percent),
        law_of(of("moved_keys"), 1.0, percent),
        figure("of these requests", &of("moved_requests"), 1.0, percent),
        figure("of these bytes", &of("moved_bytes"), 1.0, percent),
    ];
    let cells = record
        .cells
        .iter()
        .filter(|cell| cell.kind == CellKind::Resize);
    let ideal = percent(2.0 / 14.0);
    Section {
        title: "From 12 to 14 nodes at once, % of keys".into(),
        about: format!("Between equal nodes the least possible is 2/14 = {ideal} %."),
        names: 2,
        groups: vec![cells.map(|cell| row(cell, &columns)).collect()],
        heads: heads(&columns),
    }
}

//! The lines above a report and the legend below it.

use super::numbers::{counted, grouped, metric, short};
use crate::machine::Machine;
use crate::record::{Cell, Ground, Keys, Record, Tool};

/// What ran, and on what machine.
pub fn origin(tool: &Tool, machine: &Machine) -> Vec<String> {
    let cpu = machine.cpu.as_deref().unwrap_or("unknown processor");
    let cores = machine
        .cores
        .map_or("an unknown number of".into(), |cores| cores.to_string());
    let caches = machine
        .caches
        .as_deref()
        .map_or(String::new(), |caches| format!(", {caches}"));
    let virtualised = if machine.virtualised == Some(true) {
        ", virtualised"
    } else {
        ""
    };
    let vectors = machine
        .vectors
        .as_deref()
        .map_or(String::new(), |vectors| format!(", {vectors}"));
    vec![
        format!(
            "{} {}, {}, profile {}, {}",
            tool.name,
            tool.version,
            tool.revision(),
            machine.profile,
            machine.rustc
        ),
        format!(
            "{cpu}, {cores} cores{caches}{virtualised}, {} {}{vectors}",
            machine.os, machine.target
        ),
    ]
}

/// What ran, on what machine, on which placements and keys.
pub fn ground(tool: &Tool, machine: &Machine, ground: &Ground) -> Vec<String> {
    let mut lines = origin(tool, machine);
    let keys = keys_in_words(&ground.keys);
    lines.extend([
        format!("{keys}, hash {}, seed {}", ground.hash, ground.seed),
        sizes_in_words(ground.points, ground.table, Some(ground.slots)),
    ]);
    lines
}

/// Sizes that placements are built with.
pub fn sizes_in_words(points: u32, table: u32, slots: Option<u32>) -> String {
    let fixed = |slots: u32| format!(", {} fixed slots", grouped(slots.into()));
    format!(
        "{} points per node on vnode rings, {} slots in a Maglev table{}",
        grouped(points.into()),
        grouped(table.into()),
        slots.map_or_else(String::new, fixed)
    )
}

/// What ran, on what machine, with which settings.
pub fn lines(record: &Record, measured: bool) -> Vec<String> {
    let settings = &record.settings;
    let keys = &settings.keys;
    let of_keys = keys_in_words(keys);
    let mut lines = origin(&record.tool, &record.machine);
    lines.extend([
        format!("{of_keys}, hash {}, seed {}", settings.hash, settings.seed),
        sizes_in_words(settings.points, settings.table, settings.slots),
    ]);
    if keys.distinct < FEW_KEYS && settings.only.as_deref() != Some("exact") {
        lines.push(format!(
            "FEW KEYS: the processor learns {} keys by heart, so lookups seem faster than they are.",
            grouped(keys.distinct as f64)
        ));
    }
    if let Some(planted) = &settings.planted {
        lines.push(format!("WRONG ON PURPOSE: {planted}."));
    }
    if settings.runs > 1 {
        lines.push(format!(
            "Merged from {} runs; each is one round of the times.",
            settings.runs
        ));
    }
    if measured && !record.overheads.is_empty() {
        let overhead = |name: &str| metric(record.overheads.get(name), 1.0, short);
        lines.push(format!(
            "Cost of measuring: clock {} ns a reading, empty loop {} ns a lookup in a batch, {} ns with one key per call, {} ns as latency; hashing a key, not part of any lookup below: {} ns",
            overhead("clock_ns"),
            overhead("loop_ns"),
            overhead("loop_single_ns"),
            overhead("loop_latency_ns"),
            overhead("hash_ns")
        ));
    }
    lines
}

/// The keys in a line.
pub fn keys_in_words(keys: &Keys) -> String {
    let mut of_keys = format!(
        "{} ({}), {} bytes each in the mean",
        counted(keys.distinct as f64, "distinct key"),
        keys.source,
        short(keys.key_bytes as f64 / keys.distinct as f64)
    );
    if let Some(requests) = keys.requests {
        of_keys += &format!(", {}", counted(requests as f64, "request"));
    }
    if let Some(bytes) = keys.object_bytes {
        of_keys += &format!(", objects of {}", counted(bytes as f64, "byte"));
    }
    of_keys
}

/// With fewer keys than this, branch predictors learn them.
const FEW_KEYS: u64 = 20_000;

/// Why rows have no figures.
pub fn failures(record: &Record) -> Vec<String> {
    let reason = |cell: &Cell| {
        let reason = cell.reason.as_deref()?;
        Some(format!("N = {}, {}: {reason}", cell.nodes, cell.algorithm))
    };
    record.cells.iter().filter_map(reason).collect()
}

/// How to read the figures.
pub fn legend(record: &Record) -> Vec<String> {
    let settings = &record.settings;
    let keys = grouped(settings.keys.distinct as f64);
    let mut legend = Vec::new();
    if let Some(clock) = record
        .overheads
        .get("clock_ns")
        .and_then(|metric| metric.value)
    {
        let rounds = match settings.runs {
            1 => format!(
                "{} rounds, interleaved over all rows in shuffled order",
                settings.rounds
            ),
            runs => format!("{runs} runs"),
        };
        legend.push(format!(
            "Times are medians over {rounds}; ± is the larger half of a 95 % interval of the median, where there are enough rounds for one."
        ));
        legend.push(format!(
            "One sample of the percentiles is {} lookups between two clock readings ({} ns a lookup go to the clock); – stands where the samples are too few. A batch hands over so many independent keys at once; one key per call makes a call for each, as a request does that has the hash of its key; for latency each key depends on the answer before. Where a branch of every lookup is mispredicted, one key per call gains little on latency.",
            settings.lookups_per_sample,
            short(clock / f64::from(settings.lookups_per_sample))
        ));
        legend.push("Every timed loop gave the verified owners.".into());
    }
    if settings.only.as_deref() != Some("times") {
        legend.extend([
            "Every row was verified on these keys, law by law, before anything was measured.".into(),
            format!(
                "Moved keys without ± are exact: computed from arcs or slots. Those of rendezvous and jump, whose scores and draws cannot be laid out, were counted on the {keys} keys; ± is half a 95 % interval for all possible keys. The least possible is half the sum of all changes of shares."
            ),
            "Unneeded: moved between two nodes that were there before and after. Receivers: nodes that get moved keys. Increase: what the worst-hit survivor's share grows by.".into(),
            "Law: what theory expects, then how far off the figure is in standard errors, as the normal quantile of the chance to be as far off; ✓ agrees, ✗ contradicts. Without a number the law leaves no room, or the figure is not off on the side that counts; without a mark nothing was judged, as the declared shares of scores and draws, whose counted keys are. Laws of rings are over names, those of counted keys over keys.".into(),
            format!(
                "CV is the coefficient of variation over nodes. For a ring of N nodes with k points each it is √((N−1)/(kN+1)), as the root mean square over rings, and this is one ring; at N = 10 one ring in thirty has a CV that is off by half. {keys} keys alone give √((N−1)/keys); the CV of keys is held against their exact shares by chi-square."
            ),
        ]);
    }
    legend
}

//! Cells and the record around them, in words and numbers.

use algorithms::algorithm::Spread;

use super::{Entry, Job, Plan, Plant, Scope};
use crate::machine::Machine;
use crate::measure::{Metrics, lookup};
use crate::record::{
    Cell, CellKind, Keys, Record, RunSettings, SCHEMA_VERSION, Status, Tool, judge, now_unix_s,
    units,
};
use crate::workload::Workload;

/// The cell of an algorithm at a number of nodes, without figures.
pub(crate) fn describe(workload: &Workload, job: &Job<'_>) -> Cell {
    let Job {
        kind,
        algorithm,
        nodes,
        settings,
    } = job;
    let (what, size) = match kind {
        CellKind::Placement => ("placement", nodes.to_string()),
        CellKind::Callgrind => ("callgrind", nodes.to_string()),
        CellKind::Peer => ("peer", nodes.to_string()),
        CellKind::Resize => ("resize", format!("{nodes}..{}", nodes + 2)),
    };
    let own = match algorithm.traits.spread {
        Spread::Points(None) => format!("/points={}", settings.points),
        Spread::Slots(table) => format!("/{}={}", table.setting(), table.slots(settings)),
        Spread::Points(Some(_)) | Spread::Even => String::new(),
    };
    let (name, hash, keys) = (algorithm.name, settings.hash.name(), &workload.source);
    Cell {
        id: format!("{what}/{name}/nodes={size}{own}/hash={hash}/keys={keys}"),
        kind: *kind,
        algorithm: name.into(),
        algorithm_version: algorithm.version,
        nodes: *nodes,
        status: Status::Ok,
        reason: None,
        traits: algorithm.traits.into(),
        verified: None,
        metrics: Metrics::new(),
    }
}

pub(super) fn finish(
    plan: &Plan<'_>,
    workload: &Workload,
    overheads: Metrics,
    entries: Vec<Entry<'_>>,
) -> Record {
    let cells = entries.into_iter().map(|entry| entry.cell).collect();
    record(plan, workload, overheads, cells)
}

/// The record of these cells.
pub(crate) fn record(
    plan: &Plan<'_>,
    workload: &Workload,
    overheads: Metrics,
    mut cells: Vec<Cell>,
) -> Record {
    judge(&mut cells);
    let mut units = units();
    units.retain(|name, _| {
        let in_cells = cells.iter().any(|cell| cell.metrics.contains_key(name));
        in_cells || overheads.contains_key(name)
    });
    Record {
        schema_version: SCHEMA_VERSION,
        tool: Tool::this(),
        created_unix_s: now_unix_s(),
        machine: Machine::detect(),
        settings: RunSettings {
            algorithms: plan
                .algorithms
                .iter()
                .map(|algorithm| algorithm.name.into())
                .collect(),
            nodes: plan.nodes.clone(),
            points: plan.settings.points,
            table: plan.settings.table,
            slots: Some(plan.settings.slots),
            hash: plan.settings.hash.name().into(),
            seed: plan.seed,
            quick: plan.quick,
            only: match plan.scope {
                Scope::Everything => None,
                Scope::Exact => Some("exact".into()),
                Scope::Times => Some("times".into()),
            },
            rounds: plan.rounds,
            runs: 1,
            planted: plan.plant.as_ref().map(Plant::words),
            lookups_per_sample: lookup::PER_SAMPLE as u32,
            keys: keys(workload),
        },
        overheads,
        units,
        cells,
    }
}

/// The keys in numbers.
pub(crate) fn keys(workload: &Workload) -> Keys {
    let sum = |weights: &Option<Vec<u64>>| weights.as_ref().map(|weights| weights.iter().sum());
    Keys {
        source: workload.source.clone(),
        distinct: workload.len() as u64,
        key_bytes: workload.key_bytes() as u64,
        requests: sum(&workload.requests),
        object_bytes: sum(&workload.sizes),
    }
}

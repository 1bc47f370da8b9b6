//! From settings to a record: build, verify, time in interleaved rounds, then measure the rest.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use algorithms::algorithm::{Moves, Removal, Spread, Weights};
use algorithms::{Algorithm, Settings};

use crate::machine::Machine;
use crate::measure::lookup::{self, EmptyLoop, Mode, Series, Track};
use crate::measure::movement::{self, Scenario};
use crate::measure::{Candidate, Metrics, churn, dependence, memory, nodes, spread};
use crate::progress::Progress;
use crate::record::{
    Cell, CellKind, Keys, Metric, Record, RunSettings, SCHEMA_VERSION, Status, Tool, Traits,
    Verified, units,
};
use crate::verify::verify;
use crate::workload::{Random, Workload};

/// The change that people ask about: from 12 nodes to 14.
const RESIZE_FROM: u32 = 12;

/// What is to be measured.
#[derive(Clone, Debug)]
pub struct Plan<'a> {
    /// The algorithms, in the order of the tables.
    pub algorithms: Vec<&'a Algorithm>,
    /// Node counts.
    pub nodes: Vec<u32>,
    /// What placements are built with.
    pub settings: Settings,
    /// Seed of everything random.
    pub seed: u64,
    /// Whether the short preset was chosen.
    pub quick: bool,
    /// Rounds of timing.
    pub rounds: u32,
    /// Time for one round of one loop.
    pub round: Duration,
}

impl<'a> Plan<'a> {
    /// Every cell: what it is about, its algorithm and its node count.
    fn cells(&self) -> impl Iterator<Item = (CellKind, &'a Algorithm, u32)> {
        let sizes = self.nodes.iter().map(|&nodes| (CellKind::Placement, nodes));
        let sizes = sizes.chain([(CellKind::Resize, RESIZE_FROM)]);
        sizes.flat_map(|(kind, nodes)| {
            self.algorithms
                .iter()
                .map(move |&algorithm| (kind, algorithm, nodes))
        })
    }
}

/// A cell and, while it holds, what is measured for it.
struct Entry<'a> {
    cell: Cell,
    candidate: Option<Candidate<'a>>,
}

impl Entry<'_> {
    fn fail(&mut self, reason: String) {
        self.cell.status = Status::Failed;
        self.cell.reason = Some(reason);
        self.cell.metrics = Metrics::new();
        self.candidate = None;
    }
}

/// Verifies every cell and measures nothing.
pub fn verify_only(plan: &Plan<'_>, workload: &Workload, progress: &Progress) -> Record {
    let cells = plan.cells().filter(|cell| cell.0 == CellKind::Placement);
    let entries = build(plan, cells.collect(), workload, progress);
    finish(plan, workload, Metrics::new(), entries)
}

/// Verifies and measures every cell.
pub fn report(plan: &Plan<'_>, workload: &Workload, progress: &Progress) -> Record {
    let mut entries = build(plan, plan.cells().collect(), workload, progress);
    let overheads = time(plan, workload, &mut entries, progress);
    for entry in &mut entries {
        progress.now(format!("measuring {}", label(&entry.cell)));
        if let Some(candidate) = &entry.candidate
            && let Err(reason) = measure(plan, workload, candidate, &mut entry.cell)
        {
            entry.fail(reason);
        }
        progress.done(MEASURE_PASSES * weight(&entry.cell, workload));
    }
    finish(plan, workload, overheads, entries)
}

/// Passes over all keys that verifying and that measuring a cell takes: the scale of the progress.
const VERIFY_PASSES: u64 = 2;
const MEASURE_PASSES: u64 = 6;

/// Progress of one round of timing.
const ROUND_WORK: u64 = 30_000;

/// Progress of one pass of a cell over the workload.
fn weight(cell: &Cell, workload: &Workload) -> u64 {
    let linear = cell.algorithm.contains("rendezvous");
    let per_key = 20 + if linear { u64::from(cell.nodes) * 2 } else { 0 };
    // The laws take a sample of the keys, whatever their number.
    500 + per_key * workload.len() as u64 / 10_000
}

/// A cell as the progress names it.
fn label(cell: &Cell) -> String {
    format!("{} at {} nodes", cell.algorithm, cell.nodes)
}

fn build<'a>(
    plan: &Plan<'a>,
    cells: Vec<(CellKind, &'a Algorithm, u32)>,
    workload: &Workload,
    progress: &Progress,
) -> Vec<Entry<'a>> {
    let entry = |(kind, algorithm, count)| Entry {
        cell: describe(plan, workload, kind, algorithm, count),
        candidate: None,
    };
    let algorithms: Vec<&Algorithm> = cells.iter().map(|cell| cell.1).collect();
    let mut entries: Vec<Entry<'a>> = cells.into_iter().map(entry).collect();
    let work: u64 = entries
        .iter()
        .map(|entry| weight(&entry.cell, workload))
        .sum();
    progress.total(work * (VERIFY_PASSES + MEASURE_PASSES) + u64::from(plan.rounds) * ROUND_WORK);
    for (entry, algorithm) in entries.iter_mut().zip(algorithms) {
        progress.now(format!("verifying {}", label(&entry.cell)));
        match candidate(plan, algorithm, entry.cell.nodes, workload) {
            Ok(candidate) => {
                entry.cell.verified = Some(Verified {
                    checksum: format!("{:016x}", candidate.verified.checksum),
                    keys: workload.len() as u64,
                    laws: candidate.verified.laws as u32,
                });
                entry.candidate = Some(candidate);
            }
            Err(reason) => entry.fail(reason),
        }
        progress.done(VERIFY_PASSES * weight(&entry.cell, workload));
    }
    entries
}

fn candidate<'a>(
    plan: &Plan<'a>,
    algorithm: &'a Algorithm,
    count: u32,
    workload: &Workload,
) -> Result<Candidate<'a>, String> {
    let nodes = nodes(plan.seed, count);
    let placement = algorithm
        .build(&plan.settings, nodes.clone())
        .map_err(|error| error.to_string())?;
    let verified = verify(algorithm, &plan.settings, &nodes, &*placement, workload)?;
    Ok(Candidate {
        algorithm,
        settings: plan.settings,
        nodes,
        seed: plan.seed,
        placement,
        verified,
    })
}

fn describe(
    plan: &Plan<'_>,
    workload: &Workload,
    kind: CellKind,
    algorithm: &Algorithm,
    nodes: u32,
) -> Cell {
    let settings = &plan.settings;
    let (what, size) = match kind {
        CellKind::Placement => ("placement", nodes.to_string()),
        CellKind::Resize => ("resize", format!("{nodes}..{}", nodes + 2)),
    };
    let own = match algorithm.traits.spread {
        Spread::Points(None) => format!("/points={}", settings.points),
        Spread::Slots => format!("/table={}", settings.table),
        Spread::Points(Some(_)) | Spread::Even => String::new(),
    };
    let (name, hash, keys) = (algorithm.name, settings.hash.name(), &workload.source);
    Cell {
        id: format!("{what}/{name}/nodes={size}{own}/hash={hash}/keys={keys}"),
        kind,
        algorithm: name.into(),
        algorithm_version: algorithm.version,
        nodes,
        status: Status::Ok,
        reason: None,
        traits: traits(algorithm),
        verified: None,
        metrics: Metrics::new(),
    }
}

fn traits(algorithm: &Algorithm) -> Traits {
    let traits = algorithm.traits;
    Traits {
        order_free: traits.order_free,
        history_free: traits.history_free,
        removal: match traits.removal {
            Removal::Any => "any",
            Removal::Newest => "newest",
        }
        .into(),
        weights: match traits.weights {
            Weights::None => "none",
            Weights::Exact => "exact",
            Weights::Rounded => "rounded",
        }
        .into(),
        moves: match traits.moves {
            Moves::Least => "least",
            Moves::Approximate { .. } => "approximate",
            Moves::Unbounded => "unbounded",
        }
        .into(),
    }
}

/// What is timed of one cell.
struct Clocked {
    entry: usize,
    lookup: Series,
    latency: Series,
    churn: churn::Churn,
}

impl Clocked {
    fn new(entry: usize, candidate: &Candidate<'_>, track: &Track) -> Result<Self, String> {
        let placement = &*candidate.placement;
        let owners = &candidate.verified.owners;
        Ok(Self {
            entry,
            lookup: Series::new(Mode::Throughput, placement, track, owners)?,
            latency: Series::new(Mode::Latency, placement, track, owners)?,
            churn: churn::Churn::new(candidate).map_err(|error| error.to_string())?,
        })
    }

    fn round(&mut self, candidate: &Candidate<'_>, track: &Track) -> Result<(), String> {
        let placement = &*candidate.placement;
        let owners = &candidate.verified.owners;
        self.lookup.round(placement, track, owners)?;
        self.latency.round(placement, track, owners)?;
        self.churn
            .round(candidate)
            .map_err(|error| error.to_string())
    }
}

/// Times all cells that hold, in rounds over all of them in shuffled order, and the overheads with
/// them.
fn time(
    plan: &Plan<'_>,
    workload: &Workload,
    entries: &mut [Entry<'_>],
    progress: &Progress,
) -> Metrics {
    let track = Track::new(&workload.hashes, plan.round);
    let mut overheads = Overheads::new(workload, &track);
    let mut clocked: Vec<Clocked> = Vec::new();
    for (index, entry) in entries.iter_mut().enumerate() {
        let Some(candidate) = &entry.candidate else {
            continue;
        };
        if entry.cell.kind == CellKind::Placement {
            match Clocked::new(index, candidate, &track) {
                Ok(ready) => clocked.push(ready),
                Err(reason) => entry.fail(reason),
            }
        }
    }
    let mut random = Random::new(plan.seed, 3);
    for round in 0..plan.rounds {
        progress.now(format!("timing, round {} of {}", round + 1, plan.rounds));
        overheads.round(workload, &track);
        random.shuffle(&mut clocked);
        clocked.retain_mut(|timed| {
            let entry = &mut entries[timed.entry];
            let Some(candidate) = &entry.candidate else {
                return false;
            };
            let result = timed.round(candidate, &track);
            result.map_err(|reason| entry.fail(reason)).is_ok()
        });
        progress.done(ROUND_WORK);
    }
    let overheads = overheads.metrics();
    let floor = overheads.get("loop_ns").and_then(|metric| metric.value);
    for timed in clocked {
        let entry = &mut entries[timed.entry];
        let lookup = timed.lookup.median().value;
        if let (Some(floor), Some(lookup)) = (floor, lookup)
            && lookup < floor
        {
            entry.fail(format!(
                "a lookup took {lookup} ns, less than the empty loop's {floor} ns"
            ));
            continue;
        }
        let metrics = [
            timed.lookup.metrics(),
            timed.latency.metrics(),
            timed.churn.metrics(),
        ];
        entry.cell.metrics.extend(metrics.into_iter().flatten());
    }
    overheads
}

/// What measuring itself costs.
struct Overheads {
    placement: EmptyLoop,
    owners: Vec<Option<algorithms::NodeId>>,
    loops: Option<[Series; 2]>,
    hash: Vec<f64>,
}

impl Overheads {
    fn new(workload: &Workload, track: &Track) -> Self {
        let placement = EmptyLoop::default();
        let owners = crate::verify::place_all(&placement, &workload.hashes);
        let series = |mode| Series::new(mode, &placement, track, &owners);
        let loops = series(Mode::Throughput)
            .and_then(|a| Ok([a, series(Mode::Latency)?]))
            .ok();
        Self {
            placement,
            owners,
            loops,
            hash: Vec::new(),
        }
    }

    fn round(&mut self, workload: &Workload, track: &Track) {
        for series in self.loops.iter_mut().flatten() {
            // The loop places by a mask: it cannot give other owners.
            let _ = series.round(&self.placement, track, &self.owners);
        }
        self.hash.push(lookup::hash_ns(workload));
    }

    fn metrics(&self) -> Metrics {
        let loops = self.loops.iter().flatten().map(Series::median);
        let names = ["loop_ns", "loop_latency_ns"].map(String::from);
        let mut metrics: Metrics = names.into_iter().zip(loops).collect();
        metrics.insert("clock_ns".into(), lookup::clock_ns());
        metrics.insert("hash_ns".into(), Metric::median(&self.hash));
        metrics
    }
}

/// Everything that is not timed.
fn measure(
    plan: &Plan<'_>,
    workload: &Workload,
    candidate: &Candidate<'_>,
    cell: &mut Cell,
) -> Result<(), String> {
    if cell.kind == CellKind::Resize {
        cell.metrics = movement::measure(candidate, workload, Scenario::AddTwo, plan.seed);
        return contradiction(cell).map_or(Ok(()), Err);
    }
    let in_words = |error: algorithms::PlacementError| error.to_string();
    cell.metrics
        .extend(memory::measure(candidate, &workload.hashes).map_err(in_words)?);
    cell.metrics
        .extend(churn::entries(candidate).map_err(in_words)?);
    cell.metrics.extend(spread::measure(candidate, workload));
    cell.metrics
        .extend(dependence::measure(candidate, workload, plan.seed).map_err(in_words)?);
    for scenario in Scenario::ALL {
        cell.metrics
            .extend(movement::measure(candidate, workload, scenario, plan.seed));
    }
    contradiction(cell).map_or(Ok(()), Err)
}

/// A declared trait that a figure refutes.
fn contradiction(cell: &Cell) -> Option<String> {
    let refuted =
        |declared: bool, metric: &str| declared && cell.value(metric).is_some_and(|v| v > 0.0);
    let traits = &cell.traits;
    let least = traits.moves == "least";
    let unneeded = Scenario::ALL.map(|scenario| format!("unneeded_{}", scenario.tag()));
    let mut claims = vec![
        (traits.order_free, "order_moved".to_owned()),
        (traits.history_free, "history_moved".to_owned()),
        (least, "reweigh_unneeded".to_owned()),
    ];
    claims.extend(unneeded.map(|metric| (least, metric)));
    let (_, metric) = claims
        .into_iter()
        .find(|(declared, metric)| refuted(*declared, metric))?;
    let value = cell.value(&metric)?;
    Some(format!(
        "{metric} is {value}, which the declared traits rule out"
    ))
}

fn finish(
    plan: &Plan<'_>,
    workload: &Workload,
    overheads: Metrics,
    entries: Vec<Entry<'_>>,
) -> Record {
    let cells: Vec<Cell> = entries.into_iter().map(|entry| entry.cell).collect();
    let mut units = units();
    units.retain(|name, _| {
        let in_cells = cells.iter().any(|cell| cell.metrics.contains_key(name));
        in_cells || overheads.contains_key(name)
    });
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default()
        .as_secs();
    let sum = |weights: &Option<Vec<u64>>| weights.as_ref().map(|weights| weights.iter().sum());
    let text = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Record {
        schema_version: SCHEMA_VERSION,
        tool: Tool {
            name: "harness".into(),
            version: env!("CARGO_PKG_VERSION").into(),
            commit: text(env!("HARNESS_COMMIT")),
            dirty: env!("HARNESS_CHANGES").parse().ok(),
        },
        created_unix_s: seconds,
        machine: Machine::detect(),
        settings: RunSettings {
            nodes: plan.nodes.clone(),
            points: plan.settings.points,
            table: plan.settings.table,
            hash: plan.settings.hash.name().into(),
            seed: plan.seed,
            quick: plan.quick,
            rounds: plan.rounds,
            lookups_per_sample: lookup::PER_SAMPLE as u32,
            keys: Keys {
                source: workload.source.clone(),
                distinct: workload.len() as u64,
                key_bytes: workload.key_bytes() as u64,
                requests: sum(&workload.requests),
                object_bytes: sum(&workload.sizes),
            },
        },
        overheads,
        units,
        cells,
    }
}

//! A run: every row at every number of nodes, in rounds over all of them in shuffled order.

use std::collections::BTreeMap;

use harness::machine::Machine;
use harness::progress::Progress;
use harness::record::{Record, RunSettings, SCHEMA_VERSION, Tool, now_unix_s, units};
use harness::workload::Random;

use crate::case::POINTS;
use crate::cell::{Bench, Measured};
use crate::floor;
use crate::hash::Hash;
use crate::keys::Keys;
use crate::ours::{self, BATCH};
use crate::peers;
use crate::row::{Family, Row, Whose};

/// What is asked.
#[derive(Clone, Debug)]
pub struct Ask {
    /// Names of the crates; all when there are none.
    pub peers: Vec<String>,
    /// Node counts.
    pub nodes: Vec<u32>,
    /// Rounds of timing.
    pub rounds: u32,
    /// Seed of everything random.
    pub seed: u64,
    /// Whether the short preset was chosen.
    pub quick: bool,
}

/// All cells, and the record that they make.
pub struct Survey {
    /// The cells with what tables need to know.
    pub cells: Vec<Measured>,
    /// What is kept.
    pub record: Record,
}

/// Measures everything that is asked.
pub fn survey(ask: &Ask, progress: &Progress) -> Survey {
    let keys = Keys::new(ask.seed, ask.quick);
    let rows = rows(&ask.peers);
    let opening = (rows.len() * ask.nodes.len()) as u64;
    progress.total(opening * u64::from(1 + ask.rounds));
    let mut benches = Vec::new();
    for &nodes in &ask.nodes {
        for row in &rows {
            progress.now(format!("building {} at {nodes} nodes", row.title()));
            benches.push(Bench::open(row, nodes, &keys));
            progress.done(1);
        }
    }
    benches.extend(floors(&benches, &keys));
    let mut random = Random::new(ask.seed, 3);
    let mut order: Vec<usize> = (0..benches.len()).collect();
    for round in 0..ask.rounds {
        progress.now(format!("timing, round {} of {}", round + 1, ask.rounds));
        random.shuffle(&mut order);
        order.iter().for_each(|&at| benches[at].round(&keys));
        progress.done(opening);
    }
    let cells: Vec<Measured> = benches.into_iter().map(Bench::finish).collect();
    let record = record(ask, &keys, &cells);
    Survey { cells, record }
}

/// The rows of these crates, or of all, and ours of the same families.
fn rows(wanted: &[String]) -> Vec<Row> {
    let peers = peers::rows().into_iter();
    let all = wanted.is_empty();
    let peers: Vec<Row> = peers
        .filter(|row| all || wanted.iter().any(|name| name == row.name))
        .collect();
    let families: Vec<Family> = peers.iter().map(|row| row.family).collect();
    let ours = ours::rows().into_iter();
    ours.filter(|row| all || families.contains(&row.family))
        .chain(peers)
        .collect()
}

/// Under each family, hash and size of ours the floor of the smallest table.
fn floors(benches: &[Bench], keys: &Keys) -> Vec<Bench> {
    let mut least: Vec<(Family, Hash, u32, usize)> = Vec::new();
    for bench in benches
        .iter()
        .filter(|bench| bench.measured().whose == Whose::Ours)
    {
        let Some(bytes) = bench.table_bytes() else {
            continue;
        };
        let (family, hash) = (bench.measured().family, bench.measured().hash);
        let nodes = bench.case().nodes;
        let same = |floor: &&mut (Family, Hash, u32, usize)| {
            (floor.0, floor.1, floor.2) == (family, hash, nodes)
        };
        match least.iter_mut().find(same) {
            Some(floor) => floor.3 = floor.3.min(bytes),
            None => least.push((family, hash, nodes, bytes)),
        }
    }
    let open =
        |(family, hash, nodes, bytes)| Bench::open(&floor::row(family, hash, bytes), nodes, keys);
    least.into_iter().map(open).collect()
}

fn record(ask: &Ask, keys: &Keys, cells: &[Measured]) -> Record {
    let cells: Vec<_> = cells.iter().map(|measured| measured.cell.clone()).collect();
    let mut units = units();
    units.retain(|name, _| cells.iter().any(|cell| cell.metrics.contains_key(name)));
    let mut algorithms: Vec<String> = Vec::new();
    for cell in &cells {
        if !algorithms.contains(&cell.algorithm) {
            algorithms.push(cell.algorithm.clone());
        }
    }
    let settings = algorithms::Settings::default();
    Record {
        schema_version: SCHEMA_VERSION,
        tool: Tool {
            name: env!("CARGO_PKG_NAME").into(),
            ..Tool::this()
        },
        created_unix_s: now_unix_s(),
        machine: Machine::detect(),
        settings: RunSettings {
            algorithms,
            nodes: ask.nodes.clone(),
            points: POINTS,
            table: settings.table,
            slots: Some(settings.slots),
            hash: "mix64 and xxh3".into(),
            seed: ask.seed,
            quick: ask.quick,
            only: None,
            rounds: ask.rounds,
            runs: 1,
            planted: None,
            lookups_per_sample: BATCH as u32,
            keys: keys.record(),
        },
        overheads: BTreeMap::new(),
        units,
        cells,
    }
}

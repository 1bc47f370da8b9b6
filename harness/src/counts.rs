//! Instructions and memory accesses, as the benchmark `callgrind` counts them: what is counted, and
//! how its runner's output becomes a record.
//!
//! The runner prints one JSON object per benchmark, each on a line of its own.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use algorithms::{Algorithm, Settings, registry};
use serde_json::Value;

use crate::error::Error;
use crate::input;
use crate::measure::Metrics;
use crate::record::{Cell, CellKind, Metric, Record};
use crate::run::{Job, Plan, Scope, describe, record};
use crate::workload::random;

/// Numbers of nodes.
pub const NODES: [u32; 3] = [10, 100, 1000];
/// Lookups of random distinct keys that are counted together.
pub const LOOKUPS: usize = 4096;
/// Seed of the keys and of the nodes' names.
pub const SEED: u64 = 42;

/// What is done once while the counters run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// [`LOOKUPS`] lookups in one batch.
    Lookup,
    /// Building from the list of nodes.
    Build,
    /// Adding one node.
    Add,
    /// Removing the newest node.
    Remove,
}

impl Operation {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Lookup, Self::Build, Self::Add, Self::Remove];

    /// Its name, in benchmarks and in metrics.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lookup => "lookup",
            Self::Build => "build",
            Self::Add => "add",
            Self::Remove => "remove",
        }
    }

    /// One of what is counted, in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Lookup => "of one lookup, key hash given",
            Self::Build => "of building from the list of nodes",
            Self::Add => "of adding one node",
            Self::Remove => "of removing the newest node",
        }
    }

    /// The operation of this name.
    pub fn find(name: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|operation| operation.name() == name)
    }

    /// How many of it are counted together.
    fn times(self) -> usize {
        match self {
            Self::Lookup => LOOKUPS,
            Self::Build | Self::Add | Self::Remove => 1,
        }
    }
}

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// Instructions.
    Instructions,
    /// Data reads.
    Reads,
    /// Data writes.
    Writes,
}

impl Count {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Instructions, Self::Reads, Self::Writes];

    /// Start of its metrics' names.
    pub fn name(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Reads => "reads",
            Self::Writes => "writes",
        }
    }

    /// It in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Reads => "data reads",
            Self::Writes => "data writes",
        }
    }

    /// Callgrind's name of it.
    fn event(self) -> &'static str {
        match self {
            Self::Instructions => "Ir",
            Self::Reads => "Dr",
            Self::Writes => "Dw",
        }
    }
}

/// The benchmark's id of an algorithm at a number of nodes: the runner takes letters, digits and
/// underscores only.
pub fn id(algorithm: &str, nodes: u32) -> String {
    format!("{}_{nodes}", algorithm.replace('-', "_"))
}

/// A record of what the benchmark printed into a file, or to standard input for `-`.
///
/// # Errors
/// When the file cannot be read, or a line of it is not the counts of an operation of a registered
/// algorithm.
pub fn read(path: &Path) -> Result<Record, Error> {
    parse(path, &input::bytes(path)?)
}

fn parse(path: &Path, text: &[u8]) -> Result<Record, Error> {
    let mut cells: BTreeMap<(u32, usize), Metrics> = BTreeMap::new();
    for (index, line) in text.split(|&byte| byte == b'\n').enumerate() {
        if line.trim_ascii().is_empty() {
            continue;
        }
        add(&mut cells, line).map_err(|problem| Error::Counts {
            path: path.into(),
            line: index + 1,
            problem,
        })?;
    }
    if cells.is_empty() {
        return Err(Error::Counts {
            path: path.into(),
            line: 1,
            problem: "there are no counts; ci/callgrind.sh makes them".into(),
        });
    }
    Ok(into_record(cells))
}

/// Puts one benchmark's counts into its cell.
fn add(cells: &mut BTreeMap<(u32, usize), Metrics>, line: &[u8]) -> Result<(), String> {
    let benchmark: Value = serde_json::from_slice(line).map_err(|error| {
        format!("not JSON: {error}; the benchmark prints it with --output-format=json")
    })?;
    let text = |field: &str| {
        let text = benchmark.get(field).and_then(Value::as_str);
        text.ok_or_else(|| format!("no text in the field {field}"))
    };
    let (name, id) = (text("function_name")?, text("id")?);
    let operation = Operation::find(name).ok_or_else(|| {
        let known = Operation::ALL.map(Operation::name).join(", ");
        format!("function_name is {name:?}, not one of {known}")
    })?;
    let cell = cell(id).ok_or_else(|| {
        format!("id is {id:?}, not a registered algorithm and a number of nodes, such as jump_10")
    })?;
    let metrics = cells.entry(cell).or_default();
    for count in Count::ALL {
        let total = total(&benchmark, count)? as f64 / operation.times() as f64;
        let metric = format!("{}_{name}", count.name());
        if metrics.insert(metric, Metric::of(total)).is_some() {
            return Err(format!("{name} of {id} comes a second time"));
        }
    }
    Ok(())
}

/// The inverse of [`id`]: number of nodes and position in the registry.
fn cell(id: &str) -> Option<(u32, usize)> {
    let nodes = id.rsplit_once('_')?.1.parse().ok()?;
    let named = |algorithm: &Algorithm| self::id(algorithm.name, nodes) == id;
    Some((nodes, registry::ALL.iter().position(named)?))
}

/// What was counted in this run.
fn total(benchmark: &Value, count: Count) -> Result<u64, String> {
    let event = count.event();
    let field = format!("/profiles/0/summaries/total/summary/Callgrind/{event}/metrics");
    // The runner remembers the run before, if there was one.
    let this_run = ["/Left/Int", "/Both/0/Int"].map(|run| field.clone() + run);
    let found = this_run.iter().find_map(|field| benchmark.pointer(field));
    match found.and_then(Value::as_u64) {
        Some(0) if count == Count::Instructions => {
            Err("no instruction was counted: Callgrind did not find the function to count".into())
        }
        Some(total) => Ok(total),
        None => Err(format!(
            "no whole number in {field}; counts come from iai-callgrind 0.16"
        )),
    }
}

fn into_record(cells: BTreeMap<(u32, usize), Metrics>) -> Record {
    let settings = Settings::default();
    let workload = random(LOOKUPS, SEED, settings.hash);
    let mut nodes: Vec<u32> = cells.keys().map(|cell| cell.0).collect();
    nodes.dedup();
    let plan = Plan {
        algorithms: registry::ALL.iter().collect(),
        nodes,
        settings,
        seed: SEED,
        quick: false,
        rounds: 0,
        round: Duration::ZERO,
        scope: Scope::Exact,
        plant: None,
    };
    let cell = |((nodes, position), metrics): ((u32, usize), Metrics)| Cell {
        metrics,
        ..describe(
            &workload,
            &Job {
                kind: CellKind::Callgrind,
                algorithm: &registry::ALL[position],
                nodes,
                settings,
            },
        )
    };
    let cells = cells.into_iter().map(cell).collect();
    record(&plan, &workload, Metrics::new(), cells)
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = include_str!("../tests/data/callgrind.jsonl");

    fn of(text: &str) -> Result<Record, Error> {
        parse(Path::new("counts.jsonl"), text.as_bytes())
    }

    #[test]
    fn every_cell_has_its_own_id_that_leads_back_to_it() {
        for (position, algorithm) in registry::ALL.iter().enumerate() {
            assert_eq!(cell(&id(algorithm.name, 1000)), Some((1000, position)));
        }
    }

    #[test]
    fn lines_of_the_runner_become_cells_in_the_order_of_tables_with_a_unit_for_every_metric() {
        let record = of(LINES).unwrap();
        let ids: Vec<&str> = record.cells.iter().map(|cell| &*cell.id).collect();
        assert_eq!(
            ids,
            [
                "callgrind/weighted-rendezvous/nodes=10/hash=xxh3/keys=random-4096-seed-42",
                "callgrind/maglev/nodes=1000/table=65537/hash=xxh3/keys=random-4096-seed-42",
            ]
        );
        let maglev = &record.cells[1];
        // The second of its lines knows of a run before it.
        assert_eq!(maglev.value("instructions_lookup"), Some(45097.0 / 4096.0));
        assert_eq!(maglev.value("reads_add"), Some(1_489_270.0));
        assert_eq!(record.settings.nodes, [10, 1000]);
        for metric in record.cells.iter().flat_map(|cell| cell.metrics.keys()) {
            assert_eq!(record.units[metric].unit, "count", "{metric}");
        }
    }

    #[test]
    fn a_bad_line_is_named_with_what_is_wrong_in_it() {
        let line = LINES.lines().next().unwrap();
        let instructions = line.split("\"Ir\"").nth(1).unwrap();
        let of_line = |from: &str, to: &str| {
            assert!(line.contains(from), "{from}");
            line.replace(from, to)
        };
        let none = instructions.split_once("\"Int\":").unwrap().1;
        let none = format!("\"Int\":{}", none.split_once('}').unwrap().0);
        for (text, said) in [
            (
                String::new(),
                "counts.jsonl:1: there are no counts; ci/callgrind.sh makes them",
            ),
            (
                "\n{".into(),
                "counts.jsonl:2: not JSON: EOF while parsing an object",
            ),
            (
                "{}".into(),
                "counts.jsonl:1: no text in the field function_name",
            ),
            (
                of_line("\"function_name\":\"lookup\"", "\"function_name\":\"hash\""),
                "function_name is \"hash\", not one of lookup, build, add, remove",
            ),
            (
                of_line("\"id\":\"weighted_rendezvous_10\"", "\"id\":\"rendezvous\""),
                "id is \"rendezvous\", not a registered algorithm and a number of nodes",
            ),
            (
                of_line("\"Callgrind\":", "\"Dhat\":"),
                "no whole number in /profiles/0/summaries/total/summary/Callgrind/Ir/metrics",
            ),
            (of_line(&none, "\"Int\":0"), "no instruction was counted"),
            (
                format!("{line}\n{line}\n"),
                "counts.jsonl:2: lookup of weighted_rendezvous_10 comes a second time",
            ),
        ] {
            let error = of(&text).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}

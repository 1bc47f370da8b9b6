//! One row at one number of nodes: built, checked, and timed round by round.

use std::any::Any;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use algorithms::{NodeId, registry};
use harness::record::{Cell, CellKind, Metric, Status, Verified};
use harness::verify::checksum;

use crate::case::{Case, NOBODY};
use crate::clock;
use crate::keys::Keys;
use crate::row::{Family, Row, Whose};
use crate::subject::{Loop, Subject};

/// After so long, a cell is not built again in further rounds.
const BUILDING_NS: f64 = 2e9;

/// So many keys for each node, and each has one, if the shares are anything like the weights.
const KEYS_PER_NODE: usize = 50;

/// The loops with the names of their metrics.
const LOOPS: [(Loop, &str); 3] = [
    (Loop::OneKey, ONE_KEY),
    (Loop::Batch, BATCH),
    (Loop::Latency, LATENCY),
];

/// What a reason begins with where a row was not asked to take so many nodes.
pub const NOT_RUN: &str = "not run";

/// One call for each of independent keys.
pub const ONE_KEY: &str = "keyed_lookup_ns";
/// One call for many keys.
pub const BATCH: &str = "keyed_batch_ns";
/// Each key depends on the answer before.
pub const LATENCY: &str = "keyed_latency_ns";

/// A cell of the record with what its table needs to know.
pub struct Measured {
    /// Whose row it is.
    pub whose: Whose,
    /// What it implements.
    pub family: Family,
    /// The name of the implementation.
    pub title: String,
    /// The hash of its keys.
    pub hash: crate::hash::Hash,
    /// What was found.
    pub cell: Cell,
}

/// A cell while it is measured.
pub struct Bench {
    measured: Measured,
    case: Case,
    live: Option<Live>,
}

struct Live {
    subject: Box<dyn Subject>,
    /// Keys of one sweep.
    keys: usize,
    /// What a sweep adds up to.
    sum: u64,
    building_ns: f64,
    samples: BTreeMap<&'static str, Vec<f64>>,
}

impl Bench {
    /// Builds and checks a row at so many nodes.
    pub fn open(row: &Row, nodes: u32, keys: &Keys) -> Self {
        let case = row.family.case(nodes);
        let mut bench = Self {
            measured: Measured {
                whose: row.whose,
                family: row.family,
                title: row.title(),
                hash: row.hash,
                cell: describe(row, &case, keys),
            },
            case,
            live: None,
        };
        match opened(row, &case, keys, &mut bench.measured.cell) {
            Ok(live) => bench.live = Some(live),
            Err(reason) => bench.fail(reason),
        }
        bench
    }

    /// What is measured.
    pub fn measured(&self) -> &Measured {
        &self.measured
    }

    /// The number of nodes.
    pub fn case(&self) -> &Case {
        &self.case
    }

    /// Bytes of the table that lookups read, where that is known.
    pub fn table_bytes(&self) -> Option<usize> {
        self.live.as_ref()?.subject.table_bytes()
    }

    /// Times one round of everything.
    pub fn round(&mut self, keys: &Keys) {
        if let Some(live) = &mut self.live
            && let Err(reason) = caught(|| live.round(keys))
        {
            self.fail(reason);
        }
    }

    /// With all figures.
    pub fn finish(mut self) -> Measured {
        let metrics = &mut self.measured.cell.metrics;
        for (name, samples) in self.live.into_iter().flat_map(|live| live.samples) {
            metrics.insert(name.into(), Metric::median(&samples));
        }
        let none = [
            (BATCH, "it has no call for many keys"),
            ("add_ns", "it cannot add a node: it is built anew"),
            ("remove_ns", "it cannot remove a node: it is built anew"),
        ];
        let timed = self.measured.cell.status == Status::Ok && self.measured.whose != Whose::Floor;
        for (name, reason) in none.into_iter().filter(|_| timed) {
            let metric = metrics.entry(name.into());
            metric.or_insert_with(|| Metric::none(reason));
        }
        self.measured
    }

    fn fail(&mut self, reason: String) {
        let cell = &mut self.measured.cell;
        cell.status = Status::Failed;
        cell.reason = Some(reason);
        cell.metrics.clear();
        self.live = None;
    }
}

impl Live {
    fn round(&mut self, keys: &Keys) -> Result<(), String> {
        let keys = &keys.all()[..self.keys];
        // Once untimed: other rows have emptied the caches, and the first loop must not pay for it.
        self.subject.sweep(Loop::OneKey, keys);
        for (which, name) in LOOPS {
            let (sum, time) = clock::time(|| self.subject.sweep(which, keys));
            let Some(sum) = sum else { continue };
            if sum != self.sum {
                return Err(format!(
                    "the timed loop {which:?} found other owners: they add up to {sum}, not {}",
                    self.sum
                ));
            }
            self.sample(name, time / keys.len() as f64);
        }
        if self.building_ns < BUILDING_NS {
            let time = self.subject.build();
            self.building_ns += time;
            self.sample("build_ns", time);
        }
        // Once untimed, so that the figures do not hang on what was measured before.
        self.subject.change();
        for (name, time) in ["add_ns", "remove_ns"]
            .into_iter()
            .zip(self.subject.change())
        {
            if let Some(time) = time {
                self.sample(name, time.as_nanos() as f64);
            }
        }
        Ok(())
    }

    fn sample(&mut self, name: &'static str, sample: f64) {
        self.samples.entry(name).or_default().push(sample);
    }
}

/// The cell without figures.
fn describe(row: &Row, case: &Case, keys: &Keys) -> Cell {
    let own = match row.family {
        Family::Ring => format!("/points={}", row.points),
        Family::Maglev => format!("/table={}", case.table()),
        _ => String::new(),
    };
    let algorithm = match row.whose {
        Whose::Floor => format!("floor of {}", row.family.algorithm().name),
        Whose::Ours => row.name.into(),
        Whose::Peers => row.title(),
    };
    let declared = match row.whose {
        Whose::Ours => registry::find(row.name).unwrap_or(row.family.algorithm()),
        Whose::Peers | Whose::Floor => row.family.algorithm(),
    };
    let part = |text: &str| text.replace([' ', '/', ','], "-").replace("--", "-");
    Cell {
        id: format!(
            "peer/{}/nodes={}{own}/hash={}/keys={}",
            part(&algorithm),
            case.nodes,
            part(row.hash.name()),
            keys.source()
        ),
        kind: CellKind::Peer,
        algorithm,
        algorithm_version: declared.version,
        nodes: case.nodes,
        status: Status::Ok,
        reason: None,
        traits: declared.traits.into(),
        verified: None,
        metrics: BTreeMap::new(),
    }
}

/// Builds a row, counts its bytes and checks its owners.
fn opened(row: &Row, case: &Case, keys: &Keys, cell: &mut Cell) -> Result<Live, String> {
    if let Some((most, reason)) = row.most
        && case.nodes > most
    {
        return Err(format!("{NOT_RUN}: {reason}"));
    }
    caught(|| {
        let subject = row.open(*case);
        let bytes = subject.heap_bytes() as f64;
        let entries = f64::from(row.entries(case));
        let mut count = |name: &str, value| cell.metrics.insert(name.into(), Metric::of(value));
        count("heap_bytes", bytes);
        count("heap_bytes_per_entry", bytes / entries);
        let swept = keys.swept(row.linear, case.nodes);
        let checked = keys.checked(row.linear, case.nodes);
        let owners = subject.owners(&keys.all()[..checked]);
        if row.whose != Whose::Floor {
            check(case, &owners)?;
            cell.verified = Some(Verified {
                checksum: fingerprint(&owners),
                keys: checked as u64,
                laws: 0,
            });
        }
        Ok(Live {
            subject,
            keys: swept,
            sum: owners[..swept].iter().map(|&owner| u64::from(owner)).sum(),
            building_ns: 0.0,
            samples: BTreeMap::new(),
        })
    })
}

/// Whether every key is on a node of the list and every node has keys: all of them, where there are
/// keys enough, and otherwise at least half of what there could be.
pub fn check(case: &Case, owners: &[u32]) -> Result<(), String> {
    let mut has = vec![false; case.newcomer() as usize];
    for &owner in owners {
        match has.get_mut(owner as usize) {
            None => return Err(format!("a key is on node {owner} of {}", case.nodes)),
            Some(_) if owner == NOBODY => {
                let lost = owners.iter().filter(|&&owner| owner == NOBODY).count();
                return Err(format!("{lost} of {} keys are on no node", owners.len()));
            }
            Some(has) => *has = true,
        }
    }
    let nodes = case.nodes as usize;
    let wanted = match owners.len() >= KEYS_PER_NODE * nodes {
        true => nodes,
        false => owners.len().min(nodes) / 2,
    };
    let found = has.into_iter().filter(|has| *has).count();
    match found < wanted {
        true => Err(format!("only {found} of {nodes} nodes have keys")),
        false => Ok(()),
    }
}

fn fingerprint(owners: &[u32]) -> String {
    let id = |&name: &u32| Some(NodeId::from_index(name - 1));
    let ids: Vec<Option<NodeId>> = owners.iter().map(id).collect();
    format!("{:016x}", checksum(0, &ids))
}

/// What the work gave, or with what words it panicked.
fn caught<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(said(&*panic)))
}

fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("it panicked: {}", text.unwrap_or("without a word"))
}

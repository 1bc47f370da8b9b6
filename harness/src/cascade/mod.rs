//! Cascades of overload: a node leaves, its load goes to others, and whoever is then above its
//! capacity leaves as well.
//!
//! Every node has the same capacity, a multiple of the mean load. Uneven placements start with some
//! nodes near or above it, so that one node less may bring down all.

mod answer;
mod fall;

pub use answer::{CascadeSettings, Cascades, Row, SCHEMA_VERSION};
pub use fall::{Fall, Fleet, fall};

use algorithms::algorithm::Removal;
use algorithms::{Algorithm, NodeId, Placement};

use crate::measure;
use crate::progress::Progress;
use crate::reproduce::Lab;
use crate::run::Plan;
use crate::workload::{Measure, Random, Workload};

/// What is asked.
#[derive(Clone, Debug)]
pub struct Ask<'a> {
    /// Algorithms, node counts and seed; nothing is timed.
    pub plan: Plan<'a>,
    /// Capacities of a node over the mean load.
    pub headrooms: Vec<f64>,
    /// Sets of node names, each with another node that leaves first.
    pub sets: u32,
}

/// What load is counted in: requests where they are known, else keys.
pub fn load(workload: &Workload) -> Measure<'_> {
    let measures = workload.measures();
    let requests = measures.iter().find(|measure| measure.name == "requests");
    *requests.unwrap_or(&measures[0])
}

/// Runs all cascades.
pub fn run(ask: &Ask<'_>, workload: &Workload, progress: &Progress) -> Vec<Row> {
    let (nodes, algorithms) = (&ask.plan.nodes, &ask.plan.algorithms);
    progress.total((nodes.len() * algorithms.len()) as u64 * u64::from(ask.sets));
    let pairs = nodes
        .iter()
        .flat_map(|&nodes| algorithms.iter().map(move |&algorithm| (algorithm, nodes)));
    pairs
        .flat_map(|(algorithm, nodes)| rows(ask, algorithm, nodes, workload, progress))
        .collect()
}

/// One row for each headroom.
fn rows(
    ask: &Ask<'_>,
    algorithm: &Algorithm,
    nodes: u32,
    workload: &Workload,
    progress: &Progress,
) -> Vec<Row> {
    progress.now(format!("{}, {nodes} nodes", algorithm.name));
    let lab = Lab {
        seed: ask.plan.seed,
        quick: ask.plan.quick,
    };
    let sets = lab.each(ask.sets as usize, |set| {
        let seed = ask.plan.seed.wrapping_add(set as u64);
        let names = measure::nodes(seed, nodes);
        let placement = algorithm.build(&ask.plan.settings, names)?;
        let first = leaver(algorithm, &*placement, seed);
        let fleet = Fleet::new(algorithm, placement, workload);
        let falls = ask.headrooms.iter();
        let falls = falls.map(|&headroom| fall(fleet.clone(), headroom, first));
        let falls = falls.collect::<Result<Vec<Fall>, _>>();
        progress.done(1);
        falls
    });
    let row = |(at, &headroom): (usize, &f64)| match &sets {
        Ok(sets) => {
            let falls: Vec<&Fall> = sets.iter().map(|falls| &falls[at]).collect();
            Row::of(algorithm, nodes, headroom, &falls)
        }
        Err(error) => Row::failed(algorithm, nodes, headroom, error.to_string()),
    };
    ask.headrooms.iter().enumerate().map(row).collect()
}

/// The node that leaves first: a random one, or the newest where no other can.
fn leaver(algorithm: &Algorithm, placement: &dyn Placement, seed: u64) -> NodeId {
    let members = placement.membership().members();
    let at = match algorithm.traits.removal {
        Removal::Any => Random::new(seed, 31).below(members.len()),
        Removal::Newest => members.len() - 1,
    };
    members[at].id
}

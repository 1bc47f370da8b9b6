//! What clients with different versions of the membership disagree on.

use algorithms::Algorithm;
use algorithms::algorithm::{Moves, Spread};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{LiveSettings, Plan, SCHEMA_VERSION, settings};
use crate::machine::Machine;
use crate::measure::{node, nodes};
use crate::record::{Metric, Tool, judge_all, now_unix_s};
use crate::theory::{Against, modulo};
use crate::verify::place_all;
use crate::workload::Workload;

/// Parts of the clients that have heard of the change.
pub const INFORMED: [f64; 3] = [0.1, 0.5, 0.9];

/// Disagreement during a rolling change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Skew {
    /// Version of this shape.
    pub schema_version: u32,
    /// What measured.
    pub tool: Tool,
    /// When, in seconds since 1970-01-01 UTC.
    pub created_unix_s: u64,
    /// On what.
    pub machine: Machine,
    /// The settings.
    pub settings: LiveSettings,
    /// One row per algorithm and number of versions behind.
    pub rows: Vec<SkewRow>,
}

/// Clients some versions apart.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SkewRow {
    /// The algorithm.
    pub algorithm: String,
    /// Nodes that joined since, one by one.
    pub versions: u32,
    /// Part of the keys on which the old and the new version disagree.
    pub disagree: Metric,
    /// Part of the requests for one key that two random clients send to different nodes, for each
    /// part of the clients that knows the new version: 2f(1 − f) of the above.
    pub pairs: Vec<Metric>,
    /// Why there are no figures.
    pub reason: Option<String>,
}

/// Lets `versions` nodes join one after another and compares each state with the first.
pub fn skew(plan: &Plan, versions: u32, workload: &Workload) -> Skew {
    let mut rows = Vec::new();
    for algorithm in &plan.algorithms {
        let name = algorithm.name;
        let built = algorithm.build(&plan.settings, nodes(plan.seed, plan.nodes));
        let mut placement = match built {
            Ok(placement) => placement,
            Err(error) => {
                rows.push(failed(name, 1, error.to_string()));
                continue;
            }
        };
        let before = place_all(&*placement, &workload.hashes);
        for version in 1..=versions {
            let newcomer = node(plan.seed, (plan.nodes + version) as usize - 1);
            if let Err(error) = placement.add(newcomer) {
                rows.push(failed(name, version, error.to_string()));
                break;
            }
            let after = place_all(&*placement, &workload.hashes);
            let differ = before.iter().zip(&after).filter(|(was, is)| was != is);
            let disagree = disagreement(
                algorithm,
                plan,
                version,
                differ.count() as u64,
                workload.len() as u64,
            );
            let pair = |informed: &f64| {
                let apart = 2.0 * informed * (1.0 - informed);
                Metric::or(disagree.value.map(|part| part * apart), "there are no keys")
            };
            rows.push(SkewRow {
                algorithm: name.into(),
                versions: version,
                pairs: INFORMED.iter().map(pair).collect(),
                disagree,
                reason: None,
            });
        }
    }
    judge_all(rows.iter_mut().map(|row| &mut row.disagree).collect());
    Skew {
        schema_version: SCHEMA_VERSION,
        tool: Tool::this(),
        created_unix_s: now_unix_s(),
        machine: Machine::detect(),
        settings: settings(plan, workload),
        rows,
    }
}

/// Part of the keys on which two versions disagree, beside its law.
///
/// Where keys move only to the newcomers, a key is on one of them with probability k/(N + k); of the
/// remainder it is 1 − gcd(N, N + k)/(N + k). Fixed slots leave by quotas in whole ones. A ring is one
/// draw of names, so that its law is told and proves nothing; a table has none.
fn disagreement(algorithm: &Algorithm, plan: &Plan, joined: u32, differ: u64, keys: u64) -> Metric {
    let metric = Metric::fraction(differ, keys);
    let (before, after) = (u64::from(plan.nodes), u64::from(plan.nodes + joined));
    let newcomers = f64::from(joined) / after as f64;
    match (algorithm.traits.moves, algorithm.traits.spread) {
        (Moves::Least, Spread::Even) => metric.against(Against::fraction(differ, keys, newcomers)),
        (Moves::Least | Moves::Rounded, _) => metric.expecting(newcomers),
        (Moves::Unbounded, Spread::Even) => {
            let moved = modulo::moved(before, after);
            metric.against(Against::fraction(differ, keys, moved))
        }
        _ => metric,
    }
}

fn failed(algorithm: &str, versions: u32, reason: String) -> SkewRow {
    SkewRow {
        algorithm: algorithm.into(),
        versions,
        disagree: Metric::none(reason.clone()),
        pairs: Vec::new(),
        reason: Some(reason),
    }
}

//! Copies in zones: which nodes stand together, and what is lost when a zone fails.

use algorithms::algorithm::Spread;
use algorithms::{Node, NodeId, Placement};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::change::{self, Counts};
use super::laws::two_in_one_zone;
use super::sets::Sets;
use super::{Ask, Selection, Zoned};
use crate::measure::Candidate;
use crate::record::Metric;
use crate::theory::Against;

/// How the nodes stand in zones.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Zones {
    /// So many zones, which the nodes join in turns.
    Count(u32),
    /// Nodes of each zone.
    Sizes(Vec<u32>),
}

impl Zones {
    /// What is wrong with them for this many nodes.
    ///
    /// # Errors
    /// When there are more zones than nodes, an empty zone, or another number of nodes in all.
    pub fn check(&self, nodes: u32) -> Result<(), String> {
        match self {
            Self::Count(0) => Err("nodes stand in at least 1 zone".into()),
            Self::Count(zones) if *zones > nodes => {
                Err(format!("{nodes} nodes do not reach for {zones} zones"))
            }
            Self::Count(_) => Ok(()),
            Self::Sizes(sizes) if sizes.contains(&0) => Err("a zone has no nodes".into()),
            Self::Sizes(sizes) => {
                let sum: u64 = sizes.iter().map(|&size| u64::from(size)).sum();
                match sum == u64::from(nodes) {
                    true => Ok(()),
                    false => Err(format!("the zones have {sum} nodes, and there are {nodes}")),
                }
            }
        }
    }

    /// How many nodes they have; `None` where that is left open.
    pub fn nodes(&self) -> Option<u32> {
        match self {
            Self::Count(_) => None,
            Self::Sizes(sizes) => sizes
                .iter()
                .try_fold(0u32, |sum, &size| sum.checked_add(size)),
        }
    }

    /// The zone of each of this many nodes.
    fn of_nodes(&self, nodes: usize) -> Vec<usize> {
        match self {
            Self::Count(zones) => (0..nodes).map(|node| node % *zones as usize).collect(),
            Self::Sizes(sizes) => {
                let zones = sizes.iter().enumerate();
                zones
                    .flat_map(|(zone, &size)| std::iter::repeat_n(zone, size as usize))
                    .collect()
            }
        }
    }
}

/// Puts the nodes into zones and selects the copies anew. `plain` are those without the rule, which
/// do not hang on zones.
pub(super) fn measure(
    ask: &Ask<'_>,
    candidate: &Candidate<'_>,
    zones: &Zones,
    keys: &[u64],
    plain: &Sets,
) -> Result<Zoned, String> {
    let of_node = zones.of_nodes(candidate.nodes.len());
    let mut sizes = vec![0u32; of_node.iter().max().map_or(0, |last| last + 1)];
    of_node.iter().for_each(|&zone| sizes[zone] += 1);
    let nodes = candidate.nodes.iter().zip(&of_node);
    let zoned: Vec<Node> = nodes.map(|(node, &zone)| put(node.clone(), zone)).collect();
    let placement = candidate
        .rebuild(zoned)
        .map_err(|error| error.to_string())?;
    let across = Sets::of(&*placement, keys, ask.replicas, true)?;
    // The newcomer goes where the fewest nodes are; no law is known of what that does.
    let smallest = (0..sizes.len()).min_by_key(|&zone| sizes[zone]);
    let newcomer = put(candidate.newcomer(0), smallest.unwrap_or(0));
    let follow = |after: Box<dyn Placement>| {
        let is = Sets::of(&*after, keys, ask.replicas, true)?;
        Ok::<_, String>(Counts::of(&across, &is).change(None, false))
    };
    let joined = follow(change::join(&*placement, newcomer)?)?;
    let left = follow(change::leave(ask, candidate, &*placement)?)?;
    let copies = plain.copies() as u32;
    let by_chance = two_in_one_zone(&sizes, copies);
    let [mut plain, mut across] = [plain, &across].map(|sets| select(sets, &of_node, sizes.len()));
    let hits = |part: &Metric| (part.value.unwrap_or(0.0) * keys.len() as f64).round() as u64;
    plain.shared = match candidate.algorithm.traits.spread {
        // Neighbours on a ring are the same for many keys: this is the mean over names.
        Spread::Points(_) => plain.shared.expecting(by_chance),
        Spread::Slots(_) | Spread::Even => {
            let law = Against::fraction(hits(&plain.shared), keys.len() as u64, by_chance);
            plain.shared.against(law)
        }
    };
    let unavoidable = f64::from(u8::from(copies as usize > sizes.len()));
    let law = Against::exact(across.shared.value.unwrap_or(0.0), unavoidable);
    across.shared = across.shared.against(law);
    Ok(Zoned {
        sizes,
        plain,
        across,
        join: joined,
        leave: left,
    })
}

fn put(node: Node, zone: usize) -> Node {
    node.in_zone(format!("zone-{zone}"))
}

/// What these copies lose with each zone, and the worst of it.
fn select(sets: &Sets, of_node: &[usize], zones: usize) -> Selection {
    let majority = sets.copies() / 2 + 1;
    let (mut keys, mut shared) = (0, 0);
    let [mut copies, mut without_majority, mut without_any] = [(); 3].map(|()| vec![0u64; zones]);
    for set in sets.each() {
        keys += 1;
        let lost = |zone: usize| {
            set.iter()
                .filter(|node| of_node[node.index()] == zone)
                .count()
        };
        let mut twice = false;
        for (at, node) in set.iter().enumerate() {
            let zone = of_node[node.index()];
            copies[zone] += 1;
            if !first_of_zone(&set[..at], of_node, zone) {
                continue;
            }
            let lost = lost(zone);
            twice |= lost > 1;
            without_majority[zone] += u64::from(set.len() - lost < majority);
            without_any[zone] += u64::from(lost == set.len());
        }
        shared += u64::from(twice);
    }
    let worst = |counts: &[u64]| counts.iter().max().copied().unwrap_or(0);
    let part = |count: u64, of: u64| Metric::of(count as f64 / of as f64);
    Selection {
        shared: Metric::fraction(shared, keys),
        lost: part(worst(&copies), keys * sets.copies() as u64),
        majority: part(worst(&without_majority), keys),
        all: part(worst(&without_any), keys),
    }
}

fn first_of_zone(before: &[NodeId], of_node: &[usize], zone: usize) -> bool {
    before.iter().all(|node| of_node[node.index()] != zone)
}

//! What happens to the copies when one node joins or leaves.

use algorithms::algorithm::{Removal, Spread};
use algorithms::{Node, Placement};

use super::laws::{Expected, one_node};
use super::sets::Sets;
use super::{Ask, Change, Row};
use crate::measure::Candidate;
use crate::record::Metric;
use crate::theory::Against;
use crate::workload::Random;

/// Follows these keys, whose copies are `sets`, through both changes.
pub(super) fn measure(
    ask: &Ask<'_>,
    candidate: &Candidate<'_>,
    keys: &[u64],
    sets: &Sets,
    row: &mut Row,
) -> Result<(), String> {
    let before = &*candidate.placement;
    let joined = join(before, candidate.newcomer(0))?;
    let left = leave(ask, candidate, before)?;
    for (after, larger, change) in [
        (joined, row.nodes + 1, &mut row.join),
        (left, row.nodes, &mut row.leave),
    ] {
        let is = Sets::of(&*after, keys, ask.replicas, false)?;
        let counts = Counts::of(sets, &is);
        let law = one_node(candidate.algorithm, larger, ask.replicas);
        let by_key = !matches!(candidate.algorithm.traits.spread, Spread::Points(_));
        *change = counts.change(law, by_key);
    }
    Ok(())
}

/// A copy with one node more.
pub(super) fn join(before: &dyn Placement, newcomer: Node) -> Result<Box<dyn Placement>, String> {
    let mut after = before.boxed_clone();
    let added = after.add(newcomer);
    added.map_err(|error| error.to_string())?;
    Ok(after)
}

/// A copy without a random node, or without the newest where no other can leave.
pub(super) fn leave(
    ask: &Ask<'_>,
    candidate: &Candidate<'_>,
    before: &dyn Placement,
) -> Result<Box<dyn Placement>, String> {
    let members = before.membership().members();
    let gone = match candidate.algorithm.traits.removal {
        Removal::Any => Random::new(ask.plan.seed, 30).below(members.len()),
        Removal::Newest => members.len() - 1,
    };
    let mut after = before.boxed_clone();
    let removed = after.remove(members[gone].id);
    removed.map_err(|error| error.to_string())?;
    Ok(after)
}

/// Keys that a change concerns.
#[derive(Debug, Default)]
pub(super) struct Counts {
    pub keys: u64,
    pub owner: u64,
    pub set: u64,
    hidden: u64,
    made: u64,
    least: u64,
}

impl Counts {
    /// Compares the copies of the same keys before and after.
    pub fn of(was: &Sets, is: &Sets) -> Self {
        let mut counts = Self::default();
        for (was, is) in was.each().zip(is.each()) {
            let fresh = is.iter().filter(|node| !was.contains(node)).count();
            let owner = was[0] != is[0];
            let set = fresh > 0 || was.len() != is.len();
            counts.keys += 1;
            counts.owner += u64::from(owner);
            counts.set += u64::from(set);
            counts.hidden += u64::from(set && !owner);
            counts.made += fresh as u64;
        }
        // A node that holds more than before cannot do with fewer new copies.
        let (had, has) = (was.loads(was.copies()), is.loads(is.copies()));
        let growth = |(has, had): (u64, u64)| has.saturating_sub(had);
        let known = has
            .into_iter()
            .zip(had.into_iter().chain(std::iter::repeat(0)));
        counts.least = known.map(growth).sum();
        counts
    }

    /// The figures beside their laws, which are held against the keys where each chooses by itself.
    pub fn change(&self, law: Option<Expected>, by_key: bool) -> Change {
        let held = |hits: u64, expected: Option<f64>| {
            let metric = Metric::fraction(hits, self.keys);
            match expected {
                Some(chance) if by_key => {
                    metric.against(Against::fraction(hits, self.keys, chance))
                }
                Some(chance) => metric.expecting(chance),
                None => metric,
            }
        };
        let per_key = |count: u64| Metric::of(count as f64 / self.keys as f64);
        Change {
            owner: held(self.owner, law.map(|law| law.owner)),
            set: held(self.set, law.map(|law| law.set)),
            hidden: held(self.hidden, law.map(|law| law.hidden)),
            made: per_key(self.made),
            least: per_key(self.least),
            over_names: None,
        }
    }
}

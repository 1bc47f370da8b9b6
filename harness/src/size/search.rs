//! The smallest setting that meets a target by theory.

use algorithms::Algorithm;
use algorithms::algorithm::{Spread, Table};
use algorithms::maglev::MAX_TABLE;
use algorithms::ring::MAX_POINTS;

use super::target::{Bound, Target};

/// The setting, or in words why there is none. `None` is a key space that is even whatever is set.
///
/// `factor` is by how much the excess over perfect evenness is larger than the law of rings has it.
/// A table is shared alike whatever the names: by [`Bound::Mean`] it is the smallest that meets the
/// target at exactly this many nodes, by [`Bound::Sure`] the smallest from which on every table
/// does, at this count of nodes and at any other up to one more.
///
/// # Errors
/// When no setting reaches the target.
pub fn smallest(
    algorithm: &Algorithm,
    target: Target,
    bound: Bound,
    nodes: u32,
    factor: f64,
) -> Result<Option<u32>, String> {
    match algorithm.traits.spread {
        Spread::Even => Ok(None),
        Spread::Slots(kind) => match bound {
            Bound::Mean => table(kind, target, nodes),
            Bound::Sure(_) => lasting_table(kind, target, nodes),
        }
        .map(Some),
        Spread::Points(fixed) => points(fixed, target, bound, nodes, factor).map(Some),
    }
}

/// The figure that theory has for a ring, `factor` as in [`smallest`].
pub fn expected(
    target: Target,
    bound: Bound,
    nodes: u32,
    points: u32,
    factor: f64,
) -> Result<f64, String> {
    let law = target.on_ring(bound, nodes, points);
    let law = law.ok_or("one node has nothing to share")?;
    Ok(target.floor() + factor * (law - target.floor()))
}

/// The fewest points per node of a ring, or the given number where it is fixed.
fn points(
    fixed: Option<u32>,
    target: Target,
    bound: Bound,
    nodes: u32,
    factor: f64,
) -> Result<u32, String> {
    let most = (MAX_POINTS / u64::from(nodes)) as u32;
    let (mut low, mut high) = fixed.map_or((1, most), |points| (points, points));
    let met = |points| {
        let figure = expected(target, bound, nodes, points, factor)?;
        Ok::<_, String>(figure <= target.at_most())
    };
    if !met(high)? {
        let figure = expected(target, bound, nodes, high, factor)?;
        let words = target.words();
        let how = match bound {
            Bound::Mean => format!("{words} is {figure:.3} in the mean"),
            Bound::Sure(level) => {
                format!(
                    "{words} stays below {figure:.3} with {} % of names",
                    100.0 * level
                )
            }
        };
        return Err(match fixed {
            Some(points) => format!("its points are fixed at {points} a node, and {how}"),
            None => {
                format!("a ring holds {MAX_POINTS} points, and even with {most} a node {how}")
            }
        });
    }
    while low < high {
        let middle = low.midpoint(high);
        match met(middle)? {
            true => high = middle,
            false => low = middle + 1,
        }
    }
    Ok(low)
}

/// The smallest table that meets the target at exactly this many nodes. A larger one need not.
fn table(kind: Table, target: Target, nodes: u32) -> Result<u32, String> {
    let met = |&slots: &u32| target.in_table(nodes, slots) <= target.at_most();
    let mut tables = (nodes..=MAX_TABLE).filter(met);
    tables
        .find(|&slots| serves(kind, slots, nodes))
        .ok_or_else(|| too_large(target))
}

/// The smallest table from which on every one meets the target, and does so for any number of nodes
/// up to one more than these: slots differ by at most one, so max/mean is below 1 + N/M, and the CV
/// is at most N/2M.
fn lasting_table(kind: Table, target: Target, nodes: u32) -> Result<u32, String> {
    let with_one_more = f64::from(nodes) + 1.0;
    let enough = match target {
        Target::MaxOverMean(most) => f64::from(nodes) / (most - 1.0),
        Target::Cv(most) => with_one_more / (2.0 * most),
    };
    let enough = enough.ceil().max(with_one_more);
    if enough > f64::from(MAX_TABLE) {
        return Err(too_large(target));
    }
    let safe = (enough as u32..=MAX_TABLE).find(|&slots| serves(kind, slots, nodes + 1));
    let safe = safe.ok_or_else(|| too_large(target))?;
    // The bound is safe and not sharp: smaller ones may do as well.
    let meets = |slots: u32| (1..=nodes + 1).all(|n| target.in_table(n, slots) <= target.at_most());
    let smaller = (1..safe)
        .rev()
        .filter(|&slots| serves(kind, slots, nodes + 1));
    Ok(smaller
        .take_while(|&slots| meets(slots))
        .last()
        .unwrap_or(safe))
}

fn serves(kind: Table, slots: u32, nodes: u32) -> bool {
    kind.check(slots, nodes as usize).is_ok()
}

fn too_large(target: Target) -> String {
    format!(
        "a table has at most {MAX_TABLE} slots, which is too few for a {} of {}",
        target.words(),
        target.at_most()
    )
}

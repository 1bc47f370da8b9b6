//! Maglev tables.

use algorithms::maglev::{self, Walk};
use algorithms::{Layout, Node, NodeId, Placement, PlacementError};

use super::Reproduction;
use super::estimate::Estimate;
use super::lab::{Lab, shares, with_table};
use super::outcome::Finding;
use super::row::{Range, Row};
use crate::theory;

/// What is tried.
pub const ALL: &[Reproduction] = &[
    Reproduction {
        name: "maglev-example",
        title: "Maglev: the example of the paper",
        claim: "Three nodes fill seven slots as 1, 0, 1, 0, 2, 2, 0; without node 1 they become 0, 0, 0, 0, 2, 2, 2: three slots change, one of which was not node 1's.",
        source: "Eisenbud et al. 2016, table 1",
        conditions: "offsets 3, 0, 3 and skips 4, 2, 1 of the paper",
        seconds: 0.1,
        run: example,
    },
    Reproduction {
        name: "maglev-entries",
        title: "Maglev: slots of a node",
        claim: "Each node has ⌊M/N⌋ or ⌈M/N⌉ of M slots.",
        source: "Eisenbud et al. 2016",
        conditions: "equal nodes, M a prime",
        seconds: 0.1,
        run: entries,
    },
    Reproduction {
        name: "maglev-one-lost",
        title: "Maglev: slots changed by one loss",
        claim: "When one of N nodes is lost, somewhat more than 1/N of the slots change: .1239 and .1027 (N = 10, M = 1021 and 65537), .0261 and .0155 (N = 100, M = 10007 and 65537), .0068 and .0042 (N = 1000, M = 65537 and 655373).",
        source: "counted on 6 to 20 tables of another implementation each",
        conditions: "mean over independent tables; holds within three deviations of one table of the other implementation",
        seconds: 1.0,
        run: one_lost,
    },
    Reproduction {
        name: "maglev-many-lost",
        title: "Maglev: slots changed by many losses",
        claim: "Of 1000 nodes 2, 5, 10, 20, 50 or 100 are lost: .0117, .0231, .0334, .0464, .0827, .1358 of the slots change at M = 65537, and .0056, .0097, .0158, .0270, .0590, .1106 at M = 655373.",
        source: "counted on tables of another implementation",
        conditions: "mean over independent tables; holds within 0.002",
        seconds: 5.0,
        run: many_lost,
    },
    Reproduction {
        name: "maglev-one-added",
        title: "Maglev: slots changed by an addition",
        claim: "When a node joins, .0157 (N = 100) and .0067 (N = 1000) of the slots change at M = 65537, where .0099 and .0010 must.",
        source: "counted on tables of another implementation",
        conditions: "mean over independent tables; holds within 0.0015",
        seconds: 0.3,
        run: one_added,
    },
    Reproduction {
        name: "maglev-weights",
        title: "Maglev: slots by weight",
        claim: "Nodes that take turns in the ratio of their weights have M·w/Σw slots within about 2.",
        source: "turns as in Envoy's weighted Maglev",
        conditions: "weights 1, 2, 3 and M = 65537; independent tables",
        seconds: 0.1,
        run: weights,
    },
];

/// The paper's table of the nodes that are kept, by their numbers.
fn paper_table(kept: &[usize]) -> Result<Vec<usize>, PlacementError> {
    const WALKS: [(u32, u32); 3] = [(3, 4), (0, 2), (3, 1)];
    let walk = |&node: &usize| Walk {
        offset: WALKS[node].0,
        skip: WALKS[node].1,
        weight: 1.0,
    };
    let walks: Vec<Walk> = kept.iter().map(walk).collect();
    let slots = maglev::fill(7, &walks)?.into_iter();
    Ok(slots.map(|at| kept[at as usize]).collect())
}

fn example(_: &Lab) -> Result<Finding, PlacementError> {
    const BEFORE: [usize; 7] = [1, 0, 1, 0, 2, 2, 0];
    const AFTER: [usize; 7] = [0, 0, 0, 0, 2, 2, 2];
    let (before, after) = (paper_table(&[0, 1, 2])?, paper_table(&[0, 2])?);
    let differ = |seen: &[usize], printed: &[usize]| {
        seen.iter()
            .zip(printed)
            .filter(|(seen, printed)| seen != printed)
            .count() as f64
    };
    let unneeded = before
        .iter()
        .zip(&after)
        .filter(|(was, is)| was != is && **was != 1)
        .count();
    let row = |what: &str, seen: f64, published: f64| {
        Row::exact(what, seen)
            .published(published)
            .claimed(Range::about(published, 0.0))
    };
    Ok(Finding::of(vec![
        row(
            "slots unlike the printed table",
            differ(&before, &BEFORE),
            0.0,
        ),
        row("the same without node 1", differ(&after, &AFTER), 0.0),
        row("slots changed", differ(&before, &after), 3.0),
        row("of them not node 1's", unneeded as f64, 1.0),
    ]))
}

fn entries(lab: &Lab) -> Result<Finding, PlacementError> {
    let mut rows = Vec::new();
    for (nodes, slots) in [
        (3, 7),
        (10, 1021),
        (100, 65_537),
        (1000, 65_537),
        (1000, 655_373),
    ] {
        let table = maglev::ALGORITHM.build(&with_table(slots), lab.nodes("entries", 0, nodes))?;
        let Some(even) = crate::stats::evenness(shares(&*table).into_iter()) else {
            continue;
        };
        let what = format!("N = {nodes}, M = {slots}");
        rows.push(
            Row::exact(format!("{what}: max/mean"), even.max_mean)
                .equals(theory::maglev::max_mean(nodes, slots)),
        );
        rows.push(
            Row::exact(format!("{what}: min/mean"), even.min_mean)
                .equals(theory::maglev::min_mean(nodes, slots)),
        );
    }
    Ok(Finding::of(rows))
}

/// Slots that change in each of many tables when `lost` of the nodes leave, or `added` join.
fn changes(
    lab: &Lab,
    (nodes, slots): (usize, u32),
    lost: usize,
    added: usize,
    tables: usize,
) -> Result<Vec<f64>, PlacementError> {
    lab.each(lab.trials(tables), |trial| {
        let purpose = format!("table {nodes}/{slots} -{lost} +{added}");
        let named = lab.nodes(&purpose, trial, nodes + added);
        let build = |nodes: &[Node]| maglev::ALGORITHM.build(&with_table(slots), nodes.to_vec());
        let (before, after) = (build(&named[..nodes])?, build(&named[lost..])?);
        Ok(differing(&*before, &*after, lost))
    })
}

/// Part of the slots with another owner, where `after` lacks the first `lost` nodes of `before`.
fn differing(before: &dyn Placement, after: &dyn Placement, lost: usize) -> f64 {
    let (Layout::Table(before), Layout::Table(after)) = (before.layout(), after.layout()) else {
        return f64::NAN;
    };
    let same = |(was, is): &(&NodeId, &NodeId)| was.index() == is.index() + lost;
    let kept = before.iter().zip(&after).filter(same).count();
    1.0 - kept as f64 / before.len() as f64
}

/// The mean over tables beside what must change at least, claimed to be near the published figure.
fn row(what: String, seen: &[f64], least: f64, published: f64, tolerance: f64) -> Row {
    Row::sampled(
        format!("{what} (least {:.2} %)", 100.0 * least),
        Estimate::mean(seen),
        seen.len(),
        "tables",
    )
    .fraction()
    .published(published)
    .claimed(Range::about(published, tolerance))
}

fn one_lost(lab: &Lab) -> Result<Finding, PlacementError> {
    let mut rows = Vec::new();
    for (nodes, slots, tables, published, tolerance) in [
        (10, 1021, 400, 0.1239, 0.015),
        (10, 65_537, 60, 0.1027, 0.0032),
        (100, 10_007, 100, 0.0261, 0.004),
        (100, 65_537, 60, 0.0155, 0.0013),
        (1000, 65_537, 60, 0.0068, 0.0006),
        (1000, 655_373, 30, 0.0042, 0.0004),
    ] {
        let seen = changes(lab, (nodes, slots), 1, 0, tables)?;
        let what = format!("N = {nodes}, M = {slots}");
        rows.push(row(what, &seen, 1.0 / nodes as f64, published, tolerance));
    }
    Ok(Finding::of(rows))
}

fn many_lost(lab: &Lab) -> Result<Finding, PlacementError> {
    const NODES: usize = 1000;
    const LOST: [usize; 6] = [2, 5, 10, 20, 50, 100];
    let mut rows = Vec::new();
    for (slots, tables, published) in [
        (65_537, 40, [0.0117, 0.0231, 0.0334, 0.0464, 0.0827, 0.1358]),
        (
            655_373,
            30,
            [0.0056, 0.0097, 0.0158, 0.0270, 0.0590, 0.1106],
        ),
    ] {
        for (lost, published) in LOST.into_iter().zip(published) {
            let seen = changes(lab, (NODES, slots), lost, 0, tables)?;
            let least = lost as f64 / NODES as f64;
            rows.push(row(
                format!("M = {slots}, {lost} lost"),
                &seen,
                least,
                published,
                0.002,
            ));
        }
    }
    Ok(Finding::of(rows))
}

fn one_added(lab: &Lab) -> Result<Finding, PlacementError> {
    let mut rows = Vec::new();
    for (nodes, published) in [(100, 0.0157), (1000, 0.0067)] {
        let seen = changes(lab, (nodes, 65_537), 0, 1, 60)?;
        let least = theory::scores::set_changed(nodes, 1);
        rows.push(row(format!("N = {nodes}"), &seen, least, published, 0.0015));
    }
    Ok(Finding::of(rows))
}

fn weights(lab: &Lab) -> Result<Finding, PlacementError> {
    const WEIGHTS: [f64; 3] = [1.0, 2.0, 3.0];
    const SLOTS: u32 = 65_537;
    let mut off = [0.0; 3];
    for trial in 0..lab.trials(100) {
        let named = lab
            .nodes("weights", trial, WEIGHTS.len())
            .into_iter()
            .zip(WEIGHTS);
        let nodes = named
            .map(|(node, weight)| Node::weighing(node.name, weight))
            .collect();
        let table = maglev::ALGORITHM.build(&with_table(SLOTS), nodes)?;
        for ((off, share), weight) in off.iter_mut().zip(shares(&*table)).zip(WEIGHTS) {
            let wanted = theory::scores::share(weight, WEIGHTS.iter().sum());
            *off = f64::max(*off, (share - wanted).abs() * f64::from(SLOTS));
        }
    }
    let row = |(off, weight)| {
        Row::exact(format!("w = {weight}: slots off, at most"), off).claimed(Range::at_most(2.0))
    };
    Ok(Finding::of(off.into_iter().zip(WEIGHTS).map(row).collect()))
}

//! Rings that change: nodes that join, leave, or hold replicas.

use algorithms::{Layout, NodeId, Placement, PlacementError};
use statrs::distribution::ContinuousCDF;

use super::Reproduction;
use super::estimate::Estimate;
use super::lab::{Lab, moved, shares};
use super::laws;
use super::outcome::Finding;
use super::row::{Range, Row};
use crate::theory::{Against, ring, scores};

/// What is tried.
pub const ALL: &[Reproduction] = &[
    Reproduction {
        name: "ring-3-to-4",
        title: "ring: a fourth node joins three",
        claim: "A fourth node takes a quarter of the keys: 25 %, with a standard deviation of 2.16 points and 99 % of rings between 19.6 % and 30.9 %.",
        source: "Beta(100, 300) of the newcomer's share",
        conditions: "equal nodes of 100 points; exact flows of independent rings",
        seconds: 0.3,
        run: fourth,
    },
    Reproduction {
        name: "ring-12-to-14",
        title: "ring: 12 nodes become 14",
        claim: "Two nodes that join twelve take 2/14 = 14.29 % of the keys, the more closely the more points: sd √(A(H − A)/(H²(H + 1))), A = 2k, H = 14k.",
        source: "Beta(2k, 12k) of both newcomers' share",
        conditions: "equal nodes of k points; exact flows of independent rings",
        seconds: 1.0,
        run: fourteen,
    },
    Reproduction {
        name: "ring-several",
        title: "ring: several nodes together",
        claim: "What is known of one node's share gives that of two by doubling it: its deviation is twice that of one node.",
        source: "a common shortcut",
        conditions: "14 equal nodes of 100 points; two of them named beforehand, or the two busiest",
        seconds: 0.2,
        run: several,
    },
    Reproduction {
        name: "ring-removal",
        title: "ring: one node leaves",
        claim: "With one point per node a single neighbour receives all keys of a lost node; with many points nearly all survivors do.",
        source: "Karger et al. 1997; receivers by counting arrangements",
        conditions: "ten equal nodes of k points; exact flows of independent rings",
        seconds: 0.3,
        run: removal,
    },
    Reproduction {
        name: "ring-replicas",
        title: "ring: replica sets changed",
        claim: "When a node joins N, the set of R replicas changes for R/(N + 1) of the keys, by one member each.",
        source: "exact in the mean by symmetry",
        conditions: "ten equal nodes of k points; replicas on the next R distinct nodes; exact shares of independent rings",
        seconds: 0.5,
        run: replicas,
    },
];

/// The exact part of the keys that moves in each of many rings when `added` nodes join `nodes`.
pub fn joins(
    lab: &Lab,
    purpose: &str,
    (nodes, added): (usize, usize),
    points: u32,
    rings: usize,
) -> Result<Vec<f64>, PlacementError> {
    lab.each(lab.trials(rings), |trial| {
        let mut ring = lab.ring(purpose, trial, nodes, points)?;
        let before = ring.boxed_clone();
        let purpose = format!("{purpose} +{added}/{nodes}x{points}");
        ring.extend(lab.nodes(&purpose, trial, added))?;
        Ok(moved(&*before, &*ring))
    })
}

/// Mean and deviation of a share of `own` of `total` points, by name.
fn moments(what: &str, seen: &[f64], own: u64, total: u64) -> [Row; 2] {
    let sd = ring::share_sd(own, total);
    let kurtosis = ring::share_kurtosis(own, total);
    let mean = own as f64 / total as f64;
    [
        laws::mean(format!("{what}: mean"), seen, (mean, sd), "rings").fraction(),
        laws::deviation(format!("{what}: sd"), seen, (sd, kurtosis), "rings").fraction(),
    ]
}

fn fourth(lab: &Lab) -> Result<Finding, PlacementError> {
    let seen = joins(lab, "fourth", (3, 1), 100, 20_000)?;
    let mut found = Finding::of(moments("moved", &seen, 100, 400).into());
    let Ok(law) = ring::share(100, 400) else {
        return Ok(found);
    };
    for level in [0.005, 0.995] {
        let expected = law.inverse_cdf(level);
        let what = format!("moved: {:.1} % of rings below", 100.0 * level);
        found
            .rows
            .push(laws::quantile(what, &seen, level, expected, "rings").fraction());
    }
    let (rows, histogram) = laws::distribution("moved", &seen, &law, "rings");
    found.rows.extend(rows);
    found.histograms.push(histogram);
    Ok(found)
}

fn fourteen(lab: &Lab) -> Result<Finding, PlacementError> {
    let mut rows = Vec::new();
    for (points, rings) in [
        (1, 20_000),
        (10, 20_000),
        (40, 10_000),
        (100, 4000),
        (150, 4000),
        (500, 1000),
    ] {
        let seen = joins(lab, "fourteen", (12, 2), points, rings)?;
        let k = u64::from(points);
        rows.extend(moments(&format!("k = {points}"), &seen, 2 * k, 14 * k));
    }
    Ok(Finding::of(rows))
}

fn several(lab: &Lab) -> Result<Finding, PlacementError> {
    const NODES: usize = 14;
    const POINTS: u32 = 100;
    let seen = lab.each(lab.trials(5000), |trial| {
        Ok(shares(&*lab.ring("several", trial, NODES, POINTS)?))
    })?;
    let (k, total) = (u64::from(POINTS), NODES as u64 * u64::from(POINTS));
    let one: Vec<f64> = seen.iter().map(|shares| shares[0]).collect();
    let two: Vec<f64> = seen.iter().map(|shares| shares[0] + shares[1]).collect();
    let busiest = seen.iter().map(|shares| {
        let mut shares = shares.clone();
        shares.sort_by(f64::total_cmp);
        shares[NODES - 1] + shares[NODES - 2]
    });
    let busiest: Vec<f64> = busiest.collect();
    let doubled = 2.0 * ring::share_sd(k, total);
    let [mean, sd] = moments("two nodes", &two, 2 * k, total);
    let mut rows: Vec<Row> = moments("one node", &one, k, total).into();
    rows.push(mean);
    rows.push(
        sd.published(doubled)
            .claimed(Range::about(doubled, 0.1 * doubled)),
    );
    let relative = |rank| ring::ranked(NODES, POINTS, rank).map_or(f64::NAN, |law| law.0);
    let expected = (relative(1) + relative(2)) / NODES as f64;
    rows.push(laws::mean_alone("two busiest nodes: mean", &busiest, expected, "rings").fraction());
    Ok(Finding::of(rows))
}

/// What the loss of a node does.
struct Loss {
    moved: f64,
    receivers: f64,
    /// By how much the worst-hit survivor's share grows.
    growth: f64,
}

fn loss(lab: &Lab, nodes: usize, points: u32, trial: usize) -> Result<Loss, PlacementError> {
    let mut ring = lab.ring("removal", trial, nodes, points)?;
    let full = ring.boxed_clone();
    ring.remove(NodeId::from_index(0))?;
    let (was, is) = (shares(&*full), shares(&*ring));
    let growth = is.iter().zip(&was[1..]).map(|(is, was)| is / was - 1.0);
    Ok(Loss {
        moved: moved(&*full, &*ring),
        receivers: growth.clone().filter(|growth| *growth > 0.0).count() as f64,
        growth: growth.fold(0.0, f64::max),
    })
}

fn removal(lab: &Lab) -> Result<Finding, PlacementError> {
    const NODES: usize = 10;
    let mut rows = Vec::new();
    for points in [1, 10, 100] {
        let seen = lab.each(lab.trials(5000), |trial| loss(lab, NODES, points, trial))?;
        let all = |get: fn(&Loss) -> f64| -> Vec<f64> { seen.iter().map(get).collect() };
        let what = format!("k = {points}: moved");
        let k = u64::from(points);
        rows.extend(moments(&what, &all(|loss| loss.moved), k, NODES as u64 * k));
        rows.push(receivers(NODES, points, &all(|loss| loss.receivers)));
        let what = format!("k = {points}: median growth of the worst-hit");
        let growth = all(|loss| loss.growth);
        let row = match points {
            // The ratio of two arcs of one law is as often above 1 as below.
            1 => laws::quantile(what, &growth, 0.5, 1.0, "rings"),
            _ => Row::sampled(what, Estimate::median(&growth), growth.len(), "rings"),
        };
        rows.push(row.fraction());
    }
    Ok(Finding::of(rows))
}

/// How many of the others receive keys of a lost node.
fn receivers(nodes: usize, points: u32, seen: &[f64]) -> Row {
    let expected = ring::receivers(nodes, points);
    if points == 1 {
        let most = seen.iter().copied().fold(0.0, f64::max);
        return Row::exact("k = 1: most receivers in any ring", most).equals(expected);
    }
    // Those that get nothing are counted: rare events, and events that exclude each other.
    let others = nodes as f64 - 1.0;
    let missed: f64 = seen.iter().map(|receivers| others - receivers).sum();
    let law = Against::count(missed as u64, (others - expected) * seen.len() as f64);
    let law = Against {
        expected,
        distance: -law.distance,
    };
    let what = format!("k = {points}: receivers");
    Row::sampled(what, Estimate::mean(seen), seen.len(), "rings").against(law)
}

/// The next `replicas` distinct owners from the point at `start` on, sorted.
fn walk(points: &[(u64, NodeId)], start: usize, replicas: usize) -> Vec<NodeId> {
    let mut set = Vec::with_capacity(replicas);
    let turn = points[start..].iter().chain(&points[..start]);
    for (_, owner) in turn {
        if !set.contains(owner) {
            set.push(*owner);
        }
        if set.len() == replicas {
            break;
        }
    }
    set.sort_unstable();
    set
}

/// Part of the key space whose set of replicas changes, and the part that changes by other than one
/// member.
fn sets_changed(before: &dyn Placement, after: &dyn Placement, replicas: usize) -> (f64, f64) {
    let (Layout::Points(before), Layout::Points(after)) = (before.layout(), after.layout()) else {
        return (f64::NAN, f64::NAN);
    };
    let (mut changed, mut by_others) = (0.0, 0.0);
    // A newcomer only adds points, so the arcs of the new ring are parts of those of the old one.
    for (at, &(end, _)) in after.iter().enumerate() {
        let start = after[at.checked_sub(1).unwrap_or(after.len() - 1)].0;
        let was = before.partition_point(|point| point.0 < end) % before.len();
        let (was, is) = (walk(&before, was, replicas), walk(&after, at, replicas));
        let new = is.iter().filter(|node| !was.contains(node)).count();
        let arc = end.wrapping_sub(start) as f64 / 2f64.powi(64);
        changed += if new > 0 { arc } else { 0.0 };
        by_others += if new > 1 { arc } else { 0.0 };
    }
    (changed, by_others)
}

fn replicas(lab: &Lab) -> Result<Finding, PlacementError> {
    const NODES: usize = 10;
    let mut rows = Vec::new();
    for (points, replicas) in [(1, 1), (1, 3), (100, 2), (100, 3)] {
        let rings = if points == 1 { 20_000 } else { 3000 };
        let seen = lab.each(lab.trials(rings), |trial| {
            let mut ring = lab.ring(&format!("replicas {replicas}"), trial, NODES, points)?;
            let before = ring.boxed_clone();
            ring.add(lab.node("replicas", trial, NODES))?;
            Ok(sets_changed(&*before, &*ring, replicas))
        })?;
        let (changed, by_others): (Vec<f64>, Vec<f64>) = seen.into_iter().unzip();
        let what = format!("k = {points}, R = {replicas}");
        let expected = scores::set_changed(NODES, replicas);
        rows.push(
            laws::mean_alone(format!("{what}: changed"), &changed, expected, "rings").fraction(),
        );
        rows.push(
            Row::exact(format!("{what}: by more than one"), by_others.iter().sum())
                .fraction()
                .equals(0.0),
        );
    }
    Ok(Finding::of(rows))
}

//! Rings as they stand: shares of nodes and lengths of arcs.

use algorithms::PlacementError;
use statrs::distribution::ContinuousCDF;

use super::Reproduction;
use super::lab::{Lab, shares};
use super::laws::{self, distribution};
use super::outcome::Finding;
use super::row::Row;
use crate::stats::{Evenness, evenness};
use crate::theory::{ring, shares as drawn};

/// What is tried.
pub const ALL: &[Reproduction] = &[
    Reproduction {
        name: "ring-cv",
        title: "ring: CV of the shares",
        claim: "The CV of the nodes' shares is √((N − 1)/(kN + 1)).",
        source: "uniform spacings, Pyke 1965; Karger et al. 1997",
        conditions: "N equal nodes of k points each; root mean square over independent rings of exact shares",
        seconds: 3.5,
        run: cv,
    },
    Reproduction {
        name: "ring-extremes",
        title: "ring: busiest and idlest node",
        claim: "With one point per node the busiest has H_N times the mean share and the idlest 1/N; with k points max/mean is that of ordered gamma variates.",
        source: "uniform spacings, Pyke 1965",
        conditions: "N equal nodes of k points each; mean over independent rings of exact shares",
        seconds: 5.0,
        run: extremes,
    },
    Reproduction {
        name: "ring-bands",
        title: "ring: band of max/mean",
        claim: "In 90 % of rings max/mean lies between the 5 % and the 95 % quantile of Dirichlet shares.",
        source: "Dirichlet law of shares, its quantiles drawn",
        conditions: "N equal nodes of k points each; exact shares of independent rings",
        seconds: 2.0,
        run: bands,
    },
    Reproduction {
        name: "ring-share-interval",
        title: "ring: 99 % of the shares",
        claim: "A node's share over the mean lies in 99 % of cases between the outermost ½ % of Beta(k, (N − 1)k): 0.761 to 1.276 for k = 100.",
        source: "Beta law of a node's share",
        conditions: "1000 equal nodes; shares of all nodes of independent rings",
        seconds: 1.7,
        run: interval,
    },
    Reproduction {
        name: "ring-share-law",
        title: "ring: law of a node's share",
        claim: "A node's share follows Beta(k, (N − 1)k).",
        source: "uniform spacings, Pyke 1965",
        conditions: "10 equal nodes; the first node of each independent ring",
        seconds: 0.5,
        run: share_law,
    },
    Reproduction {
        name: "ring-arc-law",
        title: "ring: law of an arc",
        claim: "An arc of H has the distribution 1 − (1 − x)^(H−1).",
        source: "uniform spacings, Pyke 1965",
        conditions: "H single points; one arc of each independent ring, since arcs of one ring depend on each other",
        seconds: 1.2,
        run: arc_law,
    },
];

/// Points that all rings of one row may have together.
const POINTS: usize = 12_000_000;

/// As many rings of this size as there is time for, but not more than `most`.
fn rings_within(nodes: usize, points: u32, most: usize) -> usize {
    // Small rings cost the same as those of some dozens of points.
    let size = (nodes * points as usize).max(100);
    (POINTS / size).clamp(30, most)
}

/// Evenness of so many rings of one size, fewer when in a hurry.
fn evennesses(
    lab: &Lab,
    purpose: &str,
    (nodes, points): (usize, u32),
    rings: usize,
) -> Result<Vec<Evenness>, PlacementError> {
    let seen = lab.each(lab.trials(rings), |trial| {
        let ring = lab.ring(purpose, trial, nodes, points)?;
        Ok(evenness(shares(&*ring).into_iter()))
    })?;
    Ok(seen.into_iter().flatten().collect())
}

const SIZES: [(usize, u32); 10] = [
    (3, 100),
    (10, 1),
    (10, 100),
    (10, 500),
    (50, 100),
    (100, 1),
    (100, 10),
    (100, 100),
    (100, 150),
    (1000, 100),
];

fn cv(lab: &Lab) -> Result<Finding, PlacementError> {
    let row = |(nodes, points)| {
        let rings = rings_within(nodes, points, 20_000);
        cv_row(lab, "cv", size(nodes, points), (nodes, points), rings)
    };
    Ok(Finding::of(
        SIZES.into_iter().map(row).collect::<Result<_, _>>()?,
    ))
}

/// The CV over so many rings of one size, fewer when in a hurry, against its law.
pub fn cv_row(
    lab: &Lab,
    purpose: &str,
    what: impl Into<String>,
    (nodes, points): (usize, u32),
    rings: usize,
) -> Result<Row, PlacementError> {
    let seen = evennesses(lab, purpose, (nodes, points), rings)?;
    let squares: Vec<f64> = seen.iter().map(|even| even.cv * even.cv).collect();
    let cv = ring::cv(nodes, points);
    let law = (cv * cv, ring::cv_square_sd(nodes, points));
    Ok(laws::root_mean_square(what, &squares, law, "rings"))
}

fn size(nodes: usize, points: u32) -> String {
    format!("N = {nodes}, k = {points}")
}

fn extremes(lab: &Lab) -> Result<Finding, PlacementError> {
    let mut rows = Vec::new();
    for (nodes, points) in [
        (10, 1),
        (100, 1),
        (1000, 1),
        (10, 100),
        (100, 10),
        (100, 100),
        (1000, 100),
    ] {
        let seen = evennesses(
            lab,
            "extremes",
            (nodes, points),
            rings_within(nodes, points, 20_000),
        )?;
        let most: Vec<f64> = seen.iter().map(|even| even.max_mean).collect();
        let least: Vec<f64> = seen.iter().map(|even| even.min_mean).collect();
        for (what, samples, rank) in [("max", most, 1), ("min", least, nodes)] {
            let law = ring::ranked(nodes, points, rank).unwrap_or((f64::NAN, f64::NAN));
            let what = format!("{}: {what}/mean", size(nodes, points));
            rows.push(laws::mean(what, &samples, law, "rings"));
        }
    }
    Ok(Finding::of(rows))
}

fn bands(lab: &Lab) -> Result<Finding, PlacementError> {
    let mut rows = Vec::new();
    for (nodes, points) in [(10, 100), (100, 10), (100, 100), (100, 150), (1000, 100)] {
        let seen = evennesses(
            lab,
            "bands",
            (nodes, points),
            rings_within(nodes, points, 2000),
        )?;
        let most: Vec<f64> = seen.iter().map(|even| even.max_mean).collect();
        // So many more draws than rings that the quantiles hardly err.
        let draws = 40 * most.len();
        let quantiles = drawn::max_mean_quantiles(nodes, points, draws, [0.05, 0.95]);
        for (level, expected) in [0.05, 0.95].into_iter().zip(quantiles) {
            let what = format!("{}: {:.0} %", size(nodes, points), 100.0 * level);
            rows.push(laws::quantile(what, &most, level, expected, "rings"));
        }
    }
    Ok(Finding::of(rows))
}

fn interval(lab: &Lab) -> Result<Finding, PlacementError> {
    const NODES: usize = 1000;
    let mut rows = Vec::new();
    for (points, rings) in [(1, 2000), (10, 400), (100, 100), (1000, 10)] {
        let trials = lab.trials(rings);
        let seen = lab.each(trials, |trial| {
            Ok(shares(&*lab.ring("interval", trial, NODES, points)?))
        })?;
        let relative: Vec<f64> = seen
            .into_iter()
            .flatten()
            .map(|share| share * NODES as f64)
            .collect();
        let Ok(law) = ring::share(points.into(), NODES as u64 * u64::from(points)) else {
            continue;
        };
        for level in [0.005, 0.995] {
            let expected = NODES as f64 * law.inverse_cdf(level);
            let what = format!("k = {points}: {:.1} %", 100.0 * level);
            rows.push(laws::quantile(what, &relative, level, expected, "shares"));
        }
    }
    Ok(Finding::of(rows))
}

fn share_law(lab: &Lab) -> Result<Finding, PlacementError> {
    const NODES: usize = 10;
    let mut found = Finding::default();
    for points in [1, 100] {
        let trials = lab.trials(20_000);
        let seen = lab.each(trials, |trial| {
            Ok(shares(&*lab.ring("share law", trial, NODES, points)?)[0])
        })?;
        add(
            &mut found,
            format!("N = {NODES}, k = {points}"),
            &seen,
            points.into(),
            NODES as u64 * u64::from(points),
        );
    }
    Ok(found)
}

fn arc_law(lab: &Lab) -> Result<Finding, PlacementError> {
    let mut found = Finding::default();
    for points in [10, 100, 1000] {
        let trials = lab.trials(2_000_000 / points);
        // Each ring has a single point per node, so that a share is an arc.
        let seen = lab.each(trials, |trial| {
            Ok(shares(&*lab.ring("arc law", trial, points, 1)?)[0])
        })?;
        add(&mut found, format!("H = {points}"), &seen, 1, points as u64);
    }
    Ok(found)
}

/// Samples of a share of `own` of `total` points against their Beta law.
fn add(found: &mut Finding, what: String, seen: &[f64], own: u64, total: u64) {
    let Ok(law) = ring::share(own, total) else {
        return;
    };
    let (rows, histogram) = distribution(&what, seen, &law, "rings");
    found.rows.push(laws::mean(
        format!("{what}: mean"),
        seen,
        laws::moments(&law),
        "rings",
    ));
    found.rows.extend(rows);
    found.histograms.push(histogram);
}

//! What articles say of rings, by exact shares and flows.

use algorithms::{Layout, PlacementError};
use statrs::distribution::ContinuousCDF;

use super::Reproduction;
use super::estimate::Estimate;
use super::lab::{Lab, shares};
use super::laws;
use super::outcome::Finding;
use super::ring_changes::joins;
use super::ring_shares::cv_row;
use super::row::{Range, Row};
use crate::theory::{Against, modulo, ring};

/// What is tried.
pub const ALL: &[Reproduction] = &[
    Reproduction {
        name: "relative-spread",
        title: "spread tends to 1/k·√(1/k)",
        claim: "The relative spread of a node's share tends to (1/k)·√(1/k) with k points.",
        source: "articles on virtual nodes",
        conditions: "CV of exact shares of 100 equal nodes; holds within a tenth",
        seconds: 0.2,
        run: relative_spread,
    },
    Reproduction {
        name: "4.78-percent",
        title: "a fourth node moved 4.78 %",
        claim: "4.78 % of the keys moved when a fourth node joined three.",
        source: "articles on virtual nodes",
        conditions: "equal nodes of 100 points; holds if one ring in a hundred moves that little",
        seconds: 0.3,
        run: fourth,
    },
    Reproduction {
        name: "8-percent",
        title: "12 → 14 nodes moved about 8 %",
        claim: "Going from 12 to 14 nodes moved about 8 % of the keys.",
        source: "articles on virtual nodes",
        conditions: "equal nodes of k points; mean over rings, holds between 7.5 % and 8.5 %; 12 → 13 and mod-N beside it",
        seconds: 0.4,
        run: eight,
    },
    Reproduction {
        name: "few-points-gained",
        title: "500 points: 1–2 points better",
        claim: "500 points per node instead of 100 lower the deviation by 1 to 2 percentage points.",
        source: "articles on virtual nodes",
        conditions: "CV of exact shares, and the same in points of all traffic (CV/N)",
        seconds: 1.0,
        run: points_gained,
    },
    Reproduction {
        name: "one-percent-from-50",
        title: "√(1/k) within 1 % from 50 nodes",
        claim: "With 50 or more nodes √(1/k) is within 1 % of the CV.",
        source: "articles on virtual nodes",
        conditions: "√(1/k) over the CV of exact shares, less 1",
        seconds: 9.0,
        run: one_percent,
    },
    Reproduction {
        name: "five-times",
        title: "busiest of 100: 5 times its share",
        claim: "Of 100 nodes of one point each the busiest has about five times its fair share.",
        source: "articles on consistent hashing",
        conditions: "exact shares; the mean over rings holds between 4.5 and 5.5",
        seconds: 0.4,
        run: five_times,
    },
    Reproduction {
        name: "15-comparisons",
        title: "20,000 points: 15 comparisons",
        claim: "A lookup among 20,000 points takes about 15 comparisons.",
        source: "articles on consistent hashing",
        conditions: "200 nodes of 100 points; textbook halving weighed by the real arcs, and this library's search on random keys; holds from 14 to 16",
        seconds: 0.1,
        run: comparisons,
    },
];

/// The CV over rings against theory.
fn cv(lab: &Lab, what: String, size: (usize, u32), rings: usize) -> Result<Row, PlacementError> {
    cv_row(lab, "claims", what, size, rings)
}

fn relative_spread(lab: &Lab) -> Result<Finding, PlacementError> {
    let mut rows = Vec::new();
    for (points, rings) in [(10, 2000), (100, 300)] {
        let k = f64::from(points);
        let claimed = 1.0 / k * (1.0 / k).sqrt();
        let row = cv(lab, format!("N = 100, k = {points}"), (100, points), rings)?;
        rows.push(
            row.published(claimed)
                .claimed(Range::about(claimed, 0.1 * claimed)),
        );
    }
    Ok(Finding::of(rows))
}

/// How many of the rings moved at most this, of which theory knows the chance.
fn seldom(what: String, seen: &[f64], most: f64, own: u64, total: u64) -> Row {
    let hits = seen.iter().filter(|moved| **moved <= most).count() as u64;
    let chance = ring::share(own, total).map_or(f64::NAN, |law| law.cdf(most));
    let trials = seen.len() as u64;
    Row::sampled(what, Estimate::fraction(hits, trials), seen.len(), "rings")
        .fraction()
        .against(Against::fraction(hits, trials, chance))
}

fn fourth(lab: &Lab) -> Result<Finding, PlacementError> {
    const CLAIMED: f64 = 0.0478;
    let seen = joins(lab, "claimed", (3, 1), 100, 20_000)?;
    let sd = ring::share_sd(100, 400);
    let mean = laws::mean("moved: mean", &seen, (0.25, sd), "rings");
    let as_little = seldom("rings that move so little".into(), &seen, CLAIMED, 100, 400);
    let least = seen.iter().copied().fold(1.0, f64::min);
    let off = (CLAIMED - 0.25) / sd;
    Ok(Finding::of(vec![
        mean.fraction().published(CLAIMED),
        as_little.claimed(Range::at_least(0.01)),
        Row::exact("least that a ring moved", least).fraction(),
        Row::exact("from the mean to 4.78 %, in deviations", off),
    ]))
}

fn eight(lab: &Lab) -> Result<Finding, PlacementError> {
    const ABOUT: (f64, f64) = (0.075, 0.085);
    let mut rows = Vec::new();
    for (points, rings) in [(40, 4000), (100, 2000), (150, 1000)] {
        let seen = joins(lab, "claimed", (12, 2), points, rings)?;
        let (own, total) = (2 * u64::from(points), 14 * u64::from(points));
        let law = (2.0 / 14.0, ring::share_sd(own, total));
        let row = laws::mean(format!("N = 12 → 14, k = {points}"), &seen, law, "rings");
        let claimed = Range::between(ABOUT.0, ABOUT.1);
        rows.push(row.fraction().published(0.08).claimed(claimed));
        let what = format!("k = {points}: rings that move at most 8.5 %");
        rows.push(seldom(what, &seen, ABOUT.1, own, total));
    }
    let seen = joins(lab, "claimed", (12, 1), 100, 2000)?;
    let law = (1.0 / 13.0, ring::share_sd(100, 1300));
    rows.push(laws::mean("N = 12 → 13, k = 100", &seen, law, "rings").fraction());
    rows.push(Row::exact("N = 12 → 14 by mod-N", modulo::moved(12, 14)).fraction());
    Ok(Finding::of(rows))
}

fn points_gained(lab: &Lab) -> Result<Finding, PlacementError> {
    let claimed = Range::between(0.01, 0.02);
    let mut rows = Vec::new();
    for (nodes, rings) in [(3, 6000), (4, 4000), (10, 1000), (100, 100)] {
        let (few, many) = (
            cv(lab, String::new(), (nodes, 100), rings)?,
            cv(lab, String::new(), (nodes, 500), rings)?,
        );
        for (unit, scale) in [("CV", 1.0), ("of all traffic", 1.0 / nodes as f64)] {
            let row = difference(format!("N = {nodes}, {unit}"), &few, &many, scale);
            rows.push(row.claimed(claimed));
        }
    }
    let gained = |nodes: usize| ring::cv(nodes, 100) - ring::cv(nodes, 500);
    let fits = |nodes: &usize| claimed.holds(gained(*nodes) / *nodes as f64);
    let fitting: Vec<String> = (2..100)
        .filter(fits)
        .map(|nodes| nodes.to_string())
        .collect();
    Ok(Finding::of(rows).only_if(format!(
        "points of all traffic and N = {}; the CV itself falls by {:.1} to {:.1} points from N = 3 to 100",
        fitting.join(", "),
        100.0 * gained(3),
        100.0 * gained(100)
    )))
}

/// By how much one figure exceeds another, both independent.
fn difference(what: String, more: &Row, less: &Row, scale: f64) -> Row {
    let error = |row: &Row| (row.high.unwrap_or(f64::NAN) - row.low.unwrap_or(f64::NAN)) / 3.92;
    let error = error(more).hypot(error(less)) * scale;
    let value = (more.measured - less.measured) * scale;
    let expected = more
        .theory
        .zip(less.theory)
        .map_or(f64::NAN, |(more, less)| (more - less) * scale);
    let trials = more.trials.unwrap_or(0) as usize;
    Row::sampled(what, Estimate::normal(value, error), trials, "rings")
        .fraction()
        .against(Against::normal(value, expected, error))
}

fn one_percent(lab: &Lab) -> Result<Finding, PlacementError> {
    let mut rows = Vec::new();
    for (nodes, points, rings) in [
        (50, 1, 200_000),
        (200, 1, 100_000),
        (50, 100, 10_000),
        (200, 100, 2000),
    ] {
        let simple = (1.0 / f64::from(points)).sqrt();
        let seen = cv(
            lab,
            format!("N = {nodes}, k = {points}: off by"),
            (nodes, points),
            rings,
        )?;
        let law = Against {
            expected: simple / ring::cv(nodes, points) - 1.0,
            distance: -seen.distance.unwrap_or(f64::NAN),
        };
        // The larger the CV, the smaller is its quotient.
        let row = Row {
            measured: simple / seen.measured - 1.0,
            low: seen.high.map(|high| simple / high - 1.0),
            high: seen.low.map(|low| simple / low - 1.0),
            ..seen
        };
        rows.push(
            row.fraction()
                .against(law)
                .claimed(Range::between(-0.01, 0.01)),
        );
    }
    let from = |points: u32| {
        let close = |nodes: &usize| {
            (1.0 / f64::from(points)).sqrt() / ring::cv(*nodes, points) - 1.0 <= 0.01
        };
        (2..).find(close).unwrap_or(0)
    };
    Ok(Finding::of(rows).only_if(format!(
        "N ≥ {} for k = 100, {} for k = 1000 and {} for k = 1",
        from(100),
        from(1000),
        from(1)
    )))
}

fn five_times(lab: &Lab) -> Result<Finding, PlacementError> {
    const NODES: usize = 100;
    let seen = lab.each(lab.trials(20_000), |trial| {
        let ring = lab.ring("five times", trial, NODES, 1)?;
        Ok(NODES as f64 * shares(&*ring).into_iter().fold(0.0, f64::max))
    })?;
    let law = ring::ranked(NODES, 1, 1).unwrap_or((f64::NAN, f64::NAN));
    let mut rows = vec![
        laws::mean("max/mean: mean", &seen, law, "rings")
            .published(5.0)
            .claimed(Range::between(4.5, 5.5)),
    ];
    for level in [0.05, 0.5, 0.95] {
        let expected = ring::largest_arc_quantile(NODES as u64, level) * NODES as f64;
        let what = format!("max/mean: {:.0} % of rings below", 100.0 * level);
        rows.push(laws::quantile(what, &seen, level, expected, "rings"));
    }
    Ok(Finding::of(rows))
}

/// Comparisons that halving takes to tell between `gaps` gaps, for the gap at this position.
fn halving(mut gaps: usize, mut at: usize) -> u32 {
    let mut comparisons = 0;
    while gaps > 1 {
        let left = gaps / 2;
        comparisons += 1;
        (gaps, at) = match at < left {
            true => (left, at),
            false => (gaps - left, at - left),
        };
    }
    comparisons
}

fn comparisons(lab: &Lab) -> Result<Finding, PlacementError> {
    const POINTS: usize = 20_000;
    let claimed = Range::between(14.0, 16.0);
    let Layout::Points(points) = lab.ring("comparisons", 0, POINTS / 100, 100)?.layout() else {
        return Ok(Finding::default());
    };
    let positions: Vec<u64> = points.iter().map(|point| point.0).collect();
    // A key beyond the last point is in a gap of its own that leads to the first.
    let gaps = positions.len() + 1;
    let starts = [0].into_iter().chain(positions.iter().copied());
    let ends = positions.iter().copied().chain([u64::MAX]);
    let weighed = starts.zip(ends).enumerate().map(|(at, (start, end))| {
        f64::from(halving(gaps, at)) * ((end - start) as f64 / 2f64.powi(64))
    });
    let textbook: f64 = weighed.sum();
    // Gaps are told apart by 14 comparisons or by 15; those of 15 have a share of random gaps.
    let deep = (0..gaps).filter(|&at| halving(gaps, at) == 15).count() as u64;
    let shallow = f64::from(halving(gaps, 0).min(14));
    let law = ring::share(deep, gaps as u64).map(|law| Against::share(textbook - shallow, &law));
    let mut rows = Vec::new();
    if let Ok(law) = law {
        let law = law.seen_as(shallow + law.expected);
        rows.push(
            Row::exact("halving, weighed by arcs", textbook)
                .against(law)
                .claimed(claimed),
        );
    }
    let keys = lab.keys("comparisons", 100_000);
    let counted: Vec<f64> = keys.iter().map(|key| counted(&positions, *key)).collect();
    rows.push(
        Row::sampled(
            "this library's search",
            Estimate::mean(&counted),
            keys.len(),
            "keys",
        )
        .claimed(claimed),
    );
    Ok(Finding::of(rows))
}

/// Comparisons of the search that the rings of this library use.
fn counted(positions: &[u64], key: u64) -> f64 {
    let count = std::cell::Cell::new(0);
    let place = positions.partition_point(|&position| {
        count.set(count.get() + 1);
        position < key
    });
    std::hint::black_box(place);
    f64::from(count.get())
}

//! Whether keys are where the layout says, and whether the points of a ring look random.

use algorithms::Layout;
use statrs::stats_tests::NaNPolicy;
use statrs::stats_tests::ks_test::{KSOneSampleAlternativeMethod, ks_onesample};

use super::against::exactly;
use super::{Candidate, Metrics};
use crate::record::Metric;
use crate::theory::{Against, ring};
use crate::workload::Workload;

/// Keys that are looked for in the layout.
const SAMPLE: usize = 100_000;
/// Points at which arcs are looked at from both sides.
const ENDS: usize = 1000;

/// Measures keys that are astray, points that meet and the lengths of arcs.
pub fn measure(candidate: &Candidate<'_>, workload: &Workload) -> Metrics {
    let layout = candidate.placement.layout();
    let mut metrics = Metrics::from([("astray".into(), astray(candidate, &layout, workload))]);
    let no_points = || Metric::none("there are no points");
    let (clashes, arcs) = match &layout {
        Layout::Points(points) => (clashes(&layout, points.len()), arcs(&layout)),
        Layout::Table(_) | Layout::Law(_) => (no_points(), no_points()),
    };
    metrics.insert("clashes".into(), clashes);
    metrics.insert("arcs_ks".into(), arcs);
    metrics
}

/// Part of the keys that another node owns than the layout says; the ends of the key space and of
/// arcs are among them.
fn astray(candidate: &Candidate<'_>, layout: &Layout, workload: &Workload) -> Metric {
    let mut keys = workload.sample(SAMPLE);
    keys.extend([0, u64::MAX]);
    match layout {
        Layout::Law(_) => return Metric::none("scores and draws have no layout"),
        Layout::Points(points) => {
            let near = points.iter().step_by(points.len() / ENDS + 1);
            keys.extend(near.flat_map(|point| [point.0, point.0.wrapping_add(1)]));
        }
        Layout::Table(_) => {}
    }
    let astray = |key: &&u64| candidate.placement.place(**key) != layout.owner(**key);
    let count = keys.iter().filter(astray).count();
    exactly(Metric::of(count as f64 / keys.len() as f64), 0.0)
}

/// Points at the position of another one: among H random positions of 64 bits, H(H − 1)/2^65 pairs.
fn clashes(layout: &Layout, points: usize) -> Metric {
    let (clashes, points) = (layout.clashes(), points as f64);
    let pairs = points * (points - 1.0) / 2.0;
    Metric::count(clashes).against(Against::count(clashes as u64, pairs / 2f64.powi(64)))
}

/// Kolmogorov and Smirnov's distance between the lengths of arcs and their law.
///
/// The arcs of one ring add up to 1, which makes the distance smaller than that of independent
/// lengths: its mean is near 0.73/√H instead of 0.87/√H, and the test errs on the safe side.
fn arcs(layout: &Layout) -> Metric {
    let arcs = layout.arcs();
    let points = arcs.len() as u64;
    let law = ring::share(1, points).ok();
    let method = KSOneSampleAlternativeMethod::TwoSidedAsymptotic;
    let tested = law.and_then(|law| ks_onesample(arcs, &law, method, NaNPolicy::Error).ok());
    match tested {
        Some((distance, chance)) => {
            let expected = 0.73 / (points as f64).sqrt();
            Metric::of(distance).against(Against::excess(expected, chance))
        }
        None => Metric::none("one arc is the whole ring"),
    }
}

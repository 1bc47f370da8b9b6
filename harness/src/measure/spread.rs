//! How evenly nodes share the key space, and the keys, requests and bytes of a workload.

use super::against::Laws;
use super::{Candidate, Metrics, index};
use crate::record::Metric;
use crate::stats::{Evenness, evenness};
use crate::theory::{Against, against, scores, share_cv};
use crate::workload::Workload;

/// Evenness by exact shares and by everything that the keys can be weighed by.
pub fn measure(candidate: &Candidate<'_>, workload: &Workload) -> Metrics {
    let shares: Vec<f64> = candidate
        .placement
        .shares()
        .iter()
        .map(|share| share.1)
        .collect();
    let mut metrics = Metrics::new();
    insert(&mut metrics, "shares", evenness(shares.iter().copied()));
    if let Some(seen) = evenness(shares.iter().copied()) {
        let laws = Laws::of(candidate).evenness(&seen);
        for (name, law) in ["max_mean", "min_mean", "cv"].into_iter().zip(laws) {
            hold(&mut metrics, &format!("shares_{name}"), law);
        }
    }
    let declared = share_cv(candidate.algorithm, &candidate.settings, shares.len());
    if let Some(cv) = metrics.get_mut("shares_cv") {
        cv.expected.get_or_insert(declared);
    }
    for measure in workload.measures() {
        let mut loads = vec![0; candidate.placement.membership().joined()];
        for (position, &owner) in candidate.verified.owners.iter().enumerate() {
            if let Some(node) = index(owner) {
                loads[node] += measure.of(position);
            }
        }
        let parts = loads.iter().map(|&load| load as f64);
        insert(&mut metrics, measure.name, evenness(parts));
        if measure.name == "keys" {
            hold(&mut metrics, "keys_cv", counted(&loads, &shares));
        }
    }
    metrics
}

/// The counts of keys by the exact shares: how far their CV is off is judged by chi-square.
fn counted(counts: &[u64], shares: &[f64]) -> Option<Against> {
    let expected = scores::counted_cv(shares, counts.iter().sum());
    Some(against::counts(counts, shares)?.seen_as(expected))
}

fn insert(metrics: &mut Metrics, what: &str, even: Option<Evenness>) {
    let mut insert = |name: &str, value: Option<f64>| {
        let metric = Metric::or(value, "there is nothing to share");
        metrics.insert(format!("{what}_{name}"), metric);
    };
    insert("max_mean", even.map(|even| even.max_mean));
    insert("min_mean", even.map(|even| even.min_mean));
    insert("cv", even.map(|even| even.cv));
}

/// Puts a law beside a figure.
fn hold(metrics: &mut Metrics, name: &str, law: Option<Against>) {
    if let (Some(metric), Some(law)) = (metrics.get_mut(name), law) {
        *metric = std::mem::take(metric).against(law);
    }
}

//! How evenly nodes share the key space, and the keys, requests and bytes of a workload.

use super::{Candidate, Metrics, index};
use crate::record::Metric;
use crate::stats::evenness;
use crate::theory;
use crate::workload::Workload;

/// Evenness by exact shares and by everything that the keys can be weighed by.
pub fn measure(candidate: &Candidate<'_>, workload: &Workload) -> Metrics {
    let (algorithm, settings) = (candidate.algorithm, &candidate.settings);
    let nodes = candidate.nodes.len();
    let shares: Vec<f64> = candidate
        .placement
        .shares()
        .iter()
        .map(|share| share.1)
        .collect();
    let expected = theory::share_cv(algorithm, settings, nodes);
    let mut metrics = Metrics::new();
    record(&mut metrics, "shares", &shares, Some(expected));
    for measure in workload.measures() {
        let mut loads = vec![0.0; candidate.placement.membership().joined()];
        for (position, &owner) in candidate.verified.owners.iter().enumerate() {
            if let Some(node) = index(owner) {
                loads[node] += measure.of(position) as f64;
            }
        }
        let expected = (measure.name == "keys")
            .then(|| theory::scores::counted_cv(&shares, workload.len() as u64));
        record(&mut metrics, measure.name, &loads, expected);
    }
    metrics
}

fn record(metrics: &mut Metrics, what: &str, parts: &[f64], expected: Option<f64>) {
    let even = evenness(parts.iter().copied());
    let mut insert = |name: &str, value: Option<f64>, expected: Option<f64>| {
        let metric = Metric::or(value, "there is nothing to share");
        let metric = expected.into_iter().fold(metric, Metric::expecting);
        metrics.insert(format!("{what}_{name}"), metric);
    };
    insert("max_mean", even.map(|even| even.max_mean), None);
    insert("min_mean", even.map(|even| even.min_mean), None);
    insert("cv", even.map(|even| even.cv), expected);
}

//! `harness growth --scale`: what everything costs with many nodes, or why it is not known.

#![allow(clippy::unwrap_used)]

mod common;

use std::time::Duration;

use algorithms::growth::{Costs, Growth};
use algorithms::{Algorithm, Settings, jump, registry};
use common::call;
use harness::growth::fit::Cost;
use harness::growth::{Row, Scope, Study, study};
use harness::progress::Progress;
use harness::run::{self, Plan};

const SCALE: [&str; 7] = [
    "growth", "--scale", "--quick", "--rounds", "2", "--nodes", "20,40",
];

#[test]
fn at_scale_every_algorithm_has_a_row_with_every_cost_or_the_reason_why_not() {
    let arguments = ["--table", "31", "--format", "json"];
    let (code, stdout, stderr) = call(&[&SCALE[..], &arguments].concat(), "");
    assert_eq!(code, 4, "{stderr}");
    let study: Study = serde_json::from_str(&stdout).unwrap();
    assert!(study.curves.is_empty());
    for algorithm in registry::ALL {
        for nodes in [20, 40] {
            let own = |row: &&Row| row.algorithm == algorithm.name && row.nodes == nodes;
            let rows: Vec<&Row> = study.rows.iter().filter(own).collect();
            let [row] = rows[..] else {
                panic!("{}: {rows:?}", algorithm.name);
            };
            let value = |name: &str| row.metrics.get(name).and_then(|metric| metric.value);
            if let Some(reason) = &row.reason {
                assert!(nodes == 40 && reason.contains("cannot serve"), "{row:?}");
                continue;
            }
            for cost in Cost::ALL {
                let metric = cost.time().unwrap_or("heap_bytes");
                assert!(value(metric).is_some(), "{}: {metric}", algorithm.name);
            }
            let [heap, entries, each, per_node] = [
                "heap_bytes",
                "entries",
                "heap_bytes_per_entry",
                "heap_bytes_per_node",
            ]
            .map(|name| value(name).unwrap());
            assert_eq!((each, per_node), (heap / entries, heap / f64::from(nodes)));
        }
    }
    let (_, table, _) = call(&[&SCALE[..], &["--table", "31"]].concat(), "");
    assert!(table.contains("What everything costs") && table.contains("FAILED"));
    assert!(!table.contains("powers of two") && !table.contains("exponent"));
}

#[test]
fn a_build_that_claims_to_take_for_ever_is_not_tried() {
    let endless = Algorithm {
        costs: Costs {
            build: Growth::NVSquared,
            ..jump::ALGORITHM.costs
        },
        empty: |_| unreachable!("it is not built"),
        ..jump::ALGORITHM
    };
    let scope = Scope {
        plan: Plan {
            algorithms: vec![&endless],
            nodes: vec![1000],
            settings: Settings::default(),
            seed: 1,
            quick: true,
            rounds: 1,
            round: Duration::from_micros(100),
            scope: run::Scope::Times,
            plant: None,
        },
        points: Vec::new(),
        keys: 1000,
        scale: true,
    };
    let study = study(&scope, &Progress::hidden());
    let reason = study.rows[0].reason.as_deref().unwrap();
    assert!(
        reason.contains("O((NV)²) by its claim, 1e10 steps"),
        "{reason}"
    );
}

//! Figures that follow from theory or from the definitions: spread, movement, weights.

// What tests call may unwrap as tests do.
#![allow(clippy::unwrap_used)]

#[path = "../common/mod.rs"]
mod common;
mod draws;
mod rings;
mod tables;

use algorithms::{Layout, Node, Placement, Settings, registry};

fn build(algorithm: &str, settings: Settings, nodes: Vec<Node>) -> Box<dyn Placement> {
    let algorithm = registry::find(algorithm).unwrap();
    algorithm.build(&settings, nodes).unwrap()
}

/// Nodes of one of many sets of names.
fn set(number: usize, count: usize) -> Vec<Node> {
    (0..count)
        .map(|i| Node::new(format!("set{number}-{i}")))
        .collect()
}

fn with_points(points: u32) -> Settings {
    Settings {
        points,
        ..Settings::default()
    }
}

fn with_table(table: u32) -> Settings {
    Settings {
        table,
        ..Settings::default()
    }
}

fn close(what: &str, seen: f64, expected: f64, tolerance: f64) {
    assert!(
        (seen - expected).abs() <= tolerance,
        "{what}: {seen}, where {expected} ± {tolerance} was expected"
    );
}

/// Slots or arcs that change their owner, as a fraction.
fn moved(before: &Layout, after: &Layout) -> f64 {
    let flows = before.flows(after).unwrap();
    flows.iter().map(|flow| flow.share).sum()
}

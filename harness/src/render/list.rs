//! The list of algorithms.

use algorithms::{Algorithm, registry};
use schemars::JsonSchema;
use serde::Serialize;

use super::section::Section;

/// An algorithm as the list shows it.
#[derive(Serialize, JsonSchema)]
pub struct Listed {
    name: &'static str,
    title: &'static str,
    source: &'static str,
    mapping_version: u32,
    lookup: String,
    build: String,
    change: String,
    memory: String,
    moves: &'static str,
    removal: &'static str,
    weights: &'static str,
    order_free: bool,
    history_free: bool,
}

impl Listed {
    fn of(algorithm: &Algorithm) -> Self {
        let (traits, costs) = (algorithm.traits, algorithm.costs);
        Self {
            name: algorithm.name,
            title: algorithm.title,
            source: algorithm.source,
            mapping_version: algorithm.version,
            lookup: costs.lookup.word(),
            build: costs.build.word(),
            change: costs.change.word(),
            memory: costs.memory.word(),
            moves: traits.moves.word(),
            removal: traits.removal.word(),
            weights: traits.weights.word(),
            order_free: traits.order_free,
            history_free: traits.history_free,
        }
    }
}

/// All algorithms.
#[derive(Serialize, JsonSchema)]
pub struct Algorithms {
    algorithms: Vec<Listed>,
}

impl Algorithms {
    /// Those of the registry.
    pub fn all() -> Self {
        Self {
            algorithms: registry::ALL.iter().map(Listed::of).collect(),
        }
    }
}

/// All algorithms as a table.
pub fn section() -> Section {
    let heads = [
        "name",
        "title",
        "source",
        "lookup",
        "build",
        "add, remove",
        "memory",
        "moves",
        "can be removed",
        "weights",
        "order matters",
        "history matters",
    ];
    let matters = |free: bool| if free { "no" } else { "yes" };
    let row = |listed: Listed| {
        [
            listed.name,
            listed.title,
            listed.source,
            &listed.lookup,
            &listed.build,
            &listed.change,
            &listed.memory,
            listed.moves,
            listed.removal,
            listed.weights,
            matters(listed.order_free),
            matters(listed.history_free),
        ]
        .map(String::from)
        .into()
    };
    Section {
        title: "Algorithms".into(),
        about: "N nodes, V points per node, M slots.".into(),
        names: 1,
        heads: heads.map(String::from).into(),
        groups: vec![Algorithms::all().algorithms.into_iter().map(row).collect()],
    }
}

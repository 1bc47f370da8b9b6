//! Time of building, adding one node and removing one, and how many entries a change touches.

use std::time::Instant;

use algorithms::{Layout, Placement, PlacementError};

use super::against::Laws;
use super::{Candidate, Metrics};
use crate::record::Metric;

/// All rounds of one candidate.
pub struct Churn {
    placement: Box<dyn Placement>,
    build: Vec<f64>,
    add: Vec<f64>,
    remove: Vec<f64>,
}

impl Churn {
    /// Prepares a copy on which nodes come and go; it has done so once, so that memory for growth
    /// is there.
    ///
    /// # Errors
    /// When the node cannot be added or removed again.
    pub fn new(candidate: &Candidate<'_>) -> Result<Self, PlacementError> {
        let mut placement = candidate.placement.boxed_clone();
        let id = placement.add(candidate.newcomer(0))?;
        placement.remove(id)?;
        Ok(Self {
            placement,
            build: Vec::new(),
            add: Vec::new(),
            remove: Vec::new(),
        })
    }

    /// Times one build, one addition and the removal of the node just added.
    ///
    /// # Errors
    /// When one of them is refused.
    pub fn round(&mut self, candidate: &Candidate<'_>) -> Result<(), PlacementError> {
        let nodes = candidate.nodes.clone();
        let start = Instant::now();
        let built = candidate.rebuild(nodes)?;
        self.build.push(start.elapsed().as_nanos() as f64);
        drop(built);

        // Once untimed, so that the figures do not hang on what was measured before.
        let id = self.placement.add(candidate.newcomer(0))?;
        self.placement.remove(id)?;
        let node = candidate.newcomer(0);
        let start = Instant::now();
        let id = self.placement.add(node)?;
        self.add.push(start.elapsed().as_nanos() as f64);

        let start = Instant::now();
        self.placement.remove(id)?;
        self.remove.push(start.elapsed().as_nanos() as f64);
        Ok(())
    }

    /// Medians over the rounds.
    pub fn metrics(&self) -> Metrics {
        Metrics::from([
            ("build_ns".into(), Metric::median(&self.build)),
            ("add_ns".into(), Metric::median(&self.add)),
            ("remove_ns".into(), Metric::median(&self.remove)),
        ])
    }
}

/// Entries that the placement has, that adding a node changes, and that removing it again changes.
///
/// # Errors
/// When the newest node cannot be removed.
pub fn entries(candidate: &Candidate<'_>) -> Result<Metrics, PlacementError> {
    let before = candidate.placement.layout();
    let mut changing = candidate.placement.boxed_clone();
    let id = changing.add(candidate.newcomer(0))?;
    let grown = changing.layout();
    changing.remove(id)?;
    let laws = Laws::of(candidate);
    let changed = |was: &Layout, is: &Layout| laws.entries_changed(Metric::count(was.changed(is)));
    Ok(Metrics::from([
        (
            "entries".into(),
            laws.entries(Metric::count(before.entries())),
        ),
        ("add_entries".into(), changed(&before, &grown)),
        ("remove_entries".into(), changed(&grown, &changing.layout())),
    ]))
}

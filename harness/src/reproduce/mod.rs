//! Published figures and popular claims, tried out: each is an entry of [`all`] with what is
//! claimed, by whom and under which conditions, and a function that measures.
//!
//! Adding one is adding an entry to the list of its family.

mod choice;
pub mod estimate;
pub mod lab;
pub mod laws;
pub mod outcome;
pub mod row;

mod claims;
mod costs;
mod draws;
mod hashes;
mod modulo;
mod ring_changes;
mod ring_shares;
mod tables;

use algorithms::PlacementError;

use crate::machine::Machine;
use crate::progress::Progress;
use crate::record::{Tool, now_unix_s};

pub use choice::choose;
pub use lab::Lab;
pub use outcome::{Finding, Report, Reproduced, Verdict};
pub use row::Row;

/// A published figure or claim that can be tried.
#[derive(Clone, Copy)]
pub struct Reproduction {
    /// Short name, for the command line.
    pub name: &'static str,
    /// What it is about, in a few words.
    pub title: &'static str,
    /// What is claimed.
    pub claim: &'static str,
    /// By whom.
    pub source: &'static str,
    /// Under which conditions it is tried.
    pub conditions: &'static str,
    /// About how long it takes on two processors.
    pub seconds: f64,
    /// Measures.
    pub run: fn(&Lab) -> Result<Finding, PlacementError>,
}

/// Every reproduction, family by family.
pub fn all() -> impl Iterator<Item = &'static Reproduction> {
    let families = [
        modulo::ALL,
        ring_shares::ALL,
        ring_changes::ALL,
        draws::ALL,
        tables::ALL,
        claims::ALL,
        hashes::ALL,
        costs::ALL,
    ];
    families.into_iter().flatten()
}

/// Figures that are held against laws when everything runs, at most. Marks are corrected for so many,
/// however little of it was chosen: a figure then has the same mark alone as among all.
const FIGURES: usize = 256;

/// Runs the chosen reproductions one after the other and judges all their figures together.
pub fn run(chosen: &[&Reproduction], lab: &Lab, progress: &Progress) -> Report {
    let work = |reproduction: &Reproduction| (reproduction.seconds * 1000.0) as u64;
    progress.total(chosen.iter().map(|reproduction| work(reproduction)).sum());
    let run = |reproduction: &&Reproduction| {
        progress.now(reproduction.name.into());
        let found = (reproduction.run)(lab);
        progress.done(work(reproduction));
        found
    };
    let found: Vec<_> = chosen.iter().map(run).collect();
    let figures: usize = found.iter().flatten().map(Finding::figures).sum();
    let corrected = figures.max(FIGURES);
    let judged = |(reproduction, found): (&&Reproduction, Result<Finding, PlacementError>)| {
        let mut judged = reproduced(reproduction, found);
        judged.judge(corrected);
        judged
    };
    Report {
        schema_version: outcome::SCHEMA_VERSION,
        tool: Tool::this(),
        created_unix_s: now_unix_s(),
        machine: Machine::detect(),
        seed: lab.seed,
        quick: lab.quick,
        figures,
        critical: crate::theory::critical(corrected),
        reproductions: chosen.iter().zip(found).map(judged).collect(),
    }
}

/// What was found, beside what was claimed; not judged yet.
fn reproduced(reproduction: &Reproduction, found: Result<Finding, PlacementError>) -> Reproduced {
    let (found, error) = match found {
        Ok(found) => match found.rows.iter().find(|row| !row.measured.is_finite()) {
            Some(row) => (
                Finding::default(),
                Some(format!("no figure came out for {}", row.what)),
            ),
            None => (found, None),
        },
        Err(error) => (Finding::default(), Some(error.to_string())),
    };
    Reproduced {
        name: reproduction.name.into(),
        title: reproduction.title.into(),
        claim: reproduction.claim.into(),
        source: reproduction.source.into(),
        conditions: reproduction.conditions.into(),
        expected: None,
        verdict: Verdict::Undecided,
        condition: found.condition,
        failed: false,
        error,
        rows: found.rows,
        histograms: found.histograms,
    }
}

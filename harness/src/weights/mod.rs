//! Weights: how closely shares follow them, and what moves when one changes or is taken away in
//! steps.

mod drain;
mod laws;
mod moves;
mod shares;

pub use drain::{Drain, DrainRow, DrainSettings, DrainStatus, Drained, Step, Which, drain};
pub use moves::{Moves, Receiver};
pub use shares::{Class, Weigh, WeighRow, WeighSettings, Weighed, weigh};

/// Version of the shapes of [`Drained`] and [`Weighed`].
pub const SCHEMA_VERSION: u32 = 1;

//! The harness: measures every placement algorithm on the same keys, holds each figure against
//! theory, and renders the trade-offs.
//!
//! Data goes one way: settings → [`workload`] → build → [`verify`] → [`measure`] → [`record`] →
//! [`render`]. A measurement never prints and a renderer never measures. [`run`] leads the way
//! through; `cmd` has one file per command.

pub mod alloc;
pub mod bounded;
pub mod cascade;
pub mod cli;
mod cmd;
pub mod compare;
pub mod counts;
pub mod error;
pub mod growth;
pub mod hashes;
pub mod hits;
pub mod hot;
mod input;
pub mod live;
pub mod machine;
pub mod measure;
pub mod merge;
pub mod options;
pub mod output;
pub mod progress;
pub mod record;
pub mod render;
pub mod replicas;
pub mod reproduce;
pub mod run;
pub mod scenario;
pub mod size;
pub mod skew;
pub mod speed;
pub mod stats;
pub mod theory;
pub mod trend;
mod values;
pub mod verify;
pub mod weights;
pub mod workload;

/// Every allocation of the program is counted, so that memory figures are counted and not
/// estimated.
#[cfg(feature = "counting")]
#[global_allocator]
static ALLOCATOR: alloc::Counting = alloc::Counting;

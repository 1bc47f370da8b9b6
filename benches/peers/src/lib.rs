//! Published crates that place keys, measured beside ours: the same keys in one process, in rounds
//! over all of them, on concrete types.
//!
//! To add one of ours, add a line to [`ours::rows`]. To add a crate, write a file below [`peers`],
//! which implements [`subject::Peer`], and name it in [`peers::rows`].

pub mod case;
pub mod cell;
pub mod cli;
mod clock;
pub mod floor;
pub mod hash;
pub mod keys;
pub mod ours;
pub mod peers;
mod render;
pub mod row;
pub mod run;
pub mod subject;

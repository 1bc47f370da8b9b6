//! One file per command.

pub mod bounded;
pub mod callgrind;
pub mod cascade;
pub mod compare;
pub mod drain;
pub mod export;
pub mod growth;
pub mod hashes;
pub mod hits;
pub mod hot;
pub mod list;
pub mod live;
pub mod merge;
pub mod replicas;
pub mod report;
pub mod reproduce;
pub mod schema;
pub mod size;
pub mod speed;
pub mod trend;
pub mod verify;
pub mod weights;

use crate::error::VERIFICATION;
use crate::record::{Record, Status};

/// Exit code of a command that made this record, with a word on standard error when a row failed.
fn exit_code(record: &Record) -> u8 {
    let failed = record.cells.iter();
    let failed = failed.filter(|cell| cell.status == Status::Failed).count();
    exit_code_of(failed, record.cells.len())
}

/// The same for so many failures among all placements.
fn exit_code_of(failed: usize, all: usize) -> u8 {
    if failed == 0 {
        return 0;
    }
    eprintln!("error: {failed} of {all} rows failed; the output says why");
    VERIFICATION
}

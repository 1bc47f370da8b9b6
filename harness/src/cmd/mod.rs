//! One file per command.

pub mod callgrind;
pub mod compare;
pub mod export;
pub mod list;
pub mod merge;
pub mod report;
pub mod reproduce;
pub mod schema;
pub mod trend;
pub mod verify;

use crate::error::VERIFICATION;
use crate::record::{Record, Status};

/// Exit code of a command that made this record, with a word on standard error when a row failed.
fn exit_code(record: &Record) -> u8 {
    let failed = record
        .cells
        .iter()
        .filter(|cell| cell.status == Status::Failed)
        .count();
    if failed == 0 {
        return 0;
    }
    eprintln!(
        "error: {failed} of {} placements failed; the output says why",
        record.cells.len()
    );
    VERIFICATION
}

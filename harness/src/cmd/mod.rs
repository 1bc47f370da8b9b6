//! One file per command.

pub mod callgrind;
pub mod compare;
pub mod export;
pub mod list;
pub mod merge;
pub mod report;
pub mod schema;
pub mod trend;
pub mod verify;

use crate::error::VERIFICATION;
use crate::record::Record;

/// Exit code of a command that made this record.
fn exit_code(record: &Record) -> u8 {
    match record.all_hold() {
        true => 0,
        false => VERIFICATION,
    }
}

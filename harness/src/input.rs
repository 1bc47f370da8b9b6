//! Where files come from: a path, or `-` for standard input.

use std::fs;
use std::io::Read;
use std::path::Path;

use crate::error::Error;

/// The whole content.
///
/// # Errors
/// When it cannot be read.
pub fn bytes(path: &Path) -> Result<Vec<u8>, Error> {
    let mut content = Vec::new();
    let read = match path.as_os_str() == "-" {
        true => std::io::stdin().read_to_end(&mut content).map(drop),
        false => fs::read(path).map(|bytes| content = bytes),
    };
    read.map_err(|source| Error::File {
        action: "read",
        path: path.into(),
        source,
    })?;
    Ok(content)
}

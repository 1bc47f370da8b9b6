//! Where results go: standard output, or a file that is written whole or not at all.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::error::Error;

/// A destination that was found writable before the work began.
#[derive(Debug)]
pub struct Output(Option<PathBuf>);

impl Output {
    /// Standard output without a path.
    ///
    /// # Errors
    /// When the path is a directory or its directory cannot be written to.
    pub fn open(path: Option<&Path>) -> Result<Self, Error> {
        let Some(path) = path else {
            return Ok(Self(None));
        };
        let writable = match path.is_dir() {
            true => Err(std::io::ErrorKind::IsADirectory.into()),
            false => beside(path).map(drop),
        };
        writable.map_err(|source| failed(path, source))?;
        Ok(Self(Some(path.into())))
    }

    /// Writes the whole text.
    ///
    /// # Errors
    /// When it cannot be written; a file that stood there is then unchanged.
    pub fn write(&self, text: &str) -> Result<(), Error> {
        let Some(path) = &self.0 else {
            let mut out = std::io::stdout().lock();
            let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
            return written.map_err(Error::Stdout);
        };
        let replace = || {
            let mut file = beside(path)?;
            file.write_all(text.as_bytes())?;
            file.as_file().sync_all()?;
            file.persist(path).map(drop).map_err(|error| error.error)
        };
        replace().map_err(|source| failed(path, source))
    }
}

/// A temporary file in the directory of `path`, with the permissions of an ordinary new file; it
/// removes itself unless it is kept.
fn beside(path: &Path) -> std::io::Result<tempfile::NamedTempFile> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if !directory.is_dir() {
        let problem = format!("{} is not a directory", directory.display());
        return Err(std::io::Error::other(problem));
    }
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    // A file that stands there and may not be written is not to be replaced either.
    if path.exists() {
        fs::OpenOptions::new().append(true).open(path)?;
    }
    // The error would name the temporary file, which tells nobody anything.
    builder
        .tempfile_in(directory)
        .map_err(|error| error.kind().into())
}

fn failed(path: &Path, source: std::io::Error) -> Error {
    Error::File {
        action: "write",
        path: path.into(),
        source,
    }
}

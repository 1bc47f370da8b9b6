//! Where results go: standard output, or a file that is written whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::Error;

/// A destination that was found writable before the work began.
#[derive(Debug)]
pub enum Output {
    /// Standard output.
    Stdout,
    /// A file, there already or not, that is replaced as a whole.
    File(PathBuf),
    /// A pipe or a device, which is written to as it is.
    Stream(PathBuf),
}

impl Output {
    /// Standard output without a path. A symbolic link stands for what it leads to.
    ///
    /// # Errors
    /// When the path is a directory or its directory cannot be written to.
    pub fn open(path: Option<&Path>) -> Result<Self, Error> {
        let Some(asked) = path else {
            return Ok(Self::Stdout);
        };
        let check = || {
            let path = fs::canonicalize(asked).unwrap_or_else(|_| asked.into());
            match fs::metadata(&path) {
                Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
                Ok(found) if !found.is_file() => Ok(Self::Stream(path)),
                // A file that may not be written is not to be replaced either.
                Ok(_) => File::options()
                    .append(true)
                    .open(&path)
                    .map(|_| Self::File(path)),
                Err(_) => beside(&path).map(|_| Self::File(path)),
            }
        };
        check().map_err(|source| failed(asked, source))
    }

    /// Writes the whole text.
    ///
    /// # Errors
    /// When it cannot be written; a file that stood there is then unchanged.
    pub fn write(&self, text: &str) -> Result<(), Error> {
        match self {
            Self::Stdout => {
                let mut out = io::stdout().lock();
                let written = out.write_all(text.as_bytes()).and_then(|()| out.flush());
                written.map_err(Error::Stdout)
            }
            Self::File(path) => replace(path, text).map_err(|source| failed(path, source)),
            Self::Stream(path) => fs::write(path, text).map_err(|source| failed(path, source)),
        }
    }
}

fn replace(path: &Path, text: &str) -> io::Result<()> {
    let mut file = beside(path)?;
    file.write_all(text.as_bytes())?;
    if let Ok(old) = fs::metadata(path) {
        file.as_file().set_permissions(old.permissions())?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map(drop).map_err(|error| error.error)
}

/// A temporary file in the directory of `path`, with the permissions of an ordinary new file; it
/// removes itself unless it is kept.
fn beside(path: &Path) -> io::Result<tempfile::NamedTempFile> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    if !directory.is_dir() {
        let problem = format!("there is no directory {}", directory.display());
        return Err(io::Error::other(problem));
    }
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    // The error would name the temporary file, which tells nobody anything.
    builder
        .tempfile_in(directory)
        .map_err(|error| error.kind().into())
}

fn failed(path: &Path, source: io::Error) -> Error {
    Error::File {
        action: "write",
        path: path.into(),
        source,
    }
}

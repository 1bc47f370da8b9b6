//! What the sources themselves must keep to.

// What tests call may unwrap as tests do.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use algorithms::{Settings, registry};

/// All source files of the library, with their text.
fn sources() -> Vec<(PathBuf, String)> {
    fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            match path.is_dir() {
                true => collect(&path, files),
                false => files.push(path),
            }
        }
    }
    let mut files = Vec::new();
    collect(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("src"),
        &mut files,
    );
    files.sort();
    let read = |path: PathBuf| (path.clone(), fs::read_to_string(path).unwrap());
    files.into_iter().map(read).collect()
}

#[test]
fn every_algorithm_that_is_written_stands_in_the_registry() {
    let sources = sources();
    let files: Vec<&(PathBuf, String)> = sources
        .iter()
        .filter(|(_, text)| text.contains("\npub const ALGORITHM: Algorithm"))
        .collect();
    assert_eq!(files.len(), registry::ALL.len());
    for algorithm in registry::ALL {
        let line = format!("name: \"{}\",", algorithm.name);
        let defining = files.iter().filter(|(_, text)| text.contains(&line));
        assert_eq!(defining.count(), 1, "{}", algorithm.name);
    }
}

#[test]
fn names_are_unique_and_fit_for_files_and_command_lines() {
    let names: BTreeSet<&str> = registry::ALL
        .iter()
        .map(|algorithm| algorithm.name)
        .collect();
    assert_eq!(names.len(), registry::ALL.len());
    for algorithm in registry::ALL {
        let kebab = |part: &str| {
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
            !part.is_empty() && part.chars().all(plain)
        };
        assert!(algorithm.name.split('-').all(kebab), "{}", algorithm.name);
        assert!(algorithm.version >= 1);
        assert_eq!(
            registry::find(algorithm.name).unwrap().title,
            algorithm.title
        );
        assert!((algorithm.empty)(&Settings::default()).is_ok());
    }
    assert!(registry::find("no such algorithm").is_none());
}

/// Owners must be the same in every process, on every platform, after every update of the compiler.
#[test]
fn nothing_hashed_depends_on_process_platform_or_toolchain() {
    let forbidden = [
        "DefaultHasher",
        "RandomState",
        "HashMap",
        "HashSet",
        "to_ne_bytes",
        "from_ne_bytes",
        "usize::to_le_bytes",
        "SystemTime",
        "Instant",
        "f64::ln",
        ".ln()",
        ".powf(",
    ];
    for (path, text) in sources() {
        for word in forbidden {
            assert!(!text.contains(word), "{} contains {word}", path.display());
        }
    }
}

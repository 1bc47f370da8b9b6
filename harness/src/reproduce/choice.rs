//! Which reproductions are meant.

use super::{Reproduction, all};
use crate::error::Error;
use crate::trend::near;

/// The reproductions of these names, in the order of the list.
///
/// # Errors
/// When there is none of a name; the error tells the nearest.
pub fn choose(names: &[String]) -> Result<Vec<&'static Reproduction>, Error> {
    for name in names {
        if !all().any(|reproduction| reproduction.name == name) {
            let near = near(name, all().map(|reproduction| reproduction.name));
            return Err(Error::Usage(format!(
                "there is no reproduction {name:?}; the nearest: {}; --list names all",
                near.join(", ")
            )));
        }
    }
    let asked = |reproduction: &&Reproduction| names.iter().any(|name| name == reproduction.name);
    Ok(all().filter(asked).collect())
}

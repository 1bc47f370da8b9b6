//! Two ways to share one placement.

use std::sync::{PoisonError, RwLock, TryLockError};

use algorithms::{Live, Placement, PlacementError};

/// A placement that threads share.
pub enum Handle {
    /// A pointer that is replaced: views never wait.
    Live(Live),
    /// A lock that a change holds as long as it lasts.
    Lock(RwLock<Box<dyn Placement>>),
}

impl Handle {
    /// Names of the handles, in the order of rows.
    pub const NAMES: [&'static str; 2] = ["live", "lock"];

    /// The handle of this name around a placement.
    pub fn new(name: &str, placement: Box<dyn Placement>) -> Self {
        match name {
            "lock" => Self::Lock(RwLock::new(placement)),
            _ => Self::Live(Live::new(placement)),
        }
    }

    /// Calls `read` with the current placement, and tells whether that had to wait.
    pub fn read<T>(&self, read: impl FnOnce(&dyn Placement) -> T) -> (T, bool) {
        match self {
            Self::Live(live) => (read(&*live.view()), false),
            Self::Lock(lock) => match lock.try_read() {
                Ok(placement) => (read(&**placement), false),
                Err(TryLockError::Poisoned(poisoned)) => (read(&**poisoned.into_inner()), false),
                Err(TryLockError::WouldBlock) => {
                    let placement = lock.read().unwrap_or_else(PoisonError::into_inner);
                    (read(&**placement), true)
                }
            },
        }
    }

    /// Makes a change.
    ///
    /// # Errors
    /// Those of the change.
    pub fn change(
        &self,
        change: impl FnOnce(&mut dyn Placement) -> Result<(), PlacementError>,
    ) -> Result<(), PlacementError> {
        match self {
            Self::Live(live) => live.change(change),
            Self::Lock(lock) => {
                let mut placement = lock.write().unwrap_or_else(PoisonError::into_inner);
                change(&mut **placement)
            }
        }
    }
}

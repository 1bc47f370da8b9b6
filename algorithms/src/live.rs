//! A placement that is looked up by many threads while its membership changes.
//!
//! The placement stands behind one atomic pointer. A reader takes the pointer, which waits for
//! nobody, and looks up in what it points to; a writer copies the placement, changes the copy and
//! replaces the pointer. So every answer belongs to the membership before a change or to the one
//! after it, never to a mixture, and the last reader of an old one frees it.
//!
//! | view | lookup in a view | change | memory |
//! |---|---|---|---|
//! | an atomic load and a store | that of the placement | a copy of the placement and the change | one placement, two during a change, and those that views still hold |
//!
//! Choose it when requests are served while nodes come and go. Where membership changes so often
//! that copying hurts (a Maglev table or a large ring, thousands of times a second), collect changes
//! and make them in one.
//!
//! ```
//! use algorithms::{Live, Node, Settings, registry};
//!
//! let settings = Settings::default();
//! let nodes = ["cache-a", "cache-b"].map(Node::new).to_vec();
//! let live = Live::new(registry::find("ring-vec").expect("registered").build(&settings, nodes)?);
//!
//! let view = live.view(); // one membership for as many lookups as belong together
//! let owner = view.place(settings.hash.of(b"user:42")).expect("two nodes are eligible");
//! println!("user:42 is on {} by version {}", view.membership().name(owner), view.membership().version());
//!
//! live.change(|placement| placement.add(Node::new("cache-c")))?;
//! assert!(live.view().membership().version() > view.membership().version());
//! # Ok::<(), algorithms::PlacementError>(())
//! ```

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

use arc_swap::{ArcSwap, Guard};

use crate::placement::Placement;

/// The current placement, shared by all threads.
pub struct Live {
    current: ArcSwap<Box<dyn Placement>>,
    /// Held while a change is being made, so that none is lost to another.
    changing: Mutex<()>,
}

/// One placement at one version. It stays as it is while it is held, whatever is changed meanwhile.
///
/// Meant to be held for one request or one batch. A view that is kept keeps its whole placement in
/// memory.
pub struct View(Guard<Arc<Box<dyn Placement>>>);

impl Live {
    /// Shares a placement.
    pub fn new(placement: Box<dyn Placement>) -> Self {
        Self {
            current: ArcSwap::from_pointee(placement),
            changing: Mutex::new(()),
        }
    }

    /// The placement as it is now. Never waits, neither for a change nor for other readers.
    pub fn view(&self) -> View {
        View(self.current.load())
    }

    /// Makes a change on a copy and shows it to all later views at once: either all of it or, when
    /// `change` returns an error or panics, nothing. Changes wait for one another; views do not
    /// wait for them.
    ///
    /// The version of the membership tells how many changes its placement has seen; it grows with
    /// each and belongs into logs and metrics.
    ///
    /// # Errors
    /// Those of `change`.
    pub fn change<T, E>(
        &self,
        change: impl FnOnce(&mut dyn Placement) -> Result<T, E>,
    ) -> Result<T, E> {
        // What is guarded is the order of changes; a panic in one leaves nothing half done.
        let _changing = self.changing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut placement = self.view().boxed_clone();
        let outcome = change(&mut *placement)?;
        self.current.store(Arc::new(placement));
        Ok(outcome)
    }
}

impl fmt::Debug for Live {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.view().fmt(out)
    }
}

impl Deref for View {
    type Target = dyn Placement;

    fn deref(&self) -> &Self::Target {
        &***self.0
    }
}

impl fmt::Debug for View {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let membership = self.membership();
        write!(
            out,
            "{} nodes at version {}",
            membership.len(),
            membership.version()
        )
    }
}

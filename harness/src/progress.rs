//! How far a run is, on standard error: drawn on a terminal only.

use std::fmt::Write;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// A bar over work of known relative size.
pub struct Progress(ProgressBar);

impl Progress {
    /// A bar that is full after `total` units of work.
    pub fn new(total: u64) -> Self {
        // Hides itself where standard error is not a terminal.
        let bar =
            ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(10));
        let template = "{elapsed_precise} [{bar:30}] {percent:>3} %{left}  {wide_msg}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            // Before anything is done, nobody can tell.
            let left = |state: &ProgressState, out: &mut dyn Write| {
                if state.pos() > 0 {
                    let seconds = state.eta().as_secs();
                    let _ = write!(out, ", {}:{:02} left", seconds / 60, seconds % 60);
                }
            };
            bar.set_style(style.with_key("left", left).progress_chars("=> "));
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    /// A bar that is never drawn.
    pub fn hidden() -> Self {
        Self(ProgressBar::hidden())
    }

    /// What is being worked on.
    pub fn now(&self, message: String) {
        self.0.set_message(message);
    }

    /// So many units are done.
    pub fn done(&self, units: u64) {
        self.0.inc(units);
    }

    /// Sets the whole, once it is known.
    pub fn total(&self, units: u64) {
        self.0.set_length(units);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}

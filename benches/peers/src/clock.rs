//! The processor time of this thread: what others do on the machine is not in it.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// Runs `work` and tells the ns of the processor that it took.
pub fn time<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let start = now();
    let result = work();
    (result, now().saturating_sub(start).as_nanos() as f64)
}

fn now() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    // A clock that began at 0 shows no negative time.
    Duration::try_from(time).unwrap_or_default()
}

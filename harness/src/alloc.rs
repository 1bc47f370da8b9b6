//! A counting allocator: live bytes, their peak, and the number of allocations, per thread.
//!
//! Counters belong to the thread that allocates, so that the progress bar or a helper thread never
//! shows in a figure.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system allocator, counted.
pub struct Counting;

thread_local! {
    static LIVE: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

/// What a piece of work did to the heap.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Heap {
    /// Bytes that it left allocated; below 0 when it freed more than it took.
    pub live: isize,
    /// Most bytes that it held at one time.
    pub peak: isize,
    /// Allocations, growing or shrinking a block included.
    pub allocations: u64,
}

/// Runs `work` and tells what it did to the heap of this thread.
pub fn measure<T>(work: impl FnOnce() -> T) -> (T, Heap) {
    let (live, count) = (LIVE.get(), COUNT.get());
    let outer = PEAK.replace(live);
    let result = work();
    let heap = Heap {
        live: LIVE.get() - live,
        peak: PEAK.get() - live,
        allocations: COUNT.get() - count,
    };
    PEAK.set(outer.max(PEAK.get()));
    (result, heap)
}

fn grew(bytes: usize) {
    COUNT.set(COUNT.get() + 1);
    LIVE.set(LIVE.get() + bytes as isize);
    PEAK.set(PEAK.get().max(LIVE.get()));
}

fn shrank(bytes: usize) {
    LIVE.set(LIVE.get() - bytes as isize);
}

// SAFETY: every call is handed to the system allocator unchanged; the counters are thread-local
// cells without destructors, whose use neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        let block = unsafe { System.alloc(layout) };
        if !block.is_null() {
            grew(layout.size());
        }
        block
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        let block = unsafe { System.alloc_zeroed(layout) };
        if !block.is_null() {
            grew(layout.size());
        }
        block
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(block, layout) };
        shrank(layout.size());
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `realloc`.
        let moved = unsafe { System.realloc(block, layout, size) };
        if !moved.is_null() {
            // Both blocks may exist while one is copied to the other.
            grew(size);
            shrank(layout.size());
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::measure;

    #[test]
    fn live_peak_and_count_are_those_of_the_work() {
        let (kept, heap) = measure(|| {
            drop(Vec::<u8>::with_capacity(1000));
            Vec::<u8>::with_capacity(24)
        });
        assert_eq!((heap.live, heap.peak, heap.allocations), (24, 1000, 2));
        let (_, freed) = measure(|| drop(kept));
        assert_eq!((freed.live, freed.allocations), (-24, 0));
    }

    #[test]
    fn an_inner_measurement_leaves_the_outer_peak_whole() {
        let (_, outer) = measure(|| {
            drop(Vec::<u8>::with_capacity(500));
            measure(|| drop(Vec::<u8>::with_capacity(10)))
        });
        assert_eq!(outer.peak, 500);
    }
}

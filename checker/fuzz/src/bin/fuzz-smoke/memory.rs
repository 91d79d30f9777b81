//! The memory that an input takes.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

/// More is a finding.
pub(crate) const LIMIT: usize = 1200 << 20;
/// The limit of memory.
const MOST: usize = 12 << 30;

static LIVE: AtomicUsize = AtomicUsize::new(0);
static LARGEST: AtomicUsize = AtomicUsize::new(0);

/// The system's, with a count.
struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Counts `bytes` as allocated; returns whether the total stays within the limit.
fn take(bytes: usize) -> bool {
    let live = LIVE.fetch_add(bytes, Relaxed) + bytes;
    LARGEST.fetch_max(live, Relaxed);
    if live > MOST {
        LIVE.fetch_sub(bytes, Relaxed);
    }
    live <= MOST
}

// SAFETY: everything is passed on to the system's allocator, or refused by a null pointer.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match take(layout.size()) {
            // SAFETY: the caller fulfils the conditions of the system's allocator.
            true => unsafe { System.alloc(layout) },
            false => std::ptr::null_mut(),
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        match take(layout.size()) {
            // SAFETY: the caller fulfils the conditions of the system's allocator.
            true => unsafe { System.alloc_zeroed(layout) },
            false => std::ptr::null_mut(),
        }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the system's allocator returned the pointer for this layout.
        unsafe { System.dealloc(pointer, layout) }
    }
}

/// Restarts the count.
pub(crate) fn reset() {
    LARGEST.store(LIVE.load(Relaxed), Relaxed);
}

/// The most bytes that were taken at a time since then.
pub(crate) fn largest() -> usize {
    LARGEST.load(Relaxed)
}

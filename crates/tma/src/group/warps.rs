use super::{Warp, thread::thread_idx};
use crate::ptx::barrier_cta;

/// Some warps of a block, one after the other, with a hardware barrier of their own.
///
/// ```
/// # use tma::{Block, kernel, shared};
/// /// All warps but the first pass on a number each to the next thread; the first has another role.
/// ///
/// /// # Safety
/// /// 1. There is one block of 96 threads. `numbers` has 64 numbers that no other code uses.
/// #[kernel(max_threads = 96)]
/// pub unsafe fn pass_on(numbers: *mut u32) {
///     shared! { static PASSED: [u32; 64]; }
///     // SAFETY: every thread gets here (1).
///     let block = unsafe { Block::converged() };
///     block.split(
///         |_| {},
///         |warps| {
///             let (thread, threads) = (warps.thread(), warps.threads());
///             // SAFETY: there is a number for each thread (1), and a place that is this thread's.
///             unsafe { PASSED::ptr().at((thread + 1) % threads).write(*numbers.add(thread as usize)) };
///             warps.sync();
///             // SAFETY: `sync` orders the write before; the number is this thread's (1).
///             unsafe { *numbers.add(thread as usize) = PASSED::ptr().at(thread).read() };
///         },
///     );
/// }
/// # fn main() {}
/// ```
#[derive(Clone, Copy)]
pub struct Warps {
    pub(crate) warp: Warp,
    /// True if the warp of this thread is the first of them.
    pub(crate) is_first: bool,
    pub(crate) first_thread: u32,
    pub(crate) threads: u32,
    pub(crate) barrier: u32,
}

impl Warps {
    /// Returns the warp of this thread.
    #[inline(always)]
    pub fn warp(self) -> Warp {
        self.warp
    }

    /// Returns this thread's number among these.
    #[inline(always)]
    pub fn thread(self) -> u32 {
        thread_idx().x - self.first_thread
    }

    /// Returns the number of threads of these warps.
    #[inline(always)]
    pub fn threads(self) -> u32 {
        self.threads
    }

    /// Waits until every thread of these warps is here. Earlier writes of each thread are visible to all.
    /// Collective.
    ///
    /// PTX: `bar.sync BARRIER, threads;`
    #[doc(alias = "named barrier")]
    #[inline(always)]
    pub fn sync(self) {
        sync_warps(self.barrier, self.threads);
    }

    /// Returns whether this is the one thread, a lane of the first of these warps, that issues copies. Collective.
    ///
    /// Every call elects the same thread (PTX ISA 9.7.13.14, "elect.sync").
    #[doc(alias("elect_one_sync", "invoke_one"))]
    #[inline(always)]
    pub fn elect(self) -> bool {
        self.is_first && self.warp.elect()
    }
}

/// The barriers of groups of warps, see [`Warps`].
pub(crate) fn sync_warps(barrier: u32, threads: u32) {
    // SAFETY: all threads of these warps are here, and no others use the barrier (converged 2).
    unsafe { barrier_cta::sync_aligned_count(barrier, threads) }
}

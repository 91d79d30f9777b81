use crate::{Warp, block::sync_warps, warp};

/// Some warps of a block, one behind the other, with a hardware barrier of their own.
#[derive(Clone, Copy)]
pub struct Warps {
    warp: Warp,
    first: u32,
    threads: u32,
    barrier: u32,
}

impl Warps {
    /// The warps from `first` on that have so many threads, for a thread whose warp is one of them.
    #[inline(always)]
    pub(crate) fn new(warp: Warp, first: u32, threads: u32, barrier: u32) -> Self {
        Self {
            warp,
            first,
            threads,
            barrier,
        }
    }

    /// The warp of this thread.
    #[inline(always)]
    pub fn warp(self) -> Warp {
        self.warp
    }

    /// This thread's number among these.
    #[inline(always)]
    pub fn thread(self) -> u32 {
        crate::thread::thread_idx().x - self.first * Warp::LANES
    }

    /// Threads of these warps.
    #[inline(always)]
    pub fn threads(self) -> u32 {
        self.threads
    }

    /// Waits until every thread of these warps is here; what each wrote before is visible to all after.
    /// Collective.
    ///
    /// PTX: `bar.sync BARRIER, threads;`
    #[doc(alias = "named barrier")]
    #[inline(always)]
    pub fn sync(self) {
        sync_warps(self.barrier, self.threads);
    }

    /// Is this the one thread, a lane of the first of these warps, that is to issue copies? Collective.
    ///
    /// It is the same thread at every call (PTX ISA 9.7.13.14, "elect.sync").
    #[doc(alias("elect_one_sync", "invoke_one"))]
    #[inline(always)]
    pub fn elect(self) -> bool {
        // SAFETY: every lane of the warp is here, and all have the same number (converged 2).
        self.warp.index() == self.first && unsafe { warp::is_elected() }
    }
}

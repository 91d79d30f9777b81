use crate::{Block, Warp, block::sync_warps, ptx::setmaxnreg, thread::thread_idx, warp};

/// Four warps, the first of which has a multiple of four as its number: the threads that multiply matrices
/// together.
///
/// Source: PTX ISA 9.7.15.1, "Warpgroup".
#[derive(Clone, Copy)]
pub struct Warpgroup {
    warp: Warp,
    /// Its number in the block.
    index: u32,
    /// This thread's warp in the block.
    warp_index: u32,
}

impl Warpgroup {
    /// Warps of a warpgroup.
    pub const WARPS: u32 = 4;
    /// Threads of a warpgroup.
    pub const THREADS: u32 = Self::WARPS * Warp::LANES;
    /// Hardware barriers that roles of warps have: 0 is the block's, 1 that of [`Warps`](crate::Warps).
    const FIRST_BARRIER: u32 = 2;

    /// The warp of this thread.
    #[inline(always)]
    pub fn warp(self) -> Warp {
        self.warp
    }

    /// The number of this thread's warp among the four.
    #[inline(always)]
    pub fn warp_index(self) -> u32 {
        self.warp_index % Self::WARPS
    }

    /// The warpgroup's number among those that have its role.
    #[inline(always)]
    pub fn index(self) -> u32 {
        self.index
    }

    /// This thread's number in the warpgroup.
    #[inline(always)]
    pub fn thread(self) -> u32 {
        thread_idx().x % Self::THREADS
    }

    /// Threads of the warpgroup.
    #[inline(always)]
    pub fn threads(self) -> u32 {
        Self::THREADS
    }

    /// Waits until every thread of the warpgroup is here; what each wrote before is visible to all after.
    /// Collective.
    ///
    /// PTX: `bar.sync BARRIER, 128;`
    #[doc(alias = "named barrier")]
    #[inline(always)]
    pub fn sync(self) {
        sync_warps(self.index + Self::FIRST_BARRIER, Self::THREADS);
    }

    /// Is this the one thread, a lane of the first warp, that is to issue copies? Collective.
    ///
    /// It is the same thread at every call (PTX ISA 9.7.13.14, "elect.sync").
    #[doc(alias("elect_one_sync", "invoke_one"))]
    #[inline(always)]
    pub fn elect(self) -> bool {
        self.warp_index() == 0 && self.warp.elect()
    }
}

impl Block {
    /// Two roles: the warps of the first warpgroup do the one, with `FIRST` registers a thread, those of the other
    /// warpgroups the other, with `OTHERS`. Collective; the block has two warpgroups at least.
    ///
    /// # Safety
    /// 1. The block is of whole warpgroups. ptxas gives each thread from `FIRST` to `OTHERS` registers, because the
    ///    kernel says how many threads and blocks there are (`max_threads`, `min_blocks`): 65536 over the threads,
    ///    rounded down to a multiple of 8.
    /// 2. All threads together have at most as many registers after the change as before.
    #[doc(alias("warp specialization", "cutlass::arch::warpgroup_reg_alloc"))]
    #[inline(always)]
    pub unsafe fn split_warpgroups<const FIRST: u32, const OTHERS: u32>(
        self,
        first: impl FnOnce(Warpgroup),
        others: impl FnOnce(Warpgroup),
    ) {
        // SAFETY: whole warps are here, and blocks are one-dimensional (1 and 2 of `Block::converged`).
        let warp_index = unsafe { warp::index() };
        let warpgroup = |index| Warpgroup {
            warp: self.warp(),
            index,
            warp_index,
        };
        match warp_index / Warpgroup::WARPS {
            0 => {
                // SAFETY: all threads of the warpgroup are here, which have as many registers or more (1).
                unsafe { setmaxnreg::dec_sync_aligned::<FIRST>() };
                first(warpgroup(0));
            }
            index => {
                // SAFETY: all threads of the warpgroup are here, which have as many registers or fewer (1); the
                // block has them (2).
                unsafe { setmaxnreg::inc_sync_aligned::<OTHERS>() };
                others(warpgroup(index - 1));
            }
        }
    }
}

use super::{Block, Warp, Warps, thread::thread_idx, warps::sync_warps};

/// Four warps, the first one at a multiple of four in its block: the threads that multiply matrices
/// together.
///
/// Source: PTX ISA 9.7.15.1, "Warpgroup".
#[derive(Clone, Copy)]
pub struct Warpgroup {
    warp: Warp,
    /// The warpgroup's number in its role.
    index: u32,
    /// The number of warpgroups of the block before this role.
    before: u32,
    /// This thread's warp in the block.
    warp_index: u32,
    /// The barrier and the threads of its role.
    role: [u32; 2],
}

impl Warpgroup {
    /// The number of warps of a warpgroup.
    pub const WARPS: u32 = 4;
    /// The number of threads of a warpgroup.
    pub const THREADS: u32 = Self::WARPS * Warp::LANES;
    /// The barrier of the block's first warpgroup. The barriers before belong to the block and to the roles after the
    /// first one; the first role of [`Block::split_registers`], which is the first warpgroup, has the same.
    const FIRST_BARRIER: u32 = 2;

    /// Returns the warp of this thread.
    #[inline(always)]
    pub fn warp(self) -> Warp {
        self.warp
    }

    /// Returns the number of this thread's warp among the four.
    #[inline(always)]
    pub fn warp_index(self) -> u32 {
        self.warp_index % Self::WARPS
    }

    /// Returns the warpgroup's number in its role.
    #[inline(always)]
    pub fn index(self) -> u32 {
        self.index
    }

    /// Returns this thread's number in the warpgroup.
    #[inline(always)]
    pub fn thread(self) -> u32 {
        thread_idx().x % Self::THREADS
    }

    /// Returns the number of threads of the warpgroup.
    #[inline(always)]
    pub fn threads(self) -> u32 {
        Self::THREADS
    }

    /// Waits until every thread of the warpgroup is here. Earlier writes of each thread are visible to all.
    /// Collective.
    ///
    /// Each warpgroup of the block has a barrier of its own, in any role.
    ///
    /// PTX: `bar.sync BARRIER, 128;`
    #[doc(alias = "named barrier")]
    #[inline(always)]
    pub fn sync(self) {
        sync_warps(
            self.index + (self.before + Self::FIRST_BARRIER),
            Self::THREADS,
        );
    }

    /// Returns the number of threads of all warpgroups of this role.
    #[inline(always)]
    pub fn role_threads(self) -> u32 {
        self.role[1]
    }

    /// Waits until every thread of all warpgroups of this role is here. Earlier writes of each thread are visible to all.
    /// Collective of the role.
    ///
    /// PTX: `bar.sync BARRIER, threads;`
    #[inline(always)]
    pub fn sync_role(self) {
        let [barrier, threads] = self.role;
        sync_warps(barrier, threads);
    }

    /// Returns whether this is the one thread, a lane of the first warp, that issues copies. Collective.
    ///
    /// Every call elects the same thread (PTX ISA 9.7.13.14, "elect.sync").
    #[doc(alias("elect_one_sync", "invoke_one"))]
    #[inline(always)]
    pub fn elect(self) -> bool {
        self.warp_index() == 0 && self.warp.elect()
    }
}

impl Block {
    /// Returns the warpgroup of this thread, where the block is of whole warpgroups. Collective.
    #[inline(always)]
    pub fn warpgroup(self) -> Option<Warpgroup> {
        if !self.threads().is_multiple_of(Warpgroup::THREADS) {
            return None;
        }
        let warp_index = self.warp().index();
        Some(Warpgroup {
            warp: self.warp(),
            index: warp_index / Warpgroup::WARPS,
            before: 0,
            warp_index,
            role: [0, self.threads()],
        })
    }
}

impl Warps {
    /// Returns the warpgroup of this thread, where these warps are whole warpgroups. Collective.
    #[inline(always)]
    pub fn warpgroup(self) -> Option<Warpgroup> {
        let is_whole = |threads: u32| threads.is_multiple_of(Warpgroup::THREADS);
        if !is_whole(self.first_thread) || !is_whole(self.threads) {
            return None;
        }
        let warp_index = self.warp.index();
        Some(Warpgroup {
            warp: self.warp,
            index: (warp_index - self.first_thread / Warp::LANES) / Warpgroup::WARPS,
            before: self.first_thread / Warpgroup::THREADS,
            warp_index,
            role: [self.barrier, self.threads],
        })
    }
}

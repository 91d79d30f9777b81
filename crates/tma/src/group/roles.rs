use super::{Block, Warp, Warpgroup, Warps, thread::trap};
use crate::ptx::setmaxnreg;

/// The number of threads of a warpgroup, which changes its registers as a whole.
const WARPGROUP: u32 = Warpgroup::THREADS;

/// Returns the registers of a thread when the kernel begins, if a multiprocessor has this number of threads.
const fn at_entry(threads: u32) -> u32 {
    let most = 65_536 / threads / 8 * 8;
    if most > 255 { 256 } else { most }
}

impl Block {
    /// Runs two roles: `first` in the threads of the first warp, `others` in all other threads. Collective; the
    /// block has at least two warps.
    ///
    /// The others synchronise at the hardware's barrier 1.
    #[doc(alias = "warp specialization")]
    #[inline(always)]
    pub fn split(self, first: impl FnOnce(Warp), others: impl FnOnce(Warps)) {
        let warp = self.warp();
        match warp.index() {
            0 => first(warp),
            index => others(Warps {
                warp,
                is_first: index == 1,
                first_thread: Warp::LANES,
                threads: self.threads() - Warp::LANES,
                barrier: 1,
            }),
        }
    }

    /// Runs two roles, with registers of their own: the threads of the first warpgroup run the first and keep `FEWER`
    /// registers each, all other threads run the second and get `MORE`. Collective; the block has `THREADS`
    /// threads, else the kernel stops.
    ///
    /// The first warpgroup synchronises at the hardware's barrier 2, the others at barrier 1.
    ///
    /// ```
    /// # use tma::{Block, GlobalMut, PerThread, kernel};
    /// /// Writes a number for each thread: 1 from those that load, 2 from those that work.
    /// ///
    /// /// # Safety
    /// /// 1. `numbers` is as its type requires. Blocks have 384 threads.
    /// #[kernel(max_threads = 384, min_blocks = 1)]
    /// pub unsafe fn roles(numbers: GlobalMut<u32, PerThread>) {
    ///     // SAFETY: every thread gets here (1).
    ///     let block = unsafe { Block::converged() };
    ///     // SAFETY: the attribute fixes the threads.
    ///     unsafe {
    ///         block.split_registers::<384, 40, 232>(
    ///             |_loaders| numbers.write(block, 1),
    ///             |_workers| numbers.write(block, 2),
    ///         );
    ///     }
    /// }
    /// # fn main() {}
    /// ```
    ///
    /// Numbers that the hardware does not take, or that do not fit, are errors of the compiler:
    ///
    /// ```compile_fail,E0080
    /// # use tma::Block;
    /// # let block = unsafe { Block::converged() };
    /// // 36 is not a multiple of 8.
    /// unsafe { block.split_registers::<384, 36, 232>(|_| (), |_| ()) };
    /// ```
    ///
    /// ```compile_fail,E0080
    /// # use tma::Block;
    /// # let block = unsafe { Block::converged() };
    /// // 128 * 48 + 256 * 232 registers are more than 384 * 168, which the block begins with.
    /// unsafe { block.split_registers::<384, 48, 232>(|_| (), |_| ()) };
    /// ```
    ///
    /// # Safety
    /// 1. The kernel is compiled for blocks of `THREADS` threads, one on each multiprocessor:
    ///    `#[kernel(max_threads = THREADS, min_blocks = 1)]`.
    #[doc(alias("warp specialization", "warpgroup_reg_alloc", "warpgroup_reg_dealloc"))]
    #[inline(always)]
    pub unsafe fn split_registers<const THREADS: u32, const FEWER: u32, const MORE: u32>(
        self,
        first: impl FnOnce(Warps),
        others: impl FnOnce(Warps),
    ) {
        // SAFETY: each block has a multiprocessor of its own (1).
        unsafe { self.split_shared_registers::<1, THREADS, FEWER, MORE>(first, others) };
    }

    /// Runs two roles as [`split_registers`](Self::split_registers) does, where `BLOCKS` blocks share the registers of
    /// a multiprocessor.
    ///
    /// ```compile_fail,E0080
    /// # use tma::Block;
    /// # let block = unsafe { Block::converged() };
    /// // 128 * 40 + 128 * 224 registers are more than 256 * 128, which each of two blocks begins with.
    /// unsafe { block.split_shared_registers::<2, 256, 40, 224>(|_| (), |_| ()) };
    /// ```
    ///
    /// # Safety
    /// 1. The kernel is compiled for this number of blocks, of `THREADS` threads, on each multiprocessor:
    ///    `#[kernel(max_threads = THREADS, min_blocks = BLOCKS)]`.
    #[inline(always)]
    pub unsafe fn split_shared_registers<
        const BLOCKS: u32,
        const THREADS: u32,
        const FEWER: u32,
        const MORE: u32,
    >(
        self,
        first: impl FnOnce(Warps),
        others: impl FnOnce(Warps),
    ) {
        const {
            assert!(
                THREADS.is_multiple_of(WARPGROUP) && 2 * WARPGROUP <= THREADS && THREADS <= 1024,
                "registers change by warpgroups: a block has a multiple of 128 threads, 256 to 1024"
            );
            setmaxnreg::assert_registers(FEWER);
            setmaxnreg::assert_registers(MORE);
            let at_entry = at_entry(BLOCKS * THREADS);
            assert!(
                FEWER <= at_entry && at_entry <= MORE,
                "the first role gives up registers and the other gets some: a thread begins with 65536 / THREADS, or its \
                 part of that where blocks share a multiprocessor"
            );
            assert!(
                FEWER * WARPGROUP + MORE * (THREADS - WARPGROUP) <= at_entry * THREADS,
                "the registers of all threads are no more than those that they begin with"
            );
        };
        if self.threads() != THREADS {
            trap();
        }
        let warp = self.warp();
        let index = warp.index();
        if index < Warpgroup::WARPS {
            // SAFETY: the warpgroup is here (2 of `converged`), and has the known number of registers (1) and no fewer.
            unsafe { setmaxnreg::dec_sync_aligned::<FEWER>() };
            first(Warps {
                warp,
                is_first: index == 0,
                first_thread: 0,
                threads: WARPGROUP,
                barrier: 2,
            });
        } else {
            // SAFETY: the warpgroups are here (2 of `converged`), and have the known number of registers (1) and no
            // more; the registers that the first one gives up suffice.
            unsafe { setmaxnreg::inc_sync_aligned::<MORE>() };
            others(Warps {
                warp,
                is_first: index == Warpgroup::WARPS,
                first_thread: WARPGROUP,
                threads: THREADS - WARPGROUP,
                barrier: 1,
            });
        }
    }
}

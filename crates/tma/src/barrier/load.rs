use super::{Barrier, Transaction};
use crate::{
    group::Block,
    ptx::{mbarrier::Mbarrier, operand::SharedPtr},
};

/// Loads that [`Block::load`] has started.
///
/// ```
/// # use tma::{Block, kernel, ptx::mbarrier::Mbarrier, shared};
/// /// Writes 1024 numbers in reverse.
/// ///
/// /// # Safety
/// /// 1. `numbers` has 1024 numbers at a multiple of 16 bytes that no other code uses; so has `reversed`.
/// /// 2. There is one block of 1024 threads.
/// #[kernel(max_threads = 1024)]
/// pub unsafe fn reverse(reversed: *mut u32, numbers: *const u32) {
///     shared! { static BUFFER: [u32; 1024] align 16; static BAR: Mbarrier; }
///     // SAFETY: every thread gets here (2).
///     let block = unsafe { Block::converged() };
///     let (buffer, thread) = (BUFFER::ptr(), block.thread());
///     // SAFETY: there are 1024 numbers (1), and room for them that no other code uses.
///     let loading = block.load(BAR::ptr(), |loads| unsafe {
///         loads.bulk(buffer.cast(), numbers.cast(), 4096);
///     });
///     loading.wait();
///     // SAFETY: the number has been loaded, and its place is this thread's (1).
///     unsafe { *reversed.add(thread as usize) = buffer.at(1023 - thread).read() };
/// }
/// # fn main() {}
/// ```
#[must_use = "the bytes are visible after `wait`"]
pub struct Loading {
    pub(crate) barrier: Barrier,
}

impl Loading {
    /// Waits until all loads are complete; this thread sees the loaded bytes.
    #[inline(always)]
    pub fn wait(self) {
        self.barrier.wait_parity(0);
    }
}

impl Block {
    /// Issues loads from one thread, and returns a handle that all threads wait on. Collective.
    ///
    /// The thread makes the barrier itself, so that the loads are in flight while the others arrive at
    /// the block's barrier.
    #[doc(alias = "cuda::memcpy_async")]
    #[inline(always)]
    pub fn load(
        self,
        memory: SharedPtr<Mbarrier>,
        start: impl FnOnce(&mut Transaction<'_>),
    ) -> Loading {
        if self.elect() {
            // SAFETY: one thread initialises the barrier, before any other uses it, in memory that is for it alone
            // (converged 3).
            unsafe { Barrier::init(memory, 1) };
            // SAFETY: this thread initialised it; its one phase has this arrival and the loads' bytes.
            let barrier = unsafe { Barrier::assume_init(memory) };
            let mut loads = barrier.transaction();
            start(&mut loads);
            let _ = loads.arrive();
        }
        self.sync();
        // SAFETY: `sync` orders the initialisation before; no thread arrives any more.
        let barrier = unsafe { Barrier::assume_init(memory) };
        Loading { barrier }
    }
}

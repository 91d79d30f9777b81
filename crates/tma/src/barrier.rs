//! Barriers, and loads that they count.

mod array;
mod creation;
mod load;
mod new_barrier;
pub mod ring;
mod transaction;

pub use array::BarrierArray;
pub use load::Loading;
pub use new_barrier::NewBarrier;
pub(crate) use ring::Ring;
pub use transaction::Transaction;

use crate::ptx::{self, Acquire, Cluster, Cta, Release, mbarrier::Mbarrier, operand::SharedPtr};

/// An initialised mbarrier in this block's shared memory.
///
/// A phase of the barrier completes once it has all expected arrivals and bytes;
/// then the next phase begins by itself.
///
/// A kernel initialises it in one thread, calls `sync_threads`, and then takes a handle in every
/// thread:
///
/// ```
/// # use tma::{Barrier, shared, thread};
/// # use tma::ptx::mbarrier::Mbarrier;
/// # unsafe fn example() {
/// shared! { static BAR: Mbarrier; }
///
/// if thread::thread_idx().x == 0 {
///     // SAFETY: one thread initialises the barrier, before any other uses it.
///     unsafe { Barrier::init(BAR::ptr(), thread::block_dim().x) };
/// }
/// // SAFETY: every thread of the block is here.
/// unsafe { thread::sync_threads() };
/// // SAFETY: `sync_threads` above orders the initialisation before this; each thread arrives once.
/// let barrier = unsafe { Barrier::assume_init(BAR::ptr()) };
/// let token = barrier.arrive();
/// barrier.wait(token);
/// # }
/// ```
///
/// Source: PTX ISA 9.7.13.15, "mbarrier".
#[doc(alias("cuda::barrier", "__mbarrier_t"))]
pub struct Barrier {
    address: SharedPtr<Mbarrier>,
}

/// Proof of an arrival, to wait for the phase that it belongs to.
#[doc(alias("arrival_token", "__mbarrier_token_t"))]
#[must_use = "an arrival is usually waited for"]
pub struct Token {
    state: u64,
}

impl Barrier {
    /// Makes a barrier for phases of `count` arrivals.
    ///
    /// # Safety
    /// 1. `address` is a multiple of 8 in this block's shared memory, which has no other use until
    ///    the barrier is invalidated.
    /// 2. The memory does not contain an initialised barrier.
    /// 3. `count` is 1 to 2^20 - 1.
    #[inline(always)]
    pub unsafe fn init(address: SharedPtr<Mbarrier>, count: u32) {
        debug_assert!(address.address().is_multiple_of(8), "(1)");
        debug_assert!((1..1 << 20).contains(&count), "(3)");
        // SAFETY: (1) and (2) are the instruction's first condition, (3) its second.
        unsafe { ptx::mbarrier::init(address, count) }
    }

    /// Returns a handle to an initialised barrier.
    ///
    /// # Safety
    /// 1. [`Barrier::init`] ran for `address` and happens before this call.
    /// 2. The barrier is not invalidated, nor its memory reused, while a handle is in use.
    /// 3. No more arrivals are made in a phase than the barrier expects.
    /// 4. The bytes expected in a phase equal the bytes that copies deliver to it, fewer than 2^20, and
    ///    they are expected while an arrival of the phase is still to come.
    /// 5. A token is waited for at the barrier that returned it, before the phase after its own ends; a
    ///    parity that is waited for is 0 or 1, and belongs to the current or the last phase.
    #[inline(always)]
    pub unsafe fn assume_init(address: SharedPtr<Mbarrier>) -> Self {
        Self { address }
    }

    /// Returns the address of the barrier, as copies take it.
    #[doc(alias = "barrier_native_handle")]
    #[inline(always)]
    pub fn address(&self) -> SharedPtr<Mbarrier> {
        self.address
    }

    /// Arrives once. Earlier writes of this thread are visible to threads that wait for the phase.
    ///
    /// Relies on (3) of [`assume_init`](Self::assume_init).
    #[doc(alias = "__mbarrier_arrive")]
    #[inline(always)]
    pub fn arrive(&self) -> Token {
        // SAFETY: the barrier is initialised and takes this arrival (assume_init 1 to 3).
        let state = unsafe { ptx::mbarrier::arrive::<Release, Cta>(self.address) };
        Token { state }
    }

    /// Expects `bytes` more bytes from copies in this phase, and arrives once.
    ///
    /// Relies on (3) and (4) of [`assume_init`](Self::assume_init).
    #[doc(alias = "barrier_arrive_tx")]
    #[inline(always)]
    pub fn arrive_expect_tx(&self, bytes: u32) -> Token {
        // SAFETY: the barrier is initialised and takes this arrival (assume_init 1 to 4).
        let state = unsafe { ptx::mbarrier::arrive_expect_tx::<Release, Cta>(self.address, bytes) };
        Token { state }
    }

    /// Expects `bytes` more bytes from copies in this phase.
    ///
    /// Relies on (4) of [`assume_init`](Self::assume_init).
    #[doc(alias = "barrier_expect_tx")]
    #[inline(always)]
    pub fn expect_tx(&self, bytes: u32) {
        // SAFETY: the barrier is initialised, an arrival is pending, and the bytes are fewer than 2^20
        // (assume_init 1, 2, 4).
        unsafe { ptx::mbarrier::expect_tx::<Cta>(self.address, bytes) }
    }

    /// Waits for the phase that the arrival belongs to; writes and copies of the phase are visible after.
    ///
    /// Relies on (5) of [`assume_init`](Self::assume_init): the token is this barrier's.
    #[inline(always)]
    pub fn wait(&self, token: Token) {
        // SAFETY: the barrier is initialised (assume_init 1, 2), and the token is of its current or
        // last phase (5).
        while !unsafe { ptx::mbarrier::try_wait::<Acquire, Cta>(self.address, token.state) } {}
    }

    /// Arrives once, and waits for the phase.
    ///
    /// Relies on (3) of [`assume_init`](Self::assume_init).
    #[inline(always)]
    pub fn arrive_and_wait(&self) {
        self.wait(self.arrive());
    }

    /// Waits for the phase of this parity: 0 for the first, 1 for the second, and so on in turn.
    ///
    /// Returns at once when the current phase has the other parity. Relies on (5) of
    /// [`assume_init`](Self::assume_init).
    #[doc(alias = "mbarrier_try_wait_parity")]
    #[inline(always)]
    pub fn wait_parity(&self, parity: u32) {
        // SAFETY: the barrier is initialised (assume_init 1, 2), and so is the parity right (5).
        while !unsafe { ptx::mbarrier::try_wait_parity::<Acquire, Cta>(self.address, parity) } {}
    }

    /// Waits like [`wait_parity`](Self::wait_parity), and sees earlier accesses of arriving threads of the whole
    /// cluster. Relies on (5) of [`assume_init`](Self::assume_init).
    #[inline(always)]
    pub fn wait_parity_cluster(&self, parity: u32) {
        // SAFETY: the barrier is initialised (assume_init 1, 2), and so is the parity right (5).
        while !unsafe { ptx::mbarrier::try_wait_parity::<Acquire, Cluster>(self.address, parity) } {
        }
    }

    /// Makes the current phase wait for the copies that this thread has started by `cp.async`, before it makes the
    /// arrival that the phase expects of it. Relies on (1) to (3) of [`assume_init`](Self::assume_init).
    #[doc(alias = "cp_async_mbarrier_arrive")]
    #[inline(always)]
    pub fn wait_for_copies(&self) {
        // SAFETY: the barrier is initialised, and expects the arrival that this one adds (assume_init 1 to 3).
        unsafe { ptx::cp_async_mbarrier_arrive::arrive(self.address) }
    }

    /// Ends the barrier's life; its memory may be used for something else.
    ///
    /// # Safety
    /// 1. One thread calls it, after every use of the barrier by all threads and copies.
    #[inline(always)]
    pub unsafe fn invalidate(self) {
        // SAFETY: no thread uses the barrier any more (1).
        unsafe { ptx::mbarrier::inval(self.address) }
    }
}

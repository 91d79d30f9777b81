//! Groups of threads: the trait of all of them.

use super::{Block, Warp, Warpgroup, Warps};
use crate::ptx::fence;

/// Threads that work together: they are numbered, and synchronise.
///
/// A function that is written for any of them takes a block, a warp, or some warps:
///
/// ```
/// # use tma::{SharedPtr, Threads};
/// /// Writes zeros, and waits until all of them are written.
/// ///
/// /// # Safety
/// /// 1. Every thread of the group makes this call. There are `len` numbers that no other code uses.
/// unsafe fn clear(group: impl Threads, numbers: SharedPtr<u32>, len: u32) {
///     let mut index = group.thread();
///     while index < len {
///         // SAFETY: the number exists, and is this thread's (1).
///         unsafe { numbers.add(index).write(0) };
///         index += group.threads();
///     }
///     group.sync();
/// }
/// ```
pub trait Threads: Copy + crate::sealed::Sealed {
    /// Returns this thread's number in the group.
    fn thread(self) -> u32;

    /// Returns the number of threads of the group.
    fn threads(self) -> u32;

    /// Waits until every thread of the group is here. Collective.
    fn sync(self);

    /// Returns whether this is the one thread that issues copies. Collective; the same thread at every call.
    fn elect(self) -> bool;
}

macro_rules! groups {
    ($($group:ty)*) => {$(
        impl crate::sealed::Sealed for $group {}
        impl Threads for $group {
            #[inline(always)]
            fn thread(self) -> u32 {
                self.thread()
            }

            #[inline(always)]
            fn threads(self) -> u32 {
                self.threads()
            }

            #[inline(always)]
            fn sync(self) {
                self.sync();
            }

            #[inline(always)]
            fn elect(self) -> bool {
                self.elect()
            }
        }
    )*};
}

groups! { Block Warp Warps Warpgroup }

/// Makes each thread's writes visible to the copy engine, then synchronises.
#[inline(always)]
pub(crate) fn publish(group: impl Threads) {
    fence::proxy_async_shared_cta();
    group.sync();
}

//! Numbers four at a time, for the kernels that add one.

use core::array;

use tma::SharedPtr;

/// Bytes of the four numbers of a vector.
pub(crate) const VECTOR_BYTES: u32 = size_of::<[u32; 4]>() as u32;

/// Adds one to the four numbers of each of the thread's vectors: the `thread`-th and every
/// `threads`-th after it, `VECTORS` of them as far as there are `vectors`.
///
/// # Safety
/// 1. `data` is a multiple of 16 and has `vectors` vectors that were written before.
/// 2. No other thread has the same number, and no copy uses the vectors at the same time.
#[expect(
    clippy::needless_range_loop,
    reason = "an iterator of the array would keep it in local memory"
)]
#[inline(always)]
pub(crate) unsafe fn add_one<const VECTORS: usize>(
    data: SharedPtr<u8>,
    vectors: u32,
    thread: u32,
    threads: u32,
) {
    let index = |turn: usize| thread + turn as u32 * threads;
    let vector = |turn: usize| data.cast::<[u32; 4]>().add(index(turn));
    let one_more = |vector: [u32; 4]| vector.map(|number| number.wrapping_add(1));
    if vectors == VECTORS as u32 * threads {
        // All loads first, so that none waits for a store.
        // SAFETY: the index is in bounds (1), and no other thread has it (2).
        let loaded = array::from_fn::<_, VECTORS, _>(|turn| unsafe { vector(turn).read() });
        for turn in 0..VECTORS {
            // SAFETY: as above.
            unsafe { vector(turn).write(one_more(loaded[turn])) };
        }
        return;
    }
    for turn in 0..VECTORS {
        if index(turn) < vectors {
            // SAFETY: the index is in bounds (1), and no other thread has it (2).
            unsafe { vector(turn).write(one_more(vector(turn).read())) };
        }
    }
}

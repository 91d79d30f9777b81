use crate::{
    group::{Block, publish},
    ptx::operand::SharedPtr,
    tile::shared_buffer::SharedBuffer,
};

/// Numbers in shared memory to which all threads of the block add.
///
/// ```
/// # use tma::{Block, GlobalMut, GlobalRef, PerBlock, PerThread, kernel, shared};
/// /// Counts how many threads of a block have each of 16 digits.
/// ///
/// /// # Safety
/// /// 1. The parameters are as their types require.
/// /// 2. Blocks are one-dimensional, of whole warps.
/// #[kernel]
/// pub unsafe fn count(counts: GlobalMut<[u32; 16], PerBlock>, numbers: GlobalRef<u32, PerThread>) {
///     shared! { static COUNTS: [u32; 16]; }
///     // SAFETY: every thread gets here (2).
///     let block = unsafe { Block::converged() };
///     let of_block = block.counts(COUNTS::ptr());
///     of_block.add(numbers.of(block) % 16, 1);
///     let of_block = of_block.finish(block);
///     counts.write(block, |digit| of_block.get(digit));
/// }
/// # fn main() {}
/// ```
#[doc(alias("BlockHistogram", "atomicAdd_block"))]
#[must_use = "the counts are complete after `finish`"]
pub struct Counts<const N: usize> {
    numbers: SharedPtr<[u32; N]>,
}

impl Block {
    /// Makes `N` zeros in this memory, for all threads to add to. Collective.
    #[inline(always)]
    pub fn counts<const N: usize>(self, memory: SharedPtr<[u32; N]>) -> Counts<N> {
        let mut index = self.thread();
        while index < N as u32 {
            // SAFETY: the number exists, in memory that is for this alone (3 of `converged`), and no other
            // thread has it.
            unsafe { memory.at(index).write(0) };
            index += self.threads();
        }
        self.sync();
        Counts { numbers: memory }
    }
}

impl<const N: usize> Counts<N> {
    /// Adds to the number `index`, in one step; the sum wraps.
    ///
    /// PTX: `red.relaxed.cta.shared::cta.add.u32`
    ///
    /// # Panics
    /// The index is out of bounds.
    #[inline(always)]
    pub fn add(&self, index: u32, value: u32) {
        assert!(index < N as u32);
        // SAFETY: the number exists, zeros were written before, and until `finish` it is used by such steps
        // alone.
        unsafe { self.numbers.at(index).add_relaxed(value) };
    }

    /// Waits until all threads have added their counts; then the numbers may be read, and copied.
    /// Collective.
    #[inline(always)]
    pub fn finish(self, block: Block) -> SharedBuffer<u32> {
        publish(block);
        SharedBuffer {
            elements: self.numbers.cast(),
            len: N as u32,
        }
    }
}

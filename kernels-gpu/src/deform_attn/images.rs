//! The coarser images of a batch in shared memory.

use tma::{Barrier, Block, NewBarrier, SharedPtr, ptx::mbarrier::Mbarrier};

use super::geometry::{Batch, CHUNKS, PIXEL_BYTES, Problem};

/// Images of a batch from one of them on.
pub(super) struct Images {
    first: u32,
    memory: SharedPtr<u8>,
    barrier: NewBarrier,
    parity: u32,
}

/// Images that are loaded or in flight.
pub(super) struct Loading {
    barrier: Barrier,
    parity: u32,
}

/// Returns the number of bytes of shared memory that images from number `first` on take.
#[inline(always)]
pub(super) fn bytes<const QUERIES: u32>(first: u32, problem: &Problem<QUERIES>) -> u32 {
    (problem.levels.pixels() - problem.levels.pick(first).first) * PIXEL_BYTES
}

impl Images {
    /// # Safety
    /// 1. `memory` has room for the images from number `first` on, and `barrier` for one, for these alone.
    #[inline(always)]
    pub(super) unsafe fn new(
        block: Block,
        first: u32,
        memory: SharedPtr<u8>,
        barrier: SharedPtr<Mbarrier>,
    ) -> Self {
        Self {
            first,
            memory,
            barrier: block.new_barrier(barrier, 1),
            parity: 0,
        }
    }

    /// Starts the copy of a batch's images. All threads of the block call it together, and have finished reading
    /// the batch before.
    #[inline(always)]
    pub(super) fn load<const QUERIES: u32>(
        &mut self,
        block: Block,
        problem: &Problem<QUERIES>,
        batch: Batch,
    ) -> Loading {
        let barrier = self.barrier.sync(block);
        if block.elect() {
            let pixel = batch.0 as usize * problem.levels.pixels() as usize
                + problem.levels.pick(self.first).first as usize;
            let mut load = barrier.transaction();
            // SAFETY: the images are stored one after the other in the batch, pixels are 64 bytes, and the shared
            // memory is theirs (1 of `new`).
            unsafe {
                let pixels = problem.value.add(pixel * CHUNKS as usize);
                load.bulk(self.memory, pixels.cast(), bytes(self.first, problem));
            }
            let _ = load.arrive();
        }
        let parity = self.parity;
        self.parity ^= 1;
        Loading { barrier, parity }
    }
}

impl Loading {
    /// Waits until the images have been loaded.
    #[inline(always)]
    pub(super) fn wait(&self) {
        self.barrier.wait_parity(self.parity);
    }
}

/// Returns the images' part of the shared memory.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) fn shared_bytes(first: usize, shapes: [u32; 4]) -> u64 {
    let pixels = |shape: &u32| u64::from(shape >> 16) * u64::from(shape & 0xffff);
    let pixels: u64 = shapes[first..].iter().map(pixels).sum();
    (pixels * u64::from(PIXEL_BYTES)).next_multiple_of(128)
}

//! Adds one to an array in a pipeline: one warp loads, the others work, several chunks in flight.

use core::num::NonZero;

use tma::{
    Block, Counter, kernel,
    pipeline::{self, Items},
    shared,
};

use crate::vectors::{VECTOR_BYTES, Vector, one_more};

/// Vectors of four numbers that a thread has of a chunk.
const VECTORS: usize = 2;

/// Bytes that a block draws at once. Small chunks keep memory busy with fewer bytes in flight, but a counter hands
/// out numbers only so fast.
const DRAWN_BYTES: u32 = 12 << 10;

/// Chunks that a block draws at once.
fn run(chunk_bytes: NonZero<u32>) -> NonZero<u32> {
    NonZero::new(DRAWN_BYTES / chunk_bytes).unwrap_or(NonZero::<u32>::MIN)
}

/// All but the first warp have their vectors of a chunk.
const fn chunk_bytes(threads: u32) -> u32 {
    threads
        .wrapping_sub(32)
        .wrapping_mul(VECTORS as u32 * VECTOR_BYTES)
}

/// Writes `x + 1` for each number `x` of `src` to the same index of `dst`; blocks draw their chunks
/// from a counter.
///
/// The first warp of a block loads, the others work. A chunk has 32 bytes for each working thread,
/// and each block keeps `STAGES` chunks in shared memory: `add_one_ring_2` to `add_one_ring_8`. A block
/// draws 12 KiB of chunks at a time. The launch has the number of blocks that run at once.
///
/// # Safety
/// 1. `src` and `dst` point to `len_bytes` bytes of global memory that only this kernel uses while
///    it runs. They are the same or do not overlap.
/// 2. Both addresses and `len_bytes` are multiples of 16, and there are fewer than 2^31 chunks.
/// 3. `counter` is as its type requires.
/// 4. Grid and blocks are one-dimensional, blocks of a multiple of 32 threads and of 64 at least,
///    and the launch has the shared memory.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX of `add_one_ring_4`\n```text\n", include_str!("../../tests/golden/ptx/add_one_ring_4.ptx"), "\n```"))]
#[kernel(
    max_threads = 544,
    instances(STAGES = 2, 3, 4, 6, 8),
    shared_bytes = |threads| pipeline::bytes::<u8>(STAGES, chunk_bytes(threads as u32).into())
)]
pub unsafe fn add_one_ring<const STAGES: u32>(
    dst: *mut u8,
    src: *const u8,
    len_bytes: u64,
    counter: Counter,
) {
    let deal = |block, runs| Items::drawn(block, 1, runs, counter);
    // SAFETY: `ring` has the conditions of this kernel, and `deal` draws from its counter (3).
    unsafe { ring::<STAGES>(dst, src, len_bytes, run, deal) }
}

/// Works like [`add_one_ring`], but each block has every `blocks`-th chunk: the cost of a pipeline without a
/// counter.
///
/// # Safety
/// The conditions of [`add_one_ring`], without (3).
#[kernel(
    max_threads = 544,
    instances(STAGES = 3, 4, 6),
    shared_bytes = |threads| pipeline::bytes::<u8>(STAGES, chunk_bytes(threads as u32).into())
)]
pub unsafe fn add_one_ring_static<const STAGES: u32>(dst: *mut u8, src: *const u8, len_bytes: u64) {
    // SAFETY: `ring` has the conditions of `add_one_ring`; (3) is about a counter, and chunks are dealt without one.
    unsafe { ring::<STAGES>(dst, src, len_bytes, |_| NonZero::<u32>::MIN, Items::dealt) }
}

/// `deal` assigns runs of chunks to a block; `run` returns the chunks per run, given the bytes of a chunk.
///
/// # Safety
/// The conditions of [`add_one_ring`].
#[inline(always)]
unsafe fn ring<const STAGES: u32>(
    dst: *mut u8,
    src: *const u8,
    len_bytes: u64,
    run: impl Fn(NonZero<u32>) -> NonZero<u32>,
    deal: impl Fn(Block, u32) -> Items<'static>,
) {
    // SAFETY: every thread gets here (4).
    let block = unsafe { Block::converged() };
    let Some(chunk_bytes) = NonZero::new(chunk_bytes(block.threads())) else {
        return;
    };
    let run = run(chunk_bytes);
    let chunk_bytes = chunk_bytes.get();
    let chunks = len_bytes.div_ceil(chunk_bytes.into()) as u32;
    let start = |chunk: u32| u64::from(chunk) * u64::from(chunk_bytes);
    // The last chunk may be shorter.
    let bytes = |chunk: u32| (len_bytes - start(chunk)).min(chunk_bytes.into()) as u32;
    let memory = shared::dynamic::<Vector, 1024>();
    let pipeline = block.storing_pipeline::<_, STAGES>(memory, chunk_bytes / VECTOR_BYTES);
    pipeline.split(
        |mut fill| {
            let mut runs = deal(block, chunks.div_ceil(run.get()));
            let [mut chunk, mut end] = [0; 2];
            loop {
                if chunk == end {
                    let Some(next) = runs.next() else { break };
                    chunk = next * run.get();
                    end = (chunk + run.get()).min(chunks);
                }
                let stage = fill.next().with_item(chunk);
                // SAFETY: the chunk is within the source (1), aligned (2); the stage takes it.
                unsafe { stage.copy(src.add(start(chunk) as usize).cast(), bytes(chunk)) };
                chunk += 1;
            }
            fill.finish();
        },
        |workers, mut drain| {
            while let Some((chunk, stage)) = drain.next_item() {
                stage
                    .own(workers, bytes(chunk) / VECTOR_BYTES)
                    .update_at_once::<VECTORS>(one_more);
                // SAFETY: the chunk is within the destination (1), aligned (2).
                drain.store(stage, |stores, stage| unsafe {
                    stores.bulk(dst.add(start(chunk) as usize), stage.cast(), bytes(chunk));
                });
            }
            drain.finish();
        },
    );
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::AddOneRing;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tma_launch::{BufferRef, Call, Conditions, DeviceDescription, Region, Shape};

    use super::{add_one_ring, add_one_ring_static, chunk_bytes};
    use crate::{
        arguments::{chunks, drawn, ends, in_place_or_apart},
        settings::{Setting, Streaming},
    };

    /// Adds one to numbers of 4 bytes in a pipeline: one warp loads, the others work.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct AddOneRing {
        /// The buffer of the counter from which blocks draw their chunks, a `u32` that is zero; without
        /// one each block has every `blocks`-th chunk.
        pub counter: Option<usize>,
        /// Chunks that a block keeps in shared memory: 2, 3, 4, 6 or 8; 3, 4 or 6 without a counter.
        pub stages: u32,
        /// The number of bytes of the numbers.
        pub len_bytes: u64,
        /// The buffer that is written.
        pub dst: usize,
        /// The buffer that is read.
        pub src: usize,
        /// The number of blocks.
        pub blocks: u32,
        /// The number of threads of a block: one warp loads, and the others have 32 bytes of a chunk each.
        pub threads: u32,
    }

    /// No numbers from buffer 1 to buffer 0, with the counter in buffer 2.
    impl Default for AddOneRing {
        fn default() -> Self {
            Self {
                counter: Some(2),
                stages: 4,
                len_bytes: 0,
                dst: 0,
                src: 1,
                blocks: 1,
                threads: 288,
            }
        }
    }

    impl AddOneRing {
        /// Returns the same numbers with the setting for a device.
        #[must_use]
        pub fn on(self, device: &DeviceDescription) -> Self {
            self.set(Streaming::AddOneRing.setting(device), device)
        }

        /// Returns the same numbers with a setting.
        #[must_use]
        pub fn set(self, setting: Setting, device: &DeviceDescription) -> Self {
            Self {
                stages: setting.stages,
                blocks: setting.grid(device, self.len_bytes),
                threads: setting.threads,
                ..self
            }
        }

        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            let reasons = [
                "one loading warp and 1 to 16 working warps",
                "each warp has one role",
            ];
            conditions.warps(self.threads, 64..=544, reasons);
            ends(conditions, 0, self.len_bytes);
            let chunks = chunks(conditions, self.len_bytes, chunk_bytes(self.threads));
            let region = |buffer| Region::bytes(buffer, self.len_bytes);
            in_place_or_apart(conditions, region(self.dst), region(self.src));
            let (dst, src) = (BufferRef::new(self.dst), BufferRef::new(self.src));
            let call = match self.counter {
                Some(counter) => {
                    drawn(conditions, self.blocks, 1, chunks, counter);
                    add_one_ring(
                        self.stages,
                        dst,
                        src,
                        self.len_bytes,
                        BufferRef::new(counter),
                    )
                }
                None => add_one_ring_static(self.stages, dst, src, self.len_bytes),
            };
            (call, Shape::new(self.blocks, self.threads))
        }
    }
}

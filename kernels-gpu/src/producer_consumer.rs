//! Ports the guide's "Producer-Consumer Pattern Through Warp Specialization" with LDGSTS: the first
//! warp copies batches into two buffers, the others work on them.

use tma::{
    Block, Ring, SharedPtr, Warps, kernel,
    ptx::{Ca, cp_async, cp_async_mbarrier_arrive, mbarrier::Mbarrier},
    ring::Cursor,
    shared, warp,
};

/// Buffers in shared memory.
const STAGES: u32 = 2;
/// The number of threads that produce: one warp.
const PRODUCERS: u32 = 32;

/// Writes `2 * x + 1` for each number `x` of `input` to the same index of `output`: with a ring of
/// stages, as `cuda::pipeline` has it.
///
/// Each block has `batches` batches of `buffer_len` numbers, one after the other.
///
/// # Safety
/// 1. `input` and `output` have `buffer_len * batches` numbers for each block, at multiples of 4
///    bytes. No other code writes the input or uses the output while the kernel runs.
/// 2. Grid and blocks are one-dimensional; blocks have at least 64 threads, in whole warps.
/// 3. The launch has the shared memory.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/producer_consumer_ring.ptx"), "\n```"))]
#[kernel(
    max_threads = 1024,
    shared_bytes = u64::from(STAGES) * u64::from(buffer_len) * size_of::<f32>() as u64
)]
pub unsafe fn producer_consumer_ring(
    input: *const f32,
    output: *mut f32,
    batches: u32,
    buffer_len: u32,
) {
    shared! {
        static RING: [Mbarrier; Ring::<STAGES>::BARRIERS];
    }
    // SAFETY: every thread gets here (2).
    let block = unsafe { Block::converged() };
    let buffer = shared::dynamic::<f32, 16>();
    let work = Work::new(block, input, output, batches, buffer_len);
    let consumers = block.threads() - PRODUCERS;
    let ring = block.ring::<STAGES>(RING::ptr().cast(), PRODUCERS, consumers);

    let mut cursor = Cursor::new();
    block.split(
        |_| {
            for batch in 0..batches {
                ring.acquire(cursor);
                // SAFETY: the batch exists (1), and the stage is empty. The barrier takes one arrival
                // from each producer, which its copies make when they are done.
                unsafe {
                    work.produce(buffer.add(cursor.stage() * buffer_len), batch);
                    cp_async_mbarrier_arrive::arrive_noinc(ring.full(cursor).address());
                }
                cursor.advance();
            }
        },
        |consumers| {
            let mut cursor = Cursor::new();
            for batch in 0..batches {
                ring.wait(cursor);
                // SAFETY: the batch exists (1), and the stage is full.
                unsafe { work.consume(consumers, buffer.add(cursor.stage() * buffer_len), batch) };
                ring.release(cursor);
                cursor.advance();
            }
        },
    );
}

/// Works like [`producer_consumer_ring`], with four bare barriers at which every thread arrives.
///
/// # Safety
/// The conditions of [`producer_consumer_ring`].
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/producer_consumer_barriers.ptx"), "\n```"))]
#[kernel(
    max_threads = 1024,
    shared_bytes = u64::from(STAGES) * u64::from(buffer_len) * size_of::<f32>() as u64
)]
pub unsafe fn producer_consumer_barriers(
    input: *const f32,
    output: *mut f32,
    batches: u32,
    buffer_len: u32,
) {
    // The first two complete when the buffers are filled, the others when they are ready to be filled.
    shared! {
        static BAR: [Mbarrier; 4];
    }
    // SAFETY: every thread gets here (2), and arrives once in each phase.
    let block = unsafe { Block::converged() };
    let buffer = shared::dynamic::<f32, 16>();
    let work = Work::new(block, input, output, batches, buffer_len);
    let bars = block.ring::<STAGES>(BAR::ptr().cast(), block.threads(), block.threads());

    let mut at = Cursor::new();
    block.split(
        |_| {
            for batch in 0..batches {
                // Wait for the buffer to be ready.
                bars.empty(at).arrive_and_wait();
                // Fill it: the phase waits for the copies besides this thread's own arrival.
                // SAFETY: the batch exists (1), the buffer is ready, and the arrival comes after.
                unsafe {
                    work.produce(buffer.add(at.stage() * buffer_len), batch);
                    cp_async_mbarrier_arrive::arrive(bars.full(at).address());
                }
                let _ = bars.full(at).arrive();
                at.advance();
            }
        },
        |consumers| {
            let mut at = Cursor::new();
            // All buffers are ready to be filled for the first time.
            for _ in 0..STAGES {
                let _ = bars.empty(at).arrive();
                at.advance();
            }
            for batch in 0..batches {
                bars.full(at).arrive_and_wait();
                // SAFETY: the batch exists (1), and the buffer is filled.
                unsafe { work.consume(consumers, buffer.add(at.stage() * buffer_len), batch) };
                // The buffer is ready to be filled again.
                let _ = bars.empty(at).arrive();
                at.advance();
            }
        },
    );
}

/// The work of a block.
struct Work {
    input: *const f32,
    output: *mut f32,
    first: usize,
    buffer_len: u32,
}

impl Work {
    #[inline(always)]
    fn new(
        block: Block,
        input: *const f32,
        output: *mut f32,
        batches: u32,
        buffer_len: u32,
    ) -> Self {
        Self {
            input,
            output,
            first: block.index() as usize * batches as usize * buffer_len as usize,
            buffer_len,
        }
    }

    #[inline(always)]
    fn batch(&self, batch: u32) -> usize {
        self.first + batch as usize * self.buffer_len as usize
    }

    /// Starts this producer's copies of a batch.
    ///
    /// # Safety
    /// 1. The batch exists, and the buffer has room for it that no thread uses.
    #[inline(always)]
    unsafe fn produce(&self, buffer: SharedPtr<f32>, batch: u32) {
        let mut i = warp::lane();
        while i < self.buffer_len {
            // SAFETY: the number exists, and has an address of its own (1).
            unsafe {
                let from = self.input.add(self.batch(batch) + i as usize);
                cp_async::shared_cta_global::<Ca, 4>(buffer.add(i).cast(), from.cast());
            }
            i += PRODUCERS;
        }
    }

    /// This consumer's part of a batch.
    ///
    /// # Safety
    /// 1. The batch is in the buffer, for this thread to see, and the output has room for it.
    #[inline(always)]
    unsafe fn consume(&self, consumers: Warps, buffer: SharedPtr<f32>, batch: u32) {
        let mut i = consumers.thread();
        while i < self.buffer_len {
            // SAFETY: the number exists, and the output has room for it (1).
            unsafe {
                let dst = self.output.add(self.batch(batch) + i as usize);
                *dst = 2.0 * buffer.add(i).read() + 1.0;
            }
            i += consumers.threads();
        }
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{ProducerConsumer, ProducerConsumerForm};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tma_launch::{BufferRef, Call, Conditions, Region, Shape};

    use super::{producer_consumer_barriers, producer_consumer_ring};
    use crate::arguments::product;

    /// Writes `2 * x + 1` for each number of the input: a warp of each block copies, the others compute.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ProducerConsumer {
        /// The way in which the warps synchronise.
        pub form: ProducerConsumerForm,
        /// The buffer of `f32` that is read: `batches * buffer_len` numbers for each block.
        pub input: usize,
        /// The buffer that is written, with the same length.
        pub output: usize,
        /// The number of batches of a block.
        pub batches: u32,
        /// The number of values of a batch.
        pub buffer_len: u32,
        /// The number of blocks.
        pub blocks: u32,
        /// The number of threads of a block.
        pub threads: u32,
    }

    /// The synchronisation between the warps.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum ProducerConsumerForm {
        /// A ring of stages.
        #[doc(alias = "cuda::pipeline")]
        Ring,
        /// Four barriers at which all arrive.
        #[doc(alias = "__mbarrier_t")]
        Barriers,
    }

    impl ProducerConsumer {
        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            let reasons = [
                "one copying warp and at least one computing warp",
                "each warp has one role",
            ];
            conditions.warps(self.threads, 64..=1024, reasons);
            let reason = "a batch must not be empty";
            conditions.at_least("buffer_len", self.buffer_len, 1, reason);
            let numbers = product(&[self.blocks, self.batches, self.buffer_len]);
            let bytes = numbers.saturating_mul(size_of::<f32>() as u64);
            conditions.reads(Region::bytes(self.input, bytes));
            conditions.writes(Region::bytes(self.output, bytes));
            let kernel = match self.form {
                ProducerConsumerForm::Ring => producer_consumer_ring,
                ProducerConsumerForm::Barriers => producer_consumer_barriers,
            };
            let (input, output) = (BufferRef::new(self.input), BufferRef::new(self.output));
            let call = kernel(input, output, self.batches, self.buffer_len);
            (call, Shape::new(self.blocks, self.threads))
        }
    }
}

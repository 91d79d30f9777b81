//! Adds a part of a buffer to the same part of another one, by bulk reductions (`cp.reduce.async.bulk`): on two GPUs
//! each sends the other the part that is to be the other's.

use core::num::NonZero;

use tma::{
    halves::Bf16,
    kernel,
    ptx::{Add, cp_reduce_async_bulk::GlobalReduce},
};

use crate::{copy_bulk, rows::Number};

/// Adds to each number of `dst` the one of the same index of `src`, in chunks of `chunk_bytes`, a block for each.
///
/// One thread of a block works: it loads the chunk, and starts the reduction of all its numbers. Each is one addition,
/// rounded to nearest, ties to even, so that the sum does not depend on any order.
///
/// `dst` may be memory of another GPU that this one has access to, with atomic operations.
///
/// # Safety
/// 1. `src` points to `len_bytes` bytes of global memory that no thread writes while the kernel runs, `dst` to
///    `len_bytes` bytes that no other code uses; they do not overlap.
/// 2. Both addresses, `len_bytes` and `chunk_bytes` are multiples of 16; a chunk has at most 2^20 - 16 bytes, and no
///    block begins past the end.
/// 3. Grid and blocks are one-dimensional, blocks of whole warps, and the launch has the shared memory.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX of `reduce_scatter_bf16`\n```text\n", include_str!("../../tests/golden/ptx/reduce_scatter_bf16.ptx"), "\n```"))]
#[kernel(max_threads = 256, instances(T = f32, Bf16), shared_bytes = chunk_bytes.get())]
pub unsafe fn reduce_scatter<T: Number + GlobalReduce<Add>>(
    dst: *mut T,
    src: *const T,
    len_bytes: u64,
    chunk_bytes: NonZero<u32>,
) {
    // SAFETY: (1) to (3) of `once` are (1) to (3) of this kernel. Each chunk is within the destination (1), aligned (2),
    // so that its reduction may be started (4).
    unsafe {
        copy_bulk::once(
            src.cast(),
            len_bytes,
            chunk_bytes,
            |stores, start, buffer, bytes| {
                stores.add(dst.byte_add(start), buffer.cast(), bytes);
            },
        );
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::ReduceScatter;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tma_launch::{BufferRef, Call, Conditions, DeviceDescription, Region, Shape};

    use super::reduce_scatter;
    use crate::{
        arguments::{chunk, chunks, divisor, each, part},
        rows::{Numbers, with_element},
        settings::Setting,
    };

    /// Adds a part of one buffer to the same part of another one, each number to the number at the same index.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct ReduceScatter {
        /// The type of the numbers.
        pub numbers: Numbers,
        /// The buffer that is added to.
        pub dst: usize,
        /// The buffer that is read.
        pub src: usize,
        /// The offset of the part in both buffers, in bytes.
        pub offset_bytes: u64,
        /// The number of bytes of the part.
        pub len_bytes: u64,
        /// The number of bytes that a block adds.
        pub chunk_bytes: u32,
        /// The number of threads of a block, up to 256; one of them works.
        pub threads: u32,
        /// The least shared memory of a block in bytes. More than a chunk needs makes fewer blocks run at once.
        pub shared_bytes: u32,
    }

    /// No numbers of `f32`, from buffer 1 to buffer 0.
    impl Default for ReduceScatter {
        fn default() -> Self {
            Self {
                numbers: Numbers::F32,
                dst: 0,
                src: 1,
                offset_bytes: 0,
                len_bytes: 0,
                chunk_bytes: 2048,
                threads: 64,
                shared_bytes: 0,
            }
        }
    }

    impl ReduceScatter {
        /// Returns the same numbers with a setting of one stage: a block has one chunk.
        #[must_use]
        pub fn set(self, setting: Setting, device: &DeviceDescription) -> Self {
            Self {
                chunk_bytes: setting.chunk_bytes,
                threads: setting.threads,
                shared_bytes: setting.shared_bytes(device),
                ..self
            }
        }

        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            chunk(conditions, self.chunk_bytes);
            part(conditions, self.offset_bytes, self.len_bytes);
            let chunks = chunks(conditions, self.len_bytes, self.chunk_bytes);
            each(conditions, self.len_bytes, self.threads);
            let region = |buffer| Region::bytes(buffer, self.len_bytes).skip(self.offset_bytes);
            conditions.updates(region(self.dst));
            conditions.reads(region(self.src));
            let chunk_bytes = divisor(self.chunk_bytes);
            let call = with_element!(self.numbers, T => {
                let offset_elems = self.offset_bytes / size_of::<T>() as u64;
                let of = |buffer| BufferRef::new(buffer).skip(offset_elems);
                let (dst, src) = (of(self.dst), of(self.src));
                reduce_scatter::<T>(dst, src, self.len_bytes, chunk_bytes)
            });
            (
                call,
                Shape::new(chunks, self.threads).shared_bytes(self.shared_bytes),
            )
        }
    }
}

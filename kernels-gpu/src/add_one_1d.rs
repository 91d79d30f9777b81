//! Ports the guide's "Using TMA to transfer one-dimensional arrays": its three ways to start the
//! load and to announce the number of its bytes.

use tma::{
    Barrier, Block, SharedPtr, Stores, kernel,
    ptx::{
        Cta, cp_async_bulk, fence,
        mbarrier::{self, Mbarrier},
    },
    shared,
};

/// The number of values that one block handles.
pub const BUF_LEN: usize = 1024;

const BYTES: u32 = size_of::<[i32; BUF_LEN]>() as u32;

/// Adds one to [`BUF_LEN`] numbers for each block: those at `offset_elems` of `data` for block 0,
/// the next ones for block 1, and so on.
///
/// The guide's version 1: the call that copies expects the bytes at the barrier.
///
/// # Safety
/// 1. `data` points to at least `offset_elems + BUF_LEN * blocks` numbers of global memory that
///    only this kernel uses while it runs.
/// 2. `data + offset_elems` is a multiple of 16 bytes.
/// 3. Blocks are one-dimensional, of a multiple of 32 threads.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/add_one_1d.ptx"), "\n```"))]
#[kernel(max_threads = 1024)]
pub unsafe fn add_one_1d(data: *mut i32, offset_elems: u64) {
    // SAFETY: (1) to (3) are those of `add_one_1d` (1), and the transaction copies and expects the bytes (2).
    unsafe {
        add_one(data, offset_elems, |bar, to, from| {
            bar.transaction().bulk(to, from, BYTES);
        });
    }
}

/// Works like [`add_one_1d`], by the guide's version 2: the copy, and a separate call that expects the bytes
/// at the barrier.
///
/// # Safety
/// The conditions of [`add_one_1d`].
#[kernel(max_threads = 1024)]
pub unsafe fn add_one_1d_tx(data: *mut i32, offset_elems: u64) {
    // SAFETY: (1) to (3) of `add_one_1d` hold (1), and the copied bytes are expected right after (2).
    unsafe {
        add_one(data, offset_elems, |bar, to, from| {
            cp_async_bulk::shared_cluster_global(to, from, BYTES, bar.address());
            bar.expect_tx(BYTES);
        });
    }
}

/// Works like [`add_one_1d`], by the guide's version 3: the bare instructions.
///
/// # Safety
/// The conditions of [`add_one_1d`].
#[kernel(max_threads = 1024)]
pub unsafe fn add_one_1d_raw(data: *mut i32, offset_elems: u64) {
    // SAFETY: (1) to (3) of `add_one_1d` hold (1), and the copied bytes are expected right after (2).
    unsafe {
        add_one(data, offset_elems, |bar, to, from| {
            cp_async_bulk::shared_cluster_global(to, from, BYTES, bar.address());
            mbarrier::expect_tx::<Cta>(bar.address(), BYTES);
        });
    }
}

/// The common part of the versions: all but the load.
///
/// # Safety
/// 1. The conditions of [`add_one_1d`].
/// 2. `load` copies [`BYTES`] bytes to its second from its third argument, counted at the barrier in
///    its current phase, and has the barrier expect them.
#[inline(always)]
unsafe fn add_one(
    data: *mut i32,
    offset_elems: u64,
    load: impl FnOnce(&Barrier, SharedPtr<u8>, *const u8),
) {
    // The shared buffer of a bulk copy is aligned to 16 bytes.
    shared! {
        static SMEM_DATA: [i32; BUF_LEN] align 16;
        static BAR: Mbarrier;
    }
    // SAFETY: every thread gets here (1); each arrives once, and the copy delivers the expected bytes (2).
    let block = unsafe { Block::converged() };
    let smem_data = SMEM_DATA::ptr();
    let block_offset = u64::from(block.index()) * BUF_LEN as u64;
    let data = data.wrapping_add((offset_elems + block_offset) as usize);

    // 1. Initialise the barrier with the number of threads that arrive on it.
    let bar = block.barrier(BAR::ptr(), block.threads());

    // 2. One thread starts the copy and expects its bytes. Both ends have the bytes and
    // the alignment, and no thread uses the buffer before the phase completes.
    if block.elect() {
        load(&bar, smem_data.cast(), data.cast_const().cast());
    }
    // 3. All threads arrive, and wait for the data.
    let token = bar.arrive();
    bar.wait(token);

    // 4. Work on the data in shared memory.
    let mut i = block.thread();
    while i < BUF_LEN as u32 {
        let number = smem_data.at(i);
        // SAFETY: the index is in bounds, the copy wrote the number, and no other thread has it.
        unsafe { number.write(number.read() + 1) };
        i += block.threads();
    }

    // 5. Make each thread's writes visible to the copy engine, then synchronise.
    fence::proxy_async_shared_cta();
    block.sync();

    // 6. One thread stores the data, and waits until it has been read: the buffer ends with the block.
    if block.elect() {
        let mut stores = Stores::new();
        // SAFETY: the numbers are the block's, within `data` and aligned (1); fences and `sync` order the writes before.
        unsafe { stores.bulk(data.cast(), smem_data.cast(), BYTES) };
        stores.commit().wait_read();
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{AddOne1d, AddOneForm};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tma_launch::{BufferRef, Call, Conditions, Region, Shape};

    use super::{BUF_LEN, add_one_1d, add_one_1d_raw, add_one_1d_tx};

    /// Adds one to 1024 numbers for each block.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct AddOne1d {
        /// The version of the guide.
        pub form: AddOneForm,
        /// The buffer of `i32`.
        pub data: usize,
        /// The first number that is changed.
        pub offset_elems: u64,
        /// The number of blocks.
        pub blocks: u32,
        /// The number of threads of a block.
        pub threads: u32,
    }

    /// The way to start the load and to announce its bytes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum AddOneForm {
        /// One call does both.
        #[doc(alias = "cuda::memcpy_async")]
        Transaction,
        /// The copy, then the expected bytes.
        #[doc(alias = "cuda::device::memcpy_async_tx")]
        ExpectTx,
        /// The bare instructions.
        #[doc(alias = "cuda::ptx::cp_async_bulk")]
        Raw,
    }

    impl Default for AddOne1d {
        fn default() -> Self {
            Self {
                form: AddOneForm::Transaction,
                data: 0,
                offset_elems: 0,
                blocks: 1,
                threads: 256,
            }
        }
    }

    impl AddOne1d {
        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            conditions.whole_warps(self.threads);
            conditions.multiple(
                "offset_elems",
                self.offset_elems,
                4,
                "bulk copies start at multiples of 16 bytes",
            );
            let number_bytes = size_of::<i32>() as u64;
            let changed = Region::bytes(
                self.data,
                u64::from(self.blocks) * BUF_LEN as u64 * number_bytes,
            );
            conditions.updates(changed.skip(self.offset_elems.saturating_mul(number_bytes)));
            let kernel = match self.form {
                AddOneForm::Transaction => add_one_1d,
                AddOneForm::ExpectTx => add_one_1d_tx,
                AddOneForm::Raw => add_one_1d_raw,
            };
            let call = kernel(BufferRef::new(self.data), self.offset_elems);
            (call, Shape::new(self.blocks, self.threads))
        }
    }
}

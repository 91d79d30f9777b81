use core::marker::PhantomData;

use tensor_map::TensorMap;

use crate::{
    ptx::{
        Add, cp_async_bulk, cp_async_bulk_tensor,
        cp_reduce_async_bulk::{self, GlobalReduce},
        operand::SharedPtr,
    },
    tile::{Mode, Rank, Tile, TileMap},
};

/// Copies out of this block's shared memory that one thread starts and commits together.
///
/// ```
/// # use tma::{SharedPtr, Stores, TensorMap};
/// # unsafe fn example(tile: SharedPtr<[f32; 1024]>, map: &TensorMap) {
/// let mut stores = Stores::new();
/// // SAFETY: the map's box is the tile, and its writes went before through a proxy fence.
/// unsafe { stores.tensor(map, [0, 32], tile.cast()) };
/// // The tile may be written again, and the block may leave.
/// stores.commit().wait_read();
/// # }
/// ```
///
/// Source: PTX ISA 9.7.9.25.5, "cp.async.bulk.commit_group" and "cp.async.bulk.wait_group".
#[must_use = "copies that are not committed are in no group that can be waited for"]
#[derive(Default)]
pub struct Stores {
    /// Groups belong to the thread.
    thread: PhantomData<*mut ()>,
}

/// A bulk group of this thread, the last one that it committed when it was made.
#[must_use = "shared memory must stay until the group has been read"]
pub struct BulkGroup {
    thread: PhantomData<*mut ()>,
}

impl Stores {
    /// Makes an empty set of stores.
    #[inline(always)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Starts a copy of contiguous bytes.
    ///
    /// # Safety
    /// 1. The conditions of [`cp_async_bulk::global_shared_cta`].
    #[inline(always)]
    pub unsafe fn bulk(&mut self, dst: *mut u8, src: SharedPtr<u8>, bytes: u32) {
        debug_assert!(
            src.address().is_multiple_of(16) && dst.addr().is_multiple_of(16),
            "(1)"
        );
        debug_assert!(bytes.is_multiple_of(16), "(1)");
        // SAFETY: addresses, bytes and their other uses are as the copy requires (1).
        unsafe { cp_async_bulk::global_shared_cta(dst, src, bytes) };
    }

    /// Starts an addition of each number to the one of the same index in global memory, rounded to nearest,
    /// ties to even.
    ///
    /// # Safety
    /// 1. The conditions of [`cp_reduce_async_bulk::global_shared_cta`].
    #[doc(alias = "cp_reduce_async_bulk")]
    #[inline(always)]
    pub unsafe fn add<T: GlobalReduce<Add>>(&mut self, dst: *mut T, src: SharedPtr<T>, bytes: u32) {
        debug_assert!(
            src.address().is_multiple_of(16) && dst.addr().is_multiple_of(16),
            "(1)"
        );
        debug_assert!(bytes.is_multiple_of(16), "(1)");
        // SAFETY: addresses, bytes and their other uses are as the reduction requires (1).
        unsafe { cp_reduce_async_bulk::global_shared_cta::<Add, T>(dst, src, bytes) };
    }

    /// Starts a store of one box through a tensor map.
    ///
    /// # Safety
    /// 1. The conditions of [`cp_async_bulk_tensor::global_shared_cta_tile`].
    #[inline(always)]
    pub unsafe fn tensor<const RANK: usize>(
        &mut self,
        map: *const TensorMap,
        coords: [i32; RANK],
        src: SharedPtr<u8>,
    ) {
        debug_assert!(src.address().is_multiple_of(128), "(1)");
        debug_assert!(map.addr().is_multiple_of(64), "(1)");
        // SAFETY: map, box and source are as the copy requires (1).
        unsafe { cp_async_bulk_tensor::global_shared_cta_tile(map, coords, src) };
    }

    /// Starts a store of a tile, through a map of its type.
    ///
    /// # Safety
    /// 1. `src` is in this block's shared memory. No thread writes it until the group has been read, and
    ///    earlier writes to it went before through a `fence.proxy.async` in the writing thread.
    /// 2. No thread uses the tensor there until the group ends, and earlier uses in this kernel went before through a
    ///    `fence.proxy.async`, too. No coordinate is negative, and the first is a multiple of 16 bytes.
    /// 3. The block stays until the group has been read.
    #[inline(always)]
    pub unsafe fn tile<S, M: Mode, const RANK: usize>(
        &mut self,
        map: &TileMap<S, M>,
        coords: [i32; RANK],
        src: SharedPtr<Tile<S, M>>,
    ) where
        S: Rank<RANK>,
    {
        // SAFETY: source and map fit by their types; the source stays (1, 3), and the tensor is free (2).
        unsafe { self.tensor(map.as_ptr(), coords, src.cast()) };
    }

    /// Commits the stores as a bulk group.
    #[doc(alias = "cp_async_bulk_commit_group")]
    #[inline(always)]
    pub fn commit(self) -> BulkGroup {
        cp_async_bulk::commit_group();
        BulkGroup {
            thread: PhantomData,
        }
    }
}

impl BulkGroup {
    /// Waits until this thread's groups, this one and all before, have read shared memory.
    #[doc(alias = "cp_async_bulk_wait_group_read")]
    #[inline(always)]
    pub fn wait_read(self) {
        cp_async_bulk::wait_group_read::<0>();
    }

    /// Waits until this thread's groups, this one and all before, have been written; this thread
    /// sees it.
    #[doc(alias = "cp_async_bulk_wait_group")]
    #[inline(always)]
    pub fn wait(self) {
        cp_async_bulk::wait_group::<0>();
    }

    /// Waits until all but the last `PENDING` groups of this thread have read shared memory, and
    /// leaves this one to later waits.
    #[inline(always)]
    pub fn wait_read_but<const PENDING: u32>(self) {
        cp_async_bulk::wait_group_read::<PENDING>();
    }
}

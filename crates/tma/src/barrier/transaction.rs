use core::mem;

use tensor_map::TensorMap;

use super::{Barrier, Token};
use crate::ptx::{cp_async_bulk, cp_async_bulk_tensor, operand::SharedPtr};

/// Copies into this block's shared memory that one phase of a barrier counts, and their bytes.
///
/// [`arrive`](Self::arrive) expects the bytes at the barrier, and so does dropping the transaction, without
/// an arrival.
///
/// ```
/// # use tma::{Barrier, SharedPtr, TensorMap};
/// # unsafe fn example(barrier: &Barrier, tile: SharedPtr<[f32; 1024]>, map: &TensorMap) {
/// let mut load = barrier.transaction();
/// // SAFETY: the map's box is the tile, which no thread uses; no thread writes the tensor.
/// unsafe { load.tensor(tile.cast(), map, [0, 32], 4096) };
/// let token = load.arrive();
/// barrier.wait(token);
/// # }
/// ```
#[must_use = "the barrier learns of the bytes when the transaction ends"]
pub struct Transaction<'barrier> {
    barrier: &'barrier Barrier,
    bytes: u32,
}

impl Barrier {
    /// Begins copies that the current phase is to wait for.
    ///
    /// Relies on (4) of [`assume_init`](Self::assume_init), also where the transaction is dropped: its bytes are
    /// then expected without an arrival.
    #[doc(alias = "cuda::memcpy_async")]
    #[inline(always)]
    pub fn transaction(&self) -> Transaction<'_> {
        Transaction {
            barrier: self,
            bytes: 0,
        }
    }
}

impl Transaction<'_> {
    /// Starts a copy of contiguous bytes.
    ///
    /// # Safety
    /// 1. The conditions of [`cp_async_bulk::shared_cluster_global`] hold, except for the barrier, which expects
    ///    the bytes; an arrival of its phase is pending until the transaction ends.
    /// 2. The transaction ends: it is not given to [`mem::forget`]. It has fewer than 2^20 bytes.
    #[doc(alias = "cp_async_bulk")]
    #[inline(always)]
    pub unsafe fn bulk(&mut self, dst: SharedPtr<u8>, src: *const u8, bytes: u32) {
        debug_assert!(
            dst.address().is_multiple_of(16) && src.addr().is_multiple_of(16),
            "(1)"
        );
        debug_assert!(bytes.is_multiple_of(16), "(1)");
        self.bytes += bytes;
        // SAFETY: source and destination are as the copy requires (1); the barrier is initialised, and expects the
        // bytes when the transaction ends (2).
        unsafe {
            cp_async_bulk::shared_cluster_global(dst, src, bytes, self.barrier.address());
        }
    }

    /// Starts a load of one box of `box_bytes` bytes through a tensor map.
    ///
    /// # Safety
    /// 1. The conditions of [`cp_async_bulk_tensor::shared_cluster_global_tile`] hold, except for the barrier, which
    ///    expects the bytes; an arrival of its phase is pending until the transaction ends.
    /// 2. The box has `box_bytes` bytes.
    /// 3. (2) of [`bulk`](Self::bulk) holds.
    #[doc(alias = "cp_async_bulk_tensor")]
    #[inline(always)]
    pub unsafe fn tensor<const RANK: usize>(
        &mut self,
        dst: SharedPtr<u8>,
        map: *const TensorMap,
        coords: [i32; RANK],
        box_bytes: u32,
    ) {
        debug_assert!(dst.address().is_multiple_of(128), "(1)");
        debug_assert!(map.addr().is_multiple_of(64), "(1)");
        debug_assert!(box_bytes.is_multiple_of(16), "(2)");
        self.bytes += box_bytes;
        // SAFETY: map, box and destination are as the copy requires (1, 2); the barrier is initialised, and expects
        // the bytes when the transaction ends (3).
        unsafe {
            cp_async_bulk_tensor::shared_cluster_global_tile(
                dst,
                map,
                coords,
                self.barrier.address(),
            );
        }
    }

    /// Starts a load of columns of pixels through an im2col map, `column_bytes` bytes in all.
    ///
    /// # Safety
    /// 1. The conditions of [`cp_async_bulk_tensor::shared_cluster_global_im2col`] hold, except for the barrier, which
    ///    expects the bytes; an arrival of its phase is pending until the transaction ends.
    /// 2. The columns have `column_bytes` bytes.
    /// 3. (2) of [`bulk`](Self::bulk) holds.
    #[doc(alias = "cp_async_bulk_tensor_im2col")]
    #[inline(always)]
    pub unsafe fn im2col<const RANK: usize, const OFFSETS: usize>(
        &mut self,
        dst: SharedPtr<u8>,
        map: *const TensorMap,
        coords: [i32; RANK],
        offsets: [u16; OFFSETS],
        column_bytes: u32,
    ) {
        self.bytes += column_bytes;
        // SAFETY: map, columns and destination are as the copy requires (1, 2); the barrier is initialised, and
        // expects the bytes when the transaction ends (3).
        unsafe {
            cp_async_bulk_tensor::shared_cluster_global_im2col(
                dst,
                map,
                coords,
                self.barrier.address(),
                offsets,
            );
        }
    }

    /// Returns the number of bytes of the copies that were started.
    #[inline(always)]
    pub(crate) fn bytes(&self) -> u32 {
        self.bytes
    }

    /// Announces all bytes to the barrier, and arrives once.
    ///
    /// Relies on (3) of [`Barrier::assume_init`].
    #[doc(alias = "barrier_arrive_tx")]
    #[inline(always)]
    pub fn arrive(self) -> Token {
        let token = self.barrier.arrive_expect_tx(self.bytes);
        mem::forget(self);
        token
    }
}

/// Announces all bytes to the barrier.
impl Drop for Transaction<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        self.barrier.expect_tx(self.bytes);
    }
}

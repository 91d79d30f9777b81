//! Products of matrices by single warps: `ldmatrix` and `mma`, on every architecture.

use core::marker::PhantomData;

use crate::{
    group::Warp,
    number::halves::Half,
    ptx::{ldmatrix, operand::SharedPtr},
    tile::{Mode, Tile, TileArray},
};

/// 64 rows of A, or 64 columns of B unless `OF_A`, and 16 elements along K of each, in the registers of the lanes of a warp.
///
/// Each of four parts has 16 rows or columns (PTX ISA 9.7.14.5.8, "Matrix Fragments for mma.m16n8k16").
///
/// - Register `r` of a part of A has elements `8 * (r / 2) + 2 * (lane % 4)` and the next along K, of row
///   `8 * (r % 2) + lane / 4`.
/// - Register `r` of a part of B has elements `8 * (r % 2) + 2 * (lane % 4)` and the next along K, of column
///   `8 * (r / 2) + lane / 4`.
#[doc(alias("wmma::fragment", "partition_fragment_A", "partition_fragment_B"))]
pub struct WarpFragment<T, const OF_A: bool> {
    parts: [[u32; 4]; 4],
    element: PhantomData<T>,
}

/// The fragment of 64 rows of A that a warp multiplies.
pub type WarpRows<T> = WarpFragment<T, true>;
/// The fragment of 64 columns of B that a warp multiplies.
pub type WarpColumns<T> = WarpFragment<T, false>;

impl<T: Half, const OF_A: bool> WarpFragment<T, OF_A> {
    /// Loads 16 elements along K of a tile of 64 by 64, the part with this number, 0 to 3. The rows of the tile are
    /// rows of A or columns of B if `K_MAJOR`, so that K is contiguous in memory; otherwise they are rows of K.
    /// Collective of the warp.
    ///
    /// PTX: `ldmatrix.sync.aligned.m8n8.x4.b16`, or `ldmatrix.sync.aligned.m8n8.x4.trans.b16` where the rows are rows
    /// of K
    ///
    /// ```compile_fail,E0080
    /// # use tma::{SharedPtr, Swizzle64, Tile, Warp, WarpRows, halves::Bf16};
    /// // The tile has 32 columns.
    /// fn load(tile: SharedPtr<Tile<[[Bf16; 32]; 64], Swizzle64>>, warp: Warp) -> WarpRows<Bf16> {
    ///     unsafe { WarpRows::load::<true, _, _>(tile, warp, 0) }
    /// }
    /// # fn main() { let _ = load as fn(_, _) -> _; }
    /// ```
    ///
    /// # Safety
    /// 1. The tile is in this block's shared memory. Earlier writes to it happen before, and no thread writes it at
    ///    the same time.
    #[doc(alias(
        "ldmatrix",
        "SM75_U32x4_LDSM_N",
        "SM75_U16x8_LDSM_T",
        "load_matrix_sync"
    ))]
    #[inline(always)]
    pub unsafe fn load<const K_MAJOR: bool, S: TileArray<Element = T>, M: Mode>(
        tile: SharedPtr<Tile<S, M>>,
        warp: Warp,
        step: u32,
    ) -> Self {
        const {
            assert!(
                S::BOX[0] == 64 && S::BOX[1] == 64 && S::ELEMS == 64 * 64,
                "a tile has 64 columns and 64 rows"
            );
        }
        let lane = warp.lane();
        // Eight lanes each have the rows of one of four matrices of 8 by 8.
        let [row, column] = match OF_A == K_MAJOR {
            true => [lane % 16, lane / 16 * 8],
            false => [lane / 16 * 8 + lane % 8, lane / 8 % 2 * 8],
        };
        let first = tile.element(64 * row + column);
        let part = |number: u32| {
            let [down, along] = match K_MAJOR {
                true => [number, step],
                false => [step, number],
            };
            // A swizzle exchanges 16 bytes within a row as every eighth row does.
            let from = SharedPtr::<T>::from_address(first.address() ^ (along * 32)).as_ptr();
            // A generic address, so that it is an instruction's offset.
            let from = from.wrapping_byte_add((down * (16 * 128)) as usize);
            if K_MAJOR {
                // SAFETY: the lane has 16 bytes of the tile, at a multiple of 16, that no thread writes (1).
                unsafe { ldmatrix::sync_aligned_m8n8_x4(from) }
            } else {
                // SAFETY: the lane has 16 bytes of the tile, at a multiple of 16, that no thread writes (1).
                unsafe { ldmatrix::sync_aligned_m8n8_x4_trans(from) }
            }
        };
        Self {
            parts: [part(0), part(1), part(2), part(3)],
            element: PhantomData,
        }
    }
}

/// Sums of products of 64 rows of A and 64 columns of B, in the registers of the lanes of a warp.
///
/// ```
/// use tma::{SharedPtr, Swizzle128, Tile, Warp, WarpColumns, WarpRows, WarpSums, halves::Bf16};
///
/// type Box64 = Tile<[[Bf16; 64]; 64], Swizzle128>;
///
/// /// The sums of A times the transpose of B.
/// ///
/// /// # Safety
/// /// 1. A and B are in shared memory, where they have been written, and no thread writes them.
/// unsafe fn multiply(a: SharedPtr<Box64>, b: SharedPtr<Box64>, warp: Warp) -> WarpSums {
///     let mut sums = WarpSums::zero();
///     for step in 0..4 {
///         // SAFETY: A has been written, and no thread writes it (1).
///         let rows = unsafe { WarpRows::load::<true, _, _>(a, warp, step) };
///         // SAFETY: B has been written, and no thread writes it (1).
///         let columns = unsafe { WarpColumns::load::<true, _, _>(b, warp, step) };
///         sums.add(warp, &rows, &columns);
///     }
///     sums
/// }
/// ```
///
/// A and B have elements of one type:
///
/// ```compile_fail,E0308
/// # use tma::{Warp, WarpColumns, WarpRows, WarpSums, halves::{Bf16, F16}};
/// fn mixed(sums: &mut WarpSums, warp: Warp, a: &WarpRows<Bf16>, b: &WarpColumns<F16>) {
///     sums.add(warp, a, b);
/// }
/// ```
#[doc(alias("accumulator", "wmma::fragment"))]
pub struct WarpSums {
    /// Two products of 16 by 8 for each 16 rows and each 16 columns.
    parts: [[[f32; 8]; 4]; 4],
}

impl WarpSums {
    /// Returns sums that are all zero.
    #[inline(always)]
    pub fn zero() -> Self {
        // An array expression would become a loop of stores to local memory.
        Self {
            // SAFETY: zero bits are a valid `f32`.
            parts: unsafe { core::mem::zeroed() },
        }
    }

    /// Adds the products of rows of A and columns of B. Collective of the warp.
    ///
    /// PTX: `mma.sync.aligned.m16n8k16.row.col.f32`
    #[doc(alias("mma_sync", "SM80_16x8x16_F32BF16BF16F32_TN"))]
    #[inline(always)]
    pub fn add<T: Half>(&mut self, _warp: Warp, a: &WarpRows<T>, b: &WarpColumns<T>) {
        // Arrays are taken apart, so that everything stays in registers.
        let [part0, part1, part2, part3] = &mut self.parts;
        let [a0, a1, a2, a3] = a.parts;
        add_row::<T>(part0, a0, b.parts);
        add_row::<T>(part1, a1, b.parts);
        add_row::<T>(part2, a2, b.parts);
        add_row::<T>(part3, a3, b.parts);
    }

    /// Hands on each two neighbouring sums with the column of the first one and their row, both below 64.
    #[inline(always)]
    pub fn each_pair(&self, warp: Warp, take: impl Fn([u32; 2], [f32; 2])) {
        let lane = warp.lane();
        let [column, row] = [lane % 4 * 2, lane / 4];
        let part = |at: [u32; 2], [a, b, c, d, e, f, g, h]: [f32; 8]| {
            let [column, row] = [column + 16 * at[0], row + 16 * at[1]];
            take([column, row], [a, b]);
            take([column, row + 8], [c, d]);
            take([column + 8, row], [e, f]);
            take([column + 8, row + 8], [g, h]);
        };
        let parts = |row: u32, [a, b, c, d]: [[f32; 8]; 4]| {
            part([0, row], a);
            part([1, row], b);
            part([2, row], c);
            part([3, row], d);
        };
        let [a, b, c, d] = self.parts;
        parts(0, a);
        parts(1, b);
        parts(2, c);
        parts(3, d);
    }
}

/// Adds the products of 16 rows and 64 columns.
#[inline(always)]
fn add_row<T: Half>(sums: &mut [[f32; 8]; 4], a: [u32; 4], [b0, b1, b2, b3]: [[u32; 4]; 4]) {
    let [sums0, sums1, sums2, sums3] = *sums;
    *sums = [
        add_part::<T>(sums0, a, b0),
        add_part::<T>(sums1, a, b1),
        add_part::<T>(sums2, a, b2),
        add_part::<T>(sums3, a, b3),
    ];
}

/// Adds the products of 16 rows and 16 columns.
#[inline(always)]
fn add_part<T: Half>(
    [s0, s1, s2, s3, s4, s5, s6, s7]: [f32; 8],
    a: [u32; 4],
    [b0, b1, b2, b3]: [u32; 4],
) -> [f32; 8] {
    // SAFETY: all threads of the warp are here (2 of `Block::converged`).
    let [d0, d1, d2, d3] = unsafe { T::multiply(a, [b0, b1], [s0, s1, s2, s3]) };
    // SAFETY: all threads of the warp are here (2 of `Block::converged`).
    let [d4, d5, d6, d7] = unsafe { T::multiply(a, [b2, b3], [s4, s5, s6, s7]) };
    [d0, d1, d2, d3, d4, d5, d6, d7]
}

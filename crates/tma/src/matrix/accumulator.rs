//! Sums of products of matrices, in the registers of a warpgroup.

use crate::{
    group::Warpgroup,
    matrix::{self, Layout, Matrix, MatrixElement},
    ptx::{
        Aligned,
        wgmma::{self, Registers, Sums},
    },
};

/// 64 rows of sums of products, in the registers of the threads of a warpgroup, readable.
///
/// `R` is the part of each thread: `[f32; 128]` for 64 rows of 256 columns. Element `i` is in row
/// `16 * warp + lane / 4 + 8 * (i / 2 % 2)` and column `8 * (i / 4) + 2 * (lane % 4) + i % 2`
/// (PTX ISA 9.7.15.5.1.1, "Accumulator").
///
/// While products are added, the sums belong to a [`Batch`] or are [`InFlight`], and cannot be read.
///
/// ```
/// use tma::{Accumulator, Matrix, Swizzle128, Warpgroup, halves::Bf16, matrix::Boxes};
///
/// type Rows = Boxes<[[Bf16; 64]; 64], Swizzle128, 1, true>;
/// type Sums = Accumulator<[f32; 32]>;
///
/// /// Adds A times the transpose of B to sums.
/// ///
/// /// # Safety
/// /// 1. No thread writes the matrices before it returns.
/// unsafe fn add(sums: Sums, warpgroup: Warpgroup, a: Matrix<'_, Rows>, b: Matrix<'_, Rows>) -> Sums {
///     // SAFETY: the matrices stay until the wait (1), which follows (2).
///     let batch = unsafe { sums.begin(warpgroup).multiply(a, b) };
///     batch.commit().wait()
/// }
/// ```
///
/// ```compile_fail,E0599
/// // In flight they cannot be read.
/// fn read(sums: tma::InFlight<[f32; 32]>) -> f32 {
///     sums.registers()[0]
/// }
/// ```
#[doc(alias("warpgroup_fence_operand", "wmma::fragment"))]
pub struct Accumulator<R> {
    pub(crate) registers: R,
}

/// Sums with products being started, and the [`Fragment`](crate::Fragment) that the products read if A is in registers.
#[must_use = "products are waited for when they have been committed"]
pub struct Batch<R, A = ()> {
    pub(super) registers: R,
    pub(super) a: A,
}

/// Sums that products in flight may still change, and the [`Fragment`](crate::Fragment) that these may still read.
#[must_use = "sums are complete after `wait`"]
pub struct InFlight<R, A = ()> {
    pub(super) registers: R,
    pub(super) a: A,
}

impl<R: Registers> Accumulator<R> {
    /// Returns sums that are all zero.
    #[inline(always)]
    pub fn zero() -> Self {
        Self {
            // An array expression would become a loop of stores to local memory.
            // SAFETY: the registers are an array of numbers: no other type is `Registers`.
            registers: unsafe { core::mem::zeroed() },
        }
    }

    /// Begins to add products. Collective of the warpgroup.
    #[doc(alias = "warpgroup_arrive")]
    #[inline(always)]
    pub fn begin(self, _warpgroup: Warpgroup) -> Batch<R> {
        let registers = self.registers.pinned();
        // SAFETY: all threads of the warpgroup are here (2 of `Block::converged`).
        unsafe { wgmma::fence_sync::<Aligned>() };
        Batch { registers, a: () }
    }
}

impl<R> Accumulator<R> {
    /// Returns the sums that this thread holds.
    #[inline(always)]
    pub fn registers(&self) -> &R {
        &self.registers
    }
}

/// Registers of a multiple of 64 columns of sums.
pub trait Columns: Registers + crate::sealed::Sealed {
    /// The number of registers of 64 columns that a thread has.
    #[doc(hidden)]
    const COUNT: usize;

    /// Returns the sums of 64 columns. The number is constant, so that the sums stay in registers.
    #[doc(hidden)]
    fn columns<const NUMBER: usize>(&self) -> [f32; 32];
}

macro_rules! columns {
    ($($len:literal)+) => {$(
        impl crate::sealed::Sealed for [f32; $len] {}
        impl Columns for [f32; $len] {
            const COUNT: usize = $len / 32;

            #[inline(always)]
            fn columns<const NUMBER: usize>(&self) -> [f32; 32] {
                self.as_chunks().0[NUMBER]
            }
        }
    )+};
}

columns! { 32 64 96 128 }

/// The last step on sums before they are rounded and stored.
///
/// ```
/// use tma::Epilogue;
///
/// /// Multiplies by a factor.
/// struct Scaled(f32);
///
/// impl Epilogue for Scaled {
///     #[inline(always)]
///     fn apply(&self, _column: u32, _row: u32, sums: [f32; 2]) -> [f32; 2] {
///         sums.map(|sum| self.0 * sum)
///     }
/// }
/// ```
#[doc(alias = "epilogue")]
pub trait Epilogue {
    /// Returns the final values of two neighbouring sums, given the column of the first one and the row.
    ///
    /// Every two registers make one call: without `#[inline(always)]` sums go through local memory.
    fn apply(&self, column: u32, row: u32, sums: [f32; 2]) -> [f32; 2];
}

impl<R: Registers, A> Batch<R, A> {
    /// Adds the product of 64 rows of A and all columns of B. Collective of the warpgroup, with the same matrices.
    ///
    /// # Safety
    /// 1. No thread writes the matrices before the products have been waited for.
    /// 2. They are waited for: neither the batch nor what [`commit`](Self::commit) returns is dropped, since products
    ///    still write its registers.
    #[doc(alias = "warpgroup_gemm")]
    #[inline(always)]
    pub unsafe fn multiply<L: Layout, B: Layout>(
        mut self,
        a: Matrix<'_, L>,
        b: Matrix<'_, B>,
    ) -> Self
    where
        R: Sums<<L::Element as MatrixElement>::Ptx, <B::Element as MatrixElement>::Ptx>,
    {
        // SAFETY: all threads of the warpgroup are here (2 of `Block::converged`), after the fence of `begin`, and
        // the sums are not read before the products have been waited for; the matrices stay (1).
        self.registers = unsafe { matrix::multiply::<true, _, _, _>(self.registers, a, b) };
        self
    }

    /// Replaces the sums by the product of 64 rows of A and all columns of B. Collective of the warpgroup, with the
    /// same matrices.
    ///
    /// # Safety
    /// 1. The condition of [`multiply`](Self::multiply) holds.
    #[doc(alias("mm_AB", "ScaleOut::Zero"))]
    #[inline(always)]
    pub unsafe fn replace<L: Layout, B: Layout>(
        mut self,
        a: Matrix<'_, L>,
        b: Matrix<'_, B>,
    ) -> Self
    where
        R: Sums<<L::Element as MatrixElement>::Ptx, <B::Element as MatrixElement>::Ptx>,
    {
        // SAFETY: all threads of the warpgroup are here (2 of `Block::converged`), after the fence of `begin`, and
        // the sums are not read before the products have been waited for (2); the matrices stay (1).
        self.registers = unsafe { matrix::multiply::<false, _, _, _>(self.registers, a, b) };
        self
    }

    /// Makes a group of the products, which is waited for. Collective of the warpgroup.
    #[doc(alias = "warpgroup_commit_batch")]
    #[inline(always)]
    pub fn commit(self) -> InFlight<R, A> {
        // SAFETY: all threads of the warpgroup are here (2 of `Block::converged`).
        unsafe { wgmma::commit_group_sync::<Aligned>() };
        InFlight {
            registers: self.registers,
            a: self.a,
        }
    }
}

impl<R: Registers, A> InFlight<R, A> {
    /// Begins to add products of the same extents after those in flight. Collective of the warpgroup.
    #[inline(always)]
    pub fn begin(self) -> Batch<R, A> {
        // SAFETY: all threads of the warpgroup are here (2 of `Block::converged`).
        unsafe { wgmma::fence_sync::<Aligned>() };
        Batch {
            registers: self.registers,
            a: self.a,
        }
    }

    /// Waits for all groups of the warpgroup but the last `LEFT`. Collective of the warpgroup.
    #[doc(alias = "warpgroup_wait")]
    #[inline(always)]
    pub fn wait_but<const LEFT: u64>(self) -> Self {
        // SAFETY: all threads of the warpgroup are here (2 of `Block::converged`).
        unsafe { wgmma::wait_group_sync::<Aligned, LEFT>() };
        self
    }
}

impl<R: Registers> InFlight<R> {
    /// Waits for all groups of the warpgroup but the last `LEFT`, which stay in flight. Collective of the warpgroup.
    ///
    /// # Safety
    /// 1. These products are not in the last `LEFT` groups: `LEFT` groups were committed after them.
    #[doc(alias = "warpgroup_wait")]
    #[inline(always)]
    pub unsafe fn wait_before_last<const LEFT: u64>(self) -> Accumulator<R> {
        let registers = self.wait_but::<LEFT>().registers.pinned();
        Accumulator { registers }
    }

    /// Waits for all groups of the warpgroup. Collective of the warpgroup.
    #[doc(alias = "warpgroup_wait")]
    #[inline(always)]
    pub fn wait(self) -> Accumulator<R> {
        // SAFETY: all threads of the warpgroup are here (2 of `Block::converged`).
        unsafe { wgmma::wait_group_sync::<Aligned, 0>() };
        Accumulator {
            registers: self.registers.pinned(),
        }
    }
}

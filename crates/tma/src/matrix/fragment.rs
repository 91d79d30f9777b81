//! The left matrix of a product, in the registers of a warpgroup.

use core::marker::PhantomData;

use crate::{
    group::Warpgroup,
    matrix::{
        self, Layout, Matrix, MatrixElement,
        accumulator::{Accumulator, Batch, Epilogue, InFlight},
    },
    number::halves::Half,
    ptx::{
        ldmatrix,
        operand::SharedPtr,
        stmatrix,
        wgmma::{Registers, Sums},
    },
    tile::{Mode, Rank, Tile, TileArray, shared_tile::SharedTile},
};

/// 64 rows of A and 16 times `STEPS` of its columns, in the registers of the threads of a warpgroup: what products read
/// in place of a [`Matrix`] in shared memory.
///
/// Two neighbours share a register, as they do in an [`Accumulator`] (PTX ISA 9.7.15.5.1.1, "Matrix A"): the result of
/// one product becomes A of the next without leaving the registers. [`Accumulator::begin_with`] takes the fragment, and
/// [`InFlight::wait`](crate::InFlight) returns it, since no thread may touch its registers while products read them.
///
/// ```
/// use tma::{Accumulator, Epilogue, Fragment, Matrix, Swizzle128, Warpgroup, halves::Bf16, matrix::Boxes};
///
/// type Rows = Boxes<[[Bf16; 64]; 64], Swizzle128, 1, true>;
/// type Columns = Boxes<[[Bf16; 64]; 64], Swizzle128, 1, false>;
/// type Sums = Accumulator<[f32; 32]>;
///
/// /// Adds `round(A * transpose(B)) * C` to sums, as attention does of queries, keys and values.
/// ///
/// /// # Safety
/// /// 1. No thread writes the matrices before it returns.
/// unsafe fn chain(
///     sums: Sums,
///     warpgroup: Warpgroup,
///     [a, b]: [Matrix<'_, Rows>; 2],
///     c: Matrix<'_, Columns>,
///     epilogue: &impl Epilogue,
/// ) -> Sums {
///     // SAFETY: the matrices stay until the wait (1), which follows (2).
///     let first = unsafe { Sums::zero().begin(warpgroup).multiply(a, b) };
///     let fragment = Fragment::<Bf16, 4>::of(&first.commit().wait(), warpgroup, epilogue);
///     // SAFETY: the matrix stays until the wait (1), which follows (2).
///     let second = unsafe { sums.begin_with(fragment, warpgroup).multiply_fragment(c) };
///     let (sums, _fragment) = second.commit().wait();
///     sums
/// }
/// ```
///
/// ```compile_fail,E0382
/// # use tma::{Accumulator, Fragment, Warpgroup, halves::Bf16};
/// // It is gone until the products are complete.
/// fn twice(a: Fragment<Bf16, 4>, sums: [Accumulator<[f32; 32]>; 2], warpgroup: Warpgroup) {
///     let [first, second] = sums;
///     let first = first.begin_with(a, warpgroup);
///     let second = second.begin_with(a, warpgroup);
/// }
/// ```
#[doc(alias("RS", "tOrP", "convert_layout_acc_Aregs"))]
pub struct Fragment<T, const STEPS: usize> {
    /// The registers that one instruction takes, for each 16 columns.
    pub(crate) steps: [[u32; 4]; STEPS],
    element: PhantomData<T>,
}

impl<T: Half, const STEPS: usize> Fragment<T, STEPS>
where
    [[u32; 4]; STEPS]: Steps,
{
    /// Makes a fragment of sums. `epilogue` maps each two neighbours, given the column and the row in these
    /// 64 rows, rounded to nearest even.
    #[doc(alias = "convert_type")]
    #[inline(always)]
    pub fn of(
        sums: &Accumulator<<[[u32; 4]; STEPS] as Steps>::Sums>,
        warpgroup: Warpgroup,
        epilogue: &impl Epilogue,
    ) -> Self {
        let lane = warpgroup.warp().lane();
        let at = [lane % 4 * 2, 16 * warpgroup.warp_index() + lane / 4];
        Self::from_steps(Steps::of::<T>(sums.registers(), at, epilogue))
    }

    /// Makes a fragment of one of the equal parts of 64 rows of a tile; `index` wraps around. Collective of the warpgroup.
    ///
    /// PTX: `ldmatrix.sync.aligned.m8n8.x4.shared.b16`
    ///
    /// # Safety
    /// 1. The tile is in this block's shared memory. Earlier writes to it happen before, and no thread writes it at
    ///    the same time.
    #[doc(alias("ldmatrix", "SM75_U32x4_LDSM_N"))]
    #[inline(always)]
    pub unsafe fn load<M: Mode, const WIDTH: usize, const HEIGHT: usize>(
        tile: SharedPtr<Tile<[[T; WIDTH]; HEIGHT], M>>,
        warpgroup: Warpgroup,
        index: u32,
    ) -> Self {
        const {
            assert!(WIDTH == 16 * STEPS, "a fragment has 16 columns a step");
            assert!(
                HEIGHT.is_multiple_of(64),
                "a warpgroup has 64 rows of a matrix"
            );
        }
        let lane = warpgroup.warp().lane();
        let row = 64 * (index % const { HEIGHT / 64 } as u32) + 16 * warpgroup.warp_index();
        let at = [lane / 16 * 8, row + lane % 16];
        // SAFETY: the rows exist, and no thread writes them (1).
        Self::from_steps(unsafe { Steps::load(tile, at) })
    }

    /// Stores the fragment as one of the equal parts of 64 rows of a tile, of 16 columns a step; `index` wraps around.
    /// Collective of the warpgroup.
    ///
    /// PTX: `stmatrix.sync.aligned.m8n8.x4.shared.b16`
    ///
    /// # Safety
    /// 1. The tile is in this block's shared memory, and no other code uses the rows at the same time.
    #[doc(alias("stmatrix", "SM90_U32x4_STSM_N"))]
    #[inline(always)]
    pub unsafe fn store<M: Mode, const WIDTH: usize, const HEIGHT: usize>(
        &self,
        tile: SharedPtr<Tile<[[T; WIDTH]; HEIGHT], M>>,
        warpgroup: Warpgroup,
        index: u32,
    ) {
        const {
            assert!(WIDTH == 16 * STEPS, "a fragment has 16 columns a step");
            assert!(
                HEIGHT.is_multiple_of(64),
                "a warpgroup has 64 rows of a matrix"
            );
        }
        let lane = warpgroup.warp().lane();
        let row = 64 * (index % const { HEIGHT / 64 } as u32) + 16 * warpgroup.warp_index();
        // SAFETY: the rows exist, and no other code uses them (1).
        unsafe { self.steps.store(tile, [lane / 16 * 8, row + lane % 16]) };
    }

    /// Returns a fragment of zeros.
    #[inline(always)]
    pub(crate) fn zero() -> Self {
        // An array expression would become a loop of stores to local memory.
        // SAFETY: zero bits are a valid number in each register.
        Self::from_steps(unsafe { core::mem::zeroed() })
    }

    /// Returns the registers of 64 columns, with a constant number, so that they stay in registers.
    #[inline(always)]
    pub(crate) fn four<const NUMBER: usize>(&self) -> [[u32; 4]; 4] {
        self.steps.as_chunks().0[NUMBER]
    }

    #[inline(always)]
    fn from_steps(steps: [[u32; 4]; STEPS]) -> Self {
        Self {
            steps,
            element: PhantomData,
        }
    }

    /// Returns the same, in registers that are not read before or written after this point.
    #[inline(always)]
    pub(crate) fn pinned(self) -> Self {
        Self::from_steps(self.steps.pinned())
    }
}

impl<R: Registers> Accumulator<R> {
    /// Begins to add products with this fragment as A. Collective of the warpgroup.
    #[inline(always)]
    pub fn begin_with<T: Half, const STEPS: usize>(
        self,
        a: Fragment<T, STEPS>,
        warpgroup: Warpgroup,
    ) -> Batch<R, Fragment<T, STEPS>>
    where
        [[u32; 4]; STEPS]: Steps,
    {
        let a = a.pinned();
        let Batch { registers, .. } = self.begin(warpgroup);
        Batch { registers, a }
    }
}

impl<R, T, const STEPS: usize> Batch<R, Fragment<T, STEPS>>
where
    R: Registers + Sums<T::Ptx, T::Ptx>,
    T: Half + MatrixElement,
    [[u32; 4]; STEPS]: Steps,
{
    /// Adds the product of the fragment and all columns of B. Collective of the warpgroup, with the same matrix.
    ///
    /// # Safety
    /// 1. No thread writes the matrix before the products have been waited for.
    /// 2. (2) of [`multiply`](Self::multiply) holds.
    #[doc(alias("warpgroup_gemm", "SM90_64x64x16_F32BF16BF16_RS"))]
    #[inline(always)]
    pub unsafe fn multiply_fragment<B: Layout<Element = T>>(mut self, b: Matrix<'_, B>) -> Self {
        const { matrix::assert_extents::<R, B>(16 * STEPS) };
        // SAFETY: all threads of the warpgroup are here (2 of `Block::converged`), after the fence of `begin_with`;
        // sums and fragment are not accessed before the products have been waited for; the matrix stays (1).
        self.registers = unsafe { self.a.steps.multiply::<R, T::Ptx, B>(self.registers, b) };
        self
    }
}

impl<R: Registers, T: Half, const STEPS: usize> InFlight<R, Fragment<T, STEPS>>
where
    [[u32; 4]; STEPS]: Steps,
{
    /// Waits for all groups of the warpgroup but the last `LEFT`, which stay in flight; the fragment may be used again.
    /// Collective of the warpgroup.
    ///
    /// # Safety
    /// 1. These products are not in the last `LEFT` groups: `LEFT` groups were committed after them.
    #[doc(alias = "warpgroup_wait")]
    #[inline(always)]
    pub unsafe fn wait_before_last<const LEFT: u64>(self) -> (Accumulator<R>, Fragment<T, STEPS>) {
        let Self { registers, a } = self.wait_but::<LEFT>();
        let registers = registers.pinned();
        (Accumulator { registers }, a.pinned())
    }

    /// Waits for all groups of the warpgroup; the fragment may be used again. Collective of the warpgroup.
    #[doc(alias = "warpgroup_wait")]
    #[inline(always)]
    pub fn wait(self) -> (Accumulator<R>, Fragment<T, STEPS>) {
        let Self { registers, a } = self;
        let sums = InFlight { registers, a: () }.wait();
        (sums, a.pinned())
    }
}

impl<T: Half, M: Mode, const WIDTH: usize, const HEIGHT: usize>
    SharedTile<[[T; WIDTH]; HEIGHT], M>
{
    /// Makes a fragment of one of the equal parts of 64 rows, as A of a product; `index` wraps around. Collective of
    /// the warpgroup.
    ///
    /// PTX: `ldmatrix.sync.aligned.m8n8.x4.shared.b16`
    #[inline(always)]
    pub fn fragment<const STEPS: usize>(
        &self,
        warpgroup: Warpgroup,
        index: u32,
    ) -> Fragment<T, STEPS>
    where
        [[u32; 4]; STEPS]: Steps,
    {
        // SAFETY: the writer of the tile has handed it to all threads.
        unsafe { Fragment::load(self.as_ptr(), warpgroup, index) }
    }
}

/// The registers of a thread for the steps of a [`Fragment`], each of 16 columns; there are 1 to 16 steps.
pub trait Steps: Sized + crate::sealed::Sealed {
    /// Sums of the same number of columns.
    type Sums;

    #[doc(hidden)]
    fn of<T: Half>(sums: &Self::Sums, at: [u32; 2], epilogue: &impl Epilogue) -> Self;

    #[doc(hidden)]
    unsafe fn load<T: Half, S: Rank<2> + TileArray<Element = T>, M: Mode>(
        tile: SharedPtr<Tile<S, M>>,
        at: [u32; 2],
    ) -> Self;

    #[doc(hidden)]
    unsafe fn store<T: Half, S: Rank<2> + TileArray<Element = T>, M: Mode>(
        &self,
        tile: SharedPtr<Tile<S, M>>,
        at: [u32; 2],
    );

    #[doc(hidden)]
    fn pinned(self) -> Self;

    #[doc(hidden)]
    unsafe fn multiply<D: Sums<T, T>, T, B: Layout>(&self, sums: D, b: Matrix<'_, B>) -> D;
}

// With constant indices only, so that all values stay in registers.
macro_rules! steps {
    ([$($step:literal)*]) => {};
    ([$($step:literal)*] $last:literal $($rest:literal)*) => {
        impl crate::sealed::Sealed for [[u32; 4]; $last + 1] {}
        impl Steps for [[u32; 4]; $last + 1] {
            type Sums = [f32; 8 * ($last + 1)];

            #[inline(always)]
            fn of<T: Half>(sums: &Self::Sums, [column, row]: [u32; 2], epilogue: &impl Epilogue) -> Self {
                let sums = sums.as_chunks().0;
                [
                    $(round::<T>(sums[$step], [column + 16 * $step, row], epilogue),)*
                    round::<T>(sums[$last], [column + 16 * $last, row], epilogue),
                ]
            }

            #[inline(always)]
            unsafe fn load<T: Half, S: Rank<2> + TileArray<Element = T>, M: Mode>(
                tile: SharedPtr<Tile<S, M>>,
                [column, row]: [u32; 2],
            ) -> Self {
                let at = |step: u32| tile.at([column + 16 * step, row]).as_ptr().cast::<u8>();
                // SAFETY: the lane has 16 bytes of the tile, at a multiple of 16, that no thread writes.
                unsafe { [
                    $(ldmatrix::sync_aligned_m8n8_x4(at($step)),)*
                    ldmatrix::sync_aligned_m8n8_x4(at($last)),
                ] }
            }

            #[inline(always)]
            unsafe fn store<T: Half, S: Rank<2> + TileArray<Element = T>, M: Mode>(
                &self,
                tile: SharedPtr<Tile<S, M>>,
                [column, row]: [u32; 2],
            ) {
                let at = |step: u32| tile.at([column + 16 * step, row]).as_ptr().cast::<u8>();
                // SAFETY: the lane has 16 bytes of the tile, at a multiple of 16, that no other code uses.
                unsafe {
                    $(stmatrix::sync_aligned_m8n8_x4(at($step), self[$step]);)*
                    stmatrix::sync_aligned_m8n8_x4(at($last), self[$last]);
                }
            }

            #[inline(always)]
            fn pinned(self) -> Self {
                [$(Registers::pinned(self[$step]),)* Registers::pinned(self[$last])]
            }

            #[inline(always)]
            unsafe fn multiply<D: Sums<T, T>, T, B: Layout>(&self, sums: D, b: Matrix<'_, B>) -> D {
                // SAFETY: the warpgroup is here, after the fence of `begin_with` (1), and the matrix stays (2):
                // `multiply_fragment` ensures both.
                unsafe {
                    $(let sums = matrix::multiply_step(sums, self[$step], b, $step);)*
                    matrix::multiply_step(sums, self[$last], b, $last)
                }
            }
        }
        steps! { [$($step)* $last] $($rest)* }
    };
}

steps! { [] 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 }

/// Returns the registers of one step: the sums of 16 columns that begin at this column and row.
#[inline(always)]
pub(crate) fn round<T: Half>(
    sums: [f32; 8],
    [column, row]: [u32; 2],
    epilogue: &impl Epilogue,
) -> [u32; 4] {
    [
        T::round(epilogue.apply(column, row, [sums[0], sums[1]])),
        T::round(epilogue.apply(column, row + 8, [sums[2], sums[3]])),
        T::round(epilogue.apply(column + 8, row, [sums[4], sums[5]])),
        T::round(epilogue.apply(column + 8, row + 8, [sums[6], sums[7]])),
    ]
}

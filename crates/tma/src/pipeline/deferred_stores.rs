use crate::{
    group::Warpgroup,
    matrix::{
        accumulator::{Accumulator, Epilogue},
        fragment::{Fragment, Steps},
    },
    number::halves::Half,
    pipeline::OverlappedWork,
    tile::{Mode, Rank, TileArray, TileMap, outputs::Outputs},
};

/// Results of products, 64 rows of up to 256 columns, that stay in registers until they are stored during the next
/// products.
///
/// ```
/// use tma::{
///     Accumulator, DeferredStores, Epilogue, Outputs, Swizzle128, Tile, TileMap, Warpgroup, halves::Bf16, matrix::Boxes,
///     pipeline::Products, tile::Pair,
/// };
///
/// type Box64 = [[Bf16; 64]; 64];
/// type Stage = Pair<[Tile<Box64, Swizzle128>; 1], [Tile<Box64, Swizzle128>; 2]>;
///
/// struct Plain;
/// impl Epilogue for Plain {
///     #[inline(always)]
///     fn apply(&self, _column: u32, _row: u32, sums: [f32; 2]) -> [f32; 2] {
///         sums
///     }
/// }
///
/// /// Writes the products of `stages` stages each to tiles of 64 rows of 128 columns, one below the other.
/// fn multiply(
///     mut products: Products<Stage, 4>,
///     outputs: Outputs<Box64, Swizzle128, Warpgroup, 2>,
///     map: &TileMap<Box64, Swizzle128>,
///     [tiles, stages]: [u32; 2],
/// ) {
///     let mut stores = DeferredStores::<_, _, 8, 2>::new(outputs, map);
///     let mut sums = Accumulator::<[f32; 64]>::zero();
///     for tile in 0..tiles {
///         sums = products.sum_overlapped(sums, stages, &mut stores, |stage| {
///             let (a, b) = stage.pair();
///             (
///                 a.matrix::<Boxes<Box64, Swizzle128, 1, true>>(),
///                 b.matrix::<Boxes<Box64, Swizzle128, 2, true>>(),
///             )
///         });
///         stores.hold(&sums, [0, 64 * tile], &Plain);
///     }
///     stores.finish();
/// }
/// ```
#[doc(alias("epilogue overlap", "pingpong"))]
pub struct DeferredStores<'a, S: TileArray, M: Mode, const STEPS: usize, const TILES: u32> {
    outputs: Outputs<S, M, Warpgroup, TILES>,
    map: &'a TileMap<S, M>,
    results: Fragment<S::Element, STEPS>,
    /// Column and row of the first of them, where they are still to be stored.
    at: Option<[u32; 2]>,
}

impl<'a, S, M: Mode, const STEPS: usize, const TILES: u32> DeferredStores<'a, S, M, STEPS, TILES>
where
    S: Rank<2> + TileArray<Element: Half>,
    [[u32; 4]; STEPS]: Steps,
{
    /// Stores through this map, by these tiles.
    #[inline(always)]
    pub fn new(outputs: Outputs<S, M, Warpgroup, TILES>, map: &'a TileMap<S, M>) -> Self {
        const {
            assert!(
                STEPS.is_multiple_of(4),
                "a step is of 16 columns, a tile of 64"
            );
            assert!(
                S::BOX[0] == 64 && S::BOX[1] == 64 && S::ELEMS == 64 * 64,
                "a tile has 64 columns and 64 rows"
            );
        }
        Self {
            outputs,
            map,
            results: Fragment::zero(),
            at: None,
        }
    }

    /// Takes the results of products that begin at this column and row, rounded to nearest even. For each two
    /// neighbours, takes the values of `epilogue`, given their column and row. Earlier results have been stored.
    #[inline(always)]
    pub fn hold(
        &mut self,
        sums: &Accumulator<<[[u32; 4]; STEPS] as Steps>::Sums>,
        at: [u32; 2],
        epilogue: &impl Epilogue,
    ) {
        self.results = Fragment::of(sums, self.outputs.group(), epilogue);
        self.at = Some(at);
    }

    /// Stores the remaining results. Collective of the warpgroup.
    #[inline(always)]
    pub fn finish(mut self) {
        self.step::<0>();
        self.step::<1>();
        self.step::<2>();
        self.step::<3>();
        self.outputs.finish();
    }
}

impl<S, M: Mode, const STEPS: usize, const TILES: u32> OverlappedWork
    for DeferredStores<'_, S, M, STEPS, TILES>
where
    S: Rank<2> + TileArray<Element: Half>,
    [[u32; 4]; STEPS]: Steps,
{
    /// Stores 64 columns, if that many remain.
    #[inline(always)]
    fn step<const NUMBER: usize>(&mut self) {
        if let Some([column, row]) = self.at
            && 4 * NUMBER < STEPS
        {
            let [first, second, third, fourth] = self.results.four::<NUMBER>();
            let output = self.outputs.next();
            output.write_pairs::<0>(first);
            output.write_pairs::<1>(second);
            output.write_pairs::<2>(third);
            output.write_pairs::<3>(fourth);
            let column = column + 64 * NUMBER as u32;
            output.store(self.map, [column as i32, row as i32]);
        }
        if NUMBER == 3 {
            self.at = None;
        }
    }
}

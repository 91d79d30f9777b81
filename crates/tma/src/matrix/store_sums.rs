//! Stores of sums.

use super::{
    accumulator::{Accumulator, Columns, Epilogue},
    fragment,
};
use crate::{
    group::Warpgroup,
    number::halves::Half,
    tile::{
        Mode, Rank, TileArray, TileMap,
        outputs::{OutputTile, Outputs},
    },
};

impl<S: TileArray, M: Mode, const TILES: u32> Outputs<S, M, Warpgroup, TILES>
where
    S::Element: Half,
{
    /// Stores sums in tiles of 64 rows of 64. The first tile begins at these coordinates, innermost first. For each
    /// two neighbours, stores the values of `epilogue`, rounded to nearest even. Collective of the warpgroup.
    #[inline(always)]
    pub fn store_sums<R: Columns, const RANK: usize>(
        &mut self,
        sums: &Accumulator<R>,
        map: &TileMap<S, M>,
        at: [u32; RANK],
        epilogue: &impl Epilogue,
    ) where
        S: Rank<RANK>,
    {
        const {
            assert!(R::COUNT <= 4, "there are up to 256 columns");
            assert!(
                RANK >= 2 && S::BOX[0] == 64 && S::BOX[1] == 64 && S::ELEMS == 64 * 64,
                "a tile has 64 columns and 64 rows"
            );
        }
        self.store_columns::<0, R, RANK>(sums, map, at, epilogue);
        if R::COUNT > 1 {
            self.store_columns::<1, R, RANK>(sums, map, at, epilogue);
        }
        if R::COUNT > 2 {
            self.store_columns::<2, R, RANK>(sums, map, at, epilogue);
        }
        if R::COUNT > 3 {
            self.store_columns::<3, R, RANK>(sums, map, at, epilogue);
        }
    }

    #[inline(always)]
    fn store_columns<const NUMBER: usize, R: Columns, const RANK: usize>(
        &mut self,
        sums: &Accumulator<R>,
        map: &TileMap<S, M>,
        mut at: [u32; RANK],
        epilogue: &impl Epilogue,
    ) where
        S: Rank<RANK>,
    {
        at[0] += 64 * NUMBER as u32;
        let first = [at[0], at[1]];
        let sums = sums.registers().columns::<NUMBER>();
        let output = self.next();
        let chunks = sums.as_chunks().0;
        output.write_16_columns::<0>(chunks[0], first, epilogue);
        output.write_16_columns::<1>(chunks[1], first, epilogue);
        output.write_16_columns::<2>(chunks[2], first, epilogue);
        output.write_16_columns::<3>(chunks[3], first, epilogue);
        output.store(map, at.map(|coord| coord as i32));
    }
}

impl<S: TileArray, M: Mode> OutputTile<S, M, Warpgroup>
where
    S::Element: Half,
{
    /// Writes 16 columns of sums into the tile at these coordinates.
    #[inline(always)]
    fn write_16_columns<const NUMBER: u32>(
        &self,
        sums: [f32; 8],
        [column, row]: [u32; 2],
        epilogue: &impl Epilogue,
    ) {
        let lane = self.group.warp().lane();
        let column = column + 16 * NUMBER + lane % 4 * 2;
        let row = row + 16 * self.group.warp_index() + lane / 4;
        let pairs = fragment::round::<S::Element>(sums, [column, row], epilogue);
        self.write_pairs::<NUMBER>(pairs);
    }
}

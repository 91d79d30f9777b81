//! Gathers rows of a table by their numbers: a lane of a warp issues the copy of a row each.

use tma::{Block, Stores, Tile, TileMap, kernel, ptx::mbarrier::Mbarrier, shared};

/// The number of elements of a row.
pub const ROW: usize = 64;
/// The number of rows that a block gathers: one for each lane of its warp.
pub const ROWS: usize = 32;

const ROW_BYTES: u32 = size_of::<[u32; ROW]>() as u32;

/// Writes row `indices[i]` of a table of 4-byte elements to row `i` of `output`, for all `rows` rows.
/// A number without a row in the table results in zeros.
///
/// # Safety
/// 1. `table` is over a table of [`ROW`] columns that no thread writes while the kernel runs.
/// 2. `indices` has `rows` numbers, none of them negative as `i32`; `output` has room for `rows`
///    rows, is a multiple of 16 bytes, and no other code uses it.
/// 3. Blocks are one warp, and there is one for each [`ROWS`] rows.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/gather_rows.ptx"), "\n```"))]
#[kernel(max_threads = 32)]
pub unsafe fn gather_rows(
    #[grid_constant] table: &TileMap<[[u32; ROW]; 1]>,
    indices: *const u32,
    output: *mut u32,
    rows: u32,
) {
    shared! {
        static GATHERED: [Tile<[[u32; ROW]; 1]>; ROWS];
        static BAR: Mbarrier;
    }
    // SAFETY: the whole warp gets here, which is the block (3).
    let block = unsafe { Block::converged() };
    let (warp, gathered) = (block.warp(), GATHERED::ptr());
    let first = block.index() * ROWS as u32;
    let count = (rows - first).min(ROWS as u32);
    // A lane for each row arrives, with the bytes of its copy.
    let bar = warp.barrier(BAR::ptr(), count);

    if warp.lane() < count {
        // SAFETY: there is a number for each row (2).
        let row = unsafe { *indices.add((first + warp.lane()) as usize) };
        let mut load = bar.transaction();
        // SAFETY: column 0 is aligned, and no thread uses the slot before the phase completes.
        unsafe { load.tile(gathered.at(warp.lane()), table, [0, row as i32]) };
        let _ = load.arrive();
    }
    bar.wait_parity(0);

    // Only copies wrote the rows, so they need no fence before the copy that reads them: waiting for
    // the phase has ordered them for every lane.
    if warp.elect() {
        let mut stores = Stores::new();
        // SAFETY: the output has room for these rows (2), which are stored one after the other.
        unsafe {
            let dst = output.add(first as usize * ROW);
            stores.bulk(dst.cast(), gathered.cast(), count * ROW_BYTES)
        };
        stores.commit().wait_read();
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::GatherRows;

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tensor_map::{DataType, TensorMap};
    use tma_launch::{BufferRef, Call, Conditions, MapRef, Region, Shape};

    use super::{ROW, ROW_BYTES, ROWS, gather_rows};
    use crate::arguments::product;

    /// Gathers rows of 64 numbers of 4 bytes by their numbers.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct GatherRows {
        /// The table's buffer.
        pub table: usize,
        /// The number of rows of the table.
        pub table_rows: u64,
        /// The buffer of row numbers, `u32`.
        pub indices: usize,
        /// The buffer that gets the rows.
        pub output: usize,
        /// The number of rows to gather.
        pub rows: u32,
    }

    impl GatherRows {
        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            conditions.at_least("rows", self.rows, 1, "the grid must not be empty");
            let map = TensorMap::tiled(DataType::U32, &[ROW as u64, self.table_rows])
                .box_dims(&[ROW as u32, 1]);
            let bytes = |buffer, of| Region::bytes(buffer, product(&[self.rows, of]));
            conditions.reads(Region::tensor(map, self.table));
            conditions.reads(bytes(self.indices, size_of::<u32>() as u32));
            conditions.writes(bytes(self.output, ROW_BYTES));
            let call = gather_rows(
                MapRef::new(map, self.table),
                BufferRef::new(self.indices),
                BufferRef::new(self.output),
                self.rows,
            );
            (call, Shape::new(self.rows.div_ceil(ROWS as u32), 32))
        }
    }
}

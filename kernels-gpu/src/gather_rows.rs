//! Gathers rows of a table by their numbers: a lane of a warp issues the copy of a row each.

use tma::{
    Barrier, Stores, TensorMap, kernel,
    ptx::mbarrier::Mbarrier,
    shared,
    thread::{block_idx, thread_idx},
    warp,
};

/// Elements of a row.
pub const ROW: usize = 64;
/// Rows that a block gathers: one for each lane of its warp.
pub const ROWS: usize = 32;

const ROW_BYTES: u32 = size_of::<[u32; ROW]>() as u32;

/// Writes row `indices[i]` of a table of 4-byte elements to row `i` of `output`, for all `rows` rows.
/// A number that no row of the table has gives zeros.
///
/// # Safety
/// 1. `table` is a two-dimensional map of 4-byte elements with boxes of [`ROW`] by 1 and no swizzle,
///    over a table of [`ROW`] columns that nobody writes while the kernel runs.
/// 2. `indices` has `rows` numbers, none of them negative as `i32`; `output` has room for as many
///    rows, is a multiple of 16 bytes, and nobody else uses it.
/// 3. Blocks are one warp, and there is one for each [`ROWS`] rows.
#[cfg_attr(doc, doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/gather_rows.ptx"), "\n```"))]
#[kernel(max_threads = 32)]
pub unsafe fn gather_rows(
    #[grid_constant] table: &TensorMap,
    indices: *const u32,
    output: *mut u32,
    rows: u32,
) {
    shared! {
        static GATHERED: [u32; ROW * ROWS] align 128;
        static BAR: Mbarrier;
    }
    let gathered = GATHERED::ptr();
    let lane = thread_idx().x;
    let first = block_idx().x * ROWS as u32;
    let count = (rows - first).min(ROWS as u32);
    if lane == 0 {
        // SAFETY: one thread does so, before any other uses the barrier.
        unsafe { Barrier::init(BAR::ptr(), count) };
    }
    // SAFETY: the whole warp is here, which is the block (3).
    unsafe { warp::sync_warp() };
    // SAFETY: `sync_warp` orders the initialisation before; a lane for each row arrives, with the
    // bytes of its own copy.
    let bar = unsafe { Barrier::assume_init(BAR::ptr()) };

    if lane < count {
        // SAFETY: there is a number for each row (2).
        let row = unsafe { *indices.add((first + lane) as usize) };
        let mut load = bar.transaction();
        // SAFETY: the map has this box (1), column 0 is aligned, and nobody uses the slot before the
        // phase completes.
        unsafe {
            load.tensor(
                gathered.at(lane * ROW as u32).cast(),
                table,
                [0, row as i32],
                ROW_BYTES,
            )
        };
        let _ = load.arrive();
    }
    bar.wait_parity(0);

    // Only copies wrote the rows, so they need no fence before the copy that reads them: waiting for
    // the phase has ordered them for every lane.
    // SAFETY: the whole warp is here (3).
    if unsafe { warp::is_elected() } {
        let mut stores = Stores::new();
        // SAFETY: the output has room for these rows (2), which lie one behind the other.
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
    use tma_launch::{BufferRef, Conditions, Launch, MapRef, Shape, Violations};

    use super::{ROW, ROW_BYTES, ROWS, gather_rows};
    use crate::arguments::product;

    /// Gathers rows of 64 numbers of 4 bytes by their numbers.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct GatherRows {
        /// The table's buffer.
        pub table: usize,
        /// Rows of the table.
        pub table_rows: u64,
        /// The buffer of row numbers, `u32`.
        pub indices: usize,
        /// The buffer that gets the rows.
        pub output: usize,
        /// Rows to gather.
        pub rows: u32,
    }

    impl GatherRows {
        /// Checks the arguments.
        ///
        /// # Errors
        /// All that the kernel cannot take.
        pub fn launch(&self) -> Result<Launch, Violations> {
            let mut conditions = Conditions::default();
            conditions.at_least("rows", self.rows, 1, "there is no empty grid: at least");
            let map = TensorMap::tiled(DataType::U32, &[ROW as u64, self.table_rows])
                .box_dims(&[ROW as u32, 1]);
            conditions.uses(self.indices, product(&[self.rows, size_of::<u32>() as u32]));
            conditions.uses(self.output, product(&[self.rows, ROW_BYTES]));
            let call = gather_rows(
                MapRef::new(map, self.table),
                BufferRef::new(self.indices),
                BufferRef::new(self.output),
                self.rows,
            );
            conditions.launch(call, Shape::new(self.rows.div_ceil(ROWS as u32), 32))
        }
    }
}

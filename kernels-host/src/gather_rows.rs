use launch::{Launch, Violations};
use tensor_map::{DataType, TensorMap};

use crate::conditions::{Conditions, product};

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
    /// Numbers of a row.
    pub const ROW: usize = 64;

    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernel cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let mut conditions = Conditions::default();
        conditions.at_least("rows", self.rows, 1, "there is no empty grid: at least");
        let map = TensorMap::tiled(DataType::U32, &[Self::ROW as u64, self.table_rows])
            .box_dims(&[Self::ROW as u32, 1]);
        conditions.launch(
            Launch::new("gather_rows", self.rows.div_ceil(32), 32)
                .tensor_map(map, self.table)
                .buffer_of(self.indices, product(&[self.rows, 4]))
                .buffer_of(self.output, product(&[self.rows, 4 * Self::ROW as u32]))
                .scalar(self.rows),
        )
    }
}

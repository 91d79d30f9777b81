use kernels_gpu::gather_rows::{GatherRows, ROW};
use tma_launch::Buffer;

use super::{Kernel, kept, numbers};
use crate::{Expected, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "gather_rows",
    summary: "gathers rows of a table by their numbers, a lane issuing the copy of a row each",
    golden: &["gather_rows"],
    showcase: || scenario(1000, 4096),
    cases,
};

fn cases() -> Vec<Scenario> {
    let sizes = [(1, 1), (7, 31), (100, 32), (100, 33), (3, 97), (5000, 2000)];
    sizes.map(|(table, rows)| scenario(table, rows)).to_vec()
}

/// Every eleventh number is one that the table does not have.
fn scenario(table_rows: usize, rows: usize) -> Scenario {
    let table = numbers(table_rows * ROW);
    let indices: Vec<u32> = (0..rows)
        .map(|i| match i % 11 {
            10 => (table_rows + i) as u32,
            _ => (i * 7919 % table_rows) as u32,
        })
        .collect();
    let row = |index: &u32| match table.chunks(ROW).nth(*index as usize) {
        Some(row) => row.to_vec(),
        None => vec![0; ROW],
    };
    let mut expected: Vec<i32> = indices.iter().flat_map(row).collect();
    // Memory after the last row stays unchanged.
    expected.extend([-1; ROW]);
    let gather = GatherRows {
        table: 0,
        table_rows: table_rows as u64,
        indices: 1,
        output: 2,
        rows: rows as u32,
    };
    Scenario {
        name: format!("{rows}_rows_of_{table_rows}"),
        buffers: vec![
            Buffer::new("table", &table),
            Buffer::new("indices", &indices),
            Buffer::new("output", &vec![-1; expected.len()]),
        ],
        launches: vec![kept(gather.launch())],
        expected: vec![Expected::of(2, &expected).dims(&[ROW, rows + 1])],
    }
}

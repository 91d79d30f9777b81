//! Tiles through a tensor map: its parameters, what is wrong with some, and a load over the edges.

use host_examples::{Result, check, device, jobs};
use kernels_gpu::{Matrix, tile_2d::Tile2dTo};
use launch::{Backend as _, Buffer, Job};
use tensor_map::{DataType, TensorMap};

fn main() -> Result<()> {
    // Innermost first: 101 columns, then 40 rows. Every broken rule is named.
    let refused = TensorMap::tiled(DataType::I32, &[101, 40])
        .box_dims(&[64, 300])
        .build(0x1000);
    let Err(refused) = refused else {
        return Err("rows of 404 bytes and boxes of 300 rows were taken".into());
    };
    println!("refused:\n{refused}");

    let (mut jobs, ptx) = jobs(&device()?)?;

    // Rows of 101 numbers, padded to 104. The tile begins 8 columns before the first and 3 rows above.
    let source = Matrix {
        width: 101,
        height: 40,
        pitch: 104,
    };
    let numbers: Vec<i32> = (0..source.len_elems() as i32).collect();
    let target = Matrix::packed(64, 16);
    let mut job = Job::new(ptx);
    let source_data = job.buffer(Buffer::new("source", &numbers));
    let target_data = job.buffer(Buffer::new("target", &[-1; 64 * 16]));
    let tile = Tile2dTo {
        source,
        source_data,
        source_origin: [-8, -3],
        target,
        target_data,
        target_origin: [0, 0],
        blocks: [1, 1],
        threads: 128,
    };
    job.launch(tile.launch()?);
    jobs.run(&mut job)?;

    let mut expected = Vec::new();
    for row in 0..16_i32 {
        for column in 0..64_i32 {
            // Outside is zero; element `i` of the tile gets `i` added.
            let (x, y) = (column - 8, row - 3);
            let loaded = if x >= 0 && y >= 0 { y * 104 + x } else { 0 };
            expected.push(loaded + row * 64 + column);
        }
    }
    let got = job.buffers[target_data].to_vec()?;
    check("a tile over the edges", &expected, &got)
}

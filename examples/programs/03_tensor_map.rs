//! Tiles with a tensor map: its parameters, errors in some of them, and a load over the edges.

use host_examples::{Result, check, device, load};
use kernels_gpu::{
    Matrix,
    tile_2d::{TILE, tile_2d_to},
};
use tensor_map::{DataType, TensorMap};

fn main() -> Result<()> {
    // Innermost first: 101 columns, then 40 rows. The error lists every broken rule.
    let refused = TensorMap::tiled(DataType::I32, &[101, 40])
        .box_dims(&[64, 300])
        .build(0x1000);
    let Err(refused) = refused else {
        return Err("rows of 404 bytes and boxes of 300 rows were taken".into());
    };
    println!("refused:\n{refused}");

    let device = device()?;
    let module = load(&device)?;

    // Rows of 101 numbers, padded to 104. The tile begins 8 columns before the first one and 3 rows above.
    let source = Matrix {
        width: 101,
        height: 40,
        pitch: 104,
    };
    let numbers: Vec<i32> = (0..source.len_elems() as i32).collect();
    let target = Matrix::packed(64, 16);
    let (numbers, tile) = (device.upload(&numbers)?, device.upload(&[-1; 64 * 16])?);
    // A map borrows the buffer of its tensor, which must fit in the buffer.
    let from = numbers.tensor_map(source.map(TILE))?;
    let to = tile.tensor_map(target.map(TILE))?;
    // SAFETY: the kernel is in the module (1), its maps have its tile shape, and the single block moves one tile;
    // the buffers live until the tile has been read, and nothing else runs (2).
    unsafe { module.launch((1, 128), tile_2d_to(&from, &to, -8, -3, 0, 0)) }?;

    let mut expected = Vec::new();
    for row in 0..16_i32 {
        for column in 0..64_i32 {
            // Elements out of bounds are zero; the kernel adds `i` to element `i` of the tile.
            let (x, y) = (column - 8, row - 3);
            let loaded = if x >= 0 && y >= 0 { y * 104 + x } else { 0 };
            expected.push(loaded + row * 64 + column);
        }
    }
    check("a tile over the edges", &expected, &tile.read()?)
}

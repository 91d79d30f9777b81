//! The three memories of a tensor map: a kernel parameter, constant memory, global memory.

use host_examples::{Result, check, device, load};
use kernels_gpu::{
    Matrix,
    tile_2d::{TILE, Tile2d, tile_2d, tile_2d_constant, tile_2d_global},
};
use tma_host::Shape;

fn main() -> Result<()> {
    let device = device()?;
    let module = load(&device)?;
    let matrix = Matrix::packed(128, 32);
    let numbers: Vec<i32> = (0..matrix.len_elems() as i32).collect();
    let expected = numbers.iter().map(|number| {
        let (x, y) = (number % 128 % 64, number / 128 % 16);
        number + y * 64 + x
    });
    let expected: Vec<i32> = expected.collect();
    // One block per tile of 64 columns and 16 rows.
    let shape = Shape::new((2, 2), 128);

    // The map is a kernel parameter.
    let data = device.upload(&numbers)?;
    let map = data.tensor_map(matrix.map(TILE))?;
    // SAFETY: the kernels are in the module (1). Their map has their tile shape, and they change the four tiles of
    // the matrix, whose buffer lives until it has been read; nothing else runs (2).
    unsafe { module.launch(shape, tile_2d(&map, 0, 0)) }?;
    check("tile_2d", &expected, &data.read()?)?;

    // The map is stored in a variable of the module.
    let mut data = device.upload(&numbers)?;
    module.set_tensor_map(Tile2d::VARIABLE, &data.tensor_map(matrix.map(TILE))?)?;
    // SAFETY: as above.
    unsafe { module.launch(shape, tile_2d_constant(0, 0)) }?;
    check("tile_2d_constant", &expected, &data.read()?)?;

    // The map is stored in global memory; the kernel acquires it before using it.
    data.write(&numbers)?;
    let maps = device.upload_tensor_maps(&[data.tensor_map(matrix.map(TILE))?])?;
    // SAFETY: as above; the maps live as long as the buffer.
    unsafe { module.launch(shape, tile_2d_global(&maps, 0, 0)) }?;
    check("tile_2d_global", &expected, &data.read()?)
}

//! The three places of a tensor map: a kernel parameter, constant memory, global memory.

use host_examples::{Result, check, device, jobs};
use kernels_gpu::{
    Matrix,
    tile_2d::{MapPlace, TILE, Tile2d},
};
use launch::{Backend as _, Buffer, Job};

fn main() -> Result<()> {
    let (mut jobs, ptx) = jobs(&device()?)?;
    let matrix = Matrix::packed(128, 32);
    let numbers: Vec<i32> = (0..matrix.len_elems() as i32).collect();
    let expected = numbers.iter().map(|number| {
        let (x, y) = (number % 128 % 64, number / 128 % 16);
        number + y * 64 + x
    });
    let expected: Vec<i32> = expected.collect();

    for place in [MapPlace::Parameter, MapPlace::Constant, MapPlace::Global(1)] {
        let mut job = Job::new(ptx);
        let data = job.buffer(Buffer::new("matrix", &numbers));
        let map = Buffer::tensor_maps("map", [(matrix.map(TILE), data)]);
        match place {
            // The launch hands the map over.
            MapPlace::Parameter => (),
            // A buffer that lies in a variable of the module.
            MapPlace::Constant => {
                job.buffer(map.in_variable(Tile2d::VARIABLE));
            }
            // A buffer like any other; the kernel acquires the map before it uses it.
            MapPlace::Global(_) => {
                job.buffer(map);
            }
        }
        let tile = Tile2d {
            map: place,
            matrix,
            data,
            origin: [0, 0],
            blocks: [2, 2],
            threads: 128,
        };
        let launch = tile.launch()?;
        let entry = launch.entry.clone();
        job.launch(launch);
        jobs.run(&mut job)?;
        check(&entry, &expected, &job.buffers[data].to_vec()?)?;
    }
    Ok(())
}

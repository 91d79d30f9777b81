use tensor_map::{DataType, Swizzle, TensorMap};
use tests_device as kernels;
use tma_launch::{Buffer, BufferRef, MapRef, Shape};

use super::{compared, launched};
use crate::Scenario;

pub(super) fn cases() -> Vec<Scenario> {
    let mut cases = vec![roles()];
    for origin in [[0, 0], [4, 3], [12, -5], [-8, 6]] {
        cases.push(read(origin));
    }
    for origin in [[0, 0], [8, 1], [16, 3]] {
        cases.push(written(origin));
    }
    cases
}

/// A tile of 32 columns and 9 rows of a matrix of 37 columns and 11 rows.
fn read([x, y]: [i32; 2]) -> Scenario {
    const PITCH: i32 = 40;
    let numbers: Vec<u32> = (1..=PITCH as u32 * 11).collect();
    let map = TensorMap::tiled(DataType::U32, &[37, 11])
        .strides_bytes(&[PITCH as u64 * 4])
        .box_dims(&[32, 9])
        .swizzle(Swizzle::B128);
    let at = |column: i32, row: i32| {
        let inside = (0..37).contains(&column) && (0..11).contains(&row);
        if inside {
            numbers[(row * PITCH + column) as usize]
        } else {
            0
        }
    };
    let mut expected = Vec::new();
    for vector in 0..8 {
        for row in 0..9 {
            expected.extend((0..4).map(|next| at(x + 4 * vector + next, y + row)));
        }
    }
    let call = kernels::tile_vectors(BufferRef::new(0), MapRef::new(map, 1), x, y);
    let launch = launched(call, Shape::new(1, 96));
    let name = format!("tile_vectors_{x}_{y}");
    compared(
        &name,
        &expected,
        vec![Buffer::new("input", &numbers)],
        launch,
    )
}

/// A tile of 32 columns and 5 rows of a matrix of 40 columns and 7 rows.
fn written([x, y]: [usize; 2]) -> Scenario {
    const PITCH: usize = 48;
    let map = TensorMap::tiled(DataType::U16, &[40, 7])
        .strides_bytes(&[PITCH as u64 * 2])
        .box_dims(&[32, 5])
        .swizzle(Swizzle::B64);
    let mut expected = vec![0xa5a5_u16; PITCH * 7];
    for row in y..7.min(y + 5) {
        for column in x..40.min(x + 32) {
            expected[row * PITCH + column] = ((row - y) * 32 + column - x) as u16;
        }
    }
    let call = kernels::written_vectors(MapRef::new(map, 0), x as i32, y as i32);
    let launch = launched(call, Shape::new(1, 96));
    compared(
        &format!("written_vectors_{x}_{y}"),
        &expected,
        Vec::new(),
        launch,
    )
}

/// Two blocks.
fn roles() -> Scenario {
    let of_block = || {
        let loaders = (0..128).map(|thread| 1000 + (thread + 1) % 128);
        loaders.chain((0..256).map(|thread| 2000 + (thread + 1) % 256))
    };
    let expected: Vec<u32> = of_block().chain(of_block()).collect();
    let call = kernels::registers_of_roles(BufferRef::new(0));
    compared(
        "registers_of_roles",
        &expected,
        Vec::new(),
        launched(call, Shape::new(2, 384)),
    )
}

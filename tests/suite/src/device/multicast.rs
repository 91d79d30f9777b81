use tensor_map::{DataType, TensorMap, Tiled};
use tests_device::{self as kernels, PART};
use tma_launch::{Buffer, BufferRef, MapRef, Shape};

use super::{compared, launched};
use crate::Scenario;

/// Columns of the matrix, not a multiple of a part's columns, and of its rows in memory.
const WIDTH: i32 = 25;
const PITCH: i32 = 28;

pub(super) fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    for stages in 1..=4 {
        for blocks in [1, 2, 4] {
            for (clusters, items) in [(2, 1), (1, 2 * stages + 1), (2, 3 * stages + 2)] {
                cases.push(parts(stages, blocks, clusters, items));
            }
        }
    }
    for origin in [[0, 0], [4, 3], [16, -1], [-4, 7]] {
        cases.push(once(origin));
    }
    cases
}

/// The matrix, and its value at a column and a row: zero outside.
fn matrix(height: i32) -> (Vec<u32>, impl Fn(i32, i32) -> u32) {
    let numbers: Vec<u32> = (0..PITCH * height)
        .map(|i| (i as u32 + 1).wrapping_mul(0x9e37_79b9))
        .collect();
    let all = numbers.clone();
    let at = move |column: i32, row: i32| {
        let inside = (0..WIDTH).contains(&column) && (0..height).contains(&row);
        if inside {
            all[(row * PITCH + column) as usize]
        } else {
            0
        }
    };
    (numbers, at)
}

fn map(height: i32, box_dims: [u32; 2]) -> Tiled {
    TensorMap::tiled(DataType::U32, &[WIDTH as u64, height as u64])
        .strides_bytes(&[PITCH as u64 * 4])
        .box_dims(&box_dims)
}

fn parts(stages: u32, blocks: u32, clusters: u32, items: u32) -> Scenario {
    let [width, height] = PART.map(|side| side as i32);
    // The last part ends below the matrix.
    let rows = (height * (items * blocks) as i32 - 3).max(1);
    let (numbers, at) = matrix(rows);
    let box_dims = PART.map(|side| side as u32);
    let call = kernels::multicast_parts(
        stages,
        blocks,
        BufferRef::new(0),
        MapRef::new(map(rows, box_dims), 1),
        items,
    );
    let name = format!("{}_{clusters}_clusters_{items}_items", call.entry());
    let mut expected = Vec::new();
    for item in 0..items {
        for _of_block in 0..blocks {
            for row in 0..height * blocks as i32 {
                let row = height * (item * blocks) as i32 - 2 + row;
                expected.extend((0..width).map(|column| at(8 + column, row)));
            }
        }
    }
    // One more item stays unchanged.
    expected.push(0xa5a5_a5a5);
    let launch = launched(call, Shape::new(clusters * blocks, 96).cluster(blocks));
    compared(
        &name,
        &expected,
        vec![Buffer::new("input", &numbers)],
        launch,
    )
}

fn once([x, y]: [i32; 2]) -> Scenario {
    let (numbers, at) = matrix(9);
    let map = MapRef::new(map(9, [16, 2]), 1);
    let call = kernels::multicast_once(BufferRef::new(0), map, x, y);
    let of_block = || (0..6).flat_map(|row| (0..16).map(move |column| [column, row]));
    let expected: Vec<u32> = (0..6)
        .flat_map(|_of_block| of_block())
        .map(|[column, row]| at(x + column, y + row))
        .collect();
    let name = format!("multicast_once_{x}_{y}");
    compared(
        &name,
        &expected,
        vec![Buffer::new("input", &numbers)],
        launched(call, Shape::new(6, 64)),
    )
}

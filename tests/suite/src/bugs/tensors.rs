//! Tensor copies.

use tensor_map::{DataType, Params, Swizzle, TensorMap, Tiled};
use tma_launch::{Buffer, Launch};

use super::Family;
use crate::{Expected, Scenario};

pub(super) const FAMILIES: &[Family] = &[
    Family::new("tensor_tile", tensor_tile),
    Family::new("swizzled", swizzled),
    // 9.7.14.7: the descriptors name the places to which the copies wrote the matrices.
    Family::new("product_of_boxes", product_of_boxes),
    Family::new("tensor_product", tensor_product),
    Family::new("product_of_slices", product_of_slices),
    // Without a swizzle, pieces of eight rows of 16 bytes are 128 bytes together.
    Family::new("core_matrices", core_matrices),
    Family::new("core_matrices_of_one_box_2", core_matrices_as_rows),
    Family::new("core_matrices_of_one_box_4", core_matrices_along_k),
    Family::new("local_map", |entry| {
        let tensor: Vec<u32> = (0..32).map(|i| 1000 + i).collect();
        Scenario {
            name: entry.to_owned(),
            buffers: vec![
                Buffer::zeroed::<u32>("output", 32),
                Buffer::new("tensor", &tensor),
            ],
            launches: vec![Launch::new(entry, 1, 32).tensor_map(row(32), 1).buffer(0)],
            expected: vec![Expected::of(0, &tensor)],
        }
    }),
    Family::new("map_in_memory", |entry| {
        let mut scenario = left_map(entry, 2);
        let tensor: Vec<u32> = (0..64).map(|i| 1000 + i).collect();
        scenario.expected = vec![Expected::of(0, &tensor)];
        scenario
    }),
    Family::new("map_edited_in_place", |entry| {
        let mut scenario = left_map(entry, 1);
        let launch = Launch::new(entry, 1, 32).buffer(0).buffer(1).buffer(2);
        scenario.launches[1] = launch;
        scenario
    }),
    Family::new("edited_map", |entry| {
        let mut scenario = left_map(entry, 1);
        let launch = Launch::new(entry, 1, 32).tensor_map(row(32), 1);
        scenario.launches = vec![launch.buffer(0).buffer(1).buffer(2)];
        scenario
    }),
];

/// A map of this many numbers, in boxes of 32.
fn row(count: u64) -> impl Into<Params> {
    TensorMap::tiled(DataType::U32, &[count]).box_dims(&[32])
}

/// Makes a launch that leaves a map in global memory, and one that uses it; the output has the sums of two tensors.
fn left_map(entry: &str, blocks: u32) -> Scenario {
    let tensors: Vec<u32> = (0..64).map(|i| 1000 + i).collect();
    let sums: Vec<u32> = (0..32).map(|i| 2032 + 2 * i).collect();
    Scenario {
        name: entry.to_owned(),
        buffers: vec![
            Buffer::zeroed::<u32>("output", 32 * blocks as usize),
            Buffer::new("tensors", &tensors),
            Buffer::zeroed::<u32>("map", 32),
        ],
        launches: vec![
            Launch::new("leave_map", 1, 32)
                .tensor_map(row(64), 1)
                .buffer(2),
            Launch::new(entry, blocks, 32).buffer(0).buffer(2),
        ],
        expected: vec![Expected::of(0, &sums)],
    }
}

fn tensor_tile(entry: &str) -> Scenario {
    let matrix: Vec<u32> = (0..40 * 8).collect();
    let changed = matrix.iter().map(|i| if *i < 160 { *i } else { i + 1 });
    let changed: Vec<u32> = changed.collect();
    let map = TensorMap::tiled(DataType::U32, &[40, 8]).box_dims(&[16, 4]);
    let launch = Launch::new(entry, 1, 32).tensor_map(map, 0);
    Scenario {
        name: entry.to_owned(),
        buffers: vec![Buffer::new("matrix", &matrix)],
        launches: vec![launch.shared_bytes(2048)],
        expected: vec![Expected::of(0, &changed)],
    }
}

fn swizzled(entry: &str) -> Scenario {
    let matrix: Vec<u32> = (0..32 * 8).collect();
    let map = TensorMap::tiled(DataType::U32, &[32, 8]).box_dims(&[32, 4]);
    let map = map.swizzle(Swizzle::B128);
    let launch = Launch::new(entry, 1, 32).tensor_map(map, 0).buffer(1);
    Scenario {
        name: entry.to_owned(),
        buffers: vec![
            Buffer::new("matrix", &matrix),
            Buffer::zeroed::<u32>("output", 32),
        ],
        launches: vec![launch.shared_bytes(4096)],
        expected: vec![Expected::of(1, &matrix[128..160])],
    }
}

/// Returns the row and the column of the first of two adjacent sums of a thread.
fn place_of_sum(thread: usize, number: usize) -> (usize, usize) {
    let (warp, lane) = (thread / 32, thread % 32);
    let row = 16 * warp + lane / 4 + 8 * (number / 2 % 2);
    (row, 8 * (number / 4) + 2 * (lane % 4) + number % 2)
}

/// A small number, which has no bits that `bf16` lacks.
fn bf16(number: usize) -> u16 {
    ((number as f32).to_bits() >> 16) as u16
}

fn product_of_boxes(entry: &str) -> Scenario {
    let a = |row: usize, k: usize| (7 * row + 3 * k) % 11;
    let b = |k: usize, column: usize| (5 * k + 2 * column) % 13;
    let numbers_of_a: Vec<u16> = (0..64 * 64).map(|i| bf16(a(i / 64, i % 64))).collect();
    let numbers_of_b: Vec<u16> = (0..64 * 32).map(|i| bf16(b(i / 32, i % 32))).collect();
    let sums = (0..128 * 16).map(|i| {
        let (row, column) = place_of_sum(i / 16, i % 16);
        (0..64).map(|k| a(row, k) * b(k, column)).sum::<usize>() as f32
    });
    let sums: Vec<f32> = sums.collect();
    let map_a = TensorMap::tiled(DataType::Bf16, &[64, 64]).box_dims(&[64, 64]);
    let map_b = TensorMap::tiled(DataType::Bf16, &[32, 64]).box_dims(&[16, 64]);
    let launch = Launch::new(entry, 1, 128)
        .tensor_map(map_a.swizzle(Swizzle::B128), 0)
        .tensor_map(map_b.swizzle(Swizzle::B32), 1);
    Scenario {
        name: entry.to_owned(),
        buffers: vec![
            Buffer::new("a", &numbers_of_a),
            Buffer::new("b", &numbers_of_b),
            Buffer::zeroed::<f32>("output", sums.len()),
        ],
        launches: vec![launch.buffer(2).shared_bytes(8192 + 2 * 2048)],
        expected: vec![Expected::of(2, &sums)],
    }
}

/// A has longer rows than the 16 elements that are multiplied.
fn core_matrices(entry: &str) -> Scenario {
    let a = |row: usize, k: usize| (7 * row + 3 * k) % 11;
    let b = |k: usize, column: usize| (5 * k + 2 * column) % 13;
    let numbers_of_a: Vec<u16> = (0..64 * 64).map(|i| bf16(a(i / 64, i % 64))).collect();
    let numbers_of_b: Vec<u16> = (0..16 * 32).map(|i| bf16(b(i / 32, i % 32))).collect();
    let sums = (0..128 * 16).map(|i| {
        let (row, column) = place_of_sum(i / 16, i % 16);
        (0..16).map(|k| a(row, k) * b(k, column)).sum::<usize>() as f32
    });
    let sums: Vec<f32> = sums.collect();
    let has = |bug: &str| entry.ends_with(bug);
    let columns_of_a = match () {
        () if has("rows_of_32_bytes") => 16,
        () if has("rows_of_128_bytes") => 64,
        () => 8,
    };
    let columns_of_b = if has("columns_of_64_bytes") { 32 } else { 8 };
    let map = |dims: [u64; 2], columns: u32| {
        TensorMap::tiled(DataType::Bf16, &dims).box_dims(&[columns, dims[1] as u32])
    };
    let launch = Launch::new(entry, 1, 128)
        .tensor_map(map([64, 64], columns_of_a), 0)
        .tensor_map(map([32, 16], columns_of_b), 1);
    Scenario {
        name: entry.to_owned(),
        buffers: vec![
            Buffer::new("a", &numbers_of_a),
            Buffer::new("b", &numbers_of_b),
            Buffer::zeroed::<f32>("output", sums.len()),
        ],
        launches: vec![launch.buffer(2).shared_bytes(128 * 64 + 2 * 16 * 32)],
        expected: vec![Expected::of(2, &sums)],
    }
}

/// 16 pieces of 64 elements.
fn core_matrices_as_rows(entry: &str) -> Scenario {
    let map = TensorMap::tiled(DataType::Bf16, &[64, 16]).box_dims(&[64, 16]);
    sums_of_rows(entry, map, |row, k| {
        (row / 8 * 2 + k / 8) * 64 + row % 8 * 8 + k % 8
    })
}

/// Rows of A as they are, seen as pieces.
fn core_matrices_along_k(entry: &str) -> Scenario {
    let map = TensorMap::tiled(DataType::Bf16, &[8, 8, 2, 8]).box_dims(&[8, 8, 2, 8]);
    let map = map.strides_bytes(&[32, 16, 256]);
    sums_of_rows(entry, map, |row, k| 16 * row + k)
}

/// `place` returns the index of an element of A in global memory.
fn sums_of_rows(entry: &str, map: Tiled, place: fn(usize, usize) -> usize) -> Scenario {
    let a = |row: usize, k: usize| (7 * row + 3 * k) % 11;
    let mut numbers = vec![0; 64 * 16];
    for row in 0..64 {
        for k in 0..16 {
            numbers[place(row, k)] = bf16(a(row, k));
        }
    }
    let sums = (0..128 * 16).map(|i| {
        let (row, _) = place_of_sum(i / 16, i % 16);
        (0..16).map(|k| a(row, k)).sum::<usize>() as f32
    });
    let sums: Vec<f32> = sums.collect();
    let launch = Launch::new(entry, 1, 128).tensor_map(map, 0);
    Scenario {
        name: entry.to_owned(),
        buffers: vec![
            Buffer::new("a", &numbers),
            Buffer::zeroed::<f32>("output", sums.len()),
        ],
        launches: vec![launch.buffer(1).shared_bytes(2 * 64 * 16 + 128)],
        expected: vec![Expected::of(1, &sums)],
    }
}

/// The product uses 64 of the 128 bytes of each row and column.
fn tensor_product(entry: &str) -> Scenario {
    product_of_bytes(entry, &[64], |row| row)
}

/// Eight slices of 16 rows, of which eight are used.
fn product_of_slices(entry: &str) -> Scenario {
    product_of_bytes(entry, &[16, 8], |row| row / 8 * 16 + row % 8)
}

/// A has this many rows; the function selects the ones that are multiplied.
fn product_of_bytes(entry: &str, rows: &[u32], used: fn(usize) -> usize) -> Scenario {
    let a = |row: usize, k: usize| (7 * row + 3 * k) as u8;
    let b = |column: usize, k: usize| (5 * k + 20 * column) as u8;
    let count = rows.iter().product::<u32>() as usize;
    let bytes_of_a: Vec<u8> = (0..count * 128).map(|i| a(i / 128, i % 128)).collect();
    let bytes_of_b: Vec<u8> = (0..8 * 128).map(|i| b(i / 128, i % 128)).collect();
    let sums = (0..128 * 4).map(|i| {
        let (row, column) = place_of_sum(i / 4, i % 4);
        let products = (0..64).map(|k| u32::from(a(used(row), k)) * u32::from(b(column, k)));
        products.sum::<u32>()
    });
    let sums: Vec<u32> = sums.collect();
    let map = |rows: &[u32]| {
        let extents = [&[128], rows].concat();
        let dims: Vec<u64> = extents.iter().map(|extent| (*extent).into()).collect();
        let map = TensorMap::tiled(DataType::U8, &dims).box_dims(&extents);
        map.swizzle(Swizzle::B128)
    };
    let launch = Launch::new(entry, 1, 128);
    Scenario {
        name: entry.to_owned(),
        buffers: vec![
            Buffer::new("a", &bytes_of_a),
            Buffer::new("b", &bytes_of_b),
            Buffer::zeroed::<u32>("output", sums.len()),
        ],
        launches: vec![
            launch
                .tensor_map(map(rows), 0)
                .tensor_map(map(&[8]), 1)
                .buffer(2),
        ],
        expected: vec![Expected::of(2, &sums)],
    }
}

//! Tests the checks of measurements on the emulator.

use tensor_map::{DataType, TensorMap};
use tma_emulator::EmulatorBackend;
use tma_launch::{Buffer, Job, Launch, Ptx};

use crate::{
    cases::gather::sums,
    modules::{BUILT, Built},
    of_both::of_both,
    pattern::hash,
};

const BUILT_HERE: &Built = &BUILT[0];

/// Returns the buffers after a launch.
fn run(text: &str, buffers: Vec<Buffer>, launch: Launch) -> Vec<Buffer> {
    let ptx = Ptx {
        name: "module",
        text,
    };
    let mut job = Job {
        ptx,
        further: Vec::new(),
        buffers,
        launches: vec![launch],
    };
    EmulatorBackend::new(1).run(&mut job).unwrap();
    job.buffers
}

fn pattern(words: usize) -> Vec<u32> {
    (0..words as u64).map(hash).collect()
}

#[test]
fn memory_is_filled_with_the_pattern() {
    let launch = Launch::new("fill", 2, 64).buffer(0).scalar(1000_u64);
    let buffers = vec![Buffer::new("data", &[7_u32; 1003])];
    let filled = run(BUILT_HERE.helpers, buffers, launch)[0].to_vec::<u32>();
    let filled = filled.unwrap();
    assert_eq!(filled[..1000], pattern(1000));
    assert_eq!(filled[1000..], [7; 3]);
}

/// Returns the number of wrong words, and the index of the first.
fn wrong(data: &[u32], factor: u32, addend: u32, tiles: [u32; 3]) -> (u32, u64) {
    let launch = Launch::new("check", 3, 32)
        .buffer(0)
        .scalar(data.len() as u64)
        .scalar(factor)
        .scalar(addend);
    let launch = tiles
        .iter()
        .fold(launch, |launch, dim| launch.scalar(*dim))
        .buffer(1)
        .buffer(2);
    let buffers = vec![
        Buffer::new("data", data),
        Buffer::zeroed::<u32>("wrong", 1),
        Buffer::new("first", &[u64::MAX]),
    ];
    let buffers = run(BUILT_HERE.helpers, buffers, launch);
    let (count, first) = (buffers[1].to_vec::<u32>(), buffers[2].to_vec::<u64>());
    (count.unwrap()[0], first.unwrap()[0])
}

#[test]
fn wrong_numbers_are_counted_and_the_first_is_found() {
    let mut data = pattern(5000);
    assert_eq!(wrong(&data, 1, 0, [0, 1, 1]), (0, u64::MAX));
    assert_eq!(wrong(&data, 1, 1, [0, 1, 1]), (5000, 0));
    for index in [777, 778, 4999] {
        data[index] ^= 1 << 20;
    }
    assert_eq!(wrong(&data, 1, 0, [0, 1, 1]), (3, 777));
}

#[test]
fn indices_in_tiles_count() {
    // 64 columns, tiles of 16 by 4.
    let in_tile = |index: usize| (index / 64 % 4 * 16 + index % 16) as u32;
    let number =
        |(index, number): (usize, u32)| number.wrapping_mul(3).wrapping_add(5 + in_tile(index));
    let data: Vec<u32> = pattern(64 * 10)
        .into_iter()
        .enumerate()
        .map(number)
        .collect();
    assert_eq!(wrong(&data, 3, 5, [64, 16, 4]), (0, u64::MAX));
    assert_ne!(wrong(&data, 3, 5, [64, 4, 16]).0, 0);
}

/// Extents of the gathered tensor.
const WIDTH: u32 = 9;
const HEIGHT: u32 = 7;
/// Number of positions gathered by each of 8 warps.
const ROUNDS: u32 = 21;

/// Checks the sums of a gather; tensor, positions and sums are the buffers.
fn gathers(text: &str, launch: Launch) {
    let position =
        |index: u64| (hash(index) % (WIDTH - 1)) | ((hash(index + 999) % (HEIGHT - 1)) << 16);
    let positions: Vec<u32> = (0..8 * u64::from(ROUNDS)).map(position).collect();
    // Each launch has 16 warps.
    let expected = sums(&positions, WIDTH, 16);
    let buffers = vec![
        Buffer::new("tensor", &pattern((WIDTH * HEIGHT * 16) as usize)),
        Buffer::new("positions", &positions),
        Buffer::zeroed::<u32>("sums", expected.len()),
    ];
    let got = run(text, buffers, launch)[2].to_vec::<u32>();
    assert_eq!(got.unwrap(), expected);
}

#[test]
fn the_sums_of_gathers_are_those_of_the_kernel() {
    let map = TensorMap::tiled(DataType::F16, &[32, WIDTH.into(), HEIGHT.into()]);
    let launch = Launch::new("tile_gather_2", 4, 128)
        .shared_bytes(4 * 2 * 2056)
        .tensor_map(map.box_dims(&[32, 2, 2]), 0)
        .buffer(1)
        .scalar(ROUNDS)
        .buffer(2);
    gathers(BUILT_HERE.kernels, launch);
}

#[test]
#[cfg_attr(not(nvcc), ignore = "needs nvcc")]
fn the_sums_of_gathers_are_those_of_the_loads() {
    let launch = Launch::new("gather_ldg", 2, 256)
        .buffer(0)
        .scalar(WIDTH as i32)
        .scalar(HEIGHT as i32)
        .buffer(1)
        .scalar(ROUNDS)
        .buffer(2);
    gathers(BUILT_HERE.cuda.expect("nvcc compiled it"), launch);
}

of_both! {
    a_number_goes_round_a_cluster = helpers;
    a_map_is_changed_before_each_load = helpers;
    every_load_takes_its_time = helpers;
}

fn a_number_goes_round_a_cluster(text: &str) {
    for blocks in [2_u32, 4, 8] {
        let launch = Launch::new("ring_latency", blocks, 32)
            .cluster(blocks)
            .scalar(5_u32)
            .buffer(0);
        let buffers = run(text, vec![Buffer::zeroed::<u64>("result", 2)], launch);
        let result = buffers[0].to_vec::<u64>().unwrap();
        assert!(result[0] > 0);
        assert_eq!(result[1], 5 * u64::from(blocks));
    }
}

fn a_map_is_changed_before_each_load(text: &str) {
    const ROUNDS: usize = 3;
    let tensors = pattern(64 * 64 * ROUNDS);
    let map = TensorMap::tiled(DataType::I32, &[64, 64]).box_dims(&[64, 64]);
    let buffers = vec![
        Buffer::new("tensors", &tensors),
        Buffer::zeroed::<u8>("map", 128),
        Buffer::zeroed::<u32>("cycles", ROUNDS),
        Buffer::zeroed::<u32>("firsts", ROUNDS),
    ];
    let launch = Launch::new("replace_latency", 1, 32)
        .shared_bytes(16384)
        .tensor_map(map, 0)
        .buffer(0)
        .scalar(16384_u32)
        .buffer(1)
        .scalar(ROUNDS as u32)
        .buffer(2)
        .buffer(3);
    let buffers = run(text, buffers, launch);
    let firsts = buffers[3].to_vec::<u32>().unwrap();
    assert_eq!(firsts, [0, 4096, 8192].map(hash));
    let cycles = buffers[2].to_vec::<u32>().unwrap();
    assert!(cycles.iter().all(|cycles| *cycles > 0));
}

fn every_load_takes_its_time(text: &str) {
    const LOADS: usize = 5;
    let tensor = pattern(9 * 7 * 16);
    let map = TensorMap::tiled(DataType::F16, &[32, 9, 7]).box_dims(&[32, 2, 2]);
    let buffers = || {
        vec![
            Buffer::new("tensor", &tensor),
            Buffer::new("positions", &[0_u32, 0x1_0001, 0x5_0007, 0x3_0002, 8]),
            Buffer::zeroed::<u32>("cycles", LOADS),
        ]
    };
    let boxes = Launch::new("box_latency", 1, 32)
        .tensor_map(map, 0)
        .buffer(1)
        .scalar(LOADS as u32)
        .buffer(2);
    let bulk = Launch::new("load_latency", 1, 32)
        .shared_bytes(256)
        .buffer(0)
        .scalar(256_u32)
        .scalar(512_u32)
        .scalar(LOADS as u32)
        .buffer(2);
    for launch in [boxes, bulk] {
        let cycles = run(text, buffers(), launch)[2].to_vec::<u32>().unwrap();
        assert!(cycles.iter().all(|cycles| *cycles > 0), "{cycles:?}");
    }
}

#[test]
fn vectors_are_read_again_and_again() {
    // Returns the results of 64 threads per block for this data.
    let read = |data: &[u32], blocks: u32, rounds: u32| {
        let launch = Launch::new("read_again", blocks, 64 / blocks)
            .buffer(0)
            .scalar(data.len() as u32 / 4)
            .scalar(rounds)
            .buffer(1);
        let buffers = vec![Buffer::new("data", data), Buffer::zeroed::<u32>("sums", 64)];
        let sums = run(BUILT_HERE.helpers, buffers, launch)[1].to_vec::<u32>();
        sums.unwrap()
    };
    // Each thread reads its two vectors twelve times each, so the exclusive or is zero.
    assert_eq!(read(&pattern(4 * 128), 2, 3), [0; 64]);
    // The threads read all of 2048 vectors once in four rounds.
    let data = pattern(4 * 2048);
    let of_thread = |thread: usize| {
        let vectors = data.chunks_exact(4).skip(thread).step_by(64);
        vectors.flatten().fold(0, |sum, word| sum ^ word)
    };
    assert_eq!(
        read(&data, 1, 4),
        (0..64).map(of_thread).collect::<Vec<_>>()
    );
}

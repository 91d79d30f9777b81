//! Measures the host side: tensor maps, parsing and finishing PTX, the emulator, and the builder.
//!
//! Run with `cargo xtask bench --cpu`; a name after it selects a benchmark.

use std::{env, path::Path};

use divan::{Bencher, black_box, counter::ItemsCount};
use tensor_map::{DataType, Swizzle, TensorMap, Tiled};
use tma_build::{Arch, Assemble, PtxBuilder};
use tma_emulator::EmulatorBackend;
use tma_launch::{Buffer, Job, Launch, Ptx};

fn main() {
    // Cargo sets the variable here too, which would make the builder treat this program as a build script.
    // SAFETY: no other thread runs yet.
    unsafe { env::remove_var("OUT_DIR") };
    divan::main();
}

/// The PTX of the kernels for the first architecture.
const KERNELS: &str = include_str!(env!("KERNELS_PTX"));

/// A device address that is valid for every map.
const ADDRESS: u64 = 0x7f00_0000_0000;

fn tiled() -> Tiled {
    TensorMap::tiled(DataType::Bf16, &[32768, 65536])
        .box_dims(&[64, 64])
        .swizzle(Swizzle::B128)
}

/// Encodes parameters to 128 bytes, with all rules checked.
#[divan::bench]
fn encode_a_map() -> TensorMap {
    black_box(tiled())
        .build(black_box(ADDRESS))
        .expect("it breaks no rule")
}

/// Checks parameters that break rules, and formats the message.
#[divan::bench]
fn refuse_a_map() -> String {
    let wrong = black_box(tiled()).box_dims(&[100, 300]);
    wrong
        .build(black_box(ADDRESS + 8))
        .expect_err("it breaks rules")
        .to_string()
}

/// Parses the PTX of all kernels to a syntax tree.
#[divan::bench]
fn parse_all_kernels(bencher: Bencher<'_, '_>) {
    let bytes = divan::counter::BytesCount::new(KERNELS.len());
    bencher
        .counter(bytes)
        .bench(|| ptx::parse(black_box(KERNELS)).expect("it is PTX"));
}

/// Prints the PTX of all kernels from a syntax tree.
#[divan::bench]
fn print_all_kernels(bencher: Bencher<'_, '_>) {
    let module = ptx::parse(KERNELS).expect("it is PTX");
    bencher.bench(|| black_box(&module).to_string());
}

/// Copies a megabyte with four blocks on the emulator.
#[divan::bench(sample_count = 10)]
fn emulate_copy_bulk(bencher: Bencher<'_, '_>) {
    const BYTES: usize = 1 << 20;
    let launch = Launch::new("copy_bulk_4", 4, 32)
        .shared_bytes(4 * (8192 + 20))
        .buffer(0)
        .buffer(1)
        .scalar(BYTES as u64)
        .scalar(8192_u32)
        .buffer(2);
    emulate(bencher, BYTES, launch);
}

/// Adds one to each number of 256 KiB with two blocks on the emulator.
#[divan::bench(sample_count = 10)]
fn emulate_add_one_ring(bencher: Bencher<'_, '_>) {
    const BYTES: usize = 1 << 18;
    let launch = Launch::new("add_one_ring_4", 2, 288)
        .shared_bytes(4 * (8192 + 20))
        .buffer(0)
        .buffer(1)
        .scalar(BYTES as u64)
        .buffer(2);
    emulate(bencher, BYTES, launch);
}

/// The throughput counts bytes of the source.
fn emulate(bencher: Bencher<'_, '_>, bytes: usize, launch: Launch) {
    let ptx = Ptx {
        name: "kernels",
        text: KERNELS,
    };
    let mut job = Job::new(ptx);
    job.buffer(Buffer::zeroed::<u8>("destination", bytes));
    job.buffer(Buffer::new("source", &vec![7_u8; bytes]));
    job.buffer(Buffer::zeroed::<u32>("counter", 1));
    job.launch(launch);
    let counted = bencher.counter(divan::counter::BytesCount::new(bytes));
    counted.with_inputs(|| job.clone()).bench_values(|mut job| {
        EmulatorBackend::new(1)
            .run(&mut job)
            .expect("the kernel runs");
    });
}

/// Builds finished PTX from Rust when only the finishing step has work to do.
#[divan::bench(sample_count = 3, sample_size = 1)]
fn build_kernels_again(bencher: Bencher<'_, '_>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels-gpu");
    let builder = PtxBuilder::new(folder)
        .arch(Arch::Sm90a)
        .assemble(Assemble::Never);
    builder.build().expect("the kernels compile");
    bencher
        .counter(ItemsCount::new(1_usize))
        .bench(|| builder.build().expect("the kernels compile"));
}

//! Runs the three kernels on a GPU by `cust`, and compares their results with plain Rust.

use std::{error::Error, ffi::c_void, process::ExitCode};

use cust::{
    memory::{CopyDestination, DeviceBuffer},
    module::Module,
    stream::{Stream, StreamFlags},
};
use half::f16;
use tensor_map::{DataType, TensorMap};

/// The kernels, as `build.rs` compiled and finished them.
const PTX: &str = include_str!(env!("KERNELS_PTX"));

/// Columns and rows of the matrix: one tile wide, and no multiple of a tile high.
const DIMS: [usize; 2] = [64, 16 * 40 + 5];

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let _context = cust::quick_init()?;
    let gpu = Gpu {
        module: Module::from_ptx(PTX, &[])?,
        stream: Stream::new(StreamFlags::NON_BLOCKING, None)?,
    };
    scale_1d(&gpu)?;
    println!("ok   scale_1d");
    double_2d(&gpu)?;
    println!("ok   double_2d");
    sum_pipelined(&gpu)?;
    println!("ok   sum_pipelined");
    Ok(())
}

struct Gpu {
    module: Module,
    stream: Stream,
}

impl Gpu {
    /// Launches a kernel on a grid of `blocks` blocks, and waits for it.
    ///
    /// # Safety
    /// 1. The arguments are pointers to values of the kernel's parameter types, in their order.
    /// 2. The kernel's own conditions hold.
    unsafe fn launch(
        &self,
        kernel: &str,
        [blocks, threads]: [u32; 2],
        shared_bytes: u32,
        arguments: &[*mut c_void],
    ) -> Result<(), Box<dyn Error>> {
        let mut function = self.module.get_function(kernel)?;
        if shared_bytes > 48 << 10 {
            return Err(
                format!("{shared_bytes} bytes of shared memory need the attribute first").into(),
            );
        }
        // SAFETY: (1) and (2) are the caller's.
        unsafe {
            self.stream
                .launch(&mut function, blocks, threads, shared_bytes, arguments)?;
        }
        Ok(self.stream.synchronize()?)
    }
}

/// A pointer to an argument, for the driver to read.
fn argument<T>(value: &T) -> *mut c_void {
    std::ptr::from_ref(value).cast_mut().cast()
}

fn scale_1d(gpu: &Gpu) -> Result<(), Box<dyn Error>> {
    let numbers: Vec<f32> = (0..10_000_u16).map(f32::from).collect();
    let data = DeviceBuffer::from_slice(&numbers)?;
    let (len, factor) = (numbers.len() as u32, 2.5_f32);
    let blocks = len.div_ceil(gpu::BLOCK_LEN);
    let pointer = data.as_device_ptr();
    // SAFETY: the parameters are a pointer and two numbers (1); the numbers are this kernel's (2).
    unsafe {
        gpu.launch(
            "scale_1d",
            [blocks, 256],
            0,
            &[argument(&pointer), argument(&len), argument(&factor)],
        )?;
    }
    let mut scaled = vec![0.0; numbers.len()];
    data.copy_to(&mut scaled)?;
    let expected: Vec<f32> = numbers.iter().map(|number| number * factor).collect();
    equal(&scaled, &expected)
}

/// Small numbers, so that their doubles and sums are exact.
fn matrix<T>(number: impl Fn(f32) -> T) -> Vec<T> {
    let numbers = (0..DIMS[0] * DIMS[1]).map(|index| (index % 13) as f32 - 6.0);
    numbers.map(number).collect()
}

/// The map of the matrix, with boxes of the tile of the kernels.
fn map(address: u64, numbers: DataType) -> Result<TensorMap, Box<dyn Error>> {
    let dims = [DIMS[0] as u64, DIMS[1] as u64];
    let map = TensorMap::tiled(numbers, &dims).box_dims(&[64, 16]);
    Ok(map.build(address)?)
}

/// The numbers as `cust` copies them.
fn bits(numbers: &[f16]) -> &[u16] {
    bytemuck::cast_slice(numbers)
}

fn double_2d(gpu: &Gpu) -> Result<(), Box<dyn Error>> {
    let numbers = matrix(f16::from_f32);
    let data = DeviceBuffer::from_slice(bits(&numbers))?;
    let map = map(data.as_device_ptr().as_raw(), DataType::F16)?;
    let blocks = DIMS[1].div_ceil(16) as u32;
    let mut function = gpu.module.get_function("double_2d")?;
    // SAFETY: the parameter is a tensor map over the matrix, and each block has its own tile.
    unsafe {
        gpu.stream
            .launch(&mut function, (1, blocks), 128, 0, &[argument(&map)])?;
    }
    gpu.stream.synchronize()?;
    let mut doubled = vec![0_u16; numbers.len()];
    data.copy_to(&mut doubled)?;
    let expected: Vec<f16> = numbers.iter().map(|number| *number + *number).collect();
    equal(&doubled, bits(&expected))
}

fn sum_pipelined(gpu: &Gpu) -> Result<(), Box<dyn Error>> {
    let numbers: Vec<f32> = matrix(|number| number);
    let data = DeviceBuffer::from_slice(&numbers)?;
    let map = map(data.as_device_ptr().as_raw(), DataType::F32)?;
    let tiles = DIMS[1].div_ceil(16) as u32;
    let sums = DeviceBuffer::from_slice(&vec![0.0_f32; tiles as usize])?;
    let pointer = sums.as_device_ptr();
    // SAFETY: the parameters are a tensor map, a pointer and a number (1); there is a sum for each tile (2).
    unsafe {
        gpu.launch(
            "sum_pipelined",
            [7, 128],
            gpu::PIPELINE_BYTES,
            &[argument(&map), argument(&pointer), argument(&tiles)],
        )?;
    }
    let mut found = vec![0.0_f32; tiles as usize];
    sums.copy_to(&mut found)?;
    let sum = |tile: &[f32]| tile.iter().sum();
    let expected: Vec<f32> = numbers.chunks(64 * 16).map(sum).collect();
    equal(&found, &expected)
}

fn equal<T: PartialEq + std::fmt::Debug>(
    found: &[T],
    expected: &[T],
) -> Result<(), Box<dyn Error>> {
    let mut pairs = found.iter().zip(expected).enumerate();
    match pairs.find(|(_, (found, expected))| found != expected) {
        None => Ok(()),
        Some((index, (found, expected))) => {
            Err(format!("element {index} is {found:?}, not {expected:?}").into())
        }
    }
}

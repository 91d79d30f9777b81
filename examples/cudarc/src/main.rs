//! A kernel of this project on a GPU by `cudarc`, with a tensor map that is made and checked without the driver.

use std::{error::Error, process::ExitCode, sync::Arc};

use cudarc::{
    driver::{
        CudaContext, DevicePtrMut, DriverError, LaunchConfig, PushKernelArg,
        sys::{CUresult, is_culib_present},
    },
    nvrtc::Ptx,
};
use tensor_map::{DataType, TensorMap, Tiled};

/// The kernel, as `build.rs` compiled it.
const PTX: &str = include_str!(env!("KERNELS_PTX"));

/// Columns and rows, not multiples of a tile's.
const DIMS: [usize; 2] = [100, 37];

/// The distance of rows, in numbers.
const PITCH: usize = 104;

/// The matrix, for the kernel, which cuts off the tiles at its edges.
const MAP: Tiled = TensorMap::tiled(DataType::F32, &[DIMS[0] as u64, DIMS[1] as u64])
    .strides_bytes(&[4 * PITCH as u64])
    .box_dims(&gpu::BOX);

/// Blocks along columns and rows.
const GRID: (u32, u32, u32) = (
    (DIMS[0] as u32).div_ceil(gpu::BOX[0]),
    (DIMS[1] as u32).div_ceil(gpu::BOX[1]),
    1,
);

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
    // The driver would call this map an invalid value.
    if let Err(refused) = MAP.strides_bytes(&[404]).box_dims(&[300, 8]).build(0) {
        println!("a wrong map is explained: {refused}");
    }
    let gpu = gpu()?.ok_or("no CUDA driver, or no GPU that it supports: no kernel was run")?;
    let scaled = scale(&gpu, &matrix(), 2.5)?;
    check(&scaled, 2.5)?;
    println!(
        "ok   scale   {}   {} elements equal",
        gpu.name()?,
        scaled.len()
    );
    Ok(())
}

/// Returns the first GPU, unless there is no driver or the driver has none.
fn gpu() -> Result<Option<Arc<CudaContext>>, DriverError> {
    // SAFETY: loading the driver's library only runs its own initialisation.
    if !unsafe { is_culib_present() } {
        return Ok(None);
    }
    match CudaContext::new(0) {
        Ok(gpu) => Ok(Some(gpu)),
        Err(DriverError(CUresult::CUDA_ERROR_NO_DEVICE)) => Ok(None),
        Err(error) => Err(error),
    }
}

/// Multiplies the numbers of a matrix, but not the padding of its rows.
fn scale(gpu: &Arc<CudaContext>, matrix: &[f32], factor: f32) -> Result<Vec<f32>, Box<dyn Error>> {
    let stream = gpu.default_stream();
    let kernel = gpu
        .load_module(Ptx::from_src(PTX))?
        .load_function("scale")?;
    let mut data = stream.clone_htod(matrix)?;
    let (address, in_use) = data.device_ptr_mut(&stream);
    let map = MAP.build(address)?;
    let config = LaunchConfig {
        grid_dim: GRID,
        block_dim: (128, 1, 1),
        shared_mem_bytes: 0,
    };
    let mut launch = stream.launch_builder(&kernel);
    launch.arg(&map).arg(&factor);
    // SAFETY: the map is over the matrix, which is in use until the kernel has run (1), and each block has a tile of
    // its own (2).
    unsafe { launch.launch(config) }?;
    drop(in_use);
    Ok(stream.clone_dtoh(&data)?)
}

/// Returns numbers that differ, also in the padding.
fn matrix() -> Vec<f32> {
    (0..PITCH * DIMS[1]).map(|i| i as f32 - 1000.0).collect()
}

/// Compares with plain products; the padding must be unchanged.
fn check(scaled: &[f32], factor: f32) -> Result<(), String> {
    for (i, (number, scaled)) in matrix().iter().zip(scaled).enumerate() {
        let expected = if i % PITCH < DIMS[0] {
            number * factor
        } else {
            *number
        };
        if *scaled != expected {
            return Err(format!("element {i} is {scaled}, not {expected}"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use tma_emulator::EmulatorBackend;
    use tma_launch::{Buffer, Job, MapRef, Ptx, Shape};

    use super::*;

    /// Runs the same text under eight schedules, with the same map; a checker watches each launch.
    #[test]
    fn a_matrix_is_scaled_on_the_emulator() {
        for seed in 0..8 {
            let mut job = Job::new(Ptx {
                name: "gpu.ptx",
                text: PTX,
            });
            let data = job.buffer(Buffer::new("matrix", &matrix()));
            let call = gpu::scale(MapRef::new(MAP, data), -1.5);
            job.launch(call.launch(Shape::new(GRID, 128)).unwrap());
            let run = EmulatorBackend::new(seed).run(&mut job);
            run.unwrap_or_else(|failure| panic!("seed {seed}: {failure}"));
            let scaled = job.buffers[data].to_vec::<f32>().unwrap();
            check(&scaled, -1.5).unwrap();
        }
    }

    #[test]
    #[ignore = "needs a GPU"]
    fn a_matrix_is_scaled_on_a_gpu() {
        let gpu = gpu().unwrap().expect("there is no GPU");
        check(&scale(&gpu, &matrix(), -1.5).unwrap(), -1.5).unwrap();
    }
}

//! The first copy: 1024 numbers for each block come into shared memory and go back, plus one.
//!
//! With a GPU this is all that a host program does: open it, load a module, upload, launch, read.

use host::{Gpu, Shape};
use host_examples::{Result, check, kernels};
use kernels_gpu::add_one_1d::{AddOne1d, BUF_LEN};
use launch::{Backend as _, Buffer, Job};

fn main() -> Result<()> {
    let numbers: Vec<i32> = (0..4 * BUF_LEN as i32).collect();
    let expected: Vec<i32> = numbers.iter().map(|number| number + 1).collect();
    let got = match Gpu::first() {
        Ok(gpu) => on_gpu(&gpu, &numbers)?,
        // A GPU that is there and does not work is an error, and no reason to go on without one.
        Err(error) if error.is_absent() => {
            println!("there is no GPU here ({error}), so the emulator takes its place");
            on_emulator(&numbers)?
        }
        Err(error) => return Err(error.into()),
    };
    check("add_one_1d", &expected, &got)
}

fn on_gpu(gpu: &Gpu, numbers: &[i32]) -> Result<Vec<i32>> {
    println!("on {}", gpu.device().name);
    let ptx = kernels(gpu.device().capability)?;
    let module = gpu.load(ptx.name, ptx.text)?;
    let add_one = module.function("add_one_1d")?;
    let data = gpu.upload(numbers)?;
    // SAFETY: the kernel takes a pointer and an offset, and changes 1024 numbers for each of the four
    // blocks, which the buffer has, from the first on (1, 2). The buffer lives until it has been read,
    // which waits for the kernel (3), and nothing else runs (4).
    unsafe { add_one.launch(Shape::new(4, 256), (&data, 0_u64)) }?;
    Ok(data.read()?)
}

/// The same launch as data: the next example is about it.
fn on_emulator(numbers: &[i32]) -> Result<Vec<i32>> {
    let ptx = kernels(host::Capability { major: 9, minor: 0 })?;
    let mut job = Job::new(ptx);
    let data = job.buffer(Buffer::new("numbers", numbers));
    let add_one = AddOne1d {
        data,
        blocks: 4,
        ..AddOne1d::default()
    };
    job.launch(add_one.launch()?);
    emulator::EmulatorBackend::new(0).run(&mut job)?;
    Ok(job.buffers[data].to_vec()?)
}

//! The first copy: each block copies 1024 numbers to shared memory, adds one, and copies them back.
//!
//! This is a complete host program: open a device, load a module, upload, launch, read.

use host_examples::{Result, check, device, load};
use kernels_gpu::add_one_1d::{BUF_LEN, add_one_1d};

fn main() -> Result<()> {
    let device = device()?;
    let module = load(&device)?;

    let numbers: Vec<i32> = (0..4 * BUF_LEN as i32).collect();
    let data = device.upload(&numbers)?;
    // SAFETY: the kernel is in the module (1). It changes 1024 numbers per block, from the first on, and the buffer
    // has enough for four blocks. The buffer lives until it has been read, which waits for the kernel, and nothing
    // else runs (2).
    unsafe { module.launch((4, 256), add_one_1d(&data, 0)) }?;

    let expected: Vec<i32> = numbers.iter().map(|number| number + 1).collect();
    check("add_one_1d", &expected, &data.read()?)
}

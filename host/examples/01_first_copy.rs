//! The first copy: 1024 numbers for each block come into shared memory and go back, plus one.
//!
//! This is all that a host program does: open a device, load a module, upload, launch, read.

use host_examples::{Result, check, device, load};
use kernels_host::AddOne1d;

fn main() -> Result<()> {
    let device = device()?;
    let module = load(&device)?;
    let add_one = module.function("add_one_1d")?;

    let numbers: Vec<i32> = (0..4 * AddOne1d::PER_BLOCK as i32).collect();
    let data = device.upload(&numbers)?;
    // SAFETY: the kernel takes a pointer and an offset, and changes 1024 numbers for each of the four
    // blocks, which the buffer has, from the first on (1, 2). The buffer lives until it has been read,
    // which waits for the kernel (3), and nothing else runs (4).
    unsafe { add_one.launch((4, 256), (&data, 0_u64)) }?;

    let expected: Vec<i32> = numbers.iter().map(|number| number + 1).collect();
    check("add_one_1d", &expected, &data.read()?)
}

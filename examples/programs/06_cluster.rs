//! Blocks of a cluster that write to each other's shared memory.

use host_examples::{Result, check, device, load};
use kernels_gpu::ring::{BLOCKS, ring};

fn main() -> Result<()> {
    let device = device()?;
    let module = load(&device)?;
    let output = device.zeroed::<u32>(8 * 32)?;
    // The kernel itself declares clusters of eight blocks.
    // SAFETY: the kernel is in the module (1). It writes one number per thread, and the buffer has room for them;
    // the buffer lives until it has been read, and nothing else runs (2).
    unsafe { module.launch((BLOCKS, 32), ring(&output, 11)) }?;

    // Eleven hops in a cluster of eight are three hops, and each round adds one.
    let expected = (0..8 * 32).map(|index| {
        let (block, thread) = (index / 32, index % 32);
        (block + 8 - 3) % 8 * 32 + thread + 11
    });
    let expected: Vec<u32> = expected.collect();
    check("eleven rounds", &expected, &output.read()?)
}

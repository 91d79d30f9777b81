//! Blocks of a cluster that write into each other's shared memory.

use host_examples::{Result, check, device, load};
use kernels_host::Ring;

fn main() -> Result<()> {
    let device = device()?;
    let module = load(&device)?;
    let output = device.upload(&[-1; 8 * 32])?;
    let ring = module.function("ring")?;
    // The kernel says itself that its clusters have eight blocks.
    // SAFETY: the kernel takes a pointer and a number of rounds (1), and writes a number for each of its
    // threads, for which there is room (2). The buffer lives until it has been read (3), and nothing else
    // runs (4).
    unsafe { ring.launch((Ring::BLOCKS, 32), (&output, 11_u32)) }?;

    // Eleven blocks on is three blocks on; one more in each round.
    let expected = (0..8 * 32).map(|place| {
        let (block, thread) = (place / 32, place % 32);
        (block + 8 - 3) % 8 * 32 + thread + 11
    });
    let expected: Vec<i32> = expected.collect();
    check("eleven rounds", &expected, &output.read()?)
}

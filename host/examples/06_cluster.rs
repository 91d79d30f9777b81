//! Blocks of a cluster that write into each other's shared memory.

use host_examples::{Result, check, device, jobs};
use kernels_gpu::ring::Ring;
use launch::{Backend as _, Buffer, Job};

fn main() -> Result<()> {
    let (mut jobs, ptx) = jobs(&device()?)?;
    let mut job = Job::new(ptx);
    let output = job.buffer(Buffer::new("output", &[-1; 8 * 32]));
    // The kernel says itself that its clusters have eight blocks.
    let ring = Ring {
        output,
        rounds: 11,
        clusters: 1,
        threads: 32,
    };
    job.launch(ring.launch()?);
    jobs.run(&mut job)?;

    // Eleven blocks on is three blocks on; one more in each round.
    let expected = (0..8 * 32).map(|place| {
        let (block, thread) = (place / 32, place % 32);
        (block + 8 - 3) % 8 * 32 + thread + 11
    });
    let expected: Vec<i32> = expected.collect();
    check("eleven rounds", &expected, &job.buffers[output].to_vec()?)
}

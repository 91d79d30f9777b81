//! Copies that overlap with computation: the same batches with one to eight stages, then a persistent loop over
//! tiles whose stores overlap too.

use host_examples::{Result, check, device, jobs};
use kernels_gpu::{Matrix, persistent_tiles::PersistentTiles, prefetch_1d::Prefetch1d};
use tma_launch::{Buffer, Job};

fn main() -> Result<()> {
    let (mut jobs, ptx) = jobs(&device()?)?;

    let (blocks, threads, batches) = (4, 128, 20);
    let input: Vec<i32> = (0..(blocks * threads * batches) as i32).collect();
    let expected: Vec<i32> = input.iter().map(|number| 3 * number + 1).collect();
    for stages in [1, 2, 4, 8] {
        let mut job = Job::new(ptx);
        let prefetch = Prefetch1d {
            stages,
            output: job.buffer(Buffer::new("output", &vec![-1; input.len()])),
            input: job.buffer(Buffer::new("input", &input)),
            batches,
            blocks,
            threads,
        };
        job.launch(prefetch.launch()?);
        // SAFETY: these kernels' launches have checked their arguments (1).
        unsafe { jobs.run(&mut job) }?;
        let got = job.buffers[prefetch.output].to_vec()?;
        check(&format!("{stages} stages"), &expected, &got)?;
    }

    let matrix = Matrix::packed(256, 96);
    let numbers: Vec<f32> = (0..matrix.len_elems()).map(|i| i as f32).collect();
    let mut job = Job::new(ptx);
    let tiles = PersistentTiles {
        stages: 3,
        matrix,
        source: job.buffer(Buffer::new("source", &numbers)),
        target: job.buffer(Buffer::new("target", &vec![-1.0_f32; numbers.len()])),
        blocks: 2,
        threads: 160,
    };
    job.launch(tiles.launch()?);
    // SAFETY: these kernels' launches have checked their arguments (1).
    unsafe { jobs.run(&mut job) }?;
    let expected: Vec<i32> = (0..matrix.len_elems() as i32).map(|i| 2 * i + 1).collect();
    let got: Vec<f32> = job.buffers[tiles.target].to_vec()?;
    let got: Vec<i32> = got.iter().map(|number| *number as i32).collect();
    check("a persistent loop", &expected, &got)
}

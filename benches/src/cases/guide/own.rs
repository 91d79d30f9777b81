//! Tests that our forms of the guide's kernels have the guide's results, also for sizes that are not multiples.

use kernels_gpu::{
    histogram::{BINS, Histogram, HistogramForm},
    stencil::{Stencil, StencilForm},
};
use tma_emulator::EmulatorBackend;
use tma_launch::{Buffer, Job, Launch, Ptx};

use crate::{of_both::of_both, pattern::hash};

/// Returns the last buffer after a launch.
fn last<T: bytemuck::Pod>(text: &str, buffers: &[Buffer], launch: Launch) -> Vec<T> {
    let mut job = Job {
        ptx: Ptx {
            name: "module",
            text,
        },
        further: Vec::new(),
        buffers: buffers.to_vec(),
        launches: vec![launch],
    };
    let outcome = EmulatorBackend::new(5).run(&mut job);
    outcome.unwrap_or_else(|wrong| panic!("{}: {wrong}", job.launches[0].entry));
    job.buffers[buffers.len() - 1].to_vec().unwrap()
}

of_both! {
    stencil_in_bulk = kernels;
    histogram_by_lanes = kernels;
}

fn stencil_in_bulk(text: &str) {
    for (blocks, threads) in [(1, 32), (5, 32), (23, 96), (77, 256), (3, 1024)] {
        // Sums of fractions depend on their order.
        let numbers = |first: u64, count: u32| -> Vec<f32> {
            let numbers = first..first + u64::from(count * blocks);
            numbers.map(|index| hash(index) as f32 * 1e-9).collect()
        };
        let [left, center, right] =
            [(0, 8), (1 << 20, 32), (1 << 21, 8)].map(|(first, count)| numbers(first, count));
        let output = vec![-1.0_f32; 32 * blocks as usize];
        let buffers = [
            Buffer::new("left", &left),
            Buffer::new("center", &center),
            Buffer::new("right", &right),
            Buffer::new("output", &output),
        ];
        let launch = |form, threads| {
            let stencil = Stencil {
                form,
                left: 0,
                center: 1,
                right: 2,
                output: 3,
                blocks,
                threads,
            };
            stencil.launch().unwrap()
        };
        let guide: Vec<f32> = last(text, &buffers, launch(StencilForm::Loads, 32));
        let own: Vec<f32> = last(text, &buffers, launch(StencilForm::Bulk, threads));
        let line: Vec<f32> = [&left[..8], &center[..32], &right[..8]].concat();
        let expected = line[3..20].iter().fold(0.0, |sum, number| sum + number);
        assert_eq!(own[3], expected);
        assert_eq!(own, guide, "{blocks} blocks by {threads} threads");
    }
}

fn histogram_by_lanes(text: &str) {
    for (len, blocks, threads) in [(1, 1, 32), (255, 3, 64), (10_001, 7, 96), (4096, 1, 1024)] {
        // Some values are much more frequent than others, and bytes after the end must not be counted.
        let byte = |index| match hash(index) {
            often if often & 3 == 0 => 17,
            number => (number >> 5) as u8,
        };
        let data: Vec<u8> = (0..u64::from(len) + 9).map(byte).collect();
        let mut expected: Vec<u32> = (0..BINS as u32).collect();
        let buffers = [Buffer::new("data", &data), Buffer::new("counts", &expected)];
        for byte in &data[..len as usize] {
            expected[usize::from(*byte)] += 1;
        }
        let histogram = Histogram {
            form: HistogramForm::Lanes,
            data: 0,
            len,
            counts: 1,
            blocks,
            threads,
        };
        let counts: Vec<u32> = last(text, &buffers, histogram.launch().unwrap());
        assert_eq!(
            counts, expected,
            "{len} bytes by {blocks} blocks of {threads}"
        );
    }
}

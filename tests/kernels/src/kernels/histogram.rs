use kernels_gpu::histogram::{BINS, Histogram, HistogramForm};
use tma_launch::Buffer;

use super::{Kernel, kept, numbers};
use crate::{Expected, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "histogram",
    summary: "blocks count bytes in shared memory and add their counts with one bulk reduction each",
    golden: &["histogram"],
    showcase: || scenario(HistogramForm::Block, 100_000, 16, 256),
    cases,
};

fn cases() -> Vec<Scenario> {
    let sizes = [
        (1, 1, 32),
        (255, 3, 64),
        (10_001, 7, 96),
        (4096, 1, 1024),
        (30, 40, 32),
        (10_001, 2, 64),
    ];
    let of = |form| sizes.map(|(len, blocks, threads)| scenario(form, len, blocks, threads));
    [of(HistogramForm::Block), of(HistogramForm::Lanes)].concat()
}

fn scenario(form: HistogramForm, len: usize, blocks: u32, threads: u32) -> Scenario {
    // Some values are much more frequent than others; bytes after the last one are not counted.
    let data: Vec<u8> = numbers(len + 9)
        .iter()
        .map(|number| match number & 3 {
            0 => 17,
            _ => (number >> 5) as u8,
        })
        .collect();
    // The counts are added to the old contents.
    let before: Vec<u32> = (0..BINS as u32).map(|bin| bin * 1000).collect();
    let mut expected = before.clone();
    for byte in &data[..len] {
        expected[usize::from(*byte)] += 1;
    }
    let histogram = Histogram {
        form,
        data: 0,
        len: len as u32,
        counts: 1,
        blocks,
        threads,
    };
    let launch = kept(histogram.launch());
    Scenario {
        name: match form {
            HistogramForm::Block => format!("{len}_bytes_by_{blocks}_blocks_of_{threads}"),
            HistogramForm::Lanes => format!("lanes_{len}_bytes_by_{blocks}_blocks_of_{threads}"),
        },
        buffers: vec![Buffer::new("data", &data), Buffer::new("counts", &before)],
        launches: vec![launch],
        expected: vec![Expected::of(1, &expected)],
    }
}

use kernels_gpu::add_one_ring::AddOneRing;
use tma_launch::{Buffer, DeviceDescription};

use super::{Kernel, kept, numbers};
use crate::{Expected, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "add_one_ring",
    summary: "adds one to an array in a pipeline: one warp loads chunks, the others work on them",
    golden: &["add_one_ring_4", "add_one_ring_static_4"],
    showcase: || tuned(&DeviceDescription::h100()),
    cases,
};

#[derive(Clone, Copy)]
struct Ring {
    stages: usize,
    blocks: u32,
    workers: usize,
    count: usize,
    /// Placeholder for the counter.
    is_static: bool,
}

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    let mut add = |ring: Ring| cases.push(ring.scenario());
    for stages in [2, 3, 4, 6, 8] {
        // A part of a chunk of 512 numbers, as many chunks as stages, several runs of six chunks for each block.
        for count in [4, 512 * stages, 512 * (24 + 8 * stages) + 12] {
            add(Ring::of(count).stages(stages));
        }
    }
    for stages in [3, 4, 6] {
        for count in [4, 512 * stages, 512 * 8 * stages + 12] {
            add(Ring::of(count).stages(stages).fixed());
        }
    }
    for workers in [32, 96, 256, 512] {
        add(Ring::of(30_004).workers(workers));
        add(Ring::of(30_004).workers(workers).fixed());
    }
    // A run of three chunks whose numbers end in its second chunk.
    for count in [3 * 1024, 6 * 1024, 5 * 1024 - 4, 4 * 1024] {
        add(Ring::of(count).workers(128).blocks(1));
    }
    for blocks in [1, 8, 70] {
        add(Ring::of(20_000).blocks(blocks));
        add(Ring::of(20_000).blocks(blocks).fixed());
    }
    cases
}

/// Uses the launch of a device.
pub(super) fn tuned(device: &DeviceDescription) -> Scenario {
    let count = 65536;
    let add = AddOneRing {
        len_bytes: 4 * count as u64,
        ..AddOneRing::default()
    };
    let set = add.on(device);
    let ring = Ring::of(count).stages(set.stages as usize);
    let ring = ring.workers(set.threads as usize - 32);
    ring.blocks(set.blocks).scenario()
}

impl Ring {
    fn of(count: usize) -> Self {
        Self {
            stages: 4,
            blocks: 3,
            workers: 64,
            count,
            is_static: false,
        }
    }

    fn stages(self, stages: usize) -> Self {
        Self { stages, ..self }
    }

    fn blocks(self, blocks: u32) -> Self {
        Self { blocks, ..self }
    }

    fn workers(self, workers: usize) -> Self {
        Self { workers, ..self }
    }

    fn fixed(self) -> Self {
        Self {
            is_static: true,
            ..self
        }
    }

    fn scenario(self) -> Scenario {
        let Self {
            stages,
            blocks,
            workers,
            count,
            is_static,
        } = self;
        let source = numbers(count);
        // Some numbers after them, which must stay unchanged.
        let poison = vec![-1; count + 40];
        let mut expected = poison.clone();
        for (to, from) in expected.iter_mut().zip(&source) {
            *to = from + 1;
        }
        let kind = if is_static { "static_" } else { "" };
        let add = AddOneRing {
            counter: (!is_static).then_some(2),
            stages: stages as u32,
            len_bytes: 4 * count as u64,
            dst: 0,
            src: 1,
            blocks,
            threads: 32 + workers as u32,
        };
        Scenario {
            name: format!(
                "{kind}{count}_numbers_{stages}_stages_{workers}_workers_{blocks}_blocks"
            ),
            buffers: vec![
                Buffer::new("destination", &poison),
                Buffer::new("source", &source),
                Buffer::zeroed::<u32>("counter", 1),
            ],
            launches: vec![kept(add.launch())],
            expected: vec![Expected::of(0, &expected), Expected::of(1, &source)],
        }
    }
}

use kernels_gpu::copy_bulk::CopyBulk;
use tma_launch::{Buffer, DeviceDescription};

use super::{Kernel, kept, numbers};
use crate::{Expected, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "copy_bulk",
    summary: "copies memory in chunks through a ring of stages, blocks drawing their chunks from a counter",
    golden: &["copy_bulk_2", "copy_bulk_4"],
    showcase: || tuned(&DeviceDescription::h100()),
    cases,
};

/// The number of bytes before and after the copy, which must stay unchanged.
const GUARD_BYTES: usize = 48;

#[derive(Clone, Copy)]
struct Copy {
    stages: usize,
    blocks: u32,
    threads: u32,
    len_bytes: usize,
    chunk_bytes: usize,
}

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    for stages in [2, 3, 4, 6, 8] {
        // Fewer chunks than stages, as many, several rounds, a shorter last one.
        for len_bytes in [16, 512, 512 * stages, 512 * 23 + 16, 512 * 40 - 32] {
            cases.push(Copy::of(len_bytes).stages(stages).scenario());
        }
    }
    for chunk_bytes in [16, 48, 4096, 16384] {
        let copy = Copy::of(5 * 16384 + 4096 + 32).chunk(chunk_bytes);
        cases.push(copy.scenario());
    }
    for blocks in [1, 2, 64, 300] {
        cases.push(Copy::of(100_000).blocks(blocks).scenario());
    }
    // A block for each chunk: one, a shorter one, several with a shorter last one.
    for (threads, chunk_bytes) in [(32, 1024), (64, 2048), (128, 48), (256, 4096)] {
        for len_bytes in [chunk_bytes, 16, 7 * chunk_bytes + 32] {
            let copy = Copy::of(len_bytes).stages(1).chunk(chunk_bytes);
            cases.push(Copy { threads, ..copy }.scenario());
        }
    }
    cases
}

/// Uses the launch of a device.
pub(super) fn tuned(device: &DeviceDescription) -> Scenario {
    let len_bytes = 1 << 18;
    let copy = CopyBulk {
        len_bytes,
        ..CopyBulk::default()
    };
    let set = copy.on(device);
    let copy = Copy {
        stages: set.stages as usize,
        blocks: set.blocks,
        threads: set.threads,
        len_bytes: len_bytes as usize,
        chunk_bytes: set.chunk_bytes as usize,
    };
    copy.scenario()
}

impl Copy {
    fn of(len_bytes: usize) -> Self {
        Self {
            stages: 4,
            blocks: 5,
            threads: 32,
            len_bytes,
            chunk_bytes: 512,
        }
    }

    fn stages(self, stages: usize) -> Self {
        Self { stages, ..self }
    }

    fn blocks(self, blocks: u32) -> Self {
        Self { blocks, ..self }
    }

    fn chunk(self, chunk_bytes: usize) -> Self {
        Self {
            chunk_bytes,
            ..self
        }
    }

    fn scenario(self) -> Scenario {
        let Self {
            stages,
            blocks,
            threads,
            len_bytes,
            chunk_bytes,
        } = self;
        let source = numbers(len_bytes / 4);
        let guard = GUARD_BYTES / 4;
        let poison = vec![-1; source.len() + 2 * guard];
        let mut expected = poison.clone();
        expected[guard..guard + source.len()].copy_from_slice(&source);

        let copy = CopyBulk {
            stages: stages as u32,
            chunk_bytes: chunk_bytes as u32,
            len_bytes: len_bytes as u64,
            dst: 0,
            dst_offset_bytes: GUARD_BYTES as u64,
            src: 1,
            counter: 2,
            blocks,
            threads,
            shared_bytes: 0,
        };
        Scenario {
            name: match stages {
                1 => format!("{len_bytes}_bytes_a_block_of_{threads}_for_each_{chunk_bytes}"),
                _ => format!("{len_bytes}_bytes_{stages}_stages_of_{chunk_bytes}_{blocks}_blocks"),
            },
            buffers: vec![
                Buffer::new("destination", &poison),
                Buffer::new("source", &source),
                Buffer::zeroed::<u32>("counter", 1),
            ],
            launches: vec![kept(copy.launch())],
            expected: vec![Expected::of(0, &expected), Expected::of(1, &source)],
        }
    }
}

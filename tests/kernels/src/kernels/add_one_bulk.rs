use kernels_gpu::add_one_bulk::AddOneBulk;
use tma_launch::{Buffer, DeviceDescription};

use super::{Kernel, kept, numbers};
use crate::{Expected, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "add_one_bulk",
    summary: "adds one to an array, one tile a block, sixteen bytes a thread",
    golden: &["add_one_bulk_1"],
    showcase: || tuned(&DeviceDescription::h100()),
    cases,
};

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    for threads in [32, 96, 256, 1024] {
        // A part of a tile, one tile, some with a shorter last one.
        for count in [4, 4 * threads, 12 * threads + 4, 20 * threads - 8] {
            cases.push(scenario(1, threads, count, 0));
            cases.push(scenario(1, threads, count, 12));
        }
    }
    for vectors in [2, 4] {
        for threads in [32, 64] {
            let tile = 4 * vectors * threads;
            for count in [4, tile, 3 * tile + 4, 5 * tile - 8] {
                cases.push(scenario(vectors, threads, count, 12));
            }
        }
    }
    cases
}

/// Uses the launch of a device.
pub(super) fn tuned(device: &DeviceDescription) -> Scenario {
    let set = AddOneBulk::default().on(device);
    scenario(set.vectors, set.threads as usize, 65536, 0)
}

/// `count` numbers, with `around` others on both sides of the destination that must stay.
fn scenario(vectors: usize, threads: usize, count: usize, around: usize) -> Scenario {
    let source = numbers(count);
    let poison = vec![-1; count + 2 * around];
    let mut expected = poison.clone();
    for (to, from) in expected[around..].iter_mut().zip(&source) {
        *to = from + 1;
    }
    let add = AddOneBulk {
        vectors,
        len_bytes: 4 * count as u64,
        dst: 0,
        dst_offset_bytes: 4 * around as u64,
        src: 1,
        threads: threads as u32,
        shared_bytes: 0,
    };
    Scenario {
        name: match vectors {
            1 => format!("{count}_numbers_{threads}_threads_{around}_around"),
            _ => format!("{count}_numbers_{threads}_threads_of_{vectors}_{around}_around"),
        },
        buffers: vec![
            Buffer::new("destination", &poison),
            Buffer::new("source", &source),
        ],
        launches: vec![kept(add.launch())],
        expected: vec![Expected::of(0, &expected), Expected::of(1, &source)],
    }
}

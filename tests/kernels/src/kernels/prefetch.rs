use kernels_gpu::prefetch::Prefetch;
use tma_launch::Buffer;

use super::{Kernel, kept, numbers};
use crate::{Expected, Scenario};

pub(super) const KERNEL: Kernel = Kernel {
    name: "prefetch",
    summary: "keeps several batches on their way into shared memory with LDGSTS, in groups of each thread",
    golden: &["prefetch_1", "prefetch_2"],
    showcase: || scenario(4, 4, 256, 16),
    cases,
};

fn cases() -> Vec<Scenario> {
    let mut cases = Vec::new();
    for stages in [1, 2, 3, 4, 8] {
        // Fewer batches than stages, as many, no multiple, several rounds.
        let mut counts = vec![1, 3, stages, stages + 1, 2 * stages + 1, 3 * stages + 2];
        counts.sort_unstable();
        counts.dedup();
        for batches in counts {
            cases.push(scenario(stages, 3, 128, batches));
        }
    }
    for (blocks, threads) in [(1, 1), (1, 1024), (7, 33), (132, 64)] {
        cases.push(scenario(3, blocks, threads, 7));
    }
    cases
}

fn scenario(stages: u32, blocks: u32, threads: u32, batches: u32) -> Scenario {
    let input = numbers((blocks * threads * batches) as usize);
    let expected = input.chunks(threads as usize).flat_map(|block| {
        let next = block.iter().cycle().skip(1);
        block
            .iter()
            .zip(next)
            .map(|(number, next)| 3 * number + next)
    });
    let expected: Vec<i32> = expected.collect();
    let prefetch = Prefetch {
        stages,
        output: 0,
        input: 1,
        batches,
        blocks,
        threads,
    };
    let dims = [threads as usize, blocks as usize, batches as usize];
    Scenario {
        name: format!("{stages}_stages_{batches}_batches_{blocks}_blocks_of_{threads}"),
        buffers: vec![
            Buffer::new("output", &vec![-1; input.len()]),
            Buffer::new("input", &input),
        ],
        launches: vec![kept(prefetch.launch())],
        expected: vec![
            Expected::of(0, &expected).dims(&dims),
            Expected::of(1, &input),
        ],
    }
}

//! A launch of a template, with its expected results.

use tensor_map::{Params, TensorMap};
use tma_launch::{Buffer, Launch, PlacedMap};

use crate::{Expected, Scenario};

/// The value of results before a launch.
pub(super) const UNTOUCHED: u32 = 0xdead_beef;

/// The alignment of each launch's part of a buffer.
const ALIGN_BYTES: usize = 256;

/// One launch of a kernel of `tests-semantics`.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// Clusters.
    pub(super) clusters: u32,
    /// Blocks of a cluster.
    pub(super) blocks: u32,
    /// True if the launch requests clusters.
    pub(super) is_clustered: bool,
    /// Threads of a block.
    pub(super) threads: u32,
    /// Bytes of dynamic shared memory.
    pub(super) shared_bytes: u32,
    /// Numbers for the template.
    pub(super) words: Vec<u32>,
    /// Global memory before the launch.
    pub(super) memory: Vec<u8>,
    /// Global memory after it.
    pub(super) memory_after: Vec<u8>,
    /// A tensor map, and the offset of its tensor in global memory.
    pub(super) map: Option<(Params, usize)>,
    /// True if the map is in constant memory instead of a parameter.
    pub(super) is_map_constant: bool,
    /// The results before the launch, if initialised.
    pub(super) out: Option<Vec<u32>>,
    /// Results.
    pub(super) expected: Vec<u32>,
}

impl Plan {
    /// A launch of one warp without memory.
    pub(super) fn new(words: &[u32], expected: Vec<u32>) -> Self {
        Self {
            clusters: 1,
            blocks: 1,
            is_clustered: true,
            threads: 32,
            shared_bytes: 0,
            words: words.to_vec(),
            memory: Vec::new(),
            memory_after: Vec::new(),
            map: None,
            is_map_constant: false,
            out: None,
            expected,
        }
    }

    /// Launches a cluster of this many blocks, each with these results.
    pub(super) fn cluster(mut self, blocks: u32) -> Self {
        self.expected = self.expected.repeat(blocks as usize);
        self.blocks = blocks;
        self
    }
}

/// The launches of a kernel, one after the other, each with its own part of the memory.
pub(super) fn scenario(name: &str, entry: &str, plans: Vec<Plan>) -> Scenario {
    const MEMORY: usize = 1;
    let (mut words, mut before, mut after) = (Vec::new(), Vec::new(), Vec::new());
    let (mut out, mut expected) = (Vec::new(), Vec::new());
    let mut launches = Vec::new();
    let mut constant = None;
    for plan in plans {
        let at = |len: usize, bytes: usize| (len * bytes) as u64;
        let mut launch = Launch::new(entry, plan.clusters * plan.blocks, plan.threads)
            .shared_bytes(plan.shared_bytes);
        if plan.is_clustered {
            launch = launch.cluster(plan.blocks);
        }
        if let Some((params, from)) = plan.map {
            let from = at(before.len(), 1) + from as u64;
            match plan.is_map_constant {
                true => constant = Some((params, from)),
                false => launch = launch.tensor_map_at(params, MEMORY, from),
            }
        }
        launches.push(
            launch
                .buffer_at(0, at(words.len(), 4))
                .buffer_at(MEMORY, at(before.len(), 1))
                .buffer_at(2, at(out.len(), 4)),
        );
        words.extend(&plan.words);
        before.extend(&plan.memory);
        after.extend(&plan.memory_after);
        match &plan.out {
            Some(first) => out.extend(first),
            None => out.resize(out.len() + plan.expected.len(), UNTOUCHED),
        }
        expected.extend(plan.expected);
        words.resize((words.len() + 1).next_multiple_of(ALIGN_BYTES / 4), 0);
        before.resize((before.len() + 1).next_multiple_of(ALIGN_BYTES), 0);
        after.resize(before.len(), 0);
        out.resize((out.len() + 1).next_multiple_of(ALIGN_BYTES / 4), UNTOUCHED);
        expected.resize(out.len(), UNTOUCHED);
    }
    let mut buffers = vec![
        Buffer::new("words", &words),
        Buffer::new("memory", &before),
        Buffer::new("out", &out),
    ];
    if let Some((params, offset_bytes)) = constant {
        let map = PlacedMap {
            at_bytes: 0,
            params,
            index: MEMORY,
            offset_bytes,
        };
        let buffer = Buffer::zeroed::<u8>("map", TensorMap::BYTES).with_tensor_map(map);
        buffers.push(buffer.in_variable("CONSTANT_MAP"));
    }
    Scenario {
        name: name.to_owned(),
        buffers,
        launches,
        expected: vec![Expected::of(2, &expected), Expected::of(MEMORY, &after)],
    }
}

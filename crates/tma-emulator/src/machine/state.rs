//! The state of the grid: clusters, blocks, warps, and groups of lanes.

use std::{collections::BTreeMap, sync::Arc};

use tma_launch::{Limits, Shape};

use super::{
    BarrierState, BulkGroups, Calls, ClusterState, Config, Location, Mbarrier, Memory, Passed,
    Program, RegisterPool, Rng, SHARED_START, SHARED_UNIT, Slot, Transfer, Unwaited, Unwritten,
    observer::Pause,
};
use crate::value::{LANES, Lanes};

/// Number of resident clusters, unless they wait for others.
pub(crate) const RESIDENT: u32 = 4;
/// Memory limit in bytes for the threads of resident clusters; fewer are resident if they need more.
const RESIDENT_BYTES: u64 = 1 << 30;
/// Limits of the emulated device.
const LIMITS: Limits = Limits::SM_90;

/// Extents of the launch, and the numbering of blocks and threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places {
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) cluster: [u32; 3],
    /// True if the launch has clusters, even of one block.
    pub(crate) has_clusters: bool,
    /// True if all blocks must run at once.
    pub(crate) is_cooperative: bool,
}

impl Places {
    pub(crate) fn new(shape: &Shape, cluster: Option<[u32; 3]>) -> Self {
        Self {
            grid: shape.grid.to_array(),
            block: shape.block.to_array(),
            cluster: cluster.unwrap_or([1; 3]),
            has_clusters: cluster.is_some(),
            is_cooperative: shape.cooperative,
        }
    }

    pub(crate) fn block(&self, number: u64) -> [u32; 3] {
        unflatten(number, self.grid)
    }

    pub(crate) fn thread(&self, number: u32) -> [u32; 3] {
        unflatten(number.into(), self.block)
    }

    pub(crate) fn threads(&self) -> u32 {
        self.block.iter().product()
    }

    pub(crate) fn cluster_blocks(&self) -> u32 {
        self.cluster.iter().product()
    }

    /// Returns the bytes of registers and local memory of all threads that must run at once, without recursive
    /// calls.
    pub(crate) fn least_bytes(&self, program: &Program) -> u64 {
        let clusters = match self.is_cooperative {
            true => self.clusters().iter().map(|n| u64::from(*n)).product(),
            false => 1,
        };
        self.cluster_bytes(program).saturating_mul(clusters)
    }

    /// Registers and local memory of all threads of a cluster, as far as calls are not recursive.
    pub(crate) fn cluster_bytes(&self, program: &Program) -> u64 {
        let threads = u64::from(self.threads()) * u64::from(self.cluster_blocks());
        let frames = program.functions.iter();
        let frames = frames.map(|function| 8 * function.slots as u64 + function.local_bytes);
        threads.saturating_mul(frames.sum())
    }

    /// Returns the number of clusters in each dimension.
    pub(crate) fn clusters(&self) -> [u32; 3] {
        [0, 1, 2].map(|axis| self.grid[axis] / self.cluster[axis].max(1))
    }
}

pub(crate) fn unflatten(number: u64, extent: [u32; 3]) -> [u32; 3] {
    let [x, y, _] = extent.map(|n| u64::from(n.max(1)));
    [
        (number % x) as u32,
        (number / x % y) as u32,
        (number / x / y) as u32,
    ]
}

pub(crate) fn flatten(at: [u32; 3], extent: [u32; 3]) -> u64 {
    let [x, y, _] = extent.map(u64::from);
    u64::from(at[0]) + x * (u64::from(at[1]) + y * u64::from(at[2]))
}

/// The whole state of the machine, without the program and the observer.
#[derive(Clone)]
pub(crate) struct World {
    pub(crate) places: Places,
    pub(crate) memory: Memory,
    pub(crate) clusters: Vec<Cluster>,
    pub(crate) transfers: Vec<Transfer>,
    pub(crate) rng: Rng,
    /// Position of each operation in the order by which lanes of a warp wait for others; empty if they need not.
    pub(crate) convergence: Vec<u32>,
    pub(crate) config: Config,
    /// True if the observer is shown events.
    pub(crate) watches: bool,
    /// True if the observer is shown the state before each instruction.
    pub(crate) inspects: bool,
    /// Number of instructions executed so far.
    pub(crate) steps: u64,
    /// Increases with every effect that other threads can see.
    pub(crate) progress: u64,
    /// Set when threads ended or a copy progressed, so that a cluster may have ended.
    pub(crate) has_ended: bool,
    /// Set when global memory changed, a copy progressed or threads ended, so that waiting groups are checked
    /// again.
    pub(crate) has_changed: bool,
    pub(crate) printed: String,
    /// Bytes that were printed beyond the limit.
    pub(crate) unprinted: u64,
    /// End of a block's shared memory, which begins with the reserved part.
    pub(crate) shared_bytes: u64,
    /// Value of [`Program::first_shared`].
    pub(crate) first_shared: u64,
    pub(crate) dynamic_shared_bytes: u32,
    pub(crate) dynamic_shared_start: u64,
    /// Number of the next cluster that becomes resident.
    pub(crate) next_cluster: u64,
    pub(crate) next_copy: u64,
    /// Threads that went on issuing copies without a wait for their groups, one for each instruction.
    pub(crate) unwaited: Vec<Unwaited>,
    /// Instructions that have freed memory: their opcodes and locations.
    pub(crate) frees: BTreeMap<usize, Arc<(String, Location)>>,
    pub(crate) calls: Calls,
}

/// Blocks that run together.
#[derive(Clone)]
pub(crate) struct Cluster {
    pub(crate) ctas: Vec<Cta>,
    pub(crate) barrier: ClusterState,
}

/// State of a block.
#[derive(Clone)]
pub(crate) struct Cta {
    /// Number of the block in the grid.
    pub(crate) number: u64,
    pub(crate) id: [u32; 3],
    pub(crate) shared: Vec<u8>,
    pub(crate) mbarriers: BTreeMap<usize, Mbarrier>,
    pub(crate) barriers: [BarrierState; 16],
    pub(crate) warps: Vec<Warp>,
    /// Number of threads that have not ended.
    pub(crate) alive: u32,
    /// Bulk groups of each thread that has any.
    pub(crate) bulk: BTreeMap<u32, BulkGroups>,
    /// The groups of `cp.async`, which are separate.
    pub(crate) async_groups: BTreeMap<u32, BulkGroups>,
    /// The products of each warpgroup not covered by a wait: group, and number as a copy.
    pub(crate) products: BTreeMap<usize, Vec<(u64, u64)>>,
    /// Registers of the block, if the kernel declares its registers per thread.
    pub(crate) registers: Option<RegisterPool>,
}

/// State of a warp of up to 32 threads.
#[derive(Clone, Debug, Default)]
pub(crate) struct Warp {
    /// Frames of all active functions, one after another.
    pub(crate) registers: Vec<Lanes>,
    /// Lanes at the same instruction, apart from each other.
    pub(crate) groups: Vec<Group>,
    /// Number of times in a row that some lanes could run but had to wait for others.
    pub(crate) turns_held_back: u32,
    /// Lanes with a thread that has not ended.
    pub(crate) alive: u32,
    /// Local memory of each lane.
    pub(crate) local: Vec<Vec<u8>>,
    /// The generation of the cluster's barrier that each lane arrived at.
    pub(crate) cluster_arrived: [Option<u64>; LANES],
    pub(crate) products: Products,
    /// Collectives that lanes have executed with a mask which lacked others: the instruction, and the mask.
    pub(crate) partial: Vec<(usize, u32)>,
    /// Registers with uninitialised values, if there are any.
    pub(crate) unwritten: Option<Box<Unwritten>>,
}

/// The products of the warp's warpgroup, as the warp sees them. Registers count from the first frame on.
#[derive(Clone, Debug, Default)]
pub(crate) struct Products {
    /// Number of the open group.
    pub(crate) current: u64,
    /// Registers of products that no wait has covered, each with the group of the last one and its instruction.
    pub(crate) in_flight: BTreeMap<Slot, (u64, usize)>,
    /// Registers accessed since the last `wgmma.fence`, with the instruction and whether the access came before
    /// all products since then; `None` before the first fence.
    pub(crate) accessed: Option<BTreeMap<Slot, (usize, bool)>>,
    /// True if there was no product since the last fence.
    pub(crate) is_fenced: bool,
}

/// Lanes that are at the same instruction by the same calls.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Group {
    pub(crate) mask: u32,
    pub(crate) pc: usize,
    pub(crate) function: usize,
    /// First slot of the function's registers.
    pub(crate) base: usize,
    /// Start of the function's frame in local memory.
    pub(crate) local: u64,
    pub(crate) frames: Vec<Frame>,
    /// Number of this call chain.
    pub(crate) calls: u32,
    /// The current wait.
    pub(crate) wait: Option<Wait>,
}

/// Return state of a function call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Frame {
    pub(crate) pc: usize,
    pub(crate) function: usize,
    pub(crate) base: usize,
    pub(crate) local: u64,
    pub(crate) calls: u32,
    /// Destinations of the results in the caller.
    pub(crate) returns: Vec<Passed>,
}

/// A wait of a group.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Wait {
    /// The completion of a barrier of the block.
    Cta { barrier: usize, generation: u64 },
    /// The completion of the cluster's barrier.
    Cluster,
    /// The other lanes of a collective.
    Collective { members: u32 },
    /// Wait for the phase of an mbarrier, which may give up.
    Mbarrier,
    /// The initialisation of an mbarrier, since this many steps of the launch.
    MbarrierInit { since: u64 },
    /// Wait for bulk groups of its threads.
    Bulk,
    /// The other warps of its warpgroup.
    Warpgroup,
    /// Wait for registers that other warps return.
    Registers,
}

impl Wait {
    /// Returns the observer's name for the wait.
    pub(crate) fn pause(&self) -> Pause {
        match self {
            Self::Cta { barrier, .. } => Pause::Barrier(*barrier as u32),
            Self::Cluster => Pause::Cluster,
            Self::Collective { .. } => Pause::Warp,
            Self::Mbarrier | Self::MbarrierInit { .. } => Pause::Mbarrier,
            Self::Bulk => Pause::Bulk,
            Self::Warpgroup => Pause::Warpgroup,
            Self::Registers => Pause::Registers,
        }
    }
}

/// Position of the executing warp.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Here {
    pub(crate) cluster: usize,
    pub(crate) rank: usize,
    pub(crate) warp: usize,
}

impl Group {
    /// Returns whether two groups can go on as one.
    pub(crate) fn joins(&self, other: &Self) -> bool {
        self.pc == other.pc
            && self.base == other.base
            && self.wait.is_none()
            && other.wait.is_none()
            && self.frames == other.frames
    }
}

impl World {
    /// Prints as much of a text as the limit allows.
    pub(crate) fn print(&mut self, text: &str) {
        let room = self.config.max_printed.saturating_sub(self.printed.len());
        let cut = (0..=room.min(text.len()))
            .rev()
            .find(|at| text.is_char_boundary(*at));
        // After the first truncated text, later texts are dropped too.
        let cut = if self.unprinted > 0 {
            0
        } else {
            cut.unwrap_or(0)
        };
        self.printed.push_str(&text[..cut]);
        self.unprinted += (text.len() - cut) as u64;
    }

    pub(crate) fn new(
        program: &Program,
        shape: &Shape,
        cluster: Option<[u32; 3]>,
        memory: Memory,
        config: Config,
    ) -> Self {
        let align = program.dynamic_shared_align;
        let start = (SHARED_START + program.static_shared_bytes).next_multiple_of(align);
        let end = match shape.shared_bytes {
            0 => SHARED_START + program.static_shared_bytes,
            dynamic => start + u64::from(dynamic),
        };
        Self {
            places: Places::new(shape, cluster),
            memory,
            clusters: Vec::new(),
            transfers: Vec::new(),
            rng: Rng::new(config.seed),
            convergence: Vec::new(),
            config,
            watches: false,
            inspects: false,
            steps: 0,
            progress: 0,
            has_ended: true,
            has_changed: true,
            printed: String::new(),
            unprinted: 0,
            shared_bytes: end,
            first_shared: program.first_shared,
            dynamic_shared_bytes: shape.shared_bytes,
            dynamic_shared_start: start,
            next_cluster: 0,
            next_copy: 0,
            unwaited: Vec::new(),
            frees: BTreeMap::new(),
            calls: Calls::default(),
        }
    }

    /// Returns the shared memory of a block without the reserved part.
    pub(crate) fn allocated_shared_bytes(&self) -> u32 {
        (self.shared_bytes - SHARED_START).next_multiple_of(SHARED_UNIT) as u32
    }

    pub(crate) fn cluster_count(&self) -> u64 {
        self.places
            .clusters()
            .iter()
            .map(|n| u64::from(*n))
            .product()
    }

    /// Returns the number of clusters that begin at once.
    pub(crate) fn resident(&self, program: &Program) -> u64 {
        match self.places.is_cooperative {
            true => self.cluster_count(),
            false => self.most_resident(program).min(RESIDENT.into()),
        }
    }

    /// Returns the number of clusters that are resident at a time if they wait for each other: as many as the
    /// device holds.
    pub(crate) fn most_resident(&self, program: &Program) -> u64 {
        let threads = self.places.threads().into();
        let shared = self.shared_bytes.saturating_sub(SHARED_START);
        let blocks = LIMITS.blocks_per_multiprocessor(threads, shared) * LIMITS.multiprocessors;
        let held = blocks / self.places.cluster_blocks().max(1);
        let room = RESIDENT_BYTES / self.places.cluster_bytes(program).max(1);
        room.min(held.into()).max(1).min(self.cluster_count())
    }

    /// Returns the number of blocks that have not begun.
    pub(crate) fn blocks_to_come(&self) -> u64 {
        let clusters = self.cluster_count().saturating_sub(self.next_cluster);
        clusters * u64::from(self.places.cluster_blocks())
    }

    /// Cancels the next cluster, if there is one, and returns its number; it will not begin.
    pub(crate) fn cancel_cluster(&mut self) -> Option<u64> {
        let number = self.next_cluster;
        let is_there = number < self.cluster_count();
        self.next_cluster += u64::from(is_there);
        is_there.then_some(number)
    }

    /// Starts the next cluster, with all its threads at the first instruction.
    pub(crate) fn start_cluster(&mut self, program: &Program) -> Option<Cluster> {
        let number = self.next_cluster;
        if number >= self.cluster_count() {
            return None;
        }
        self.next_cluster += 1;
        let origin = unflatten(number, self.places.clusters());
        let ctas = (0..u64::from(self.places.cluster_blocks())).map(|rank| {
            let within = unflatten(rank, self.places.cluster);
            let id = [0, 1, 2].map(|axis| origin[axis] * self.places.cluster[axis] + within[axis]);
            self.new_cta(program, id, rank as usize)
        });
        let ctas = ctas.collect();
        Some(Cluster {
            ctas,
            barrier: ClusterState::default(),
        })
    }

    fn new_cta(&self, program: &Program, id: [u32; 3], rank: usize) -> Cta {
        let threads = self.places.threads();
        let mut cta = Cta {
            number: flatten(id, self.places.grid),
            id,
            shared: vec![0; self.shared_bytes as usize],
            mbarriers: BTreeMap::new(),
            barriers: Default::default(),
            warps: Vec::new(),
            alive: threads,
            bulk: BTreeMap::new(),
            async_groups: BTreeMap::new(),
            products: BTreeMap::new(),
            registers: program
                .registers_at_entry
                .map(|count| RegisterPool::new(count, threads.div_ceil(LANES as u32))),
        };
        let Some(entry) = program.functions.first() else {
            return cta;
        };
        for warp in 0..threads.div_ceil(LANES as u32) {
            let lanes = (threads - warp * LANES as u32).min(LANES as u32);
            let mask = u32::MAX >> (LANES as u32 - lanes);
            let mut new = Warp {
                registers: vec![[0; LANES]; entry.slots],
                groups: vec![Group {
                    mask,
                    pc: entry.start,
                    ..Group::default()
                }],
                turns_held_back: 0,
                alive: mask,
                local: vec![Vec::new(); LANES],
                cluster_arrived: [None; LANES],
                products: Products::default(),
                partial: Vec::new(),
                unwritten: None,
            };
            for (slot, constant) in &entry.constants {
                for lane in 0..LANES {
                    let thread = warp * LANES as u32 + lane as u32;
                    new.registers[*slot][lane] = self.constant(*constant, id, rank, thread, 0);
                }
            }
            cta.warps.push(new);
        }
        cta
    }
}

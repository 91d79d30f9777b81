//! What runs a decoded kernel: memory, the threads and their schedule, and copies under way.

mod access;
mod deadlock;
mod frames;
mod memory;
mod schedule;
mod state;
mod step;
mod transfer;

use launch::Shape;

pub(crate) use memory::{Located, Memory, of_generic, of_shared, read, write};
pub(crate) use state::{
    Cluster, Cta, Frame, Group, Here, Places, RESIDENT, Wait, Warp, World, flatten, unflatten,
};
pub(crate) use step::{Flow, Step};
pub(crate) use transfer::{BulkGroups, Completion, Piece, Target, Transfer};

use crate::{
    Fault, Observer, Program,
    error::{FaultAt, Trap},
    observer::Origin,
};

/// The shared window of the generic address space; bits 24 and up count the blocks of the cluster,
/// so that an address in `shared::cta` is also one in `shared::cluster`.
pub(crate) const SHARED_WINDOW: u64 = 0x0200_0000_0000;
/// Generic addresses of local memory, the same for each thread.
pub(crate) const LOCAL_WINDOW: u64 = 0x0300_0000_0000;
/// Generic addresses of the kernel's parameters.
pub(crate) const PARAM_WINDOW: u64 = 0x0400_0000_0000;
/// Generic addresses of constants.
pub(crate) const CONST_WINDOW: u64 = 0x0500_0000_0000;
/// Addresses of functions.
pub(crate) const FUNCTION_WINDOW: u64 = 0x0600_0000_0000;
/// Each window has so many bytes.
pub(crate) const WINDOW_BYTES: u64 = 1 << 32;
/// Global memory: variables of the module.
pub(crate) const IMAGE_START: u64 = 0x7e00_0000_0000;
/// Global memory: buffers.
pub(crate) const BUFFERS_START: u64 = 0x7f00_0000_0000;
/// A launch of which the threads of one cluster take more is refused.
pub(crate) const MAX_CLUSTER_BYTES: u64 = 2 << 30;
/// A module whose variables together are larger is refused.
pub(crate) const MAX_IMAGE_BYTES: u64 = 1 << 30;
/// The first bytes of a block's shared memory belong to the system on sm_90.
pub(crate) const SHARED_START: u64 = 1024;
/// Bits of a shared address below the rank of the block.
pub(crate) const SHARED_RANK_SHIFT: u32 = 24;

/// Where the next allocation may begin: a gap catches what runs past the end.
pub(crate) fn next_allocation(address: u64, bytes: u64) -> u64 {
    (address + bytes + (1 << 16)).next_multiple_of(1 << 16)
}

/// How a kernel is run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Chooses the schedule: who runs next, when copies progress.
    pub seed: u64,
    /// Instructions of threads after which a kernel counts as endless.
    pub max_steps: u64,
    /// Whether [`Backend::run`](launch::Backend::run) fails when the [checker](crate::check) finds
    /// something.
    pub checks: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            seed: 0,
            max_steps: 20_000_000_000,
            checks: true,
        }
    }
}

/// What a kernel did, besides changing memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Instructions, each counted once for each thread that executed it.
    pub steps: u64,
    /// What `vprintf` wrote.
    pub printed: String,
}

/// Something went wrong; the place is added where the program is at hand.
#[derive(Clone, Debug)]
pub(crate) struct Trapped {
    pub(crate) trap: Trap,
    pub(crate) what: String,
    pub(crate) origin: Option<Origin>,
}

/// Runs one kernel to its end.
pub(crate) fn run<O: Observer>(
    program: &Program,
    shape: &Shape,
    cluster: Option<[u32; 3]>,
    memory: &mut Memory,
    config: Config,
    observer: &mut O,
) -> Result<Report, Box<Fault>> {
    let mut world = World::new(program, shape, cluster, std::mem::take(memory), config);
    observer.begin(program, shape, cluster.unwrap_or([1; 3]));
    let result = world.run(program, observer);
    let report = Report {
        steps: world.steps,
        printed: std::mem::take(&mut world.printed),
    };
    observer.print(&report.printed);
    let places = world.places;
    *memory = world.memory;
    let result = result.map_err(|Trapped { trap, what, origin }| {
        let at = origin.map(|origin| FaultAt {
            instruction: program.opcode(origin.instruction).to_owned(),
            place: program.place(origin.instruction),
            block: places.block(origin.block),
            thread: places.thread(origin.thread),
        });
        Box::new(Fault { trap, what, at })
    });
    observer.end(result.as_ref().err().map(|fault| &**fault));
    result.map(|()| report)
}

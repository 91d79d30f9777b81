//! The machine: memory, clusters, blocks and warps with their registers, barriers and copies in flight, and the
//! [observer](observer::Observer)'s view of them. It also defines the parts of a program. The meaning of
//! instructions (`inst`) and the schedule (`run`) are elsewhere.

mod access;
mod alu;
mod barrier;
mod calls;
mod fault;
mod frames;
mod freed;
mod heap;
mod issue;
mod mbarrier;
mod memory;
mod names;
pub mod observer;
mod program;
mod registers;
mod report;
mod rings;
mod rng;
mod source;
mod sreg;
mod state;
mod step;
mod transfer;
mod unwritten;

pub(crate) use alu::{Alu, WithCarry};
pub(crate) use barrier::{BarrierState, ClusterState};
use calls::Calls;
pub(crate) use fault::Trapped;
pub use fault::{Fault, FaultAt, Location, Stuck, Trap};
pub(crate) use heap::FreedBy;
pub(crate) use issue::{Issue, Signal, issue, ranks_of, target};
pub(crate) use mbarrier::{MAX_COUNT, Mbarrier};
pub(crate) use memory::{Located, Memory, of_generic, of_shared};
pub(crate) use names::{Names, in_source, parameter_in_source};
pub use program::Program;
pub(crate) use program::{Address, Code, Constant, Function, Line, Operation, Passed, Slot, Space};
pub(crate) use registers::{RegisterPool, at_entry};
pub(crate) use report::ReportCondition;
pub(crate) use rings::{MbarrierInit, Rings};
pub(crate) use rng::Rng;
use source::is_of_library;
pub(crate) use sreg::Special;
pub(crate) use state::{
    Cluster, Cta, Frame, Group, Here, Places, RESIDENT, Wait, Warp, World, flatten, unflatten,
};
pub(crate) use step::{Flow, Step};
pub(crate) use transfer::{BulkGroups, Completion, MANY_GROUPS, Piece, Target, Transfer, Unwaited};
pub(crate) use unwritten::Unwritten;

/// The shared window of the generic address space; bits 24 and up count the blocks of the cluster,
/// so that an address in `shared::cta` is also one in `shared::cluster`.
pub(crate) const SHARED_WINDOW: u64 = 0x0200_0000_0000;
/// Generic addresses of local memory, the same for each thread.
pub(crate) const LOCAL_WINDOW: u64 = 0x0300_0000_0000;
/// Generic addresses of the kernel's parameters.
pub(crate) const PARAM_WINDOW: u64 = 0x0400_0000_0000;
/// Generic addresses of constants.
pub(crate) const CONST_WINDOW: u64 = 0x0500_0000_0000;
/// Start of the addresses of functions.
pub(crate) const FUNCTION_WINDOW: u64 = 0x0600_0000_0000;
/// Size of each window in bytes.
pub(crate) const WINDOW_BYTES: u64 = 1 << 32;
/// Global memory: variables of the module.
pub(crate) const IMAGE_START: u64 = 0x7e00_0000_0000;
/// Start of buffers in global memory.
pub(crate) const BUFFERS_START: u64 = 0x7f00_0000_0000;
/// Limit in bytes of the memory of one cluster's threads; launches that need more are refused.
pub(crate) const MAX_CLUSTER_BYTES: u64 = 2 << 30;
/// Limit in bytes of a module's variables; larger modules are refused.
pub(crate) const MAX_IMAGE_BYTES: u64 = 1 << 30;
/// The first bytes of a block's shared memory belong to the system on sm_90.
pub(crate) const SHARED_START: u64 = 1024;
/// `%reserved_smem_offset_end` of a kernel that reads `%reserved_smem_offset_1`, which is 0, as an H200 has both:
/// cooperative groups take these bytes for tiles of several warps.
pub(crate) const RESERVED_SHARED_END: u64 = 288;
/// Shared memory is allocated in multiples of this. PTX ISA 10.30.
pub(crate) const SHARED_UNIT: u64 = 128;
/// Bits of a shared address below the rank of the block.
pub(crate) const SHARED_RANK_SHIFT: u32 = 24;

/// Returns the lowest address for the next allocation; the gap catches accesses past the end.
pub(crate) fn next_allocation(address: u64, bytes: u64) -> u64 {
    (address + bytes + (1 << 16)).next_multiple_of(1 << 16)
}

/// Settings of a run: its seed, limits and checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Config {
    /// Seed of the schedule: the order of warps and the progress of copies.
    pub seed: u64,
    /// Instructions of threads after which a kernel counts as endless.
    pub max_steps: u64,
    /// Output limit in bytes; further output is dropped and its size reported.
    pub max_printed: usize,
    /// True if [`EmulatorBackend::run`](crate::EmulatorBackend::run) fails on findings of the
    /// [checker](crate::check).
    pub checks: bool,
    /// True if the checker also reports violations without effect in practice: lanes of a warp that store the same value
    /// to the same bytes by one instruction, and uninitialised reads without effect.
    pub strict: bool,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            seed: 0,
            max_steps: 20_000_000_000,
            max_printed: 1 << 20,
            checks: true,
            strict: false,
        }
    }
}

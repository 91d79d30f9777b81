//! The interface through which a checker sees everything that a kernel does.

mod accesses;
mod beside;
mod fence;
mod layout;
mod printer;
mod proxy;
mod turn;
mod view;

use tensor_map::L2Promotion;
use tma_launch::Shape;

pub use accesses::Accesses;
pub(crate) use beside::Beside;
pub use fence::FenceKind;
pub use layout::{BoxLayout, MatrixRead};
pub(crate) use printer::Printer;
pub use proxy::Proxy;
pub use turn::{Pause, Turn};
pub use view::{CopyState, LanesAt, MbarrierState, Register, View};

use super::{Fault, Program};
use crate::value::LANES;

/// Sees every action of a kernel, in the order in which the emulator performs it.
///
/// Every access to memory, every operation on a barrier, every fence, and every step in the life of a copy is
/// one call of [`see`](Self::see).
pub trait Observer {
    /// Called when a kernel begins. The instructions seen from now on are those in `program`. `cluster` is the
    /// number of blocks of a cluster in each dimension, innermost first.
    fn begin(&mut self, program: &Program, shape: &Shape, cluster: [u32; 3]) {
        let _ = (program, shape, cluster);
    }

    /// Called when the kernel has ended, or a fault has ended it.
    fn end(&mut self, fault: Option<&Fault>) {
        let _ = fault;
    }

    /// Called after a turn of a warp's lanes; the events of the turn were seen before.
    fn turn(&mut self, turn: Turn) {
        let _ = turn;
    }

    /// Called when lanes of a warp execute an instruction; if they wait in it, only the first time.
    #[inline]
    fn execute(&mut self, instruction: usize) {
        let _ = instruction;
    }

    /// Returns whether [`see`](Self::see) and the methods of accesses, turns and instructions are to be called; asked
    /// once, when the kernel begins.
    fn watches(&self) -> bool {
        true
    }

    /// Returns whether [`inspect`](Self::inspect) is to be called; asked once, when the kernel begins.
    fn inspects(&self) -> bool {
        false
    }

    /// Called before lanes of a warp execute an instruction or go on with one in which they waited.
    fn inspect(&mut self, view: View<'_>) {
        let _ = view;
    }

    /// Returns the number of findings so far.
    fn findings(&self) -> usize {
        0
    }

    /// Called for an `event` that `origin` caused.
    fn see(&mut self, origin: Origin, event: Event);

    /// Sees an ordinary access, the most frequent action: like [`see`](Self::see) with an [`Event::Access`] in
    /// the generic proxy that belongs to no copy. Returns a mask of the bytes that are read uninitialised. The
    /// machine follows their values and reports [uses](Event::UnwrittenUse).
    #[inline]
    fn see_access(&mut self, origin: Origin, access: OrdinaryAccess) -> u32 {
        self.see(origin, access.event(Proxy::Generic));
        0
    }

    /// Sees accesses of several lanes of a warp by one instruction, in lane order. The default calls
    /// [`see_access`](Self::see_access) for each. Returns the results by lane.
    fn see_accesses(&mut self, origin: Origin, accesses: &Accesses) -> [u32; LANES] {
        accesses.each(origin, |origin, access| match accesses.proxy {
            Proxy::Generic => self.see_access(origin, access),
            proxy => {
                self.see(origin, access.event(proxy));
                0
            }
        })
    }

    /// Returns whether the lanes of a warp should run together wherever they can, as on a GPU. Otherwise the seed may
    /// let some of them run ahead.
    fn keeps_warps_together(&self) -> bool {
        false
    }

    /// Called with the output of a kernel that has ended. The default writes it to standard output.
    fn print(&mut self, text: &str) {
        print!("{text}");
    }
}

/// The thread and the instruction that caused an event. For a copy, those that issued it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Origin {
    /// Number of the block in its grid, `x` fastest.
    pub block: u64,
    /// Number of the thread in its block, `x` fastest.
    pub thread: u32,
    /// Index of the instruction, for [`Program::location`](super::Program::location).
    pub instruction: usize,
    /// The calls by which the thread came there: a number of an [`Event::Call`], or 0 in the kernel itself.
    pub calls: u32,
}

/// Memory that an address refers to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Memory {
    /// Global memory; addresses are generic ones.
    Global,
    /// The shared memory of one block; addresses count from its start.
    Shared {
        /// Number of the block in its grid.
        block: u64,
    },
    /// Local memory of one thread.
    Local,
    /// Constant memory of the module.
    Const,
    /// Parameter memory of the kernel.
    Param,
}

/// Consecutive bytes of one memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    /// Memory that contains the bytes.
    pub memory: Memory,
    /// Address of the first byte in its memory.
    pub address: u64,
    /// Length of the range in bytes.
    pub bytes: u32,
}

/// Kind of an access: read, write, or atomic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// A read that changes no byte.
    Read,
    /// A write that reads no byte.
    Write,
    /// Reads and writes them in one step.
    Atomic,
}

/// Memory ordering of an instruction (PTX ISA, section 8.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sem {
    /// No ordering, and data races are errors.
    #[default]
    Weak,
    /// `.relaxed`, `.volatile`
    Relaxed,
    /// `.acquire`
    Acquire,
    /// `.release`
    Release,
    /// `.acq_rel`
    AcqRel,
    /// `.sc`
    Sc,
}

/// The set of threads that an ordering includes (PTX ISA, section 8.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scope {
    /// All threads of the block.
    #[default]
    Cta,
    /// All threads of the cluster.
    Cluster,
    /// All threads of the device.
    Gpu,
    /// Threads of the whole system.
    Sys,
}

/// An access by an instruction of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OrdinaryAccess {
    /// Kind of the access: read, write, or atomic.
    pub kind: AccessKind,
    /// Memory ordering of the access.
    pub sem: Sem,
    /// Scope of the threads that the ordering includes.
    pub scope: Scope,
    /// Bytes that the thread accesses.
    pub range: Range,
    /// A mask of the bytes whose value a write changes; all bits if unknown.
    pub changed: u32,
}

/// Use of a value by the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Used {
    /// Condition of a branch or guard.
    Branch,
    /// The value is the address of an access.
    Address,
    /// Stored value of global memory, or operand of an atomic.
    Store,
    /// Operand of an operation that is not followed: local memory, a function call, a matrix product.
    Unknown,
}

/// The number of a copy, unique in its launch.
pub type CopyId = u64;

/// An event of a thread or a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Event {
    /// An access by an instruction, or by a copy that it issued.
    Access {
        /// Proxy by which the thread accesses memory.
        proxy: Proxy,
        /// Kind of the access: read, write, or atomic.
        kind: AccessKind,
        /// Memory ordering of the access.
        sem: Sem,
        /// Scope of the threads that the ordering includes.
        scope: Scope,
        /// Bytes that the thread accesses.
        range: Range,
        /// Copy that performs the access, if one does.
        copy: Option<CopyId>,
    },
    /// The thread arrived at a barrier of its block.
    BarrierArrive {
        /// Number of the barrier in its block, 0 to 15.
        barrier: u32,
        /// Number of times the barrier had completed before.
        generation: u64,
        /// The number of threads that the instruction names; 0 for all of the block.
        threads: u32,
        /// True if the thread waits for the others.
        waits: bool,
        /// True if the whole warp must execute the instruction (`.aligned`).
        aligned: bool,
    },
    /// The thread was let through a barrier of its block.
    BarrierPass {
        /// Number of the barrier in its block, 0 to 15.
        barrier: u32,
        /// Generation, as at the arrival.
        generation: u64,
    },
    /// The thread arrived at the barrier of its cluster.
    ClusterArrive {
        /// Number of times the barrier had completed before.
        generation: u64,
        /// Release or relaxed ordering.
        sem: Sem,
        /// True if the whole warp must execute the instruction (`.aligned`).
        aligned: bool,
    },
    /// The thread was let through the barrier of its cluster.
    ClusterPass {
        /// Generation, as at the arrival.
        generation: u64,
    },
    /// Bytes lose their value: in global memory by `discard`, or in shared memory by a store of an
    /// uninitialised value.
    Discard(Range),
    /// The thread enters a function in a way that none did before.
    Call {
        /// The number of this call and those before it.
        calls: u32,
    },
    /// The thread uses an uninitialised value, or may use it.
    UnwrittenUse {
        /// The instruction that read it.
        read: usize,
        /// Use that the program makes of the value.
        used: Used,
    },
    /// The lane shuffled from this lane, which did not take part.
    ShuffleOutside {
        /// The lane that was to be read.
        from: u32,
    },
    /// A lane of a warp executed `setmaxnreg`.
    SetMaxRegisters {
        /// Registers of each thread from now on.
        count: u32,
        /// Registers before, if the kernel declares its registers per thread.
        before: Option<u32>,
        /// True for `.inc`, false for `.dec`.
        increases: bool,
    },
    /// The thread synchronised with others of its warp; these are the lanes.
    WarpMeet {
        /// Mask of the lanes that the instruction names.
        members: u32,
        /// True if memory is ordered (`bar.warp.sync`).
        orders: bool,
    },
    /// The thread meets another one of its warp, which is at another `bar.warp.sync`.
    WarpMeetElsewhere(Origin),
    /// Lanes of the thread's warp took part in a collective that PTX does not specify as ordering memory: a shuffle, a
    /// vote, a match, a reduction, an election. The first of them reports it for all.
    WarpCollective {
        /// Mask of the lanes of the event.
        lanes: u32,
        /// True where lanes get what depends on values of others: for all but an election.
        exchanges: bool,
    },
    /// The thread accesses a register of a `wgmma` that no wait of its warp has covered.
    ProductRegister {
        /// Index of the `wgmma` among the instructions.
        issue: usize,
    },
    /// The thread issues a `wgmma`, and no `wgmma.fence` is between it and an access to one of its registers.
    ProductUnfenced {
        /// Index of the access; without one, the warp has executed no fence at all.
        access: Option<usize>,
        /// True for accumulators accessed between the fence and the first product after it, as in code from
        /// nvcc.
        is_early: bool,
    },
    /// The thread issues a `wgmma` with another descriptor than the first warp of its warpgroup, which provides
    /// the descriptor.
    ProductDescriptor,
    /// The warps of the thread's warpgroup, with this thread as the first, have met at a `wgmma`. That orders
    /// no memory.
    WarpgroupMeet,
    /// An operation on an mbarrier.
    Mbarrier {
        /// Bytes of the mbarrier object.
        range: Range,
        /// Operation on the mbarrier object.
        operation: MbarrierEvent,
        /// Memory ordering of the operation.
        sem: Sem,
        /// Scope of the threads that the ordering includes.
        scope: Scope,
    },
    /// A thread executed a fence.
    Fence(FenceKind),
    /// A copy was issued.
    CopyIssue {
        /// Number of the copy, unique in its launch.
        copy: CopyId,
        /// Completion mechanism of the copy.
        completion: CopyCompletion,
        /// Number of bytes that it delivers in all.
        bytes: u32,
    },
    /// Bytes that a copy will access between its issue and its completion. All of them are reported right after
    /// the issue.
    CopyPlan {
        /// Number of the copy, unique in its launch.
        copy: CopyId,
        /// Proxy by which the copy accesses memory.
        proxy: Proxy,
        /// Reading, writing, or reducing.
        kind: AccessKind,
        /// Bytes that the copy accesses.
        range: Range,
    },
    /// A tensor copy has a box in shared memory.
    CopyBox {
        /// Number of the copy, unique in its launch.
        copy: CopyId,
        /// Memory that contains the box.
        memory: Memory,
        /// Layout of the box in its memory.
        tile: BoxLayout,
        /// Bytes that the L2 cache fetches at once for the box.
        l2_promotion: L2Promotion,
    },
    /// Warps of a warpgroup, with this thread as the first, issue a `wgmma` that reads a matrix in their
    /// block's shared memory.
    ProductMatrix(MatrixRead),
    /// A copy has read all of its source.
    CopyRead(CopyId),
    /// A copy has completed.
    CopyDone(CopyId),
    /// The thread closed a bulk group.
    GroupCommit {
        /// Kind of the work that the group contains.
        kind: GroupKind,
        /// Number of the group within the thread.
        group: u64,
    },
    /// The thread waited for its bulk groups.
    GroupWait {
        /// Kind of the work that the groups contain.
        kind: GroupKind,
        /// The first group that may still be in flight.
        until: u64,
        /// True if it waited for the reads alone (`.read`).
        read: bool,
    },
    /// The thread knows that the earlier launches have ended, and sees their writes (`griddepcontrol.wait`).
    GridWait,
    /// The thread lets the next launch begin, once all blocks have done so or are over
    /// (`griddepcontrol.launch_dependents`).
    GridLaunchDependents,
    /// The thread allocated uninitialised memory of the device heap.
    Malloc {
        /// Address of the first byte of the allocation.
        address: u64,
        /// Size of the allocation in bytes.
        bytes: u64,
    },
    /// The thread frees memory of the device heap.
    Free {
        /// Address of the first byte of the allocation.
        address: u64,
        /// Size of the allocation in bytes.
        bytes: u64,
    },
    /// A thread of the kernel started.
    ThreadStart,
    /// A thread of the kernel ended.
    ThreadExit,
}

/// Completion mechanism of a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopyCompletion {
    /// The copy completes on this mbarrier, which counts its bytes.
    Mbarrier(Range),
    /// A group of its thread, counted within the thread.
    Group(GroupKind, u64),
    /// No signal: only the end of its block waits for it.
    Nothing,
}

/// The kinds of groups that a thread has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupKind {
    /// Bulk and tensor copies (`cp.async.bulk.commit_group`).
    Bulk,
    /// `cp.async` copies (`cp.async.commit_group`).
    Async,
    /// Products of a warpgroup (`wgmma.commit_group`), which its first thread issues as read-only copies.
    Wgmma,
}

/// An operation on an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MbarrierEvent {
    /// `mbarrier.init`
    Init {
        /// Number of expected arrivals.
        count: u32,
    },
    /// `mbarrier.inval`
    Inval,
    /// More bytes are expected in this phase.
    ExpectTx {
        /// Number of bytes that the phase expects in addition.
        bytes: u32,
        /// Number of the barrier's phase, from 0.
        phase: u64,
    },
    /// Bytes have come; of a copy, or by `mbarrier.complete_tx`.
    CompleteTx {
        /// Number of bytes that have arrived.
        bytes: u32,
        /// Number of the barrier's phase, from 0.
        phase: u64,
        /// Number of the copy, if one delivers them.
        copy: Option<CopyId>,
    },
    /// Threads or copies arrive at the barrier.
    Arrive {
        /// Number of arrivals by this operation.
        count: u32,
        /// Number of the barrier's phase, from 0.
        phase: u64,
        /// True if the expected count of later phases decreases by the same number.
        drops: bool,
    },
    /// More arrivals than the phase waits for, which end the kernel.
    TooMany {
        /// Number of the barrier's phase, from 0.
        phase: u64,
    },
    /// `cp.async.mbarrier.arrive`, with its arrival still to come.
    AsyncArriveIssue {
        /// True if the phase waits for this arrival in addition (without `.noinc`).
        increments: bool,
    },
    /// The arrival of a `cp.async.mbarrier.arrive`: all earlier `cp.async` of its thread are complete.
    AsyncArrive {
        /// Number of the barrier's phase, from 0.
        phase: u64,
        /// The earlier `cp.async` of the thread have lower numbers than this.
        copies_before: CopyId,
    },
    /// The phase was completed by the last arrival or the last bytes.
    PhaseDone {
        /// Number of the barrier's phase, from 0.
        phase: u64,
    },
    /// A wait that found its phase complete.
    WaitDone {
        /// The phase that was waited for.
        phase: u64,
        /// True if the wait names the phase by its last bit alone.
        by_parity: bool,
    },
    /// A wait that found its phase incomplete.
    WaitPending {
        /// The phase that was waited for.
        phase: u64,
        /// True if the wait names the phase by its last bit alone.
        by_parity: bool,
    },
    /// A wait with an unused result.
    WaitUnused,
}

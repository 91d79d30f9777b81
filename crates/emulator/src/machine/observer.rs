//! The one place through which everything passes that a checker may want to know.

mod accesses;
mod layout;
mod proxy;
mod turn;

use tma_launch::Shape;

pub use accesses::Accesses;
pub use layout::{BoxLayout, MatrixRead};
pub use proxy::Proxy;
pub use turn::{Pause, Turn};

use super::{Fault, Program};
use crate::value::LANES;

/// Sees what a kernel does, in the order in which the emulator does it.
///
/// Every access to memory, every operation on a barrier, every fence, and every step in the life of
/// a copy is one call of [`see`](Self::see).
pub trait Observer {
    /// A kernel begins. The instructions that are seen from now on are those of `program`; `cluster`
    /// counts the blocks of a cluster, innermost first.
    fn begin(&mut self, program: &Program, shape: &Shape, cluster: [u32; 3]) {
        let _ = (program, shape, cluster);
    }

    /// The kernel is over, or something has ended it.
    fn end(&mut self, fault: Option<&Fault>) {
        let _ = fault;
    }

    /// Lanes of a warp had a turn. What they did in it was seen before.
    fn turn(&mut self, turn: Turn) {
        let _ = turn;
    }

    /// Lanes of a warp execute an instruction, the first time of several where they wait in it.
    #[inline]
    fn execute(&mut self, instruction: usize) {
        let _ = instruction;
    }

    /// `event` was done by `origin`.
    fn see(&mut self, origin: Origin, event: Event);

    /// An ordinary access, which is most of what there is to see: as [`see`](Self::see) of an
    /// [`Event::Access`] in the generic proxy that belongs to no copy. The answer has a bit for each byte that is read and
    /// has no value, since nobody has written it; the machine then says where that value [is
    /// used](Event::UnwrittenUse).
    #[inline]
    fn see_access(&mut self, origin: Origin, access: OrdinaryAccess) -> u32 {
        self.see(origin, access.event(Proxy::Generic));
        0
    }

    /// Accesses by one instruction of several lanes of a warp, in the order of the lanes: a call of
    /// [`see_access`](Self::see_access) for each unless the observer has its own. The answers are those of the calls, by
    /// lane.
    fn see_accesses(&mut self, origin: Origin, accesses: &Accesses) -> [u32; LANES] {
        accesses.each(origin, |origin, access| match accesses.proxy {
            Proxy::Generic => self.see_access(origin, access),
            proxy => {
                self.see(origin, access.event(proxy));
                0
            }
        })
    }

    /// A kernel that is over, or was ended, has printed a text. It goes to standard output unless
    /// the observer wants it elsewhere.
    fn print(&mut self, text: &str) {
        print!("{text}");
    }
}

/// An observer that the machine is compiled for.
pub(crate) trait Watch: Observer {
    /// False if [`see`](Observer::see) is never called.
    const WATCHES: bool = true;
}

/// Sees nothing but what is printed.
pub(crate) struct Printer<'a>(pub &'a mut dyn FnMut(&str));

impl Observer for Printer<'_> {
    fn see(&mut self, _: Origin, _: Event) {}

    fn print(&mut self, text: &str) {
        (self.0)(text);
    }
}

impl Watch for Printer<'_> {
    const WATCHES: bool = false;
}

/// Calls an observer through a pointer: the machine is compiled once for all of them.
impl Observer for &mut dyn Observer {
    fn begin(&mut self, program: &Program, shape: &Shape, cluster: [u32; 3]) {
        (**self).begin(program, shape, cluster);
    }

    fn end(&mut self, fault: Option<&Fault>) {
        (**self).end(fault);
    }

    fn turn(&mut self, turn: Turn) {
        (**self).turn(turn);
    }

    fn execute(&mut self, instruction: usize) {
        (**self).execute(instruction);
    }

    fn see(&mut self, origin: Origin, event: Event) {
        (**self).see(origin, event);
    }

    fn see_access(&mut self, origin: Origin, access: OrdinaryAccess) -> u32 {
        (**self).see_access(origin, access)
    }

    fn see_accesses(&mut self, origin: Origin, accesses: &Accesses) -> [u32; LANES] {
        (**self).see_accesses(origin, accesses)
    }

    fn print(&mut self, text: &str) {
        (**self).print(text);
    }
}

impl Watch for &mut dyn Observer {}

/// The thread and the instruction that caused an event. For a copy, those that issued it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Origin {
    /// Number of the block in its grid, `x` fastest.
    pub block: u64,
    /// Number of the thread in its block, `x` fastest.
    pub thread: u32,
    /// Index of the instruction; [`Program::location`](super::Program::location) says where it stands.
    pub instruction: usize,
    /// The calls by which the thread came there: a number of an [`Event::Call`], or 0 in the kernel itself.
    pub calls: u32,
}

/// The memory of an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Memory {
    /// Global memory; addresses are generic ones.
    Global,
    /// The shared memory of one block; addresses count from its start.
    Shared {
        /// Number of the block in its grid.
        block: u64,
    },
    /// Local memory of the thread.
    Local,
    /// Constant memory.
    Const,
    /// Parameters of the kernel.
    Param,
}

/// Bytes of one memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Range {
    /// The memory.
    pub memory: Memory,
    /// The first byte.
    pub address: u64,
    /// How many.
    pub bytes: u32,
}

/// The kind of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AccessKind {
    /// Reads them.
    Read,
    /// Writes them.
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

/// The set of threads that an ordering is about (PTX ISA, section 8.5).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Scope {
    /// The block.
    #[default]
    Cta,
    /// The cluster.
    Cluster,
    /// The device.
    Gpu,
    /// Everything.
    Sys,
}

/// An access by an instruction of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OrdinaryAccess {
    /// Reading or writing.
    pub kind: AccessKind,
    /// Its ordering.
    pub sem: Sem,
    /// The scope of the ordering.
    pub scope: Scope,
    /// The bytes.
    pub range: Range,
    /// Of a write: the bytes that get another value than they have, a bit for each. All bits where that is not known.
    pub changed: u32,
}

/// The use of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Used {
    /// It decides what is executed.
    Branch,
    /// It is an address.
    Address,
    /// It is written to global memory, or operand of an atomic.
    Store,
    /// It goes where values are not followed: to local memory, a function, a product of matrices.
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
        /// By which path.
        proxy: Proxy,
        /// Reading or writing.
        kind: AccessKind,
        /// Its ordering.
        sem: Sem,
        /// The scope of the ordering.
        scope: Scope,
        /// The bytes.
        range: Range,
        /// The copy, when it is one.
        copy: Option<CopyId>,
    },
    /// The thread arrived at a barrier of its block.
    BarrierArrive {
        /// Its number.
        barrier: u32,
        /// How often the barrier had completed before.
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
        /// Its number.
        barrier: u32,
        /// As at the arrival.
        generation: u64,
    },
    /// The thread arrived at the barrier of its cluster.
    ClusterArrive {
        /// How often the barrier had completed before.
        generation: u64,
        /// Release or relaxed.
        sem: Sem,
        /// True if the whole warp must execute the instruction (`.aligned`).
        aligned: bool,
    },
    /// The thread was let through the barrier of its cluster.
    ClusterPass {
        /// As at the arrival.
        generation: u64,
    },
    /// Bytes hold no value any more: of global memory by `discard`, or of shared memory where a value is stored that
    /// comes from memory that nobody has written.
    Discard(Range),
    /// The thread enters a function in a way that none did before.
    Call {
        /// The number of this call and those before it.
        calls: u32,
    },
    /// The thread uses a value that comes from memory that nobody has written, or may use it.
    UnwrittenUse {
        /// The instruction that read it.
        read: usize,
        /// By what.
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
        /// Those before, where the kernel says how many its threads begin with.
        before: Option<u32>,
        /// True for `.inc`.
        increases: bool,
    },
    /// The thread synchronised with others of its warp; these are the lanes.
    WarpMeet {
        /// One bit for each lane.
        members: u32,
        /// True if memory is ordered (`bar.warp.sync`).
        orders: bool,
    },
    /// The thread meets another one of its warp, which is at another `bar.warp.sync`.
    WarpMeetElsewhere(Origin),
    /// Lanes of the thread's warp took part in a collective that orders no memory by the letter: a shuffle, a vote, a
    /// match, a reduction, an election. The first of them tells it for all.
    WarpCollective {
        /// One bit for each lane.
        lanes: u32,
        /// True where lanes get what depends on values of others: for all but an election.
        exchanges: bool,
    },
    /// The thread accesses a register of a `wgmma` that no wait of its warp has covered.
    ProductRegister {
        /// Index of the `wgmma`.
        issue: usize,
    },
    /// The thread issues a `wgmma`, and no `wgmma.fence` is between it and an access to one of its registers.
    ProductUnfenced {
        /// Index of the access; without one, the warp has executed no fence at all.
        access: Option<usize>,
        /// True for sums between the fence and the first product behind it, as in code that nvcc makes.
        is_early: bool,
    },
    /// The thread issues a `wgmma` with another descriptor than the first warp of its warpgroup, whose
    /// descriptor counts.
    ProductDescriptor,
    /// The warps of the thread's warpgroup, whose first it is, have met at a `wgmma`. That orders no memory.
    WarpgroupMeet,
    /// An operation on an mbarrier.
    Mbarrier {
        /// The object.
        range: Range,
        /// The operation.
        operation: MbarrierEvent,
        /// Its ordering.
        sem: Sem,
        /// The scope of the ordering.
        scope: Scope,
    },
    /// A fence.
    Fence(FenceKind),
    /// A copy was issued.
    CopyIssue {
        /// The copy.
        copy: CopyId,
        /// How its completion is signalled.
        completion: CopyCompletion,
        /// All bytes that it delivers.
        bytes: u32,
    },
    /// Bytes that a copy will access, some time between its issue and its completion. They are all
    /// told right after the issue.
    CopyPlan {
        /// The copy.
        copy: CopyId,
        /// By which path.
        proxy: Proxy,
        /// Reading, writing, or reducing.
        kind: AccessKind,
        /// The bytes.
        range: Range,
    },
    /// A tensor copy has a box in shared memory.
    CopyBox {
        /// The copy.
        copy: CopyId,
        /// The memory of the box.
        memory: Memory,
        /// How it lies there.
        tile: BoxLayout,
    },
    /// Warps of a warpgroup, whose first the thread is in, issue a `wgmma` that reads a matrix in their block's shared
    /// memory.
    ProductMatrix(MatrixRead),
    /// A copy has read all of its source.
    CopyRead(CopyId),
    /// A copy is complete.
    CopyDone(CopyId),
    /// The thread closed a bulk group.
    GroupCommit {
        /// Of which kind.
        kind: GroupKind,
        /// Counted within the thread.
        group: u64,
    },
    /// The thread waited for its bulk groups.
    GroupWait {
        /// Of which kind.
        kind: GroupKind,
        /// The first group that may still be under way.
        until: u64,
        /// True if it waited for the reads alone (`.read`).
        read: bool,
    },
    /// The thread knows that the launches before are over, and what they wrote (`griddepcontrol.wait`).
    GridWait,
    /// The thread lets the next launch begin, once all blocks have done so or are over
    /// (`griddepcontrol.launch_dependents`).
    GridLaunchDependents,
    /// The thread allocated memory of the device heap, in which nobody has written.
    Malloc {
        /// Where it begins.
        address: u64,
        /// How many bytes.
        bytes: u64,
    },
    /// The thread frees memory of the device heap.
    Free {
        /// Where it begins.
        address: u64,
        /// How many bytes.
        bytes: u64,
    },
    /// The thread began.
    ThreadStart,
    /// The thread is over.
    ThreadExit,
}

/// How the completion of a copy is signalled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CopyCompletion {
    /// This mbarrier, which counts its bytes.
    Mbarrier(Range),
    /// A group of its thread, counted within the thread.
    Group(GroupKind, u64),
    /// Nothing but the end of its block.
    Nothing,
}

/// The kinds of groups that a thread has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum GroupKind {
    /// Of bulk and tensor copies (`cp.async.bulk.commit_group`).
    Bulk,
    /// Of `cp.async` (`cp.async.commit_group`).
    Async,
    /// Of the products of a warpgroup (`wgmma.commit_group`), which its first thread issues as copies that
    /// read alone.
    Wgmma,
}

/// An operation on an mbarrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MbarrierEvent {
    /// `mbarrier.init`
    Init {
        /// Expected arrivals.
        count: u32,
    },
    /// `mbarrier.inval`
    Inval,
    /// More bytes are expected in this phase.
    ExpectTx {
        /// How many.
        bytes: u32,
        /// The phase.
        phase: u64,
    },
    /// Bytes have come; of a copy, or by `mbarrier.complete_tx`.
    CompleteTx {
        /// How many.
        bytes: u32,
        /// The phase.
        phase: u64,
        /// The copy.
        copy: Option<CopyId>,
    },
    /// Arrivals.
    Arrive {
        /// How many.
        count: u32,
        /// The phase.
        phase: u64,
        /// True if the expected count of later phases falls by as many.
        drops: bool,
    },
    /// More arrivals than the phase waits for, which end the kernel.
    TooMany {
        /// The phase.
        phase: u64,
    },
    /// `cp.async.mbarrier.arrive`, whose arrival is still to come.
    AsyncArriveIssue,
    /// An arrival by `cp.async.mbarrier.arrive`, at last: all `cp.async` that its thread issued before
    /// are complete.
    AsyncArrive {
        /// The phase.
        phase: u64,
        /// The earlier `cp.async` of the thread have lower numbers than this.
        copies_before: CopyId,
    },
    /// The phase was completed by the last arrival or the last bytes.
    PhaseDone {
        /// The phase.
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
    /// A wait whose result decides nothing.
    WaitUnused,
}

/// Kinds of fences (PTX ISA, section 9.7.13.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FenceKind {
    /// `fence`, `membar`
    Thread {
        /// Its ordering.
        sem: Sem,
        /// Its scope.
        scope: Scope,
    },
    /// `fence.mbarrier_init`
    MbarrierInit,
    /// `fence.proxy.alias`
    ProxyAlias,
    /// `fence.proxy.async`; with the memories that it orders.
    ProxyAsync {
        /// Global memory.
        global: bool,
        /// Shared memory.
        shared: bool,
    },
    /// `fence.proxy.async::generic`: an order of one direction, within the cluster.
    ProxyAsyncGeneric {
        /// Release of this block's shared memory, or acquire of that of the cluster.
        sem: Sem,
        /// Its scope.
        scope: Scope,
    },
    /// `fence.proxy.tensormap`
    ProxyTensorMap {
        /// Acquire or release.
        sem: Sem,
        /// Its scope.
        scope: Scope,
        /// The generic address of the map, when it is an acquire.
        address: u64,
    },
}

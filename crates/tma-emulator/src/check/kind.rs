//! The kinds of diagnostics, each with its rule and its usual fix.

use std::fmt::{self, Display, Formatter};

/// Severity of a kind of violation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// A violation that may be intended.
    Warning,
    /// A violation that is always a defect.
    Error,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $kind:ident $name:literal $severity:ident $title:literal $rule:literal $help:literal)*) => {
        /// Kinds of violations that the checker reports.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum DiagnosticKind {
            $(
                $(#[$doc])*
                #[doc = concat!("\nPTX ISA 9.1, ", $rule, ". The usual fix: ", $help, ".")]
                $kind,
            )*
        }

        impl DiagnosticKind {
            /// All kinds, in the order of their declaration.
            pub const ALL: &[Self] = &[$(Self::$kind),*];

            /// Returns the name in kebab case.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$kind => $name,)* }
            }

            /// Returns the severity of findings of this kind.
            pub const fn severity(self) -> Severity {
                match self { $(Self::$kind => Severity::$severity,)* }
            }

            /// Returns the kind in one sentence.
            pub const fn title(self) -> &'static str {
                match self { $(Self::$kind => $title,)* }
            }

            /// Returns the sections of PTX ISA 9.1 that state the rule.
            pub const fn rule(self) -> &'static str {
                match self { $(Self::$kind => $rule,)* }
            }

            /// Returns the usual fix, as the report prints it.
            pub const fn help(self) -> &'static str {
                match self { $(Self::$kind => $help,)* }
            }
        }
    };
}

kinds! {
    /// No proxy fence between ordinary writes and a copy that touches the bytes.
    MissingProxyFence "missing-proxy-fence" Error
    "a copy touches bytes that were written by ordinary stores, with no proxy fence between"
    "9.7.9.25.2, 9.7.13.4"
    "every thread that writes executes `fence.proxy.async`, then all synchronise at a barrier, then one thread issues the copy"
    /// Proxy fences exist, but none is on the path from the writes to the copy.
    MisplacedProxyFence "misplaced-proxy-fence" Error
    "a copy touches bytes that were written by ordinary stores, and no proxy fence is on the path from the writes to the copy"
    "9.7.9.25.2, 9.7.13.4"
    "every thread that writes executes `fence.proxy.async` after its writes and before the barrier that the issuing thread waits at"
    /// Bytes of a copy are read before it is known to be complete.
    ReadBeforeCompletion "read-before-completion" Error
    "bytes are read while the copy that writes them may be in flight"
    "9.7.9.25.2"
    "wait for the phase of the mbarrier that counts the copy's bytes, or for the bulk group without `.read`, before reading"
    /// A wait passes, or can pass, for an earlier phase than the one that the thread needs.
    WrongPhase "wrong-phase" Error
    "a wait at an mbarrier passes, or may pass, for an earlier phase than the thread needs"
    "9.7.13.15"
    "wait for every phase in turn, phase n with parity n & 1; a thread that skips phase n - 1 must learn from another thread that it is complete before it waits for phase n"
    /// The result of a wait is not used.
    UnusedWaitResult "unused-wait-result" Error
    "the result of `mbarrier.test_wait` or `mbarrier.try_wait` is not used, so its thread does not wait"
    "9.7.13.15.16"
    "repeat the wait until its predicate is true: `try_wait` returns after a time limit that the hardware chooses"
    /// Expected bytes and delivered bytes of a phase differ.
    TransactionBytes "transaction-bytes" Error
    "the bytes that a phase of an mbarrier expects differ from the bytes that its copies deliver"
    "9.7.13.15"
    "expect exactly the bytes that the copies deliver: a tensor copy counts its whole box, out of bounds or not, and a multicast counts in every receiver"
    /// A copy delivers bytes to an mbarrier that expects none.
    UnarmedReceiver "unarmed-receiver" Error
    "a copy delivers bytes to an mbarrier that expects none"
    "9.7.13.15, 9.7.9.25.4"
    "announce the copy's bytes with `mbarrier.arrive.expect_tx`; for a multicast, in every receiving block at its own barrier"
    /// Bytes are expected without order against the arrivals of the phase.
    ExpectTxNotOrdered "expect-tx-not-ordered" Error
    "bytes are expected at an mbarrier with no order against the arrivals that complete a phase, and may count in another one"
    "9.7.13.15"
    "the thread that expects the bytes arrives after that, as `mbarrier.arrive.expect_tx` does, or synchronises with a thread that arrives later"
    /// A waiter may miss a phase, since a wait sees only the parity.
    LappedWaiter "lapped-waiter" Error
    "an mbarrier can complete another phase before a waiter has seen the last one, and the waiter would wait for the wrong one"
    "9.7.13.15"
    "each waiter arrives somewhere (at an `empty` barrier, at `bar.sync`) before the next phase can complete"
    /// The source of a bulk store, or of a copy to another block of the cluster, is written before it was read.
    StoreSourceOverwritten "store-source-overwritten" Error
    "the source of a store or of a copy to a peer is written while it may still be read"
    "9.7.9.25.2, 9.7.9.27.2"
    "the thread that committed the bulk group waits with `cp.async.bulk.wait_group.read`, and a barrier passes that on, before the buffer is written again"
    /// A thread waits for a bulk group of another thread.
    GroupWaitByOtherThread "group-wait-by-other-thread" Error
    "a thread waits for a bulk group that another thread committed; its wait covers only its own groups"
    "9.7.9.27.2"
    "bulk groups belong to the thread that issued the copies: the same thread commits and waits"
    /// An operand of a warpgroup's product is overwritten before the product is known to be complete.
    ProductSourceOverwritten "product-source-overwritten" Error
    "shared memory is written while a product of a warpgroup may still read it"
    "9.7.14.7.3, 9.7.14.7.4"
    "execute `wgmma.wait_group` for the group of the product before writing, or before signalling the thread that writes"
    /// A register of a product of a warpgroup is accessed before it is complete.
    ProductRegisterInFlight "product-register-in-flight" Error
    "a register is accessed while a product of a warpgroup may still use it"
    "9.7.14.7.3, 9.7.14.7.6"
    "execute `wgmma.commit_group` after the product and `wgmma.wait_group` before the access"
    /// Registers of a warpgroup's product were accessed, without a fence between the access and the product.
    MissingProductFence "missing-product-fence" Error
    "a product of a warpgroup is issued, and no `wgmma.fence` orders it after accesses to its registers"
    "9.7.14.7.1, 9.7.14.7.3"
    "execute `wgmma.fence` before the first product, and after each access to registers of the accumulator or of A"
    /// Accumulator registers were accessed between the fence and the first product.
    SumsSetAfterFence "sums-set-after-fence" Warning
    "accumulator registers are accessed between `wgmma.fence` and the first product that uses them, where ptxas adds a fence of its own (C7519)"
    "9.7.14.7.1"
    "execute `wgmma.fence` after the last access to accumulator registers; nvcc itself zeroes them there, which `scale-d` makes unnecessary"
    /// A product reads a matrix with another layout than a tensor copy stored.
    ProductLayout "product-layout" Warning
    "the descriptor of a product's matrix does not match the box that a tensor copy wrote there, or reads bytes twice"
    "5.5.7, 9.7.14.7"
    "make the descriptor match the tensor map: same swizzle, base offset 0, and a stride of eight box rows of one swizzle span each; rows or columns outside the box need a descriptor of their own; without a swizzle, load boxes with rows of 16 bytes, and let the offsets step between groups of eight such rows"
    /// A pipeline filled no stage twice. Without [`Config::strict`](crate::Config::strict) it is a note.
    StagesFilledOnce "stages-filled-once" Warning
    "no stage of a pipeline is filled a second time, so the run has not tested its releases"
    "9.7.13.15"
    "process more than STAGES items in each block, so that stages are filled again after their release"
    /// A load writes a stage that threads still read.
    StageStillRead "stage-still-read" Error
    "a load is issued into bytes that other threads may still read"
    "8.9, 9.7.9.25.2"
    "readers arrive at an `empty` barrier (or all synchronise with `bar.sync`) after their last read, and the issuing thread waits there"
    /// An ordinary write to the destination of a load.
    DestinationOverwritten "destination-overwritten" Error
    "bytes are written while a copy into them may be in flight"
    "9.7.9.25.2"
    "wait for the copy to complete before writing to its destination"
    /// The kernel ends while a bulk store reads shared memory.
    ExitWithReadsInFlight "exit-with-reads-in-flight" Error
    "a thread ends without having waited until its bulk stores have read shared memory"
    "9.7.9.27.2"
    "execute `cp.async.bulk.wait_group.read 0` (after `commit_group`) before the thread ends"
    /// The block ends while a copy uses its shared memory.
    ExitWithCopyInFlight "exit-with-copy-in-flight" Error
    "a block ends while a copy into or out of its shared memory may be in flight, since no thread waited for it"
    "9.7.9.25.2"
    "wait for every issued copy, including prefetched ones that are not used"
    /// A block of a cluster ends while a peer uses its shared memory.
    ExitWhilePeerAccesses "exit-while-peer-accesses" Error
    "a block of a cluster may end before a peer's access to its shared memory"
    "9.7.13.3"
    "all blocks of the cluster synchronise with `barrier.cluster` before they end"
    /// Shared memory of a block is accessed before it is known to have started.
    PeerNotStarted "peer-not-started" Error
    "the shared memory of another block is accessed before that block is known to have started"
    "9.7.13.3"
    "all blocks of the cluster synchronise with `barrier.cluster` first"
    /// Two accesses would be ordered if a scope were wider.
    ScopeTooNarrow "scope-too-narrow" Error
    "the accesses would be ordered if the synchronisation between them had a wider scope"
    "8.5, 8.7"
    "use a scope that includes both threads for both the release and the acquire: `.cluster` between blocks of a cluster, `.gpu` beyond"
    /// Two accesses are not ordered.
    DataRace "data-race" Error
    "two accesses to the same bytes, at least one of them a write, are not ordered"
    "8.7, 8.9"
    "order them by a barrier, an mbarrier, or a release and an acquire; or make both atomic"
    /// An access is not ordered after a launch that may still run.
    MissingGridWait "missing-grid-wait" Error
    "an access may overlap with an earlier launch that accesses the same bytes, at least one of the two by a write"
    "9.7.13.13"
    "execute `griddepcontrol.wait` (`cudaGridDependencySynchronize`) before the first access to data that earlier launches read or write"
    /// Accesses that only a warp collective orders.
    OrderByCollective "order-by-collective" Warning
    "two uses of the same bytes are ordered only by a warp collective, which formally orders no memory"
    "9.7.13.2, 9.7.9.6, 9.7.13.9, 9.7.13.10, 9.7.13.12, 9.7.13.14"
    "execute `bar.warp.sync` (`__syncwarp`) next to the shuffle, vote, match, reduction or election; libcu++'s `pipeline` and cooperative groups' tiles of several warps omit it"
    /// Several threads store one value to the same bytes, without order.
    SameValueRace "same-value-race" Warning
    "threads store the same value to the same bytes without order"
    "8.7, 8.9"
    "let one thread store it, or order the stores; `.relaxed` stores with a scope that includes all the threads do not race"
    /// A value read from uninitialised memory is used.
    UninitialisedUse "uninitialised-use" Error
    "a value is used that was read from uninitialised memory: shared memory or memory of `malloc` that was never written, or discarded global memory"
    "5.1.7, 9.7.9.17"
    "write the memory before reading it, or wait for the copy that does; its contents are undefined until then"
    /// Uninitialised memory is read, but no result depends on the value.
    UninitialisedRead "uninitialised-read" Warning
    "uninitialised memory is read: shared memory or memory of `malloc` that was never written, or discarded global memory"
    "5.1.7, 9.7.9.17"
    "write the memory before reading it, or wait for the copy that does; its contents are undefined until then"
    /// `ld.global.nc` or a texture fetch reads bytes that the kernel wrote.
    NonCoherentRead "non-coherent-read" Error
    "bytes that the kernel has written are read by a non-coherent load or a texture fetch"
    "8.1, 9.7.9.9"
    "read with `ld.global`, or a surface with `suld`: `ld.global.nc` and textures are for data that no thread writes while the kernel runs, and no synchronisation covers them"
    /// A tensor map in global memory is used without an acquire.
    TensorMapNotAcquired "tensormap-not-acquired" Error
    "a tensor map in global memory is used by a block that did not acquire it"
    "8.9.4, 9.7.13.4"
    "execute `fence.proxy.tensormap::generic.acquire.gpu [map], 128` in the block before the copy, also when only the host wrote the map"
    /// A tensor map was changed and not released.
    TensorMapNotReleased "tensormap-not-released" Error
    "a tensor map is used that was changed without a release in the tensormap proxy before it was acquired"
    "8.9.4, 9.7.13.4"
    "after the change execute `fence.proxy.tensormap::generic.release.gpu` or `tensormap.cp_fenceproxy`, synchronise, and acquire the map after that"
    /// A tensor map is changed while copies use it.
    TensorMapChangedInUse "tensormap-changed-in-use" Error
    "a tensor map is changed while a copy that uses it may be in flight"
    "8.9.4, 9.7.9.27"
    "wait until the copies that use the map are complete before changing it, or change another one"
    /// The map is in memory that the copy engine cannot read.
    MapInLocalMemory "map-in-local-memory" Error
    "a tensor map is in local or shared memory, where copies cannot read it"
    "9.7.9.27"
    "pass the map as a kernel parameter (`__grid_constant__`), or put it into constant or global memory"
    /// An mbarrier is used that was not initialised.
    MbarrierUninitialised "mbarrier-uninitialised" Error
    "an mbarrier is used that was not initialised"
    "9.7.13.15"
    "let one thread execute `mbarrier.init` and publish it to the others by a barrier before any thread uses the object"
    /// The initialisation is not ordered before the uses of the barrier.
    MbarrierInitNotPublished "mbarrier-init-not-published" Error
    "an mbarrier is used by a thread that does not know of its initialisation"
    "9.7.13.15, 9.7.13.4"
    "after `mbarrier.init` all threads execute `bar.sync`; between blocks of a cluster, `fence.mbarrier_init.release.cluster` and `barrier.cluster`"
    /// An mbarrier receives more arrivals than it expects.
    MbarrierOverflow "mbarrier-overflow" Error
    "an mbarrier receives more arrivals or bytes than it can count in this phase"
    "9.7.13.15"
    "set the count of `mbarrier.init` to the number of arrivals of a phase: one thread arrives for a copy, not the whole warp; a thread that arrives again must know that the last phase is complete"
    /// An mbarrier is initialised again, or its memory written, before it is invalidated.
    MbarrierOverwritten "mbarrier-overwritten" Error
    "the memory of an mbarrier is written before the mbarrier is invalidated"
    "9.7.13.15"
    "execute `mbarrier.inval` after the last use of the barrier, before its memory is reused"
    /// An mbarrier is invalidated while other threads use it.
    MbarrierInvalidatedInUse "mbarrier-invalidated-in-use" Error
    "an mbarrier is invalidated while others may use it"
    "9.7.13.15"
    "synchronise all users of the barrier by another barrier before one thread executes `mbarrier.inval`"
    /// An mbarrier is used after `mbarrier.inval`.
    MbarrierInvalidated "mbarrier-invalidated" Error
    "an mbarrier is used after it was invalidated"
    "9.7.13.15"
    "execute `mbarrier.init` again before using it"
    /// Lanes of a warp execute different aligned barriers.
    DivergentBarrier "divergent-barrier" Error
    "lanes of a warp execute different instructions where the whole warp must execute the same one"
    "9.7.13.1"
    "move the barrier out of the branch, or use the form without `.aligned`"
    /// An arrival at a barrier of a block or cluster that may count in the phase before.
    EarlyBarrierArrival "early-barrier-arrival" Error
    "an arrival at a barrier may count in the barrier's previous phase, since it is not ordered after that phase"
    "9.7.13.1, 9.7.13.3"
    "before a warp arrives again, let it pass the barrier (`bar.sync`, `barrier.cluster.wait`), or wait at another barrier for threads that passed it; count all threads that arrive in one phase; use a separate barrier number for each group that uses a barrier at the same time"
    /// A collective or barrier with operands that the lanes disagree about, or without its lanes.
    InvalidCollective "invalid-collective" Error
    "a warp collective or a barrier is executed with operands that it does not allow"
    "9.7.9, 9.7.13.1"
    "all lanes of the member mask execute it with the same mask; threads arrive at a barrier in whole warps, with the same barrier number and count"
    /// A shuffle reads a lane that is not in the member mask.
    ShuffleOutsideMask "shuffle-outside-mask" Warning
    "a shuffle reads a lane that does not take part in it, and gets an undefined value"
    "9.7.9.6"
    "include every lane that is read in the member mask; this is harmless if the value is not used"
    /// A `setmaxnreg` that is not executed by the whole warpgroup.
    SetmaxnregDiverges "setmaxnreg-diverges" Error
    "the warps of a warpgroup do not execute the same `setmaxnreg`"
    "9.7.19.5"
    "all four warps of a warpgroup execute it: branch by the number of the warpgroup, `threadIdx.x / 128`"
    /// A `setmaxnreg` in a kernel that does not declare its registers per thread.
    SetmaxnregUnbounded "setmaxnreg-unbounded" Error
    "`setmaxnreg` is executed in a kernel that does not declare its registers per thread, and has no effect"
    "9.7.19.5, 11.4"
    "declare `.maxnreg`, or both `.maxntid` and `.minnctapersm`: `#[kernel(max_threads = 384, min_blocks = 1)]`, `__launch_bounds__(384, 1)`"
    /// A `setmaxnreg.inc` to fewer registers than a thread has, or a `.dec` to more.
    SetmaxnregWrongWay "setmaxnreg-wrong-way" Error
    "`setmaxnreg.inc` asks for fewer registers than a thread has, or `setmaxnreg.dec` for more"
    "9.7.19.5"
    "a thread begins with 65536 registers divided by the threads of a multiprocessor, rounded down to a multiple of 8: `.dec` to fewer, `.inc` to more"
    /// An address or size is not aligned.
    Misaligned "misaligned" Error
    "an address or size does not have the alignment that the instruction requires"
    "6.4.1, 9.7.9.25, 9.7.9.27"
    "align bulk copies to 16 bytes, shared addresses of tensor copies to 128, mbarriers to 8 and tensor maps to 64"
    /// A swizzled box begins in the middle of the pattern.
    SwizzleAlignment "swizzle-alignment" Warning
    "a swizzled box begins in the middle of the swizzle's pattern"
    "5.5.7"
    "align the shared address to the length of the pattern: 1024 bytes for 128B, 512 for 64B, 256 for 32B"
    /// An access is outside of all valid memory.
    OutOfBounds "out-of-bounds" Error
    "an access is outside of all valid memory"
    "5.1"
    "check the address against the size of the buffer, or of the block's shared memory"
    /// Memory is accessed that was freed, or may have been freed by then.
    UseAfterFree "use-after-free" Error
    "memory is accessed that was freed, or may have been freed by then"
    "5.1.4, 8.7"
    "free the memory after its last use; if other threads use it, synchronise with them first"
    /// Memory is freed a second time.
    DoubleFree "double-free" Error
    "memory is freed a second time"
    "5.1.4"
    "one thread frees an allocation, once"
    /// `free` is called with an address that is not an allocation of a kernel.
    InvalidFree "invalid-free" Error
    "`free` is called with an address that `malloc` did not return"
    "5.1.4"
    "free the address that `malloc` returned, not one inside the allocation; memory of the host is freed by the host"
    /// The hardware refuses an instruction.
    IllegalInstruction "illegal-instruction" Error
    "the hardware refuses the instruction with these operands"
    "9.7"
    "check the operand that the message names"
    /// The kernel stopped itself.
    Trapped "trapped" Error
    "the kernel trapped"
    "9.7"
    "an assertion failed, or `trap` was executed"
    /// The kernel's source panicked.
    Panicked "panicked" Error
    "the kernel panicked"
    "9.7"
    "the message names the condition that failed; print values before it with `tma::println!`"
    /// No thread can make progress.
    Deadlock "deadlock" Error
    "no thread can make progress: all wait for events that never happen"
    "9.7.13"
    "look for the missing arrival, copy or thread: a barrier's count must equal its arrivals, and a wait's parity must match its phase"
    /// The kernel exceeded its step limit.
    Endless "endless" Error
    "the kernel did not finish within the allowed number of steps"
    "9.7.12"
    "check whether the condition of the loop that is executed can ever change; allow more steps if the kernel is meant to run that long"
}

impl DiagnosticKind {
    /// Returns title and usual fix for a product of a warpgroup, where the kind's own speak of a copy.
    pub(super) const fn of_product(self) -> Option<[&'static str; 2]> {
        match self {
            Self::MissingProxyFence => Some([
                "a product of a warpgroup reads bytes that were written by ordinary stores, with no proxy fence between",
                "every thread that writes executes `fence.proxy.async`, then all synchronise at a barrier, then the \
                 warpgroup issues the product",
            ]),
            Self::MisplacedProxyFence => Some([
                "a product of a warpgroup reads bytes that were written by ordinary stores, and no proxy fence is on \
                 the path from the writes to the product",
                "every thread that writes executes `fence.proxy.async` after its writes and before the barrier that the \
                 warpgroup waits at",
            ]),
            _ => None,
        }
    }
}

impl Display for DiagnosticKind {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_in_kebab_case() {
        for (index, kind) in DiagnosticKind::ALL.iter().enumerate() {
            let name = kind.name();
            assert!(
                name.chars().all(|c| c.is_ascii_lowercase() || c == '-'),
                "{name}"
            );
            assert!(
                DiagnosticKind::ALL[..index]
                    .iter()
                    .all(|other| other.name() != name)
            );
        }
    }
}

//! The fences that an observer sees.

use super::{Scope, Sem};

/// Kinds of fences (PTX ISA, section 9.7.13.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FenceKind {
    /// `fence`, `membar`
    Thread {
        /// Memory ordering of the fence.
        sem: Sem,
        /// Scope of the threads that the fence includes.
        scope: Scope,
    },
    /// `fence.mbarrier_init`
    MbarrierInit,
    /// `fence.proxy.alias`
    ProxyAlias,
    /// `fence.proxy.async`; with the memories that it orders.
    ProxyAsync {
        /// True if it covers global memory.
        global: bool,
        /// True if it covers shared memory.
        shared: bool,
    },
    /// `fence.proxy.async::generic`: an order of one direction, within the cluster.
    ProxyAsyncGeneric {
        /// Release of this block's shared memory, or acquire of the cluster's.
        sem: Sem,
        /// Scope of the threads that the fence includes.
        scope: Scope,
    },
    /// `fence.proxy.tensormap`
    ProxyTensorMap {
        /// Semantics of the fence: acquire or release.
        sem: Sem,
        /// Scope of the threads that the fence includes.
        scope: Scope,
        /// The generic address of the map, when it is an acquire.
        address: u64,
    },
}

//! What stands around the call of a wrapper, by family.

mod mbarrier;

pub(crate) use mbarrier::{arrivals, init, inval, pending_count, waits};

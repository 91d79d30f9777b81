//! What stands around the call of a wrapper, by family.

mod bulk;
mod cp_async;
mod mbarrier;

pub(crate) use bulk::{bulk_groups, counted, grouped, moved, prefetched};
pub(crate) use cp_async::{small_arrivals, small_copies, small_groups};
pub(crate) use mbarrier::{arrivals, init, inval, pending_count, waits};

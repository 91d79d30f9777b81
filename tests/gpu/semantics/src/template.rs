//! The templates around the call of a wrapper, by family.

mod arithmetic;
mod blackwell;
mod bulk;
mod cp_async;
mod hints;
mod maps;
mod mbarrier;
mod memory;
mod order;
mod registers;

pub(crate) use arithmetic::computed;
pub(crate) use blackwell::{cancelled, first_cancelled, is_cancelled, published, zeroed};
pub(crate) use bulk::{
    bulk_groups, completes_tx, grouped, moved, partial, prefetched, reported, resized_load,
    resized_prefetch, resized_store, stored,
};
pub(crate) use cp_async::{small_arrivals, small_copies, small_groups};
pub(crate) use hints::{discarded, policies, registers};
pub(crate) use maps::{constant_map, edited, prefetched_map, released};
pub(crate) use mbarrier::{arrivals, arrivals_of_many, checked, init, inval, pending_count, waits};
pub(crate) use memory::{accessed, changed};
pub(crate) use order::{
    cluster_halves, handed_over, handed_over_here, made_known, ordered, proxied,
};
pub(crate) use registers::{elected, is_in, mapped, rank_of, to_cluster, value};

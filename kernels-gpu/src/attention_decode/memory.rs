//! The bytes of shared memory of `attend_stored` and `attend_converted`: the queries of the warpgroups, and a pipeline.

use super::{F16, Queries, RowFactors, Stage, Stage8, TurnBarriers, pipeline};

const fn queries(warpgroups: u64) -> u64 {
    warpgroups * size_of::<Queries<F16>>() as u64
}

pub(super) const fn attend_stored<const KEYS: usize>(warpgroups: u64, [stages]: [u32; 1]) -> u64 {
    queries(warpgroups) + pipeline::bytes::<Stage<F16, KEYS>>(stages, 1)
}

pub(super) const fn attend_converted<const KEYS: usize>(
    warpgroups: u64,
    [direct, _, _, loaded, stages]: [u32; 5],
) -> u64 {
    queries(warpgroups)
        + converting_pipeline::<KEYS>([direct, loaded, stages])
        + warpgroups * size_of::<RowFactors>() as u64
        + size_of::<TurnBarriers>() as u64
}

pub(super) const fn converting_pipeline<const KEYS: usize>(
    [direct, loaded, stages]: [u32; 3],
) -> u64 {
    pipeline::converting_bytes::<Stage8<KEYS>, Stage8<KEYS>, Stage<F16, KEYS>>(
        direct, loaded, stages,
    )
}

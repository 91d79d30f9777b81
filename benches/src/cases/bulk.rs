//! Bulk copies of contiguous memory.

use anyhow::Result;
use kernels_gpu as kernels;
use tma_host::Shape;

use super::{At, Place, fits, worth_a_try};
use crate::{
    arena::Pattern,
    case::{Amount, Case, Check},
};

pub(super) fn cases(place: Place<'_>) -> Result<Vec<Case>> {
    Ok(vec![
        copy_bulk(place, 16384, 2, 2, Some(1.0))?,
        copy_bulk(place, 8192, 3, 2, Some(1.0))?,
        copy_bulk(place, 16384, 4, 1, None)?,
        add_one_1d(place, 256)?,
        add_one_bulk(place, 256, Some(0.98))?,
        add_one_ring(place, Some(0.95), false, 3, 256, 2)?,
        add_one_ring(place, Some(1.0), true, 3, 256, 2)?,
        add_one_ring(place, None, true, 4, 256, 2)?,
        prefetch_1d(place, 4, 1024, 2)?,
    ])
}

pub(super) fn sweep(place: Place<'_>) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for chunk_bytes in [2048, 4096, 8192, 16384, 32768] {
        for stages in [2, 3, 4, 6, 8] {
            for blocks in [1, 2, 3, 4, 6] {
                let case = copy_bulk(place, chunk_bytes, stages, blocks, None)?;
                if worth_a_try(stages * chunk_bytes * blocks) && fits(blocks, &case) {
                    cases.push(case);
                }
            }
        }
    }
    for threads in [64, 128, 256, 512, 1024] {
        cases.push(add_one_bulk(place, threads, None)?);
    }
    for workers in [64, 128, 256, 512] {
        for stages in [2, 3, 4, 6, 8] {
            for blocks in [1, 2, 3, 4] {
                let case = add_one_ring(place, None, true, stages, workers, blocks)?;
                if worth_a_try(stages * 32 * workers * blocks) && fits(blocks, &case) {
                    cases.push(case);
                    if [3, 4, 6].contains(&stages) {
                        cases.push(add_one_ring(place, None, false, stages, workers, blocks)?);
                    }
                }
            }
        }
    }
    for threads in [256, 512, 1024] {
        for stages in [2, 4, 8] {
            cases.push(prefetch_1d(place, stages, threads, 2048 / threads)?);
        }
    }
    Ok(cases)
}

fn copy_bulk(
    place: Place<'_>,
    chunk_bytes: u32,
    stages: u32,
    blocks: u32,
    goal: Option<f64>,
) -> Result<Case> {
    let (dst, src, counter) = (At(place.dst), At(place.src), At(place.counter));
    let call = kernels::copy_bulk::copy_bulk(stages, dst, src, place.bytes, chunk_bytes, counter);
    Ok(Case {
        variant: format!("{} KiB x {stages} x {blocks}", chunk_bytes / 1024),
        draws: true,
        check: Check::Destination(Pattern::plus(place.bytes, 0)),
        goal,
        ..place.case("copy_bulk", call, place.persistent(blocks, 32))?
    })
}

fn add_one_bulk(place: Place<'_>, threads: u32, goal: Option<f64>) -> Result<Case> {
    let call = kernels::add_one_bulk::add_one_bulk(At(place.dst), At(place.src), place.bytes);
    let tile_bytes = 16 * threads;
    let blocks = place.bytes.div_ceil(tile_bytes.into()) as u32;
    Ok(Case {
        variant: format!("{} KiB, {threads} threads", tile_bytes / 1024),
        goal,
        ..place.case("add_one_bulk", call, Shape::new(blocks, threads))?
    })
}

fn add_one_1d(place: Place<'_>, threads: u32) -> Result<Case> {
    use kernels::add_one_1d::{BUF_LEN, add_one_1d};
    let bytes = place.bytes;
    let shape = Shape::new((bytes / 4) as u32 / BUF_LEN as u32, threads);
    Ok(Case {
        variant: format!("{threads} threads, in place"),
        check: Check::Destination(Pattern {
            in_place: true,
            ..Pattern::plus(bytes, 1)
        }),
        ..place.case("add_one_1d", add_one_1d(At(place.dst), 0), shape)?
    })
}

fn add_one_ring(
    place: Place<'_>,
    goal: Option<f64>,
    draws: bool,
    stages: u32,
    workers: u32,
    blocks: u32,
) -> Result<Case> {
    use kernels::add_one_ring::{add_one_ring, add_one_ring_static};
    let (dst, src, bytes) = (At(place.dst), At(place.src), place.bytes);
    let (call, how) = if draws {
        let counter = At(place.counter);
        (add_one_ring(stages, dst, src, bytes, counter), "drawn")
    } else {
        (add_one_ring_static(stages, dst, src, bytes), "static")
    };
    Ok(Case {
        variant: format!("{how} {} KiB x {stages} x {blocks}", workers / 32),
        draws,
        goal,
        ..place.case("add_one_ring", call, place.persistent(blocks, 32 + workers))?
    })
}

fn prefetch_1d(place: Place<'_>, stages: u32, threads: u32, blocks: u32) -> Result<Case> {
    let shape = place.persistent(blocks, threads);
    let round_bytes = 4 * u64::from(threads) * shape.grid.count();
    let batches = place.bytes / round_bytes;
    let bytes = batches * round_bytes;
    let (dst, src) = (At(place.dst), At(place.src));
    let call = kernels::prefetch_1d::prefetch_1d(stages, dst, src, batches as u32);
    Ok(Case {
        variant: format!("{stages} stages, {threads} threads x {blocks}"),
        amount: Amount::Bytes(2 * bytes),
        check: Check::Destination(Pattern {
            factor: 3,
            ..Pattern::plus(bytes, 1)
        }),
        ..place.case("prefetch_1d", call, shape)?
    })
}

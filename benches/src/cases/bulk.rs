//! Bulk copies of contiguous memory.

use std::num::NonZero;

use anyhow::{Context as _, Result};
use kernels_gpu as kernels;
use tma_host::Shape;

use super::{At, Setup, fits, worth_a_try};
use crate::{
    arena::Pattern,
    case::{Amount, Case, Check},
};

pub(super) fn cases(setup: Setup<'_>) -> Result<Vec<Case>> {
    Ok(vec![
        copy_bulk(setup, 16384, 2, 2, Some(1.0))?,
        copy_bulk(setup, 8192, 3, 2, Some(1.0))?,
        copy_bulk(setup, 16384, 4, 1, None)?,
        add_one_1d(setup, 256)?,
        add_one_bulk(setup, 256, Some(0.98))?,
        add_one_ring(setup, Some(0.95), false, 3, 256, 2)?,
        add_one_ring(setup, Some(1.0), true, 3, 256, 2)?,
        add_one_ring(setup, None, true, 4, 256, 2)?,
        prefetch_1d(setup, 4, 1024, 2)?,
    ])
}

pub(super) fn sweep(setup: Setup<'_>) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for chunk_bytes in [2048, 4096, 8192, 16384, 32768] {
        for stages in [2, 3, 4, 6, 8] {
            for blocks in [1, 2, 3, 4, 6] {
                let case = copy_bulk(setup, chunk_bytes, stages, blocks, None)?;
                if worth_a_try(stages * chunk_bytes * blocks) && fits(blocks, &case) {
                    cases.push(case);
                }
            }
        }
    }
    for threads in [64, 128, 256, 512, 1024] {
        cases.push(add_one_bulk(setup, threads, None)?);
    }
    for workers in [64, 128, 256, 512] {
        for stages in [2, 3, 4, 6, 8] {
            for blocks in [1, 2, 3, 4] {
                let case = add_one_ring(setup, None, true, stages, workers, blocks)?;
                if worth_a_try(stages * 32 * workers * blocks) && fits(blocks, &case) {
                    cases.push(case);
                    if [3, 4, 6].contains(&stages) {
                        cases.push(add_one_ring(setup, None, false, stages, workers, blocks)?);
                    }
                }
            }
        }
    }
    for threads in [256, 512, 1024] {
        for stages in [2, 4, 8] {
            cases.push(prefetch_1d(setup, stages, threads, 2048 / threads)?);
        }
    }
    Ok(cases)
}

fn copy_bulk(
    setup: Setup<'_>,
    chunk_bytes: u32,
    stages: u32,
    blocks: u32,
    goal: Option<f64>,
) -> Result<Case> {
    let (dst, src, counter) = (At(setup.dst), At(setup.src), At(setup.counter));
    let divisor = NonZero::new(chunk_bytes).context("a chunk has no bytes")?;
    let call = kernels::copy_bulk::copy_bulk(stages, dst, src, setup.bytes, divisor, counter);
    Ok(Case {
        variant: format!("{} KiB x {stages} x {blocks}", chunk_bytes / 1024),
        draws: true,
        check: Check::Destination(Pattern::plus(setup.bytes, 0)),
        goal,
        ..setup.case("copy_bulk", call, setup.persistent(blocks, 32))?
    })
}

fn add_one_bulk(setup: Setup<'_>, threads: u32, goal: Option<f64>) -> Result<Case> {
    let call = kernels::add_one_bulk::add_one_bulk(At(setup.dst), At(setup.src), setup.bytes);
    let tile_bytes = 16 * threads;
    let blocks = setup.bytes.div_ceil(tile_bytes.into()) as u32;
    Ok(Case {
        variant: format!("{} KiB, {threads} threads", tile_bytes / 1024),
        goal,
        ..setup.case("add_one_bulk", call, Shape::new(blocks, threads))?
    })
}

fn add_one_1d(setup: Setup<'_>, threads: u32) -> Result<Case> {
    use kernels::add_one_1d::{BUF_LEN, add_one_1d};
    let bytes = setup.bytes;
    let shape = Shape::new((bytes / 4) as u32 / BUF_LEN as u32, threads);
    Ok(Case {
        variant: format!("{threads} threads, in place"),
        check: Check::Destination(Pattern {
            in_place: true,
            ..Pattern::plus(bytes, 1)
        }),
        ..setup.case("add_one_1d", add_one_1d(At(setup.dst), 0), shape)?
    })
}

fn add_one_ring(
    setup: Setup<'_>,
    goal: Option<f64>,
    draws: bool,
    stages: u32,
    workers: u32,
    blocks: u32,
) -> Result<Case> {
    use kernels::add_one_ring::{add_one_ring, add_one_ring_static};
    let (dst, src, bytes) = (At(setup.dst), At(setup.src), setup.bytes);
    let (call, how) = if draws {
        let counter = At(setup.counter);
        (add_one_ring(stages, dst, src, bytes, counter), "drawn")
    } else {
        (add_one_ring_static(stages, dst, src, bytes), "static")
    };
    Ok(Case {
        variant: format!("{how} {} KiB x {stages} x {blocks}", workers / 32),
        draws,
        goal,
        ..setup.case("add_one_ring", call, setup.persistent(blocks, 32 + workers))?
    })
}

fn prefetch_1d(setup: Setup<'_>, stages: u32, threads: u32, blocks: u32) -> Result<Case> {
    let shape = setup.persistent(blocks, threads);
    let round_bytes = 4 * u64::from(threads) * shape.grid.count();
    let batches = setup.bytes / round_bytes;
    let bytes = batches * round_bytes;
    let (dst, src) = (At(setup.dst), At(setup.src));
    let call = kernels::prefetch_1d::prefetch_1d(stages, dst, src, batches as u32);
    Ok(Case {
        variant: format!("{stages} stages, {threads} threads x {blocks}"),
        amount: Amount::Bytes(2 * bytes),
        check: Check::Destination(Pattern {
            factor: 3,
            ..Pattern::plus(bytes, 1)
        }),
        ..setup.case("prefetch_1d", call, shape)?
    })
}

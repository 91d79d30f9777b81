//! Bulk copies of contiguous memory.

use std::num::NonZero;

use anyhow::{Context as _, Result};
use kernels_gpu::{
    self as kernels,
    settings::{Setting, Streaming},
};
use tma_host::Shape;

use super::settings::settings;
use crate::{
    case::{Amount, Case, Check},
    limit::Needs,
    pattern::Pattern,
    setup::{At, Setup, as_set},
};

pub(super) fn cases(setup: Setup<'_>) -> Result<Vec<Case>> {
    let staying = |chunk_bytes, stages, blocks, threads| Setting {
        chunk_bytes,
        tiles: 1,
        stages,
        blocks: Some(blocks),
        threads,
    };
    let once = Setting {
        blocks: None,
        ..staying(4096, 1, 1, 256)
    };
    let of = |kernel: Streaming| kernel.setting(setup.device);
    Ok(vec![
        as_set(copy_bulk(setup, of(Streaming::CopyBulk), Some(1.0))?),
        copy_bulk(setup, staying(16384, 2, 2, 32), None)?,
        add_one_1d(setup, 256)?,
        as_set(add_one_bulk(setup, of(Streaming::AddOneBulk), Some(1.0))?),
        add_one_bulk(setup, once, None)?,
        add_one_ring(setup, staying(4096, 6, 2, 32 + 128), false, Some(0.95))?,
        as_set(add_one_ring(
            setup,
            of(Streaming::AddOneRing),
            true,
            Some(1.0),
        )?),
        add_one_ring(setup, staying(8192, 3, 2, 32 + 256), true, None)?,
        prefetch_1d(setup, 4, 1024, 2)?,
    ])
}

pub(super) fn sweep(setup: Setup<'_>) -> Result<Vec<Case>> {
    let mut cases = Vec::new();
    for setting in settings(Streaming::AddOneRing) {
        if [3, 4, 6].contains(&setting.stages) {
            cases.push(add_one_ring(setup, setting, false, None)?);
        }
    }
    for threads in [256, 512, 1024] {
        for stages in [2, 4, 8] {
            cases.push(prefetch_1d(setup, stages, threads, 2048 / threads)?);
        }
    }
    Ok(cases)
}

pub(super) fn copy_bulk(setup: Setup<'_>, setting: Setting, goal: Option<f64>) -> Result<Case> {
    use kernels::copy_bulk::{copy_bulk, copy_bulk_once};
    let (dst, src, counter) = (At(setup.dst), At(setup.src), At(setup.counter));
    let divisor = NonZero::new(setting.chunk_bytes).context("a chunk has no bytes")?;
    let call = match setting.stages {
        1 => copy_bulk_once(dst, src, setup.bytes, divisor),
        stages => copy_bulk(stages, dst, src, setup.bytes, divisor, counter),
    };
    Ok(Case {
        variant: setting.to_string(),
        draws: setting.stages > 1,
        check: Check::Destination(Pattern::plus(setup.bytes, 0)),
        goal,
        ..setup.set_case("copy_bulk", call, setting)?
    })
}

pub(super) fn add_one_bulk(setup: Setup<'_>, setting: Setting, goal: Option<f64>) -> Result<Case> {
    let vectors = setting.vectors(16) as usize;
    let (dst, src) = (At(setup.dst), At(setup.src));
    let call = kernels::add_one_bulk::add_one_bulk(vectors, dst, src, setup.bytes);
    Ok(Case {
        variant: setting.to_string(),
        goal,
        ..setup.set_case("add_one_bulk", call, setting)?
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

pub(super) fn add_one_ring(
    setup: Setup<'_>,
    setting: Setting,
    draws: bool,
    goal: Option<f64>,
) -> Result<Case> {
    use kernels::add_one_ring::{add_one_ring, add_one_ring_static};
    let (dst, src, bytes) = (At(setup.dst), At(setup.src), setup.bytes);
    let (call, how) = if draws {
        let counter = At(setup.counter);
        let call = add_one_ring(setting.stages, dst, src, bytes, counter);
        (call, "drawn")
    } else {
        let call = add_one_ring_static(setting.stages, dst, src, bytes);
        (call, "static")
    };
    Ok(Case {
        variant: format!("{how} {setting}"),
        draws,
        goal,
        ..setup.set_case("add_one_ring", call, setting)?
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
        needs: Needs::memory(2 * bytes),
        check: Check::Destination(Pattern {
            factor: 3,
            ..Pattern::plus(bytes, 1)
        }),
        ..setup.case("prefetch_1d", call, shape)?
    })
}

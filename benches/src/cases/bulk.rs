//! Bulk copies of contiguous memory.

use host::{Argument, Shape};

use super::{Place, fits, worth_a_try};
use crate::{
    arena::Pattern,
    case::{Amount, Case, Check, Reference},
    work::L2,
};

pub(super) fn cases(place: Place<'_>) -> Vec<Case> {
    vec![
        copy_bulk(place, 16384, 2, 2, Some(1.0)),
        copy_bulk(place, 8192, 3, 2, Some(1.0)),
        copy_bulk(place, 16384, 4, 1, None),
        add_one_1d(place, 256),
        add_one_bulk(place, 256, Some(0.98)),
        add_one_ring(place, Some(0.95), false, 3, 256, 2),
        add_one_ring(place, Some(1.0), true, 3, 256, 2),
        add_one_ring(place, None, true, 4, 256, 2),
        prefetch_1d(place, 4, 1024, 2),
    ]
}

pub(super) fn sweep(place: Place<'_>) -> Vec<Case> {
    let mut cases = Vec::new();
    for chunk_bytes in [2048, 4096, 8192, 16384, 32768] {
        for stages in [2, 3, 4, 6, 8] {
            for blocks in [1, 2, 3, 4, 6] {
                let all = stages * chunk_bytes * blocks;
                if worth_a_try(all) && fits(blocks, stages * (chunk_bytes + 20)) {
                    cases.push(copy_bulk(place, chunk_bytes, stages, blocks, None));
                }
            }
        }
    }
    for threads in [64, 128, 256, 512, 1024] {
        cases.push(add_one_bulk(place, threads, None));
    }
    for workers in [64, 128, 256, 512] {
        for stages in [2, 3, 4, 6, 8] {
            for blocks in [1, 2, 3, 4] {
                let chunk_bytes = 32 * workers;
                let all = stages * chunk_bytes * blocks;
                if worth_a_try(all) && fits(blocks, stages * (chunk_bytes + 20)) {
                    cases.push(add_one_ring(place, None, true, stages, workers, blocks));
                    if [3, 4, 6].contains(&stages) {
                        cases.push(add_one_ring(place, None, false, stages, workers, blocks));
                    }
                }
            }
        }
    }
    for threads in [256, 512, 1024] {
        for stages in [2, 4, 8] {
            cases.push(prefetch_1d(place, stages, threads, 2048 / threads));
        }
    }
    cases
}

/// From the source to the destination, all of them.
fn addresses(place: Place<'_>) -> [Argument; 3] {
    [
        Argument::Address(place.dst),
        Argument::Address(place.src),
        Argument::scalar(place.bytes),
    ]
}

fn case(place: Place<'_>, kernel: &'static str, shape: Shape, values: Vec<Argument>) -> Case {
    let bytes = place.bytes;
    Case {
        kernel,
        variant: String::new(),
        entry: kernel.to_owned(),
        shape,
        values,
        draws: false,
        amount: Amount::Bytes(2 * bytes),
        l2: L2::Cold,
        check: Check::Destination(Pattern::plus(bytes, 1)),
        reference: Reference::DriverCopy,
        goal: None,
    }
}

fn copy_bulk(
    place: Place<'_>,
    chunk_bytes: u32,
    stages: u32,
    blocks: u32,
    goal: Option<f64>,
) -> Case {
    let shape = place.persistent(blocks, 32, stages * (chunk_bytes + 20));
    let mut values = Vec::from(addresses(place));
    values.push(Argument::scalar(chunk_bytes));
    values.push(Argument::Address(place.counter));
    Case {
        variant: format!("{} KiB x {stages} x {blocks}", chunk_bytes / 1024),
        entry: format!("copy_bulk_{stages}"),
        draws: true,
        check: Check::Destination(Pattern::plus(place.bytes, 0)),
        goal,
        ..case(place, "copy_bulk", shape, values)
    }
}

fn add_one_bulk(place: Place<'_>, threads: u32, goal: Option<f64>) -> Case {
    let tile_bytes = 16 * threads;
    let blocks = place.bytes.div_ceil(tile_bytes.into()) as u32;
    let shape = Shape::new(blocks, threads).shared_bytes(tile_bytes);
    Case {
        variant: format!("{} KiB, {threads} threads", tile_bytes / 1024),
        goal,
        ..case(place, "add_one_bulk", shape, addresses(place).into())
    }
}

fn add_one_1d(place: Place<'_>, threads: u32) -> Case {
    let bytes = place.bytes;
    let shape = Shape::new((bytes / 4096) as u32, threads);
    let values = vec![Argument::Address(place.dst), Argument::scalar(0_u64)];
    Case {
        variant: format!("{threads} threads, in place"),
        check: Check::Destination(Pattern {
            in_place: true,
            ..Pattern::plus(bytes, 1)
        }),
        ..case(place, "add_one_1d", shape, values)
    }
}

fn add_one_ring(
    place: Place<'_>,
    goal: Option<f64>,
    draws: bool,
    stages: u32,
    workers: u32,
    blocks: u32,
) -> Case {
    let chunk_bytes = 32 * workers;
    let shape = place.persistent(blocks, 32 + workers, stages * (chunk_bytes + 20));
    let mut values = Vec::from(addresses(place));
    let (entry, how) = if draws {
        values.push(Argument::Address(place.counter));
        ("add_one_ring", "drawn")
    } else {
        ("add_one_ring_static", "static")
    };
    Case {
        variant: format!("{how} {} KiB x {stages} x {blocks}", chunk_bytes / 1024),
        entry: format!("{entry}_{stages}"),
        draws,
        goal,
        ..case(place, "add_one_ring", shape, values)
    }
}

fn prefetch_1d(place: Place<'_>, stages: u32, threads: u32, blocks: u32) -> Case {
    let shape = place.persistent(blocks, threads, stages * (4 * threads + 8));
    let round_bytes = 4 * u64::from(threads) * shape.grid.count();
    let batches = place.bytes / round_bytes;
    let bytes = batches * round_bytes;
    let [dst, src, _] = addresses(place);
    let values = vec![dst, src, Argument::scalar(batches as u32)];
    Case {
        variant: format!("{stages} stages, {threads} threads x {blocks}"),
        entry: format!("prefetch_1d_{stages}"),
        amount: Amount::Bytes(2 * bytes),
        check: Check::Destination(Pattern {
            factor: 3,
            ..Pattern::plus(bytes, 1)
        }),
        ..case(place, "prefetch_1d", shape, values)
    }
}

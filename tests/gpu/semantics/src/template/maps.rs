//! Tensor maps that a kernel writes and changes.

use tma::{
    SharedPtr, TensorMap,
    ptx::{Sys, cp_async_bulk_tensor, fence},
    shared, thread, warp,
};

use super::bulk::{Block, count, count_after};
use crate::io::{Io, NONE, Operands};

shared! {
    static EDITED: TensorMap align 128;
}

const RELEASES: u32 = 1;
const ACQUIRES: u32 = 2;

/// The words of a map.
const WORDS: u32 = TensorMap::WORDS as u32;

/// Loads a box of two dimensions through a copy of the map in global memory, at word 14. Word 12 is
/// 1 if the call releases the copy, 2 if it acquires it, 3 if it makes the copy.
#[inline(always)]
pub(crate) unsafe fn released(io: Io, form: impl Fn(Operands)) {
    let block = Block::new(io);
    let operands = block.operands();
    let buffer = io.memory.add(block.io.word(14) as usize);
    let copy = buffer.cast::<u64>();
    let (lane, role) = (thread::thread_idx().x, block.io.word(12));
    let map = EDITED::ptr();
    let make = || {
        if role == ACQUIRES | RELEASES {
            if lane < WORDS {
                map.cast::<u64>()
                    .add(lane)
                    .write((*io.map).words()[lane as usize]);
            }
            warp::sync_warp();
            form(Operands {
                a: map.address(),
                p: buffer,
                ..NONE
            });
        } else if lane == 0 {
            let mut index = 0;
            while index < TensorMap::WORDS {
                *copy.add(index) = (*io.map).words()[index];
                index += 1;
            }
            match role {
                RELEASES => form(NONE),
                _ => fence::proxy_tensormap_generic_release::<Sys>(),
            }
        }
    };
    count_after(block, operands, make, |operands| {
        match role {
            ACQUIRES => form(Operands { p: buffer, ..NONE }),
            _ => fence::proxy_tensormap_generic_acquire::<Sys>(buffer.cast()),
        }
        cp_async_bulk_tensor::shared_cta_global_tile::<2>(
            SharedPtr::from_address(operands.a),
            buffer.cast(),
            [operands.x, operands.y],
            SharedPtr::from_address(operands.b),
        );
    });
    // The map has addresses that no host knows.
    if lane == 0 {
        let mut index = 0;
        while index < TensorMap::WORDS {
            *copy.add(index) = 0;
            index += 1;
        }
    }
}

/// Replaces one field of a map in shared or, if word 0 is 1, in global memory. Words 1 to 3: the
/// operand of 32 bits and the one of 64; word 4 is 1 if the new value is an address, relative to
/// the tensor's.
///
/// Results: the changed bits; for an address, relative to the expected one.
#[inline(always)]
pub(crate) unsafe fn edited(io: Io, form: impl Fn(Operands)) {
    let map = EDITED::ptr();
    let is_global = io.word(0) != 0;
    let buffer: *mut u64 = match is_global {
        true => io.memory.cast(),
        false => map.as_ptr().cast(),
    };
    if thread::thread_idx().x != 0 {
        return;
    }
    let mut index = 0;
    while index < TensorMap::WORDS {
        *buffer.add(index) = (*io.map).words()[index];
        index += 1;
    }
    let mut w = u64::from(io.word(2)) | u64::from(io.word(3)) << 32;
    let address = (*io.map).words()[0];
    if io.word(4) != 0 {
        w += address;
    }
    form(Operands {
        a: map.address(),
        p: buffer.cast(),
        n: io.word(1),
        w,
        ..NONE
    });
    index = 0;
    while index < TensorMap::WORDS {
        let mut was = (*io.map).words()[index];
        if index == 0 && io.word(4) != 0 {
            was = w;
        }
        let changed = buffer.add(index).read_volatile() ^ was;
        io.put(2 * WORDS, 2 * index as u32, changed as u32);
        io.put(2 * WORDS, 2 * index as u32 + 1, (changed >> 32) as u32);
        buffer.add(index).write_volatile(0);
        index += 1;
    }
}

/// A map in constant memory is prefetched, and a box loaded through it.
#[inline(always)]
pub(crate) unsafe fn constant_map(io: Io, form: impl Fn(Operands)) {
    tma::constant! {
        static CONSTANT_MAP: TensorMap;
    }
    let block = Block::new(io);
    let map = CONSTANT_MAP::ptr();
    count(block, block.operands(), |operands| {
        form(Operands {
            w: map.expose_provenance() as u64,
            ..NONE
        });
        cp_async_bulk_tensor::shared_cta_global_tile::<2>(
            SharedPtr::from_address(operands.a),
            map,
            [operands.x, operands.y],
            SharedPtr::from_address(operands.b),
        );
    });
}

/// A map that is a parameter is prefetched, and a box loaded through it.
#[inline(always)]
pub(crate) unsafe fn prefetched_map(io: Io, form: impl Fn(Operands)) {
    let block = Block::new(io);
    count(block, block.operands(), |operands| {
        form(Operands {
            p: io.map as *mut u8,
            w: io.map.expose_provenance() as u64,
            ..NONE
        });
        cp_async_bulk_tensor::shared_cta_global_tile::<2>(
            SharedPtr::from_address(operands.a),
            io.map,
            [operands.x, operands.y],
            SharedPtr::from_address(operands.b),
        );
    });
}

//! Values in memory: loaded, stored, and changed in one step.

use tma::{cluster, shared, thread};

use super::arithmetic::{Words, operands};
use crate::io::{Io, Operands};

shared! {
    static CELL: u64;
}

/// Words: the initial contents of shared memory, two of them, then operands. The first thread changes global memory,
/// or shared memory of the other block, or of this one. Results: the old value, then the contents of shared memory.
#[inline(always)]
pub(crate) unsafe fn changed<R: Words>(io: Io, form: impl Fn(Operands) -> R) {
    let cell = CELL::ptr();
    let first = thread::thread_idx().x == 0;
    if first {
        cell.write(u64::from(io.word(0)) | u64::from(io.word(1)) << 32);
    }
    cluster::sync();
    if first {
        let old = form(Operands {
            a: cell.address(),
            p: io.memory,
            ..operands(io, 2)
        });
        let old = old.words();
        io.put(4, 0, old[0]);
        io.put(4, 1, old[1]);
    }
    cluster::sync();
    if first {
        let now = cell.read();
        io.put(4, 2, now as u32);
        io.put(4, 3, (now >> 32) as u32);
    }
}

/// Words: operands. The first thread loads or stores global memory. Results: four loaded words.
#[inline(always)]
pub(crate) unsafe fn accessed<R: Words>(io: Io, form: impl Fn(Operands) -> R) {
    if thread::thread_idx().x == 0 {
        let words = form(Operands {
            p: io.memory,
            ..operands(io, 0)
        });
        let words = words.words();
        let mut index = 0;
        while index < 4 {
            io.put(4, index, words[index as usize]);
            index += 1;
        }
    }
}

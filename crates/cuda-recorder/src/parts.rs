//! Memory that was copied from the device, in parts. Launches share parts that are the same, and memory of parts that
//! nobody has any more is used again: the system is slow to give memory.

use std::{
    ops::Deref,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use launch_archive::PART_BYTES;

use crate::host;

/// Parts of fewer bytes have memory of their own.
const LEAST_BYTES: usize = PART_BYTES / 4;
/// Whole parts that the system gives at a time.
const SLAB_PARTS: usize = 32;

/// Memory of whole parts that nobody uses.
static FREE: Mutex<Vec<&'static mut [u8]>> = Mutex::new(Vec::new());

/// Bytes of all parts.
static ALL_BYTES: AtomicUsize = AtomicUsize::new(0);

/// A part of memory of the device, as it was once.
#[derive(Debug)]
pub(crate) struct Part {
    memory: Memory,
    len_bytes: usize,
}

#[derive(Debug)]
enum Memory {
    Own(Vec<u8>),
    /// That of a whole part.
    Slab(&'static mut [u8]),
}

/// The bytes of a piece of memory, in parts of [`PART_BYTES`].
pub(crate) type Parts = Vec<Arc<Part>>;

/// Bytes in parts.
pub(crate) fn of(bytes: &[u8]) -> Parts {
    bytes.chunks(PART_BYTES).map(Part::new).collect()
}

/// Bytes that parts may have while they wait to be written: an eighth of the memory that is free in the beginning.
pub(crate) fn most_bytes() -> usize {
    static MOST: OnceLock<usize> = OnceLock::new();
    *MOST.get_or_init(|| (host::free_memory_bytes() / 8).min(16 << 30))
}

/// Bytes of all parts that somebody has.
pub(crate) fn all_bytes() -> usize {
    ALL_BYTES.load(Ordering::Relaxed)
}

impl Part {
    /// A copy of bytes, as many as a part has at most.
    pub(crate) fn new(bytes: &[u8]) -> Arc<Self> {
        let len_bytes = bytes.len();
        ALL_BYTES.fetch_add(len_bytes, Ordering::Relaxed);
        let memory = if (LEAST_BYTES..=PART_BYTES).contains(&len_bytes) {
            let whole = take();
            whole[..len_bytes].copy_from_slice(bytes);
            Memory::Slab(whole)
        } else {
            Memory::Own(bytes.to_vec())
        };
        Arc::new(Self { memory, len_bytes })
    }
}

impl Deref for Part {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match &self.memory {
            Memory::Own(bytes) => bytes,
            Memory::Slab(whole) => &whole[..self.len_bytes],
        }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        ALL_BYTES.fetch_sub(self.len_bytes, Ordering::Relaxed);
        if let Memory::Slab(whole) = &mut self.memory {
            free().push(std::mem::take(whole));
        }
    }
}

fn free() -> std::sync::MutexGuard<'static, Vec<&'static mut [u8]>> {
    FREE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Memory of a whole part, with whatever is in it: the one that was used last.
fn take() -> &'static mut [u8] {
    let mut free = free();
    loop {
        if let Some(whole) = free.pop() {
            return whole;
        }
        // The system gives pages when they are written first, outside of the lock.
        let slab = host::large_pages(SLAB_PARTS * PART_BYTES);
        free.extend(slab.chunks_exact_mut(PART_BYTES));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_keep_their_bytes_while_memory_is_used_again() {
        let mut kept = Vec::new();
        for len in [
            0,
            1,
            LEAST_BYTES - 1,
            LEAST_BYTES,
            PART_BYTES - 1,
            PART_BYTES,
        ] {
            for byte in 1..4 {
                let part = Part::new(&vec![byte; len]);
                assert_eq!(part[..], vec![byte; len]);
                if byte != 2 {
                    kept.push((len, byte, part));
                }
            }
        }
        for (len, byte, part) in kept {
            assert_eq!(part[..], vec![byte; len]);
        }
        assert_eq!(of(&vec![5; 2 * PART_BYTES + 1]).len(), 3);
        assert!(of(&[]).is_empty());
    }
}

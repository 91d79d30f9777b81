//! Copied device memory in parts. Launches share equal parts, and the memory of dropped parts is reused, since
//! allocating from the system is slow.

use std::{
    ops::Deref,
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
};

use launch_archive::PART_BYTES;

use crate::host;

/// Smaller parts have their own allocation.
const LEAST_BYTES: usize = PART_BYTES / 4;
/// Number of whole parts to allocate from the system at a time.
const SLAB_PARTS: usize = 32;

/// Free memory of whole parts.
static FREE: Mutex<Vec<&'static mut [u8]>> = Mutex::new(Vec::new());

/// Total bytes of all parts.
static ALL_BYTES: AtomicUsize = AtomicUsize::new(0);

/// A copy of a part of device memory.
#[derive(Debug)]
pub(crate) struct Part {
    memory: Memory,
    len_bytes: usize,
}

#[derive(Debug)]
enum Memory {
    Own(Vec<u8>),
    /// The memory of a whole part.
    Slab(&'static mut [u8]),
}

/// The bytes of a region of memory, in parts of [`PART_BYTES`].
pub(crate) type Parts = Vec<Arc<Part>>;

/// Splits bytes into parts.
pub(crate) fn of(bytes: &[u8]) -> Parts {
    bytes.chunks(PART_BYTES).map(Part::new).collect()
}

/// Returns the limit for parts that wait to be written: an eighth of the initially free memory.
pub(crate) fn most_bytes() -> usize {
    static MOST: OnceLock<usize> = OnceLock::new();
    *MOST.get_or_init(|| (host::free_memory_bytes() / 8).min(16 << 30))
}

/// Returns the total bytes of all live parts.
pub(crate) fn all_bytes() -> usize {
    ALL_BYTES.load(Ordering::Relaxed)
}

impl Part {
    /// Copies bytes, at most the size of a part.
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

/// Returns the most recently freed memory of a whole part, with arbitrary contents.
fn take() -> &'static mut [u8] {
    let mut free = free();
    loop {
        if let Some(whole) = free.pop() {
            return whole;
        }
        // Pages are allocated when first written, outside of the lock.
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

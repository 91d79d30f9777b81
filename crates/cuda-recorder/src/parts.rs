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

/// Memory of fewer bytes is not worth it.
const LEAST_BYTES: usize = 1 << 16;

/// Memory that nobody uses.
static FREE: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

/// Bytes of all parts.
static ALL_BYTES: AtomicUsize = AtomicUsize::new(0);

/// A part of memory of the device, as it was once.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Part(Vec<u8>);

/// The bytes of a piece of memory, in parts of [`PART_BYTES`].
pub(crate) type Parts = Vec<Arc<Part>>;

/// Bytes in parts.
pub(crate) fn of(bytes: &[u8]) -> Parts {
    let parts = bytes.chunks(PART_BYTES);
    parts
        .map(|bytes| Part::new(bytes.len(), |to| to.copy_from_slice(bytes)))
        .collect()
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
    /// A copy of what `fill` writes: all of so many bytes, of which nobody knows what they are.
    pub(crate) fn new(len_bytes: usize, fill: impl FnOnce(&mut [u8])) -> Arc<Self> {
        let mut bytes = take(len_bytes);
        fill(&mut bytes);
        ALL_BYTES.fetch_add(bytes.len(), Ordering::Relaxed);
        Arc::new(Self(bytes))
    }
}

impl Deref for Part {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        ALL_BYTES.fetch_sub(self.0.len(), Ordering::Relaxed);
        give_back(std::mem::take(&mut self.0));
    }
}

fn take(len_bytes: usize) -> Vec<u8> {
    if len_bytes < LEAST_BYTES {
        return vec![0; len_bytes];
    }
    let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
    let fits =
        |buffer: &Vec<u8>| buffer.capacity() >= len_bytes && buffer.capacity() / 2 <= len_bytes;
    // The one that was used last.
    let found = free.iter().rposition(fits).map(|index| free.remove(index));
    drop(free);
    match found {
        Some(mut buffer) => {
            buffer.resize(len_bytes, 0);
            buffer
        }
        None => {
            let mut buffer = vec![0; len_bytes];
            host::ask_for_large_pages(&mut buffer);
            buffer
        }
    }
}

fn give_back(buffer: Vec<u8>) {
    if buffer.capacity() < LEAST_BYTES {
        return;
    }
    let most = most_bytes() / PART_BYTES;
    let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
    free.push(buffer);
    // Who launches with other memory than before needs other buffers.
    let too_many = (free.len() > most).then(|| free.remove(0));
    drop(free);
    // The system takes its time for this, too.
    drop(too_many);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again_at_its_whole_size() {
        let whole = |len: usize, byte: u8| Part::new(len, |bytes| bytes.fill(byte));
        for len in [0, 1, LEAST_BYTES, PART_BYTES - 1, PART_BYTES] {
            for byte in 1..4 {
                let part = whole(len, byte);
                assert_eq!(**part, vec![byte; len]);
            }
        }
        // Fewer bytes than before do not make it a smaller one, and too few do not take it.
        give_back(vec![9; 3 << 20]);
        assert_eq!(take(2 << 20).capacity(), 3 << 20);
        give_back(vec![9; 3 << 20]);
        assert!(take(1 << 20).capacity() < 3 << 20);
    }

    #[test]
    fn new_memory_is_zeros_whatever_its_pages() {
        for len in [0, 1, 4095, (4 << 20) + 5, 9 << 20] {
            let mut buffer = vec![0; len];
            host::ask_for_large_pages(&mut buffer);
            assert!(buffer.iter().all(|byte| *byte == 0), "{len}");
            buffer.fill(1);
            assert!(buffer.iter().all(|byte| *byte == 1), "{len}");
        }
    }
}

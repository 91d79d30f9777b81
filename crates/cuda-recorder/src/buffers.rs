//! Memory for what is copied from the device, which is used again: the system is slow to give memory.

use std::sync::{Mutex, OnceLock, PoisonError};

use crate::host;

/// Memory of fewer bytes is not worth it.
const LEAST_BYTES: usize = 1 << 16;

static FREE: Mutex<Free> = Mutex::new(Free(Vec::new()));

/// Buffers that nobody uses, the last one used last.
struct Free(Vec<Vec<u8>>);

/// Bytes that may be kept, and as many that may wait to be written: an eighth of the machine's memory, in bounds.
pub(crate) fn most_bytes() -> usize {
    static MOST: OnceLock<usize> = OnceLock::new();
    *MOST.get_or_init(|| (host::memory_bytes() / 8).clamp(2 << 30, 4 << 30))
}

/// So many bytes, of which nobody knows what they are.
pub(crate) fn take(len_bytes: usize) -> Vec<u8> {
    let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
    let found = free.take(len_bytes);
    drop(free);
    found.unwrap_or_else(|| {
        let mut buffer = vec![0; len_bytes];
        host::ask_for_large_pages(&mut buffer);
        buffer
    })
}

/// Keeps memory for later.
pub(crate) fn give_back(buffer: Vec<u8>) {
    let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
    let too_many = free.give_back(buffer, most_bytes());
    drop(free);
    // The system takes its time for this, too.
    drop(too_many);
}

impl Free {
    fn take(&mut self, len_bytes: usize) -> Option<Vec<u8>> {
        let fits =
            |buffer: &Vec<u8>| buffer.capacity() >= len_bytes && buffer.capacity() / 2 <= len_bytes;
        let index = self.0.iter().position(fits)?;
        let mut buffer = self.0.remove(index);
        buffer.resize(len_bytes, 0);
        Some(buffer)
    }

    /// Gives those that are too many: who launches with other memory than before needs other buffers.
    fn give_back(&mut self, buffer: Vec<u8>, most_bytes: usize) -> Vec<Vec<u8>> {
        if buffer.capacity() >= LEAST_BYTES {
            self.0.push(buffer);
        }
        let mut kept: usize = self.0.iter().map(Vec::capacity).sum();
        let mut count = 0;
        while kept > most_bytes {
            kept -= self.0[count].capacity();
            count += 1;
        }
        self.0.drain(..count).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_used_again_at_their_whole_size() {
        const LEN: usize = 3 * LEAST_BYTES;
        let mut free = Free(Vec::new());
        assert!(free.take(LEN).is_none());
        assert!(free.give_back(vec![7; LEN], 2 * LEN).is_empty());
        // Too small, too large, and then fewer bytes than before do not make it a smaller one.
        assert!(free.take(LEN + 1).is_none());
        assert!(free.take(LEN / 2 - 1).is_none());
        let part = free.take(LEN / 2).unwrap();
        assert_eq!(part, vec![7; LEN / 2]);
        free.give_back(part, 2 * LEN);
        assert_eq!(free.take(LEN).unwrap().len(), LEN);
        assert!(free.take(LEN).is_none());
    }

    #[test]
    fn what_was_kept_longest_is_given_up() {
        let mut free = Free(Vec::new());
        let small = free.give_back(vec![0; LEAST_BYTES - 1], usize::MAX);
        assert!(small.is_empty() && free.0.is_empty());
        for byte in 0..3 {
            assert!(
                free.give_back(vec![byte; LEAST_BYTES], 3 * LEAST_BYTES)
                    .is_empty()
            );
        }
        let too_many = free.give_back(vec![3; 2 * LEAST_BYTES], 3 * LEAST_BYTES);
        let first = |buffers: &[Vec<u8>]| buffers.iter().map(|it| it[0]).collect::<Vec<u8>>();
        assert_eq!((first(&too_many), first(&free.0)), (vec![0, 1], vec![2, 3]));
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

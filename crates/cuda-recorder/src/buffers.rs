//! Memory for what is copied from the device, which is used again: the system is slow to give memory.

use std::sync::{Mutex, PoisonError};

/// Bytes that are kept.
const MOST_KEPT: usize = 2 << 30;

/// Memory of fewer bytes is not worth it.
const LEAST_BYTES: usize = 1 << 16;

static FREE: Mutex<Vec<Vec<u8>>> = Mutex::new(Vec::new());

/// So many bytes, of which nobody knows what they are.
pub(crate) fn take(len_bytes: usize) -> Vec<u8> {
    let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
    let fits = |buffer: &Vec<u8>| buffer.len() >= len_bytes && buffer.len() / 2 <= len_bytes;
    match free.iter().position(fits) {
        Some(index) => {
            let mut buffer = free.swap_remove(index);
            buffer.truncate(len_bytes);
            buffer
        }
        None => vec![0; len_bytes],
    }
}

/// Keeps memory for later.
pub(crate) fn give_back(buffer: Vec<u8>) {
    if buffer.len() < LEAST_BYTES {
        return;
    }
    let mut free = FREE.lock().unwrap_or_else(PoisonError::into_inner);
    let kept: usize = free.iter().map(Vec::len).sum();
    if kept + buffer.len() <= MOST_KEPT {
        free.push(buffer);
    }
}

//! The checker as a WebAssembly module: a request is JSON, and so is the answer.
//!
//! The page writes a request into the bytes that [`input`] returns, calls [`answer`], and reads [`output`]. All run in a
//! web worker, so that a search can take its time, and ends with the worker when it is cancelled.

mod inputs;
mod maps;
mod requests;
mod results;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub use requests::answer_json;

static INPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());
static OUTPUT: Mutex<Vec<u8>> = Mutex::new(Vec::new());

fn lock(bytes: &'static Mutex<Vec<u8>>) -> MutexGuard<'static, Vec<u8>> {
    bytes.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Returns the address of `len` bytes for the next request.
#[unsafe(no_mangle)]
pub extern "C" fn input(len: usize) -> *mut u8 {
    let mut input = lock(&INPUT);
    *input = vec![0; len];
    input.as_mut_ptr()
}

/// Answers the request, and returns the length of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> usize {
    std::panic::set_hook(Box::new(|panic| {
        *lock(&OUTPUT) = panic.to_string().into_bytes();
    }));
    let request = std::mem::take(&mut *lock(&INPUT));
    let answer = answer_json(&request).into_bytes();
    let len = answer.len();
    *lock(&OUTPUT) = answer;
    len
}

/// Returns the address of the answer; after a panic, its message is there.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    lock(&OUTPUT).as_ptr()
}

/// Returns the length of the answer or of a panic's message.
#[unsafe(no_mangle)]
pub extern "C" fn output_len() -> usize {
    lock(&OUTPUT).len()
}

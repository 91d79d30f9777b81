//! Sends vectors to the other of two GPUs and receives its own, for buffers that are too short to be worth a wait for an
//! event: each word travels in 8 bytes, together with the number of the call.

use core::sync::atomic::{AtomicU64, Ordering::Relaxed};

use tma::{Block, halves::Bf16, kernel};

use crate::{
    rows::{Floats, Number},
    vectors::{Vector, tile_bytes},
};

/// Threads of a block, with a vector each.
pub const THREADS: u32 = 256;

/// Words of 8 bytes that a block has in an inbox: two halves, which calls use in turn.
pub const INBOX_WORDS: usize = 2 * HALF_WORDS;

/// A word for each number of 4 bytes of a block's vectors.
const HALF_WORDS: usize = (tile_bytes(THREADS, 1) / 4) as usize;

/// Bits of `steps`: a kernel sends, receives, or both.
pub const SEND: u32 = 1;
/// See [`SEND`].
pub const RECEIVE: u32 = 2;

/// Sends `send_vectors` vectors of 16 bytes from `send` to the other GPU, and stores the `receive_vectors` vectors of the
/// other GPU at `receive`, or adds them if `add` is not 0: `low_latency_exchange_f32`, `low_latency_exchange_bf16`. Sums are
/// rounded to nearest, ties to even.
///
/// Both GPUs run this kernel with equal grids, and each waits for the other's words. `outbox` is the `inbox` of the other GPU.
/// The upper half of a word is the number of the call, which `calls` counts for each block, so that a word is received when its
/// number is right: words need no flag and no fence. Two calls use different halves of an inbox. A third call begins after the
/// second one has received, and the other GPU began that one after it had received the first: its half is free.
///
/// Two launches may do the steps of one: first [`SEND`] on both GPUs, then [`RECEIVE`] on both.
///
/// # Safety
/// 1. `send` points to `send_vectors` vectors that no thread writes while the kernel runs, and `receive` to `receive_vectors`
///    that no other code uses, both at a multiple of 16 bytes; they are apart or equal.
/// 2. `inbox` and `outbox` point to [`INBOX_WORDS`] words for each block, and `calls` to a number for each. Only this kernel and
///    the other GPU's have used them since they were zero, in equal launches in the same order.
/// 3. Grid and blocks are one-dimensional, blocks of [`THREADS`] threads.
/// 4. If the launch receives, the other GPU's launch that sends has run, or runs without waiting for the end of this one.
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX of `low_latency_exchange_bf16`\n```text\n", include_str!("../../tests/golden/ptx/low_latency_exchange_bf16.ptx"), "\n```"))]
#[kernel(max_threads = 256, instances(T = f32, Bf16))]
#[allow(
    clippy::too_many_arguments,
    reason = "the host's type has them by name"
)]
pub unsafe fn low_latency_exchange<T: Number>(
    send: *const T,
    send_vectors: u32,
    receive: *mut T,
    receive_vectors: u32,
    outbox: *mut u64,
    inbox: *mut u64,
    calls: *mut u32,
    add: u32,
    steps: u32,
) {
    // SAFETY: every thread gets here (3).
    let block = unsafe { Block::converged() };
    let vector = block.index() * THREADS + block.thread();
    // SAFETY: there is a number for each block (2).
    let calls = unsafe { calls.add(block.index() as usize) };
    // SAFETY: the first thread alone writes it, when all threads have read it.
    let call = unsafe { *calls }.wrapping_add(1);
    let half = 2 * block.index() as usize + (call % 2) as usize;
    let first = half * HALF_WORDS + block.thread() as usize;
    // Neighbours in a warp have neighbouring words.
    let word_of = |words: *mut u64, number: u32| {
        // SAFETY: the word is in the block's half (2, 3).
        let word = unsafe { words.add(first + (number * THREADS) as usize) };
        // SAFETY: as long as the kernel runs, all accesses of the word are atomic (2).
        unsafe { AtomicU64::from_ptr(word) }
    };

    if steps & SEND != 0 {
        // Each block sends whole halves, so that none gets ahead of one that has less to send.
        let words = if vector < send_vectors {
            // SAFETY: the vector is in bounds and aligned (1).
            unsafe { *send.cast::<Vector>().add(vector as usize) }
        } else {
            [0; 4]
        };
        let call = u64::from(call) << 32;
        for (number, word) in (0..).zip(words) {
            word_of(outbox, number).store(u64::from(word) | call, Relaxed);
        }
    }
    if steps & RECEIVE != 0 {
        let words = loop {
            let words = [0, 1, 2, 3].map(|number| word_of(inbox, number).load(Relaxed));
            if words.iter().all(|word| (word >> 32) as u32 == call) {
                break words.map(|word| word as u32);
            }
        };
        if vector < receive_vectors {
            // SAFETY: the vector is in bounds and aligned (1).
            let own = unsafe { &mut *receive.cast::<Vector>().add(vector as usize) };
            let sum = |x, y| T::vector(T::floats(x).map_with([T::floats(y)], |x, [y]| x + y));
            *own = if add == 0 { words } else { sum(*own, words) };
        }
        block.sync();
        if block.thread() == 0 {
            // SAFETY: all threads of the block have read it (2).
            unsafe { *calls = call };
        }
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{LowLatencyExchange, Part, Steps};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tma_launch::{BufferRef, Call, Conditions, Region, Shape};

    use super::{INBOX_WORDS, RECEIVE, SEND, THREADS, low_latency_exchange};
    use crate::{
        arguments::part,
        rows::{Numbers, with_element},
        vectors::VECTOR_BYTES,
    };

    /// The steps of an exchange that a launch does.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Steps {
        /// Send, without a wait.
        Send,
        /// Receive what the other device has sent.
        Receive,
        /// Both; the other device's launch must run at the same time.
        Both,
    }

    /// A part of a buffer.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Part {
        /// The offset in bytes.
        pub offset_bytes: u64,
        /// The length in bytes.
        pub len_bytes: u64,
    }

    /// Sends a part of a buffer to another device, and receives a part of the same buffer from it.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct LowLatencyExchange {
        /// The type of the numbers.
        pub numbers: Numbers,
        /// The buffer.
        pub own: usize,
        /// The part that is sent.
        pub send: Part,
        /// The part that is received: apart from the part that is sent, or equal to it.
        pub receive: Part,
        /// The inbox of the other device, in words of 8 bytes.
        pub outbox: usize,
        /// The inbox of this device, in words of 8 bytes.
        pub inbox: usize,
        /// The counts of calls of this device, of type `u32`.
        pub calls: usize,
        /// True if the received numbers are added to those of the part.
        pub add: bool,
        /// The steps of this launch.
        pub steps: Steps,
    }

    /// No numbers of `f32` in buffer 0, with outbox, inbox and calls in buffers 1 to 3.
    impl Default for LowLatencyExchange {
        fn default() -> Self {
            Self {
                numbers: Numbers::F32,
                own: 0,
                send: Part::default(),
                receive: Part::default(),
                outbox: 1,
                inbox: 2,
                calls: 3,
                add: false,
                steps: Steps::Both,
            }
        }
    }

    impl LowLatencyExchange {
        /// Returns the blocks of a launch that exchanges up to `len_bytes` bytes each way.
        pub fn blocks(len_bytes: u64) -> u64 {
            len_bytes.div_ceil(u64::from(THREADS * VECTOR_BYTES))
        }

        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            for Part {
                offset_bytes,
                len_bytes,
            } in [self.send, self.receive]
            {
                part(conditions, offset_bytes, len_bytes);
            }
            let region =
                |part: Part| Region::bytes(self.own, part.len_bytes).skip(part.offset_bytes);
            let longest = self.send.len_bytes.max(self.receive.len_bytes);
            let reason = "the grid must not be empty";
            conditions.at_least("bytes of the longer part", longest, 16, reason);
            let reason = "the grid has a block for each 4096 bytes";
            let most = u64::from(i32::MAX as u32) * u64::from(THREADS * VECTOR_BYTES);
            conditions.within("bytes of the longer part", longest, 0..=most, reason);
            let blocks = Self::blocks(longest).min(i32::MAX as u64);
            let words_bytes = blocks * 8 * INBOX_WORDS as u64;
            let (sends, receives) = match self.steps {
                Steps::Send => (true, false),
                Steps::Receive => (false, true),
                Steps::Both => (true, true),
            };
            if sends {
                if !(receives && self.send == self.receive) {
                    conditions.reads(region(self.send));
                }
                conditions.writes(Region::bytes(self.outbox, words_bytes));
            }
            if receives {
                conditions.updates(region(self.receive));
                conditions.reads(Region::bytes(self.inbox, words_bytes));
            }
            conditions.updates(Region::bytes(self.calls, 4 * blocks));
            let steps = u32::from(sends) * SEND + u32::from(receives) * RECEIVE;
            let vectors = |part: Part| (part.len_bytes / u64::from(VECTOR_BYTES)) as u32;
            let call = with_element!(self.numbers, T => {
                let of = |part: Part| {
                    BufferRef::new(self.own).skip(part.offset_bytes / size_of::<T>() as u64)
                };
                low_latency_exchange::<T>(
                    of(self.send),
                    vectors(self.send),
                    of(self.receive),
                    vectors(self.receive),
                    BufferRef::new(self.outbox),
                    BufferRef::new(self.inbox),
                    BufferRef::new(self.calls),
                    u32::from(self.add),
                    steps,
                )
            });
            (call, Shape::new(blocks as u32, THREADS))
        }
    }
}

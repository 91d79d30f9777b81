//! A panicking thread leaves a record of its message, and stops the kernel.
//!
//! Formatting takes hundreds of registers, so the message is not formatted here: the record has its
//! template and the bytes of its arguments. `tma-build` has put a tag, which names the type of an
//! argument, in place of each address of a function of `core::fmt`. `tma_launch::Panic` reads the
//! record.

use core::{
    arch::nvptx,
    fmt::Arguments,
    mem::transmute,
    panic::{Location, PanicInfo, PanicMessage},
    sync::atomic::{
        AtomicU64,
        Ordering::{Relaxed, SeqCst},
        fence,
    },
};

use crate::group::thread::{block_idx, thread_idx};

/// [`NONE`], the address of [`BYTES`] zeros, which the host wrote, or [`TAKEN`].
static RECORD: AtomicU64 = AtomicU64::new(NONE);
const NONE: u64 = 0;
const TAKEN: u64 = 1;

/// Size of a record in bytes; longer records are cut.
const BYTES: u32 = 4096;

/// The upper half of a tag.
const IS_TAG: usize = u32::from_le_bytes(*b"tma1") as usize;

// A message refers to two words: a text and its length, or a template and its arguments.
const _: () = assert!(size_of::<PanicMessage<'_>>() == size_of::<&Arguments<'_>>());
const _: () = assert!(size_of::<Arguments<'_>>() == size_of::<[usize; 2]>());

#[panic_handler]
#[optimize(size)]
fn panic(info: &PanicInfo<'_>) -> ! {
    match RECORD.swap(TAKEN, Relaxed) {
        NONE => {}
        // The trap of the thread that came first ends this one, too.
        TAKEN => while RECORD.load(Relaxed) == TAKEN {},
        address => {
            // SAFETY: the host wrote the address of this many bytes, and only this thread has it.
            unsafe { write(address as *mut u64, info) }
        }
    }
    // SAFETY: `trap` has no conditions.
    unsafe { nvptx::trap() }
}

/// Writes a record: after the number of its bytes the block, the thread, the line, the column, the
/// file, whether a text or a template follows, the text or template, and its arguments.
///
/// # Safety
/// 1. The address points to [`BYTES`] bytes, which only this thread uses.
#[optimize(size)]
unsafe fn write(address: *mut u64, info: &PanicInfo<'_>) {
    let (block, thread) = (block_idx(), thread_idx());
    let at = info.location().unwrap_or(Location::caller());
    // SAFETY: the bytes after the number are the record's (1); the rest are references, and `core`
    // lays a message out like this: the lowest bit marks a text.
    unsafe {
        let mut record = Record {
            next: address.add(1).cast(),
            room: BYTES - size_of::<u64>() as u32,
        };
        for number in [block.x, block.y, block.z, thread.x, thread.y, thread.z] {
            record.number(number);
        }
        record.number(at.line());
        record.number(at.column());
        record.text(at.file().as_ptr(), at.file().len() as u32);
        let [text, rest] = *transmute::<PanicMessage<'_>, &[usize; 2]>(info.message());
        record.number((rest & 1) as u32);
        if rest & 1 == 1 {
            record.text(text as *const u8, (rest >> 1) as u32);
        } else {
            record.template(text as *const u8, rest as *const [usize; 2]);
        }
        fence(SeqCst);
        address.write_volatile((BYTES - record.room).into());
        fence(SeqCst);
    }
}

/// The address of a record's next bytes, and the space left.
struct Record {
    next: *mut u8,
    room: u32,
}

/// # Safety
/// 1. There are `room` bytes at `next`, which only this thread uses.
/// 2. The other arguments point to values of the type in the function's name.
///
/// Small functions that are called, and numbers of 32 bits: every register that they take, every
/// kernel with a panic takes.
impl Record {
    #[inline(always)]
    unsafe fn template(&mut self, template: *const u8, mut argument: *const [usize; 2]) {
        let (mut end, mut next, mut count) = (template, 0, 0);
        // SAFETY: the template ends with a zero where a piece begins (2).
        unsafe {
            let half = |at: *const u8| u32::from(*at) | u32::from(*at.add(1)) << 8;
            loop {
                let head = u32::from(*end);
                end = end.add(1);
                match head {
                    0 => break,
                    1..128 => end = end.add(head as usize),
                    128 => end = end.add(2 + half(end) as usize),
                    _ => {
                        // Flags, width and precision.
                        end = end.add(((head & 1) * 4 + (head & 2) + (head & 4) / 2) as usize);
                        if head & 8 != 0 {
                            next = half(end);
                            end = end.add(2);
                        }
                        next += 1;
                        count = if next > count { next } else { count };
                    }
                }
            }
            self.text(template, end.offset_from_unsigned(template) as u32);
            while count > 0 {
                self.argument((*argument)[0] as *const usize, (*argument)[1]);
                argument = argument.add(1);
                count -= 1;
            }
        }
    }

    #[inline(always)]
    unsafe fn argument(&mut self, mut value: *const usize, mut tag: usize) {
        // SAFETY: the value has the type of the tag (2): after the references a word with a vtable,
        // which has another tag as its fourth word, a text, or the given number of bytes.
        unsafe {
            while tag >> 32 == IS_TAG {
                let (kind, mut references) = ((tag >> 8) as u8, (tag >> 16) as u8);
                while references > 0 {
                    value = *value as *const usize;
                    references -= 1;
                }
                if kind != b'd' {
                    self.number(tag as u32);
                    return match kind {
                        b's' => self.text(*value as *const u8, *value.add(1) as u32),
                        _ => self.text(value.cast(), tag as u32 & 0xff),
                    };
                }
                tag = *(*value.add(1) as *const usize).add(3);
                value = *value as *const usize;
            }
            self.number(0);
            self.number(0);
        }
    }

    unsafe fn text(&mut self, bytes: *const u8, count: u32) {
        // SAFETY: the record has room (1), and the text has `count` bytes (2).
        unsafe {
            self.number(count);
            self.bytes(bytes, count);
        }
    }

    unsafe fn number(&mut self, number: u32) {
        // SAFETY: the record has room (1), and a number has four bytes (2).
        unsafe { self.bytes((&raw const number).cast(), 4) }
    }

    #[inline(never)]
    #[optimize(size)]
    unsafe fn bytes(&mut self, mut bytes: *const u8, count: u32) {
        let mut count = if count < self.room { count } else { self.room };
        self.room -= count;
        let mut next = self.next;
        while count > 0 {
            // SAFETY: at least this many bytes are left of both (1, 2).
            unsafe {
                next.write_volatile(*bytes);
                (next, bytes) = (next.add(1), bytes.add(1));
            }
            count -= 1;
        }
        self.next = next;
    }
}

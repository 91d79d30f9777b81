//! Access to memory of the program through the system, so that an unmapped address is an error of the call instead
//! of a crash.

use std::{io, os::fd::AsRawFd};

/// Copies `len` bytes that begin at an address of the program; returns whether all of them can be read.
///
/// # Safety
/// 1. `into` is valid for writes of `len` bytes.
pub(crate) unsafe fn read(address: u64, into: *mut u8, len: usize) -> bool {
    // SAFETY: `into` is valid for the writes of `process_vm_readv` (1 of `transfer`); no write goes to the other
    // side (2).
    let copied = unsafe { transfer(libc::process_vm_readv, address, into, len) };
    // SAFETY: `into` may be overwritten with `len` bytes (1 of `pipe`).
    copied.unwrap_or_else(|| unsafe { pipe(address as *const u8, into, len) })
}

/// Copies `len` bytes to an address of the program; returns whether all of them can be written.
///
/// # Safety
/// 1. `from` is valid for reads of `len` bytes.
/// 2. The program passed the address to a call as a destination.
pub(crate) unsafe fn write(address: u64, from: *const u8, len: usize) -> bool {
    // SAFETY: `from` is only read (1 of `transfer`), and the program passed the destination (2).
    let copied = unsafe { transfer(libc::process_vm_writev, address, from.cast_mut(), len) };
    // SAFETY: the program passed the destination to be overwritten (2), as `pipe` requires (1).
    copied.unwrap_or_else(|| unsafe { pipe(from, address as *mut u8, len) })
}

/// Copies bytes through a pipe, which works in every process and checks both addresses. Returns whether all bytes
/// were copied.
///
/// # Safety
/// 1. If `to` is mapped memory of the program, it may be overwritten with these bytes.
unsafe fn pipe(from: *const u8, to: *mut u8, len: usize) -> bool {
    /// Bytes that a new pipe accepts at once (pipe(7)).
    const PART_BYTES: usize = 4096;
    let Ok((reader, writer)) = io::pipe() else {
        return false;
    };
    let (reader, writer) = (reader.as_raw_fd(), writer.as_raw_fd());
    let is_overflow = |start: u64| start.checked_add(len as u64).is_none();
    if is_overflow(from as u64) || is_overflow(to as u64) {
        return false;
    }
    (0..len).step_by(PART_BYTES).all(|start| {
        let part = PART_BYTES.min(len - start);
        let (from, to) = (from.wrapping_add(start), to.wrapping_add(start));
        // SAFETY: the system reads the bytes, or returns an error.
        let sent = unsafe { libc::write(writer, from.cast(), part) };
        // SAFETY: the system writes only mapped memory, which is meant for it (1), or returns an error.
        sent == part as isize && unsafe { libc::read(reader, to.cast(), part) } == sent
    })
}

/// Returns whether these addresses are all mapped, possibly to unreadable memory.
pub(crate) fn is_mapped(address: u64, len: usize) -> bool {
    /// Number of pages to query at once.
    const PAGES: u64 = 4096;
    let Some(end) = address.checked_add(len as u64) else {
        return false;
    };
    // SAFETY: the call reads a constant of the system.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(1) as u64;
    let mut pages = [0; PAGES as usize];
    let starts = (address / page * page..end).step_by((PAGES * page) as usize);
    let mut parts = starts.map(|start| (start, (end - start).min(PAGES * page)));
    parts.all(|(start, len)| {
        // SAFETY: the call does not access the memory, and writes one byte for each page.
        let found = unsafe { libc::mincore(start as *mut _, len as usize, pages.as_mut_ptr()) };
        found == 0 || io::Error::last_os_error().raw_os_error() != Some(libc::ENOMEM)
    })
}

/// `process_vm_readv` or `process_vm_writev`.
type Transfer = unsafe extern "C" fn(
    libc::pid_t,
    *const libc::iovec,
    libc::c_ulong,
    *const libc::iovec,
    libc::c_ulong,
    libc::c_ulong,
) -> isize;

/// Copies between an address of the program and memory of this library; returns whether all bytes were copied, or
/// `None` if the system does not permit the call.
///
/// # Safety
/// 1. `own` is valid for `len` bytes, for writes by `process_vm_readv`, and for reads by the other.
/// 2. The destination of `process_vm_writev` belongs to the program.
unsafe fn transfer(call: Transfer, address: u64, own: *mut u8, len: usize) -> Option<bool> {
    if address.checked_add(len as u64).is_none() {
        return Some(false);
    }
    // SAFETY: the call reads a number, which changes after a fork.
    let process = unsafe { libc::getpid() };
    let mut done = 0;
    while done < len {
        let part = |start: *mut u8| libc::iovec {
            iov_base: start.wrapping_add(done).cast(),
            iov_len: len - done,
        };
        let (own, other) = (part(own), part(address as *mut u8));
        // SAFETY: `own` has these bytes (1), and the system checks the other address before it copies (2).
        let copied = unsafe { call(process, &own, 1, &other, 1, 0) };
        match usize::try_from(copied) {
            Ok(0) => return Some(false),
            Ok(copied) => done += copied,
            Err(_) => {
                let error = io::Error::last_os_error().raw_os_error();
                let is_refused = matches!(error, Some(libc::ENOSYS | libc::EPERM));
                return (!is_refused).then_some(false);
            }
        }
    }
    Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Maps a page of ones, followed by an unreadable page.
    fn before_guard() -> (u64, usize) {
        // SAFETY: the call reads a constant of the system.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) } as usize;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let both = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: the mapping does not change existing memory.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), 2 * page, both, flags, -1, 0) };
        assert_ne!(start, libc::MAP_FAILED);
        // SAFETY: the page was mapped above.
        unsafe { start.cast::<u8>().write_bytes(1, page) };
        // SAFETY: the second page was mapped above, and only this test uses it.
        let guarded = unsafe { libc::mprotect(start.wrapping_add(page), page, libc::PROT_NONE) };
        assert_eq!(guarded, 0);
        (start as u64, page)
    }

    #[test]
    fn a_copy_ends_at_a_guard_page() {
        let (start, page) = before_guard();
        let mut bytes = vec![0; page + 8];
        let mut reads = |at: u64, len| {
            // SAFETY: `bytes` is at least this long (1).
            unsafe { read(at, bytes.as_mut_ptr(), len) }
        };
        assert!(reads(start, page));
        assert!(reads(start + page as u64 - 8, 8));
        assert!(!reads(start, page + 1));
        assert!(!reads(start + page as u64 - 8, 9));
        assert!(!reads(u64::MAX - 4, 8));
        assert!(!reads(0, 1));
        assert!(reads(0, 0));
        assert_eq!(bytes[page - 1], 1);
        let writes = |at: u64, len| {
            // SAFETY: `bytes` is at least this long (1), and the page belongs to the test (2).
            unsafe { write(at, bytes.as_ptr(), len) }
        };
        assert!(writes(start + page as u64 - 8, 8));
        assert!(!writes(start + page as u64 - 4, 8));
    }

    /// Imitates a system that does not let a process copy its own memory by these calls.
    #[test]
    fn a_copy_through_a_pipe_ends_at_a_guard_page() {
        let (start, page) = before_guard();
        let mut bytes = vec![0; 2 * page];
        let mut reads = |at: u64, len| {
            // SAFETY: `bytes` is at least this long (1).
            unsafe { pipe(at as *const u8, bytes.as_mut_ptr(), len) }
        };
        assert!(reads(start, page) && reads(start + 3, page - 3) && reads(0, 0));
        assert!(!reads(start, page + 1));
        assert!(!reads(start + page as u64 - 8, 9));
        assert!(!reads(u64::MAX - 4, 8) && !reads(0, 1));
        assert_eq!(bytes[page - 1], 1);
        let long: Vec<u8> = (0..10_001).map(|index| index as u8).collect();
        let mut copy = vec![0; long.len()];
        // SAFETY: both buffers have `len` bytes (1).
        assert!(unsafe { pipe(long.as_ptr(), copy.as_mut_ptr(), long.len()) });
        assert_eq!(copy, long);
        let writes = |at: u64, len| {
            // SAFETY: the page belongs to the test (1).
            unsafe { pipe(long.as_ptr(), at as *mut u8, len) }
        };
        assert!(writes(start + page as u64 - 8, 8));
        assert!(!writes(start + page as u64 - 4, 8));
        assert!(!writes(0, 8));
    }

    #[test]
    fn ranges_of_any_length_are_asked_for() {
        let (start, page) = before_guard();
        assert!(is_mapped(start, page));
        assert!(is_mapped(start + 1, 2 * page - 1));
        for len in [1 << 40, usize::MAX / 2, usize::MAX - (1 << 48), usize::MAX] {
            assert!(!is_mapped(start, len), "{len:#x}");
        }
    }
}

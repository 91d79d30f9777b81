//! Memory of the program, which its calls pass by address.

use std::{
    ffi::{CStr, c_char},
    fs,
};

use crate::driver::SUCCESS;

/// Copies memory of the program.
///
/// # Safety
/// 1. `len_bytes` bytes can be read at the address.
pub(crate) unsafe fn bytes(address: u64, len_bytes: usize) -> Vec<u8> {
    let mut bytes = vec![0; len_bytes];
    let from = address as *const u8;
    // SAFETY: condition 1, and memory of the program does not overlap the new allocation.
    unsafe { from.copy_to(bytes.as_mut_ptr(), len_bytes) };
    bytes
}

/// Reads the value at an address.
///
/// # Safety
/// 1. The address is null, or a value of this type can be read there.
pub(crate) unsafe fn value<T: Copy>(address: *const T) -> Option<T> {
    if address.is_null() {
        return None;
    }
    // SAFETY: the address is not null, so it is readable (1).
    Some(unsafe { address.read_unaligned() })
}

/// Reads the value written by a call at the program's address if the code is success; otherwise it may be
/// uninitialised.
///
/// # Safety
/// 1. If the code is success, the address is null, or a value of this type can be read there.
pub(crate) unsafe fn written<T: Copy>(code: i32, address: *const T) -> Option<T> {
    if code != SUCCESS {
        return None;
    }
    // SAFETY: the code is success, so the address is null or readable (1), as `value` requires (1).
    unsafe { value(address) }
}

/// Reads the text at an address.
///
/// # Safety
/// 1. The address is null, or a zero-terminated text begins there.
pub(crate) unsafe fn text(address: *const c_char) -> Option<String> {
    if address.is_null() {
        return None;
    }
    // SAFETY: the address is not null, so a zero-terminated text begins there (1).
    let text = unsafe { CStr::from_ptr(address) };
    Some(text.to_string_lossy().into_owned())
}

/// Device code at an address that a program passed to the driver.
pub(crate) struct Image(u64);

impl Image {
    /// # Safety
    /// 1. At the address is an image loaded by the driver: a fat binary, its wrapper, machine code or a text. It
    ///    lives as long as this value.
    pub(crate) unsafe fn new(address: u64) -> Self {
        Self(address)
    }

    /// Returns the code that a driver would choose on a GPU of compute capability 9.0.
    pub(crate) fn code(&self) -> fat_binary::Code {
        fat_binary::read(self, self.0)
    }

    /// Returns the image if it is plain machine code, up to the size given by its header.
    pub(crate) fn machine_code(&self) -> Option<Vec<u8>> {
        use fat_binary::Memory;
        const HEADER_BYTES: usize = 64;
        let start = self.bytes(self.0, 4)?;
        if start != *b"\x7fELF" {
            return None;
        }
        let header = self.bytes(self.0, HEADER_BYTES)?;
        self.bytes(self.0, elf_bytes(&header)?)
    }
}

/// Returns the end of the tables in an ELF header (System V ABI, chapter 4).
fn elf_bytes(header: &[u8]) -> Option<usize> {
    const MOST_BYTES: usize = 1 << 30;
    let long = |at: usize| {
        let bytes = header.get(at..at + 8)?.try_into().ok()?;
        usize::try_from(u64::from_le_bytes(bytes)).ok()
    };
    let short = |at: usize| {
        let bytes = header.get(at..at + 2)?.try_into().ok()?;
        Some(usize::from(u16::from_le_bytes(bytes)))
    };
    let segments = long(32)?.checked_add(short(54)? * short(56)?)?;
    let sections = long(40)?.checked_add(short(58)? * short(60)?)?;
    Some(segments.max(sections)).filter(|bytes| *bytes <= MOST_BYTES)
}

impl fat_binary::Memory for Image {
    fn bytes(&self, address: u64, len_bytes: usize) -> Option<Vec<u8>> {
        if address == 0 {
            return None;
        }
        // SAFETY: the image is alive (`new`, 1), and the reader requests only the sizes in its headers.
        Some(unsafe { bytes(address, len_bytes) })
    }

    fn text(&self, address: u64) -> Option<String> {
        // SAFETY: an image other than a fat binary and machine code is a text (`new`, 1).
        unsafe { text(address as *const c_char) }
    }
}

/// Returns the free memory in bytes, within the system's and the process's control group limits.
pub(crate) fn free_memory_bytes() -> usize {
    let number = |path: &str| fs::read_to_string(path).ok()?.trim().parse::<usize>().ok();
    let group = number("/sys/fs/cgroup/memory.max").map(|most| {
        let used = number("/sys/fs/cgroup/memory.current").unwrap_or(0);
        most.saturating_sub(used)
    });
    let all = fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let all = available_bytes(&all).unwrap_or(0);
    group.map_or(all, |group| group.min(all))
}

/// Returns the available memory in `/proc/meminfo` (proc(5)).
fn available_bytes(text: &str) -> Option<usize> {
    let mut lines = text.lines();
    let kib = lines.find_map(|line| line.strip_prefix("MemAvailable:")?.strip_suffix("kB"))?;
    Some(kib.trim().parse::<usize>().ok()? << 10)
}

/// Allocates zero bytes that are never freed, in large pages if available, which the system provides several times
/// as fast and pins in fewer steps.
pub(crate) fn large_pages(len_bytes: usize) -> &'static mut [u8] {
    /// Size of large pages on x86-64 and most other architectures.
    const PAGE_BYTES: usize = 2 << 20;
    let memory = Vec::leak(vec![0; len_bytes + PAGE_BYTES]);
    let before = memory.as_ptr().align_offset(PAGE_BYTES).min(PAGE_BYTES);
    let memory = &mut memory[before..before + len_bytes];
    // SAFETY: these bytes belong to this function and keep their contents; the system may refuse.
    unsafe { libc::madvise(memory.as_mut_ptr().cast(), len_bytes, libc::MADV_HUGEPAGE) };
    memory
}

/// Blocks signals in this thread, so that the program's own threads receive them.
pub(crate) fn block_signals() {
    let mut all = std::mem::MaybeUninit::uninit();
    // SAFETY: the call writes the whole set.
    unsafe { libc::sigfillset(all.as_mut_ptr()) };
    // SAFETY: the call above wrote the set, and the old mask is not requested.
    unsafe { libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), std::ptr::null_mut()) };
}

/// Registers a function to call when the program ends by `exit` or returns from `main`.
pub(crate) fn at_exit(function: extern "C" fn()) {
    // SAFETY: the function has no parameters, and this library is never unloaded (`driver::keep`).
    unsafe { libc::atexit(function) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_memory_is_found() {
        let text = "MemTotal:       24576000 kB\nMemFree: 7 kB\nMemAvailable:    2048 kB\n";
        assert_eq!(available_bytes(text), Some(2 << 20));
        assert_eq!(available_bytes("MemTotal: 1 kB"), None);
        assert!(free_memory_bytes() > 0);
    }

    #[test]
    fn nothing_is_read_after_a_call_that_failed() {
        let value = 7_u64;
        // SAFETY: the address is valid (1).
        assert_eq!(unsafe { written(SUCCESS, &raw const value) }, Some(7));
        // SAFETY: the address is null (1).
        assert_eq!(unsafe { written::<u64>(SUCCESS, std::ptr::null()) }, None);
        let nowhere = std::ptr::without_provenance::<u64>(8);
        // SAFETY: the code is of an error (1).
        assert_eq!(unsafe { written(1, nowhere) }, None);
    }

    #[test]
    fn large_pages_are_zeros() {
        for len in [0, 1, 4096, (4 << 20) + 5] {
            let memory = large_pages(len);
            assert_eq!(memory.len(), len);
            assert!(memory.iter().all(|byte| *byte == 0), "{len}");
            memory.fill(1);
            assert_eq!(memory.as_ptr().align_offset(2 << 20), 0);
        }
    }

    #[test]
    fn machine_code_ends_behind_its_tables() {
        let mut header = [0; 64];
        header[32..40].copy_from_slice(&1000_u64.to_le_bytes());
        header[40..48].copy_from_slice(&400_u64.to_le_bytes());
        // Sizes and counts of segments and sections.
        for (at, value) in [(54, 56_u16), (56, 3), (58, 64), (60, 9)] {
            header[at..at + 2].copy_from_slice(&value.to_le_bytes());
        }
        assert_eq!(elf_bytes(&header), Some(1000 + 3 * 56));
        header[60] = 30;
        assert_eq!(elf_bytes(&header), Some(400 + 30 * 64));
        assert_eq!(elf_bytes(&header[..60]), None);
        header[46] = 0xff;
        assert_eq!(elf_bytes(&header), None);
    }

    #[test]
    fn images_are_read_where_they_lie() {
        let mut code = vec![0_u8; 200];
        code[..4].copy_from_slice(b"\x7fELF");
        code[32..40].copy_from_slice(&100_u64.to_le_bytes());
        code[54..58].copy_from_slice(&[50, 0, 2, 0]);
        // SAFETY: the image has the size in its header (1).
        let image = unsafe { Image::new(code.as_ptr() as u64) };
        assert_eq!(image.machine_code(), Some(code.clone()));
        // SAFETY: the image is a zero-terminated text (1).
        let image = unsafe { Image::new(c".version 8.0".as_ptr() as u64) };
        assert_eq!(image.machine_code(), None);
        assert_eq!(
            image.code(),
            fat_binary::Code::Ptx(".version 8.0".to_owned())
        );
    }
}

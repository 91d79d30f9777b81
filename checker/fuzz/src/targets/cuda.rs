//! The library that replaces CUDA, loaded as a program loads it, and memory before an unreadable page.

use std::{
    env,
    ffi::c_void,
    path::{Path, PathBuf},
    sync::OnceLock,
};

use libloading::Library;

/// Bytes before the guard page.
pub(super) const BYTES: usize = 1 << 16;

/// The most parameters of a call.
pub(super) const MOST: usize = 12;

type Function =
    unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64) -> i32;

pub(super) struct Cuda {
    library: Library,
    /// The end of the bytes, and the start of the page.
    guard: u64,
}

impl Cuda {
    pub(super) fn get() -> &'static Self {
        static CUDA: OnceLock<Cuda> = OnceLock::new();
        CUDA.get_or_init(|| {
            silence();
            let path = path();
            // SAFETY: the library has no initialisers but Rust's own.
            let library = unsafe { Library::new(&path) };
            let library = library.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            Self {
                library,
                guard: before_guard(),
            }
        })
    }

    /// The first of the bytes before the guard page.
    pub(super) fn start(&self) -> u64 {
        self.guard - BYTES as u64
    }

    pub(super) fn guard(&self) -> u64 {
        self.guard
    }

    /// Writes bytes that end right before the guard page, and returns their address.
    pub(super) fn put(&self, bytes: &[u8]) -> u64 {
        let bytes = &bytes[..bytes.len().min(BYTES)];
        let start = self.guard - bytes.len() as u64;
        // SAFETY: these bytes were mapped for this, and only one thread runs targets.
        unsafe { (start as *mut u8).copy_from(bytes.as_ptr(), bytes.len()) };
        start
    }

    /// Reads a number that a call has written to the first bytes.
    pub(super) fn result(&self) -> u64 {
        // SAFETY: the first bytes were mapped for results, and only one thread runs targets.
        unsafe { (self.start() as *const u64).read_unaligned() }
    }

    /// Calls a function with at least as many numbers as it has parameters.
    ///
    /// # Panics
    /// The function is missing, or has panicked.
    pub(super) fn call(&self, name: &str, given: &[u64]) -> i32 {
        const UNKNOWN: i32 = 999;
        let mut all = [0; MOST];
        all[..given.len()].copy_from_slice(given);
        let [a, b, c, d, e, f, g, h, i, j, k, l] = all;
        // SAFETY: all functions of the tables take integers and pointers, and get at least as many as they read.
        let function = unsafe { self.library.get::<Function>(name) };
        let function = function.unwrap_or_else(|error| panic!("{name}: {error}"));
        // SAFETY: the type passes at least as many numbers as the function reads, and the library checks each
        // address that it gets.
        let code = unsafe { function(a, b, c, d, e, f, g, h, i, j, k, l) };
        assert!(code != UNKNOWN, "{name} panicked, or an earlier call did");
        code
    }
}

/// Returns the path of the library, which is built with this program: next to it or in `deps`.
fn path() -> PathBuf {
    const FILE: &str = "libemulated_cuda.so";
    if let Some(path) = env::var_os("TMA_EMULATED_CUDA") {
        return path.into();
    }
    let program = env::current_exe().unwrap_or_default();
    let folder = program.parent().unwrap_or(Path::new(""));
    let deps = folder.join("deps").join(FILE);
    if deps.is_file() {
        deps
    } else {
        folder.join(FILE)
    }
}

/// Reports of calls are not looked at here.
fn silence() {
    let nowhere = std::fs::File::options().write(true).open("/dev/null");
    if let Ok(nowhere) = nowhere {
        use std::os::fd::AsRawFd;
        // SAFETY: both files are open.
        unsafe { libc::dup2(nowhere.as_raw_fd(), 2) };
    }
}

/// Maps the bytes and the page.
fn before_guard() -> u64 {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    let both = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: the mapping replaces no other memory.
    let start = unsafe { libc::mmap(std::ptr::null_mut(), 2 * BYTES, both, flags, -1, 0) };
    assert_ne!(start, libc::MAP_FAILED);
    let guard: *mut c_void = start.wrapping_byte_add(BYTES);
    // SAFETY: the page was mapped above, and no other code has its address.
    let guarded = unsafe { libc::mprotect(guard, BYTES, libc::PROT_NONE) };
    assert_eq!(guarded, 0);
    guard as u64
}

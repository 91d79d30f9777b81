//! NCCL, loaded when it is asked for: what moves buffers between GPUs of any number of hosts.

use std::ffi::{CStr, c_char, c_int, c_void};

use libloading::Library;

/// The library's name.
const NAME: &str = "libnccl.so.2";
/// `ncclFloat32`
const FLOAT32: c_int = 7;
/// `ncclSum`
const SUM: c_int = 0;

/// The library.
pub struct Nccl {
    library: Library,
}

/// Communicators of all ranks, each of which is a GPU of this process.
pub struct Communicators {
    nccl: Nccl,
    ranks: Vec<*mut c_void>,
}

/// A collective call on numbers of `f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collective {
    /// Each rank gets the numbers of all, one behind the other.
    AllGather,
    /// Each rank gets its part of the sums.
    ReduceScatter,
    /// Each rank gets all sums.
    AllReduce,
}

/// What one rank gives and gets.
#[derive(Clone, Copy, Debug)]
pub struct Rank {
    /// The address of the numbers that are sent.
    pub send: u64,
    /// Where the results go.
    pub receive: u64,
    /// The stream that the call is on: a `CUstream`.
    pub stream: *mut c_void,
}

/// A function of the library, whose type is that of its header.
macro_rules! function {
    ($library:expr, $name:ident($($type:ty),*)) => {{
        type Signature = unsafe extern "C" fn($($type),*) -> c_int;
        // SAFETY: the signature is that of the library's header, since version 2.0.
        let found = unsafe { $library.get::<Signature>(concat!(stringify!($name), "\0").as_bytes()) };
        found.map_err(|error| format!("{NAME} has no {}: {error}", stringify!($name)))
    }};
}

impl Nccl {
    /// Loads it from where the system's dynamic loader finds libraries.
    ///
    /// # Errors
    /// It is not there, with what has it.
    pub fn load() -> Result<Self, String> {
        // SAFETY: NVIDIA's library does nothing harmful as it is loaded.
        let library = unsafe { Library::new(NAME) };
        let library = library.map_err(|error| {
            format!(
                "{NAME}, which NVIDIA's package libnccl2 has, and nvidia-nccl-cu12 of PyPI (its folder goes into \
                 LD_LIBRARY_PATH): {error}"
            )
        })?;
        Ok(Self { library })
    }

    /// Its version: 22703 is 2.27.3.
    ///
    /// # Errors
    /// That of the call.
    pub fn version(&self) -> Result<i32, String> {
        let get = function!(self.library, ncclGetVersion(*mut c_int))?;
        let mut version = 0;
        // SAFETY: `version` is valid for a write.
        self.succeed("ncclGetVersion", unsafe { get(&raw mut version) })?;
        Ok(version)
    }

    /// Communicators of the GPUs with these numbers, in the order of the ranks.
    ///
    /// # Errors
    /// That of the call.
    pub fn communicators(self, gpus: &[i32]) -> Result<Communicators, String> {
        let mut ranks = vec![std::ptr::null_mut(); gpus.len()];
        let make = function!(
            self.library,
            ncclCommInitAll(*mut *mut c_void, c_int, *const c_int)
        )?;
        // SAFETY: there is room for as many communicators as there are numbers.
        let code = unsafe { make(ranks.as_mut_ptr(), gpus.len() as c_int, gpus.as_ptr()) };
        self.succeed("ncclCommInitAll", code)?;
        Ok(Communicators { nccl: self, ranks })
    }

    fn succeed(&self, name: &str, code: c_int) -> Result<(), String> {
        if code == 0 {
            return Ok(());
        }
        type Signature = unsafe extern "C" fn(c_int) -> *const c_char;
        // SAFETY: the signature is that of the library's header.
        let text = unsafe { self.library.get::<Signature>(b"ncclGetErrorString\0") };
        let text = text.map(|text| {
            // SAFETY: it takes any code, and gives a constant.
            let text = unsafe { text(code) };
            // SAFETY: the constant ends with a zero.
            unsafe { CStr::from_ptr(text) }
                .to_string_lossy()
                .into_owned()
        });
        Err(format!(
            "{name}: {}",
            text.unwrap_or_else(|_| code.to_string())
        ))
    }
}

impl Communicators {
    /// Starts a call on all ranks: `count` numbers are sent by each to `AllGather`, received by each of
    /// `ReduceScatter`, and both of `AllReduce`.
    ///
    /// # Errors
    /// That of the library.
    ///
    /// # Safety
    /// 1. There is one of `all` for each rank, whose addresses have as many numbers, on its GPU, that nobody else uses
    ///    until the call on its stream has ended; its stream is alive, and of this GPU.
    pub unsafe fn start(&self, what: Collective, all: &[Rank], count: usize) -> Result<(), String> {
        let library = &self.nccl.library;
        let (start, end) = (
            function!(library, ncclGroupStart())?,
            function!(library, ncclGroupEnd())?,
        );
        // SAFETY: it takes nothing.
        self.nccl.succeed("ncclGroupStart", unsafe { start() })?;
        for (communicator, rank) in self.ranks.iter().zip(all) {
            let (send, receive): (*const c_void, *mut c_void) = (
                rank.send as usize as *const c_void,
                rank.receive as usize as *mut c_void,
            );
            let (communicator, stream) = (*communicator, rank.stream);
            match what {
                Collective::AllGather => {
                    let call = function!(
                        library,
                        ncclAllGather(
                            *const c_void,
                            *mut c_void,
                            usize,
                            c_int,
                            *mut c_void,
                            *mut c_void,
                        )
                    )?;
                    // SAFETY: the communicator is alive, and the rest is the caller's (1).
                    let code = unsafe { call(send, receive, count, FLOAT32, communicator, stream) };
                    self.nccl.succeed("ncclAllGather", code)?;
                }
                Collective::ReduceScatter | Collective::AllReduce => {
                    let (name, call) = if what == Collective::AllReduce {
                        (
                            "ncclAllReduce",
                            function!(
                                library,
                                ncclAllReduce(
                                    *const c_void,
                                    *mut c_void,
                                    usize,
                                    c_int,
                                    c_int,
                                    *mut c_void,
                                    *mut c_void,
                                )
                            )?,
                        )
                    } else {
                        (
                            "ncclReduceScatter",
                            function!(
                                library,
                                ncclReduceScatter(
                                    *const c_void,
                                    *mut c_void,
                                    usize,
                                    c_int,
                                    c_int,
                                    *mut c_void,
                                    *mut c_void,
                                )
                            )?,
                        )
                    };
                    // SAFETY: as above.
                    let code =
                        unsafe { call(send, receive, count, FLOAT32, SUM, communicator, stream) };
                    self.nccl.succeed(name, code)?;
                }
            }
        }
        // SAFETY: it takes nothing.
        self.nccl.succeed("ncclGroupEnd", unsafe { end() })
    }
}

impl Drop for Communicators {
    fn drop(&mut self) {
        if let Ok(destroy) = function!(self.nccl.library, ncclCommDestroy(*mut c_void)) {
            for rank in &self.ranks {
                // SAFETY: the communicator is alive, and nobody has it any more.
                let _ = unsafe { destroy(*rank) };
            }
        }
    }
}

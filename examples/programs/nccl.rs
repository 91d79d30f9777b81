//! NCCL, loaded on demand: collectives between the GPUs of one or several hosts.

use std::ffi::{CStr, c_char, c_int, c_void};

use libloading::{Library, Symbol};

/// The library's name.
const NAME: &str = "libnccl.so.2";
/// `ncclFloat32`
const FLOAT32: c_int = 7;
/// `ncclSum`
const SUM: c_int = 0;

/// The loaded library.
pub struct Nccl {
    library: Library,
}

/// The communicators of all ranks; each rank is a GPU of this process.
pub struct Communicators {
    nccl: Nccl,
    ranks: Vec<*mut c_void>,
}

/// A collective call on numbers of `f32`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Collective {
    /// Each rank receives the numbers of all ranks, concatenated.
    AllGather,
    /// Each rank receives its part of the sums.
    ReduceScatter,
    /// Each rank receives all sums.
    AllReduce,
}

/// The memory and the stream of one rank.
#[derive(Clone, Copy, Debug)]
pub struct Rank {
    /// The address of the numbers to send.
    pub send: u64,
    /// The address of the results.
    pub receive: u64,
    /// The stream of the call, a `CUstream`.
    pub stream: *mut c_void,
}

/// Function types of the library's header; handles are pointers.
type GetVersion = unsafe extern "C" fn(*mut c_int) -> c_int;
type GetErrorString = unsafe extern "C" fn(c_int) -> *const c_char;
type CommInitAll = unsafe extern "C" fn(*mut *mut c_void, c_int, *const c_int) -> c_int;
type CommDestroy = unsafe extern "C" fn(*mut c_void) -> c_int;
type Group = unsafe extern "C" fn() -> c_int;
/// Addresses, count, element type, communicator and stream.
type Gather = unsafe extern "C" fn(
    *const c_void,
    *mut c_void,
    usize,
    c_int,
    *mut c_void,
    *mut c_void,
) -> c_int;
/// Like [`Gather`], with the reduction operation after the type.
type Reduce = unsafe extern "C" fn(
    *const c_void,
    *mut c_void,
    usize,
    c_int,
    c_int,
    *mut c_void,
    *mut c_void,
) -> c_int;

impl Nccl {
    /// Loads the library from the system's search path.
    ///
    /// # Errors
    /// The library is missing; the error names the packages that contain it.
    pub fn load() -> Result<Self, String> {
        // SAFETY: loading NVIDIA's library has no harmful effects.
        let library = unsafe { Library::new(NAME) };
        let library = library.map_err(|error| {
            format!(
                "{NAME}, which NVIDIA's package libnccl2 has, and nvidia-nccl-cu12 of PyPI (its folder goes into \
                 LD_LIBRARY_PATH): {error}"
            )
        })?;
        Ok(Self { library })
    }

    /// Returns the version: 22703 is 2.27.3.
    ///
    /// # Errors
    /// The call fails.
    pub fn version(&self) -> Result<i32, String> {
        // SAFETY: the type matches the header (1).
        let get = unsafe { self.function::<GetVersion>("ncclGetVersion") }?;
        let mut version = 0;
        // SAFETY: `version` is valid for a write.
        self.succeed("ncclGetVersion", unsafe { get(&raw mut version) })?;
        Ok(version)
    }

    /// Creates communicators of the GPUs with these numbers, in the order of the ranks.
    ///
    /// # Errors
    /// The call fails.
    pub fn communicators(self, gpus: &[i32]) -> Result<Communicators, String> {
        let mut ranks = vec![std::ptr::null_mut(); gpus.len()];
        // SAFETY: the type matches the header (1).
        let make = unsafe { self.function::<CommInitAll>("ncclCommInitAll") }?;
        // SAFETY: there is room for one communicator per GPU.
        let code = unsafe { make(ranks.as_mut_ptr(), gpus.len() as c_int, gpus.as_ptr()) };
        self.succeed("ncclCommInitAll", code)?;
        Ok(Communicators { nccl: self, ranks })
    }

    /// Returns a function of the library.
    ///
    /// # Safety
    /// 1. `F` is the function's type.
    unsafe fn function<F>(&self, name: &str) -> Result<Symbol<'_, F>, String> {
        // SAFETY: the condition is the same (1).
        let found = unsafe { self.library.get::<F>(name) };
        found.map_err(|error| format!("{NAME} has no {name}: {error}"))
    }

    fn succeed(&self, name: &str, code: c_int) -> Result<(), String> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: the type matches the header (1).
        let text = unsafe { self.function::<GetErrorString>("ncclGetErrorString") }?;
        // SAFETY: the function accepts any code and returns a constant.
        let text = unsafe { text(code) };
        // SAFETY: the constant ends with a zero byte.
        let text = unsafe { CStr::from_ptr(text) };
        Err(format!("{name}: {}", text.to_string_lossy()))
    }
}

impl Communicators {
    /// Starts a call on all ranks. Each rank sends `count` numbers for `AllGather`, receives `count` for
    /// `ReduceScatter`, and does both for `AllReduce`.
    ///
    /// # Errors
    /// The library call fails.
    ///
    /// # Safety
    /// 1. `all` has one entry per rank. Its addresses have enough numbers on the rank's GPU, and nothing else uses
    ///    them until the call on its stream has ended; its stream is alive and on this GPU.
    pub unsafe fn start(&self, what: Collective, all: &[Rank], count: usize) -> Result<(), String> {
        self.group("ncclGroupStart")?;
        for (communicator, rank) in self.ranks.iter().zip(all) {
            // SAFETY: the rank is one of those (1).
            unsafe { self.start_one(what, *communicator, rank, count) }?;
        }
        self.group("ncclGroupEnd")
    }

    fn group(&self, name: &str) -> Result<(), String> {
        // SAFETY: the type of both functions matches the header (1).
        let call = unsafe { self.nccl.function::<Group>(name) }?;
        // SAFETY: the function takes no arguments.
        self.nccl.succeed(name, unsafe { call() })
    }

    /// # Safety
    /// 1. As for [`start`](Self::start), for this rank, whose communicator it is.
    unsafe fn start_one(
        &self,
        what: Collective,
        communicator: *mut c_void,
        rank: &Rank,
        count: usize,
    ) -> Result<(), String> {
        let (nccl, stream) = (&self.nccl, rank.stream);
        let send = rank.send as usize as *const c_void;
        let receive = rank.receive as usize as *mut c_void;
        let name = match what {
            Collective::AllGather => "ncclAllGather",
            Collective::ReduceScatter => "ncclReduceScatter",
            Collective::AllReduce => "ncclAllReduce",
        };
        let code = if what == Collective::AllGather {
            // SAFETY: the type matches the header (1).
            let call = unsafe { nccl.function::<Gather>(name) }?;
            // SAFETY: the communicator is alive, and the rest is the caller's (1).
            unsafe { call(send, receive, count, FLOAT32, communicator, stream) }
        } else {
            // SAFETY: the type of both functions matches the header (1).
            let call = unsafe { nccl.function::<Reduce>(name) }?;
            // SAFETY: as above.
            unsafe { call(send, receive, count, FLOAT32, SUM, communicator, stream) }
        };
        nccl.succeed(name, code)
    }
}

impl Drop for Communicators {
    fn drop(&mut self) {
        // SAFETY: the type matches the header (1).
        if let Ok(destroy) = unsafe { self.nccl.function::<CommDestroy>("ncclCommDestroy") } {
            for rank in &self.ranks {
                // SAFETY: the communicator is alive and has no other users.
                let _ = unsafe { destroy(*rank) };
            }
        }
    }
}

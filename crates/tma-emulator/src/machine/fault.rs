//! Faults, which end a kernel.

use std::fmt::{self, Display, Formatter};

use super::{is_of_library, observer::Origin};

/// Location of an instruction: in the PTX, and in the source that it was compiled from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// Name of the PTX text, usually a file name.
    pub file: String,
    /// Line in the PTX text, from 1.
    pub line: usize,
    /// Column in the PTX line, from 1.
    pub column: usize,
    /// File and line of the last `.loc` before it, if any. For inlined functions, the innermost call outside of
    /// headers of CUDA, CUTLASS and CCCL and of sources of `tma`, `core` and Triton's language.
    pub source: Option<(String, u32)>,
    /// File and line in an inlined function, then of each call that it was inlined into, up to the kernel or
    /// function itself. Empty if nothing was inlined.
    pub inlined: Vec<(String, u32)>,
    /// The call chain of a checker's location in a function: file and line in the function, then of its calls,
    /// innermost first, up to the kernel.
    pub calls: Vec<(String, u32)>,
}

impl Location {
    /// Returns file and line of the source, or of the PTX if it was written by hand.
    pub(crate) fn line_of_source(&self) -> (String, usize) {
        match &self.source {
            Some((file, line)) => (file.clone(), *line as usize),
            None => (self.file.clone(), self.line),
        }
    }
}

impl Location {
    /// Returns the function and its calls, inlined or not, in one line.
    pub fn chain(&self) -> Option<String> {
        let (what, own) = match self.inlined.is_empty() {
            true => ("in", 0),
            false => ("inlined from", 1),
        };
        let frames = self.inlined.iter().chain(self.calls.iter().skip(own));
        let mut frames = frames.map(|(file, line)| format!("{file}:{line}"));
        let first = frames.next()?;
        let calls = frames.map(|call| format!(", called at {call}"));
        Some(format!("{what} {first}{}", calls.collect::<String>()))
    }

    /// Adds the call of the function, or of its caller. The call becomes the user's line if there is none so
    /// far.
    pub(crate) fn called_at(&mut self, call: &Self) {
        let line = |location: &Self| {
            let (file, line) = location.line_of_source();
            (file, line as u32)
        };
        if self.calls.is_empty() {
            let own = self.inlined.last().cloned();
            self.calls.push(own.unwrap_or_else(|| line(self)));
        }
        match call.inlined.is_empty() {
            true => self.calls.push(line(call)),
            false => self.calls.extend(call.inlined.iter().cloned()),
        }
        let is_users = |source: &&(String, u32)| !is_of_library(&source.0);
        if self.source.as_ref().filter(is_users).is_none()
            && let Some(source) = call.source.as_ref().filter(is_users)
        {
            self.source = Some(source.clone());
        }
    }
}

impl Display for Location {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)?;
        match &self.source {
            Some((file, line)) => write!(f, " ({file}:{line})"),
            None => Ok(()),
        }
    }
}

/// The trap of the hardware that a fault corresponds to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Trap {
    /// An access outside of all memory.
    IllegalAddress,
    /// An address or size does not have the alignment that the instruction requires.
    MisalignedAddress,
    /// An instruction with operands that the hardware refuses.
    IllegalInstruction,
    /// A `trap`, or a barrier of the block that is misused.
    LaunchFailed,
    /// A warp collective or barrier is executed by lanes that disagree on its operands.
    InvalidCollective,
    /// A panic of the kernel's source.
    Panicked,
    /// A use of an mbarrier that was not initialised.
    MbarrierUninitialised,
    /// More arrivals or bytes than an mbarrier can count.
    MbarrierOverflow,
    /// An access to the shared memory of a block that has ended, or a copy into it.
    PeerEnded,
    /// A tensor map where copies cannot read it.
    MapInLocalMemory,
    /// An access to memory that a kernel or the host has freed.
    UseAfterFree,
    /// A `free` of memory that is freed already.
    DoubleFree,
    /// `free` of an address that `malloc` did not return.
    InvalidFree,
    /// An assertion of the kernel failed.
    Assert,
    /// Threads wait for each other for ever. A GPU hangs until its watchdog ends it.
    Deadlock,
    /// The limit of steps was reached.
    Endless,
}

impl Trap {
    /// Returns the driver's name for the error.
    pub const fn name(self) -> &'static str {
        match self {
            Self::IllegalAddress
            | Self::MapInLocalMemory
            | Self::UseAfterFree
            | Self::DoubleFree
            | Self::InvalidFree => "CUDA_ERROR_ILLEGAL_ADDRESS",
            Self::MisalignedAddress => "CUDA_ERROR_MISALIGNED_ADDRESS",
            Self::IllegalInstruction | Self::InvalidCollective => "CUDA_ERROR_ILLEGAL_INSTRUCTION",
            Self::LaunchFailed
            | Self::Panicked
            | Self::MbarrierUninitialised
            | Self::MbarrierOverflow
            | Self::PeerEnded => "CUDA_ERROR_LAUNCH_FAILED",
            Self::Assert => "CUDA_ERROR_ASSERT",
            Self::Deadlock | Self::Endless => "CUDA_ERROR_LAUNCH_TIMEOUT",
        }
    }
}

/// The cause of a deadlock, where its waits show one. The first of several explains the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Stuck {
    /// Lanes wait in a collective for others that have executed it with another member mask.
    MasksDiffer,
    /// A warp waits for registers that no other warp returns.
    Registers,
    /// Arrivals of `cp.async.mbarrier.arrive` without `.noinc` have changed no count.
    Cancelled,
}

/// The fault that ended a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The hardware's kind of error.
    pub trap: Trap,
    /// The description, with addresses and numbers.
    pub what: String,
    /// The instruction, its location, and the thread, where one is to blame.
    pub at: Option<FaultAt>,
    /// The `free` that gave up the memory that the fault is about.
    pub freed_by: Option<FaultAt>,
    /// Cause of a deadlock, if its waits show one.
    pub stuck: Option<Stuck>,
    /// The waits of a deadlock, each with the threads that hold it up, one text for each circle or chain of them.
    pub chains: Vec<String>,
}

/// The instruction and the thread of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultAt {
    /// Opcode of the instruction, with its modifiers.
    pub instruction: String,
    /// Location of the instruction.
    pub location: Location,
    /// Index of the thread's block in the grid.
    pub block: [u32; 3],
    /// The thread's index in its block.
    pub thread: [u32; 3],
}

impl Display for Fault {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(FaultAt {
            instruction,
            location,
            block,
            thread,
        }) = &self.at
        {
            if self.trap == Trap::Panicked {
                let (file, line) = location.line_of_source();
                return write!(
                    f,
                    "panicked at {file}:{line}: {} (thread {thread:?} of block {block:?})",
                    self.what
                );
            }
            write!(
                f,
                "{location}: `{instruction}` in thread {thread:?} of block {block:?}: "
            )?;
        }
        f.write_str(&self.what)?;
        for chain in &self.chains {
            write!(f, "\n{chain}")?;
        }
        if let Some(by) = &self.freed_by {
            let (block, thread) = (by.block, by.thread);
            write!(
                f,
                "\nfreed at {} by thread {thread:?} of block {block:?}",
                by.location
            )?;
        }
        Ok(())
    }
}

/// An error without its location, which code that knows the program adds.
#[derive(Clone, Debug)]
pub(crate) struct Trapped {
    pub(crate) trap: Trap,
    pub(crate) what: String,
    pub(crate) origin: Option<Origin>,
    pub(crate) stuck: Option<Stuck>,
}

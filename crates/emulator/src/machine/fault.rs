//! Faults, which end a kernel.

use std::fmt::{self, Display, Formatter};

use super::observer::Origin;

/// Where an instruction stands: in the PTX, and in the source that a compiler made it of.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// The PTX text's name.
    pub file: String,
    /// Line of the PTX, from 1.
    pub line: usize,
    /// Column of the PTX, from 1.
    pub column: usize,
    /// File and line of the last `.loc` before it, where there is one; of an inlined function, those of the innermost
    /// call that stands in no header of CUDA, CUTLASS or CCCL, and in no source of `tma`, `core` or Triton's language.
    pub source: Option<(String, u32)>,
    /// The file and line of an inlined function, then those of the call that it was inlined into, and so on to the
    /// kernel's or function's own; empty where nothing was inlined.
    pub inlined: Vec<(String, u32)>,
}

impl Location {
    /// File and line of the source, or of the PTX where that was written by hand.
    pub(crate) fn line_of_source(&self) -> (String, usize) {
        match &self.source {
            Some((file, line)) => (file.clone(), *line as usize),
            None => (self.file.clone(), self.line),
        }
    }
}

impl Location {
    /// The inlined function and its calls, in one line.
    pub fn chain(&self) -> Option<String> {
        let mut frames = self
            .inlined
            .iter()
            .map(|(file, line)| format!("{file}:{line}"));
        let first = frames.next()?;
        let calls = frames.map(|call| format!(", called at {call}"));
        Some(format!("inlined from {first}{}", calls.collect::<String>()))
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
    /// An address that is not a multiple of what the instruction needs.
    MisalignedAddress,
    /// An instruction with operands that the hardware refuses.
    IllegalInstruction,
    /// A `trap`, or a barrier of the block that is misused.
    LaunchFailed,
    /// An operation of a warp, or a barrier, whose lanes disagree about its operands.
    InvalidCollective,
    /// A panic of the kernel's source.
    Panicked,
    /// A use of an mbarrier that was not initialised.
    MbarrierUninitialised,
    /// More arrivals or bytes than an mbarrier can count.
    MbarrierOverflow,
    /// An access to the shared memory of a block that has left, or a copy into it.
    PeerEnded,
    /// A tensor map where copies cannot read it.
    MapInLocalMemory,
    /// An access to memory that a kernel has freed.
    UseAfterFree,
    /// A `free` of memory that is freed already.
    DoubleFree,
    /// A `free` of what `malloc` did not give.
    InvalidFree,
    /// A failed assertion.
    Assert,
    /// Threads wait for each other for ever. A GPU hangs until its watchdog ends it.
    Deadlock,
    /// The limit of steps was reached.
    Endless,
}

impl Trap {
    /// The driver's name for the error.
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
}

/// The instruction and the thread of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultAt {
    /// The opcode.
    pub instruction: String,
    /// Where it stands.
    pub location: Location,
    /// The block's index.
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

/// Something went wrong; the location is added where the program is at hand.
#[derive(Clone, Debug)]
pub(crate) struct Trapped {
    pub(crate) trap: Trap,
    pub(crate) what: String,
    pub(crate) origin: Option<Origin>,
}

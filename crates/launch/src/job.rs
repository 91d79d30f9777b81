use std::time::Duration;

use crate::{Buffer, Launch};

/// A PTX text, and what to call it in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ptx<'a> {
    /// The file it came from, mostly.
    pub name: &'a str,
    /// The text.
    pub text: &'a str,
}

/// Kernels, memory, and launches that run one after the other.
#[derive(Clone, Debug, PartialEq)]
pub struct Job<'a> {
    /// The module with the kernels; the first one, number 0, where there are more.
    pub ptx: Ptx<'a>,
    /// The modules from number 1 on. [`Launch::module`] says in which one a kernel is, and
    /// [`Buffer::of_module`] the same of a variable.
    pub further: Vec<Ptx<'a>>,
    /// Uploaded before the first launch; when all launches have succeeded, overwritten with what
    /// the device then holds.
    pub buffers: Vec<Buffer>,
    /// In order. Each sees the memory that the one before left.
    pub launches: Vec<Launch>,
}

impl<'a> Job<'a> {
    /// No buffers and no launches yet.
    pub fn new(ptx: Ptx<'a>) -> Self {
        Self {
            ptx,
            further: Vec::new(),
            buffers: Vec::new(),
            launches: Vec::new(),
        }
    }

    /// All modules, in the order of their numbers.
    pub fn modules(&self) -> impl Iterator<Item = Ptx<'a>> {
        std::iter::once(self.ptx).chain(self.further.iter().copied())
    }

    /// Adds a buffer and returns its index.
    pub fn buffer(&mut self, buffer: Buffer) -> usize {
        self.buffers.push(buffer);
        self.buffers.len() - 1
    }

    /// Adds a launch.
    pub fn launch(&mut self, launch: Launch) -> &mut Self {
        self.launches.push(launch);
        self
    }
}

/// The results of a job that succeeded, besides its buffers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// Time from the first launch to the end of the last one.
    pub elapsed: Duration,
}

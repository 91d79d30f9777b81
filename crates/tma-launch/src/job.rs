use std::time::Duration;

use crate::{Buffer, Launch};

/// A PTX text and its name in messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ptx<'a> {
    /// The name, usually the file's.
    pub name: &'a str,
    /// The PTX text of the module.
    pub text: &'a str,
}

/// Kernels, memory, and launches that run in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Job<'a> {
    /// The module with the kernels; the first one, index 0, if there are several.
    pub ptx: Ptx<'a>,
    /// The modules from index 1 on. [`Launch::module`] selects the module of a kernel, and [`Buffer::of_module`]
    /// that of a variable.
    pub further: Vec<Ptx<'a>>,
    /// The buffers, uploaded before the first launch. If all launches succeed, the results on the device overwrite
    /// them.
    pub buffers: Vec<Buffer>,
    /// The launches in order. Each starts from the memory that the previous one left.
    pub launches: Vec<Launch>,
}

impl<'a> Job<'a> {
    /// Creates a job without buffers and launches.
    pub fn new(ptx: Ptx<'a>) -> Self {
        Self {
            ptx,
            further: Vec::new(),
            buffers: Vec::new(),
            launches: Vec::new(),
        }
    }

    /// Returns all modules in order.
    pub fn modules(&self) -> impl Iterator<Item = Ptx<'a>> {
        std::iter::once(self.ptx).chain(self.further.iter().copied())
    }

    /// Adds a buffer and returns its index.
    pub fn buffer(&mut self, buffer: Buffer) -> usize {
        self.buffers.push(buffer);
        self.buffers.len() - 1
    }

    /// Adds a launch, which runs after the earlier ones.
    pub fn launch(&mut self, launch: Launch) -> &mut Self {
        self.launches.push(launch);
        self
    }
}

/// The results of a successful job, besides its buffers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Outcome {
    /// Time from the first launch to the end of the last one.
    pub elapsed: Duration,
}

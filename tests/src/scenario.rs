use bytemuck::NoUninit;
use launch::{
    Backend, Buffer, Failure, Job, Launch, Ptx,
    compare::{self, Mismatch},
};

/// One thing to run and check.
#[derive(Clone, Debug)]
pub struct Scenario {
    /// What it is about, in words that make a file name.
    pub name: String,
    /// Memory before the launches.
    pub buffers: Vec<Buffer>,
    /// What to launch, one after the other.
    pub launches: Vec<Launch>,
    /// Memory after the launches.
    pub expected: Vec<Expected>,
}

/// What one buffer must hold.
#[derive(Clone, Debug)]
pub struct Expected {
    /// Its index among the buffers.
    pub buffer: usize,
    /// Its elements.
    pub elements: Vec<i32>,
    /// Elements per dimension, innermost first, for the report.
    pub dims: Vec<usize>,
}

/// Why a scenario is not as it should be.
#[derive(Debug)]
pub enum Wrong {
    /// It did not run.
    Failed(Failure),
    /// A buffer holds something else.
    Mismatch {
        /// The buffer's name.
        buffer: String,
        /// The first element that differs.
        mismatch: Mismatch,
    },
}

impl std::fmt::Display for Wrong {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Failed(failure) => write!(f, "{failure}"),
            Self::Mismatch { buffer, mismatch } => write!(f, "buffer `{buffer}`: {mismatch}"),
        }
    }
}

impl Expected {
    /// These elements, in one dimension. What is no `i32` is compared as the `i32` of its bytes, so
    /// that their number must be a multiple of 4.
    pub fn of<T: NoUninit>(buffer: usize, elements: &[T]) -> Self {
        let words = bytemuck::cast_slice(elements).chunks_exact(4);
        let words = words.map(|word| i32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        let elements: Vec<i32> = words.collect();
        Self {
            buffer,
            dims: vec![elements.len()],
            elements,
        }
    }
}

impl Scenario {
    /// Runs it and compares every buffer that is to be checked; gives the number of elements in
    /// those that the launches changed.
    ///
    /// # Errors
    /// What went wrong first.
    pub fn check(&self, backend: &mut dyn Backend, ptx: Ptx<'_>) -> Result<usize, Wrong> {
        let mut job = Job {
            ptx,
            buffers: self.buffers.clone(),
            launches: self.launches.clone(),
        };
        backend.run(&mut job).map_err(Wrong::Failed)?;
        let mut elements = 0;
        for expected in &self.expected {
            let buffer = &job.buffers[expected.buffer];
            let wrong = |mismatch: Mismatch| Wrong::Mismatch {
                buffer: buffer.name().to_owned(),
                mismatch: mismatch.at(&expected.dims),
            };
            let got = buffer.to_vec::<i32>().unwrap_or_default();
            compare::exact(&expected.elements, &got).map_err(wrong)?;
            if buffer.bytes() != self.buffers[expected.buffer].bytes() {
                elements += got.len();
            }
        }
        Ok(elements)
    }
}

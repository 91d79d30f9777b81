//! One row of the table: a kernel, its launch and its check.

use std::sync::Arc;

use tma_host::{Argument, Shape};

use crate::{arena::Pattern, limit::Needs, work::L2};

/// One kernel with one launch.
pub(crate) struct Case {
    /// The kernel, as its file is called.
    pub(crate) kernel: &'static str,
    /// The data, stages and threads that set this launch apart.
    pub(crate) variant: String,
    /// The entry's name in both modules.
    pub(crate) entry: String,
    pub(crate) shape: Shape,
    pub(crate) values: Vec<Argument>,
    /// True if the arena's counter is set to zero before.
    pub(crate) draws: bool,
    pub(crate) amount: Amount,
    /// The needs of one run.
    pub(crate) needs: Needs,
    pub(crate) l2: L2,
    pub(crate) check: Check,
    pub(crate) reference: Reference,
    /// The rate to reach, as a share of the reference's.
    pub(crate) goal: Option<f64>,
}

/// The work of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Amount {
    /// Bytes read and bytes written.
    Bytes(u64),
    /// Boxes of 256 bytes gathered.
    Boxes(u64),
    /// Bytes read and bytes written, which have no part in how long it takes, and operations on numbers.
    Products { bytes: u64, operations: u64 },
    /// Bytes sent from block to block of a cluster: memory has no part in it.
    Sent(u64),
}

/// How it is known to be right.
#[derive(Clone)]
pub(crate) enum Check {
    /// The destination holds this.
    Destination(Pattern),
    /// The sums are those of a gather from this dataset by so many warps.
    Sums { dataset: usize, warps: u32 },
    /// The destination begins with these.
    Words(Box<Words>),
}

/// The words that the destination begins with, as the host computes them.
#[derive(Clone)]
pub(crate) struct Words {
    pub(crate) count: u64,
    pub(crate) expected: Expected,
    /// The indices of the buffers that are poisoned before.
    pub(crate) written: Vec<usize>,
    /// They are zero instead, for kernels that add to them.
    pub(crate) from_zero: bool,
    /// Kernels that run before and after.
    pub(crate) before: Option<Run>,
    pub(crate) after: Option<Run>,
}

/// The word at an index.
pub(crate) type Expected = Arc<dyn Fn(u64) -> u32 + Send + Sync>;

/// A launch of one of the Rust kernels.
#[derive(Clone)]
pub(crate) struct Run {
    pub(crate) entry: String,
    pub(crate) shape: Shape,
    pub(crate) values: Vec<Argument>,
}

/// The reference that it is measured against besides its CUDA version.
#[derive(Clone)]
pub(crate) enum Reference {
    /// The driver's copy of as many bytes.
    DriverCopy,
    /// The gather by ordinary loads with these arguments, at the fastest of these launches.
    Loads(Vec<Shape>, Vec<Argument>),
    /// Nothing does the same.
    Nothing,
}

impl Case {
    /// The name in the table.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.kernel, self.variant)
    }
}

impl Amount {
    /// Bytes moved in all.
    pub(crate) fn bytes(self) -> u64 {
        match self {
            Self::Bytes(bytes) | Self::Sent(bytes) | Self::Products { bytes, .. } => bytes,
            Self::Boxes(boxes) => 256 * boxes,
        }
    }
}

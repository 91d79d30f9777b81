//! A row of the table: a kernel, its launch and its check.

use std::sync::Arc;

use tma_host::{Argument, Shape};

use crate::{limit::Needs, pattern::Pattern, work::L2};

/// A kernel with one launch.
pub(crate) struct Case {
    /// The kernel, named like its file.
    pub(crate) kernel: &'static str,
    /// The data, stages and threads that distinguish this launch.
    pub(crate) variant: String,
    /// The entry's name in both modules.
    pub(crate) entry: String,
    pub(crate) shape: Shape,
    pub(crate) values: Vec<Argument>,
    /// True if the arena's counter must be zero beforehand.
    pub(crate) draws: bool,
    pub(crate) amount: Amount,
    /// The resources that one run needs.
    pub(crate) needs: Needs,
    pub(crate) l2: L2,
    pub(crate) check: Check,
    pub(crate) reference: Reference,
    /// The goal for the rate, as a share of the reference's.
    pub(crate) goal: Option<f64>,
}

/// The work of one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Amount {
    /// Bytes read and bytes written.
    Bytes(u64),
    /// Boxes of 256 bytes gathered.
    Boxes(u64),
    /// Bytes read and written, which do not determine the time, and arithmetic operations.
    Products { bytes: u64, operations: u64 },
    /// Bytes sent between blocks of a cluster, without global memory.
    Sent(u64),
}

/// The check of the results.
#[derive(Clone)]
pub(crate) enum Check {
    /// Compares the destination with this pattern.
    Destination(Pattern),
    /// Compares the sums with a gather from this dataset by `warps` warps.
    Sums { dataset: usize, warps: u32 },
    /// Compares the beginning of the destination with these words.
    Words(Box<Words>),
}

/// The expected words at the beginning of the destination, computed by the host.
#[derive(Clone)]
pub(crate) struct Words {
    pub(crate) count: u64,
    pub(crate) expected: Expected,
    /// Indices of the buffers that are poisoned beforehand.
    pub(crate) written: Vec<usize>,
    /// True if these buffers are zeroed instead, for kernels that add to them.
    pub(crate) from_zero: bool,
    /// Kernels to run before and after.
    pub(crate) before: Option<Run>,
    pub(crate) after: Option<Run>,
}

/// Returns the expected word at an index.
pub(crate) type Expected = Arc<dyn Fn(u64) -> u32 + Send + Sync>;

/// A launch of one of the Rust kernels.
#[derive(Clone)]
pub(crate) struct Run {
    pub(crate) entry: String,
    pub(crate) shape: Shape,
    pub(crate) values: Vec<Argument>,
}

/// The reference for comparison, besides the CUDA version.
#[derive(Clone)]
pub(crate) enum Reference {
    /// The driver's copy of the same number of bytes.
    DriverCopy,
    /// The gather with ordinary loads and these arguments, at the fastest of these launches.
    Loads(Vec<Shape>, Vec<Argument>),
    /// No reference.
    Nothing,
}

impl Case {
    /// Returns the name in the table.
    pub(crate) fn name(&self) -> String {
        format!("{} {}", self.kernel, self.variant)
    }
}

impl Amount {
    /// Returns the total bytes moved.
    pub(crate) fn bytes(self) -> u64 {
        match self {
            Self::Bytes(bytes) | Self::Sent(bytes) | Self::Products { bytes, .. } => bytes,
            Self::Boxes(boxes) => 256 * boxes,
        }
    }
}

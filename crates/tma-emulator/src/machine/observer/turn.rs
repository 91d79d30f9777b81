//! The turns of warps, and their waits.

use std::fmt;

/// A few instructions that lanes of one warp executed together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Turn {
    /// Number of the block in its grid, `x` fastest.
    pub block: u64,
    /// Number of the warp in its block.
    pub warp: u32,
    /// The lanes, one bit for each.
    pub lanes: u32,
    /// Lanes of the warp with threads that have not ended after the turn.
    pub alive: u32,
    /// Index of the first instruction.
    pub first: usize,
    /// Index of the instruction where the lanes are now.
    pub next: usize,
    /// Instructions, each counted once for each thread that executed it.
    pub steps: u64,
    /// The wait that lanes are in now, and the lanes.
    pub pause: Option<(Pause, u32)>,
}

/// Reason why the lanes of a warp wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Pause {
    /// A barrier of the block, by its number.
    Barrier(u32),
    /// The barrier of the cluster is not complete.
    Cluster,
    /// Other lanes of the warp have not arrived.
    Warp,
    /// The phase of an mbarrier is not complete.
    Mbarrier,
    /// Bulk groups of the threads are in flight.
    Bulk,
    /// Other warps of the warpgroup.
    Warpgroup,
    /// Registers that other warps return.
    Registers,
}

/// The end of a sentence that begins with "it waits".
impl fmt::Display for Pause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Self::Barrier(number) => return write!(f, "at barrier {number}"),
            Self::Cluster => "at the cluster's barrier",
            Self::Warp => "for lanes of its warp",
            Self::Mbarrier => "at an mbarrier",
            Self::Bulk => "for bulk groups",
            Self::Warpgroup => "for warps of its warpgroup",
            Self::Registers => "for registers of its block",
        };
        f.write_str(text)
    }
}

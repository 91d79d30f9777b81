//! The counts of an instruction, or of all at a line.

/// Counts that can be added.
pub(super) trait Counts: Copy + Default {
    fn add(&mut self, other: &Self);

    /// Returns how much is lost, and how much is needed in all; larger ones are worse.
    fn cost(&self) -> (u64, u64);
}

/// Accesses to shared memory by `ld`, `st`, `atom`, `red`, `ldmatrix`, `stmatrix` and `cp.async`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SharedCounts {
    /// Executions by a warp.
    pub requests: u64,
    /// Wavefronts of all requests.
    pub wavefronts: u64,
    /// Wavefronts without bank conflicts: one for each part of a warp with active lanes.
    pub ideal: u64,
    /// Most wavefronts of lanes that one wavefront could serve: 32 for a 32-way conflict.
    pub ways: u64,
}

/// Requests to global memory by `ld`, `st`, `atom`, `red` and `cp.async`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct GlobalCounts {
    /// Executions by a warp.
    pub requests: u64,
    /// Sectors of 32 bytes in all requests.
    pub sectors: u64,
    /// Sectors that the different bytes of each request would need without gaps.
    pub ideal: u64,
    /// Lines of 128 bytes in all requests.
    pub lines: u64,
}

/// Bulk and tensor copies from or to global memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct CopyCounts {
    /// Number of copies; a multicast is one.
    pub copies: u64,
    /// True if the copies write global memory.
    pub stores: bool,
    /// Bytes of the boxes.
    pub box_bytes: u64,
    /// Bytes of the boxes that are inside of the tensor.
    pub inside_bytes: u64,
    /// Bytes of the sectors that contain a byte of the box, counted for each copy.
    pub sector_bytes: u64,
    /// Longest row of a box in bytes; 0 for copies without a tensor map.
    pub row_bytes: u64,
    /// Unit of the map's L2 promotion in bytes; 0 without one.
    pub promotion_bytes: u64,
    /// Bytes of the units of the L2 promotion that contain a byte of the box.
    pub promoted_bytes: u64,
}

/// Waits for groups of `wgmma`, counted for each warpgroup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ProductCounts {
    /// Number of waits.
    pub waits: u64,
    /// Waits for a group that was closed just before, with no other instruction between.
    pub at_once: u64,
}

/// Bulk loads in flight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FlightCounts {
    /// Most bytes that a block has issued and not waited for.
    pub block_bytes: u64,
    /// Number of blocks that fit a multiprocessor; unknown numbers of registers and barriers are no limits.
    pub resident_blocks: u64,
    /// Stages of the longest pipeline: barriers that count the loads of one warp in more than one phase.
    pub stages: u64,
    /// Most barriers of the pipeline that had loads in flight at once.
    pub filled: u64,
}

impl SharedCounts {
    /// Returns the wavefronts that bank conflicts add.
    pub fn lost(&self) -> u64 {
        self.wavefronts.saturating_sub(self.ideal)
    }
}

impl GlobalCounts {
    /// Returns the sectors beyond the ideal number.
    pub fn lost(&self) -> u64 {
        self.sectors.saturating_sub(self.ideal)
    }
}

impl CopyCounts {
    /// Returns the bytes of the sectors that are outside of the boxes.
    pub fn lost_bytes(&self) -> u64 {
        self.sector_bytes.saturating_sub(self.inside_bytes)
    }

    /// Returns the bytes of the boxes that are outside of the tensor.
    pub fn outside_bytes(&self) -> u64 {
        self.box_bytes.saturating_sub(self.inside_bytes)
    }
}

impl FlightCounts {
    /// Bytes in flight on a multiprocessor that CUB asks for on an H100 (`tuning_transform.cuh` in NVIDIA/cccl).
    pub const H100_BYTES: u64 = 32 << 10;
    /// Like [`H100_BYTES`](Self::H100_BYTES), on an H200.
    pub const H200_BYTES: u64 = 48 << 10;

    /// Returns the bytes in flight of all blocks that fit a multiprocessor.
    pub fn multiprocessor_bytes(&self) -> u64 {
        self.block_bytes * self.resident_blocks
    }
}

impl Counts for SharedCounts {
    fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        self.wavefronts += other.wavefronts;
        self.ideal += other.ideal;
        self.ways = self.ways.max(other.ways);
    }

    fn cost(&self) -> (u64, u64) {
        (self.lost(), self.wavefronts)
    }
}

impl Counts for GlobalCounts {
    fn add(&mut self, other: &Self) {
        self.requests += other.requests;
        self.sectors += other.sectors;
        self.ideal += other.ideal;
        self.lines += other.lines;
    }

    fn cost(&self) -> (u64, u64) {
        (self.lost(), self.sectors)
    }
}

impl Counts for CopyCounts {
    fn add(&mut self, other: &Self) {
        self.copies += other.copies;
        self.stores |= other.stores;
        self.box_bytes += other.box_bytes;
        self.inside_bytes += other.inside_bytes;
        self.sector_bytes += other.sector_bytes;
        self.row_bytes = self.row_bytes.max(other.row_bytes);
        self.promotion_bytes = self.promotion_bytes.max(other.promotion_bytes);
        self.promoted_bytes += other.promoted_bytes;
    }

    fn cost(&self) -> (u64, u64) {
        let lost = self.lost_bytes() + self.outside_bytes();
        (lost, self.sector_bytes)
    }
}

impl Counts for ProductCounts {
    fn add(&mut self, other: &Self) {
        self.waits += other.waits;
        self.at_once += other.at_once;
    }

    fn cost(&self) -> (u64, u64) {
        (self.at_once, self.waits)
    }
}

impl Counts for FlightCounts {
    fn add(&mut self, other: &Self) {
        if other.block_bytes > self.block_bytes {
            *self = *other;
        }
    }

    fn cost(&self) -> (u64, u64) {
        (u64::MAX - self.multiprocessor_bytes(), 0)
    }
}

use launch::{Launch, Violations};

use crate::conditions::{Conditions, ring_bytes};

/// The longest pieces that one bulk copy and one phase of a barrier take.
const MOST_CHUNK_BYTES: u32 = (1 << 20) - 16;

/// Copies contiguous bytes in chunks that blocks of one warp draw from a counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CopyBulk {
    /// Chunks that a block keeps in shared memory: 2, 3, 4, 6 or 8.
    pub stages: u32,
    /// Bytes of a chunk.
    pub chunk_bytes: u32,
    /// Bytes to copy.
    pub len_bytes: u64,
    /// The buffer that is written.
    pub dst: usize,
    /// Where in it the copy begins.
    pub dst_offset_bytes: u64,
    /// The buffer that is read, from its start.
    pub src: usize,
    /// The buffer of the counter, a `u32` that is zero.
    pub counter: usize,
    /// Blocks.
    pub blocks: u32,
}

impl CopyBulk {
    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernel cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let mut conditions = Conditions::default();
        conditions.one_of(
            "stages",
            self.stages,
            &[2, 3, 4, 6, 8],
            "there are kernels for",
        );
        let reason = "what a bulk copy takes:";
        conditions.within(
            "chunk_bytes",
            self.chunk_bytes,
            16..=MOST_CHUNK_BYTES,
            reason,
        );
        bulk(&mut conditions, "chunk_bytes", self.chunk_bytes.into());
        ends(&mut conditions, self.dst_offset_bytes, self.len_bytes);
        chunks(&mut conditions, self.len_bytes, self.chunk_bytes);
        let launch = Launch::new(&format!("copy_bulk_{}", self.stages), self.blocks, 32)
            .shared_bytes(ring_bytes(self.stages, self.chunk_bytes))
            .buffer_at(self.dst, self.dst_offset_bytes)
            .buffer_of(self.src, self.len_bytes)
            .scalar(self.len_bytes)
            .scalar(self.chunk_bytes)
            .buffer_of(self.counter, 4);
        let end = self.dst_offset_bytes.saturating_add(self.len_bytes);
        conditions.launch(launch.uses(self.dst, end))
    }
}

/// Adds one to numbers of 4 bytes, four of them for each thread of as many blocks as it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddOneBulk {
    /// Bytes of the numbers.
    pub len_bytes: u64,
    /// The buffer that is written.
    pub dst: usize,
    /// Where in it the first number goes.
    pub dst_offset_bytes: u64,
    /// The buffer that is read, from its start.
    pub src: usize,
    /// Threads of a block.
    pub threads: u32,
}

impl AddOneBulk {
    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernel cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let mut conditions = Conditions::default();
        conditions.whole_warps(self.threads);
        ends(&mut conditions, self.dst_offset_bytes, self.len_bytes);
        let reason = "there is no empty grid: at least";
        conditions.at_least("len_bytes", self.len_bytes, 16, reason);
        let tile_bytes = self.threads.saturating_mul(16);
        let tiles = chunks(&mut conditions, self.len_bytes, tile_bytes);
        let launch = Launch::new("add_one_bulk", tiles, self.threads)
            .shared_bytes(tile_bytes)
            .buffer_at(self.dst, self.dst_offset_bytes)
            .buffer_of(self.src, self.len_bytes)
            .scalar(self.len_bytes);
        let end = self.dst_offset_bytes.saturating_add(self.len_bytes);
        conditions.launch(launch.uses(self.dst, end))
    }
}

/// Adds one to numbers of 4 bytes in a pipeline: one warp loads, the others work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AddOneRing {
    /// The buffer of the counter from which blocks draw their chunks, a `u32` that is zero; without
    /// one each block has every `blocks`-th chunk.
    pub counter: Option<usize>,
    /// Chunks that a block keeps in shared memory: 2, 3, 4, 6 or 8; 3, 4 or 6 without a counter.
    pub stages: u32,
    /// Bytes of the numbers.
    pub len_bytes: u64,
    /// The buffer that is written.
    pub dst: usize,
    /// The buffer that is read.
    pub src: usize,
    /// Blocks.
    pub blocks: u32,
    /// Threads of a block: one warp loads, and the others have 32 bytes of a chunk each.
    pub threads: u32,
}

impl AddOneRing {
    /// Checks the arguments.
    ///
    /// # Errors
    /// All that the kernels cannot take.
    pub fn launch(&self) -> Result<Launch, Violations> {
        let mut conditions = Conditions::default();
        let (kind, stages): (_, &[u32]) = match self.counter {
            Some(_) => ("", &[2, 3, 4, 6, 8]),
            None => ("static_", &[3, 4, 6]),
        };
        conditions.one_of("stages", self.stages, stages, "there are kernels for");
        let reasons = [
            "a warp that loads and one to sixteen that work:",
            "warps have a role each: a multiple of",
        ];
        conditions.warps(self.threads, 64..=544, reasons);
        ends(&mut conditions, 0, self.len_bytes);
        let chunk_bytes = self.threads.saturating_sub(32).saturating_mul(32);
        chunks(&mut conditions, self.len_bytes, chunk_bytes);
        let entry = format!("add_one_ring_{kind}{}", self.stages);
        let launch = Launch::new(&entry, self.blocks, self.threads)
            .shared_bytes(ring_bytes(self.stages, chunk_bytes))
            .buffer_of(self.dst, self.len_bytes)
            .buffer_of(self.src, self.len_bytes)
            .scalar(self.len_bytes);
        conditions.launch(match self.counter {
            Some(counter) => launch.buffer_of(counter, 4),
            None => launch,
        })
    }
}

fn bulk(conditions: &mut Conditions, parameter: &str, bytes: u64) {
    conditions.multiple(
        parameter,
        bytes,
        16,
        "bulk copies take 16 bytes: a multiple of",
    );
}

/// Where the bytes begin, and how many they are.
fn ends(conditions: &mut Conditions, offset_bytes: u64, len_bytes: u64) {
    bulk(conditions, "dst_offset_bytes", offset_bytes);
    bulk(conditions, "len_bytes", len_bytes);
}

/// How many pieces there are, which are counted in 31 bits.
fn chunks(conditions: &mut Conditions, len_bytes: u64, chunk_bytes: u32) -> u32 {
    let chunks = len_bytes.div_ceil(chunk_bytes.max(1).into());
    let most = i32::MAX as u32;
    let reason = "pieces that are counted in 31 bits:";
    conditions.within("chunks", chunks, 0..=most.into(), reason);
    u32::try_from(chunks).unwrap_or(most)
}

//! Timelines of kernels' pipelines, from stamps that the kernels write.
//!
//! `crates/tma/src/pipeline/stamps.rs` describes the layout of stamps.

mod draw;

use tma_launch::{Failure, Stage};

use crate::{Buffer, Module};

/// The variable with the address of the rings.
const VARIABLE: &str = "TMA_TRACE";

/// Words per entry of a ring, and number of entries before the first stamp.
const WORDS: usize = 4;
const FIRST: usize = 2;

/// The stamps of pipelines in a module that was built with `PtxBuilder::trace`.
///
/// Each warp of a pipeline writes 16 bytes for each event, timed with its multiprocessor's clock. Each warp has a
/// ring that keeps the latest stamps.
#[derive(Debug)]
#[must_use = "kernels write stamps only until this is dropped"]
pub struct Timeline<'module> {
    module: &'module Module,
    rings: Buffer<u32>,
    rings_have: Rings,
}

/// The number and length of the rings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rings {
    /// Number of blocks with rings, from block 0 on.
    pub blocks: u32,
    /// Number of warps per block with rings, from warp 0 on.
    pub warps: u32,
    /// Number of stamps in a ring, a power of two of at least 4. A visit to a stage writes two stamps, or four by a
    /// warp that loads and stores.
    pub stamps: u32,
}

/// The stamps that one warp has written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarpStamps {
    /// The index of the warp's block in the grid.
    pub block: u32,
    /// The index of the warp in its block.
    pub warp: u32,
    /// The role of the warp in the pipeline.
    pub role: Role,
    /// Number of stages of the pipeline.
    pub stages: u32,
    /// The start time: nanoseconds of the global timer, and cycles of the multiprocessor's clock.
    pub began: (u64, u32),
    /// The end time; `None` if the warp did not end.
    pub ended: Option<(u64, u32)>,
    /// The events of the warp in order.
    pub stamps: Vec<Stamp>,
}

/// An event of a warp, with its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The kind of event, which determines the fields' meaning.
    pub kind: Kind,
    /// The number of the visit, from 0. Its remainder by the number of stages is the stage, and its quotient is the
    /// phase of the stage's barriers.
    pub visit: u32,
    /// Cycles of the multiprocessor's clock since the warp began.
    pub cycles: u32,
    /// Cycles spent waiting, or bytes of the copy.
    pub amount: u32,
}

/// The role of a warp in a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The producer, which issues the loads.
    Fills,
    /// Consumer: works on loaded stages.
    Drains,
    /// A warp that both loads and stores.
    Streams,
}

/// The kind of an event in a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Waited until the stage was empty.
    Acquired,
    /// Issued a copy into the stage.
    Issued,
    /// Waited until the stage was full.
    Full,
    /// Released the stage to the producer.
    Released,
    /// Issued a store from the stage, and waited until the previous store had been read.
    Stored,
}

impl Module {
    /// Makes the pipelines of the module's kernels write stamps until the returned value is dropped.
    ///
    /// # Errors
    /// The module was built without stamps; the rings are invalid, or the device is out of memory.
    pub fn timeline(&self, rings: Rings) -> Result<Timeline<'_>, Failure> {
        let Rings {
            blocks,
            warps,
            stamps,
        } = rings;
        let fail = |what: String| Failure::new(Stage::Upload, what);
        let (_, bytes) = self.variable(VARIABLE).map_err(|failure| {
            failure.hint("only kernels with a pipeline that were built with `PtxBuilder::trace` write stamps")
        })?;
        if bytes != 24 {
            return Err(fail(format!(
                "`{VARIABLE}` has {bytes} bytes but must have 24; build the kernels with this version of `tma`"
            )));
        }
        if !stamps.is_power_of_two() || stamps < 4 {
            let what =
                format!("a ring size of {stamps} stamps must be a power of two of at least 4");
            return Err(fail(what).hint(format!("use {}", stamps.max(4).next_power_of_two())));
        }
        let entries = u64::from(stamps) + FIRST as u64;
        let words = [u64::from(blocks), u64::from(warps), entries, WORDS as u64];
        let words = words.into_iter().fold(1, u64::saturating_mul);
        let device = self.device();
        let memory = device.zeroed(usize::try_from(words).unwrap_or(usize::MAX))?;
        let of_block = u64::from(stamps) | u64::from(warps) << 32;
        let content = [memory.address(), of_block, blocks.into()];
        self.set_variable(VARIABLE, bytemuck::bytes_of(&content))?;
        Ok(Timeline {
            module: self,
            rings: memory,
            rings_have: rings,
        })
    }
}

impl Timeline<'_> {
    /// Clears the stamps of all warps.
    ///
    /// # Errors
    /// The device fails.
    pub fn clear(&mut self) -> Result<(), Failure> {
        self.rings.write(&vec![0; self.rings.len_elems()])
    }

    /// Waits for earlier launches, and returns the stamps of the warps with rings. Longer recordings are reduced to
    /// the latest stamps.
    ///
    /// # Errors
    /// An earlier launch failed.
    pub fn read(&self) -> Result<Vec<WarpStamps>, Failure> {
        let words = self.rings.read()?;
        let of_ring = WORDS * (FIRST + self.rings_have.stamps as usize);
        let rings = words.chunks_exact(of_ring).zip(0..);
        let warps = self.rings_have.warps.max(1);
        let rings = rings.filter_map(|(ring, number)| read(ring, number / warps, number % warps));
        Ok(rings.collect())
    }

    /// Returns the timeline in the format of the emulator's `Trace`, for Perfetto and `chrome://tracing`, in
    /// nanoseconds.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn to_json(&self) -> Result<String, Failure> {
        Ok(draw::json(&self.read()?))
    }
}

impl Drop for Timeline<'_> {
    fn drop(&mut self) {
        // After a GPU fault no more kernels run, so an error does not matter.
        let _ = self.module.set_variable(VARIABLE, &[0; 24]);
    }
}

/// Reads one ring; `None` if its warp was in no pipeline.
fn read(ring: &[u32], block: u32, warp: u32) -> Option<WarpStamps> {
    let (entries, _) = ring.as_chunks::<WORDS>();
    let [begin, end] = *entries.first_chunk()?;
    let role = match begin[3] & 0xff {
        1 => Role::Fills,
        2 => Role::Drains,
        3 => Role::Streams,
        _ => return None,
    };
    let bound =
        |[low, high, clock, _]: [u32; WORDS]| (u64::from(low) | u64::from(high) << 32, clock);
    let began = bound(begin);
    let stamps = entries[FIRST..]
        .iter()
        .filter_map(|[clock, visit, kind, amount]| {
            Some(Stamp {
                kind: Kind::of(*kind)?,
                visit: *visit,
                cycles: clock.wrapping_sub(began.1),
                amount: *amount,
            })
        });
    let mut stamps: Vec<Stamp> = stamps.collect();
    stamps.sort_by_key(|stamp| (stamp.cycles, stamp.visit, stamp.kind));
    Some(WarpStamps {
        block,
        warp,
        role,
        stages: (begin[3] >> 8).max(1),
        began,
        ended: (end[3] != 0).then(|| bound(end)),
        stamps,
    })
}

impl Kind {
    fn of(word: u32) -> Option<Self> {
        Some(match word {
            1 => Self::Acquired,
            2 => Self::Issued,
            3 => Self::Full,
            4 => Self::Released,
            5 => Self::Stored,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_is_read_in_the_order_of_the_clock_which_may_wrap() {
        let mut ring = vec![0; WORDS * (FIRST + 4)];
        ring[..8].copy_from_slice(&[7, 1, u32::MAX - 9, 1 | 3 << 8, 57, 1, 40, 1 | 3 << 8]);
        ring[8..16].copy_from_slice(&[u32::MAX - 4, 4, 1, 2, 20, 4, 2, 8192]);
        let read = read(&ring, 3, 5).unwrap();
        assert_eq!(
            (read.block, read.warp, read.role, read.stages),
            (3, 5, Role::Fills, 3)
        );
        assert_eq!(read.began, (7 + (1 << 32), u32::MAX - 9));
        assert_eq!(read.ended, Some((57 + (1 << 32), 40)));
        let [first, second] = read.stamps[..] else {
            panic!("{:?}", read.stamps);
        };
        assert_eq!(
            (first.kind, first.visit, first.cycles, first.amount),
            (Kind::Acquired, 4, 5, 2)
        );
        assert_eq!(
            (second.kind, second.cycles, second.amount),
            (Kind::Issued, 30, 8192)
        );
        assert_eq!(super::read(&[0; 24], 0, 0), None);
    }

    #[test]
    fn each_ring_is_of_its_block_and_its_warp() {
        let text = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .global .align 8 .b8 {VARIABLE}[24];\n"
        );
        let module = crate::Device::emulator(0).load("rings.ptx", &text);
        let module = module.unwrap();
        let rings = Rings {
            blocks: 2,
            warps: 3,
            stamps: 4,
        };
        let mut timeline = module.timeline(rings).unwrap();
        let of_ring = WORDS * (FIRST + 4);
        let mut words = vec![0; 6 * of_ring];
        // Each warp fills the two stages of a pipeline.
        let rings = words.chunks_exact_mut(of_ring);
        rings.for_each(|ring| ring[3] = 1 | 2 << 8);
        timeline.rings.write(&words).unwrap();
        let read = timeline.read().unwrap();
        let places: Vec<_> = read.iter().map(|warp| (warp.block, warp.warp)).collect();
        assert_eq!(places, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]);
    }
}

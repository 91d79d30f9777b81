//! A timeline of the pipelines of kernels, from the stamps that they write.
//!
//! `crates/tma/src/stamps.rs` says how stamps lie in memory.

mod draw;

use tma_launch::{Failure, Stage};

use crate::{Buffer, Module};

/// The variable that says where the rings are.
const VARIABLE: &str = "TMA_TRACE";

/// Words of an entry of a ring, and entries before the first stamp.
const WORDS: usize = 4;
const FIRST: usize = 2;

/// The stamps of the pipelines of a module's kernels, where the module was built with `PtxBuilder::trace`.
///
/// Each warp of a pipeline writes 16 bytes for each thing that it does, with its multiprocessor's clock. The
/// last ones are kept, in a ring for each warp.
#[derive(Debug)]
#[must_use = "stamps are written as long as this lives"]
pub struct Timeline<'module> {
    module: &'module Module,
    rings: Buffer<u32>,
    rings_have: Rings,
}

/// How many rings there are, and how long they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rings {
    /// Blocks that have rings: the first ones.
    pub blocks: u32,
    /// Warps of a block that have rings: the first ones.
    pub warps: u32,
    /// Stamps that each ring keeps: a power of two, 4 at least. A visit to a stage has two, of a warp that loads and stores
    /// four.
    pub stamps: u32,
}

/// The stamps of a warp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WarpStamps {
    /// The number of the block.
    pub block: u32,
    /// The number of the warp in its block.
    pub warp: u32,
    /// The part of the warp in the pipeline.
    pub role: Role,
    /// Stages of the pipeline.
    pub stages: u32,
    /// When it began: nanoseconds of all multiprocessors' timer, and cycles of its own clock.
    pub began: (u64, u32),
    /// When it ended; nothing where it did not.
    pub ended: Option<(u64, u32)>,
    /// The things that it did, in order.
    pub stamps: Vec<Stamp>,
}

/// One thing that a warp did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// The kind of thing.
    pub kind: Kind,
    /// The number of the visit to a stage, from 0: the stage is its remainder by the stages, and the phase of the
    /// stage's barriers the quotient.
    pub visit: u32,
    /// Cycles of the multiprocessor since the warp began.
    pub cycles: u32,
    /// Cycles that it waited, or bytes of the copy.
    pub told: u32,
}

/// The part of a warp in a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// It loads.
    Fills,
    /// It works on what was loaded.
    Drains,
    /// It loads and stores.
    Streams,
}

/// The thing that a warp did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// It waited until the stage was empty.
    Acquired,
    /// It issued a copy into the stage.
    Issued,
    /// It waited until the stage was full.
    Full,
    /// It gave the stage back.
    Released,
    /// It issued a store from the stage, and waited until the store before had been read.
    Stored,
}

impl Module {
    /// Has the pipelines of the module's kernels write stamps, as long as what this returns lives.
    ///
    /// # Errors
    /// The module was built without stamps; the rings are not as they must be, or there is no room for them.
    pub fn timeline(&self, rings: Rings) -> Result<Timeline<'_>, Failure> {
        let Rings {
            blocks,
            warps,
            stamps,
        } = rings;
        let fail = |what: String| Failure::new(Stage::Upload, what);
        let (_, bytes) = self.variable(VARIABLE).map_err(|failure| {
            failure.hint("only kernels that `PtxBuilder::trace` built, and that have a pipeline, write stamps")
        })?;
        if bytes != 24 {
            return Err(fail(format!(
                "`{VARIABLE}` has {bytes} bytes, and not 24: another version of `tma`"
            )));
        }
        if !stamps.is_power_of_two() || stamps < 4 {
            let what = format!("a ring of {stamps} stamps; a power of two from 4 on is needed");
            return Err(fail(what).hint(format!("take {}", stamps.max(4).next_power_of_two())));
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
    /// Forgets what was stamped before.
    ///
    /// # Errors
    /// The device fails.
    pub fn clear(&mut self) -> Result<(), Failure> {
        self.rings.write(&vec![0; self.rings.len_elems()])
    }

    /// The stamps of the warps that have rings, once the launches before this have ended: the last of it, where there was more
    /// than a ring keeps.
    ///
    /// # Errors
    /// A launch before this went wrong.
    pub fn read(&self) -> Result<Vec<WarpStamps>, Failure> {
        let words = self.rings.read()?;
        let of_ring = WORDS * (FIRST + self.rings_have.stamps as usize);
        let rings = words.chunks_exact(of_ring).zip(0..);
        let warps = self.rings_have.warps.max(1);
        let rings = rings.filter_map(|(ring, number)| read(ring, number / warps, number % warps));
        Ok(rings.collect())
    }

    /// The timeline in the format of the emulator's `Trace`, for Perfetto and `chrome://tracing`, in nanoseconds.
    ///
    /// # Errors
    /// As [`read`](Self::read).
    pub fn to_json(&self) -> Result<String, Failure> {
        Ok(draw::json(&self.read()?))
    }
}

impl Drop for Timeline<'_> {
    fn drop(&mut self) {
        // After a fault of the GPU nothing is launched any more.
        let _ = self.module.set_variable(VARIABLE, &[0; 24]);
    }
}

/// One ring; nothing where its warp was in no pipeline.
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
        .filter_map(|[clock, visit, kind, told]| {
            Some(Stamp {
                kind: Kind::of(*kind)?,
                visit: *visit,
                cycles: clock.wrapping_sub(began.1),
                told: *told,
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
            (first.kind, first.visit, first.cycles, first.told),
            (Kind::Acquired, 4, 5, 2)
        );
        assert_eq!(
            (second.kind, second.cycles, second.told),
            (Kind::Issued, 30, 8192)
        );
        assert_eq!(super::read(&[0; 24], 0, 0), None);
    }
}

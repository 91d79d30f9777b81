use super::{Fill, Pipeline, ProductStage, Products};
use crate::{
    barrier::{Ring, ring::Cursor},
    group::{Block, Warp, Warpgroup, Warps},
    ptx::{fence, mbarrier::Mbarrier, operand::SharedPtr},
};

/// A pipeline whose stages are loaded as `R`, converted to `T` by warps, and then multiplied by warpgroups, beside stages of
/// `D` that are multiplied as they were loaded.
///
/// Three roles take their turn at each stage: a producer thread loads, `WARPS` other warps of its warpgroup convert a stage
/// each in turn, and the other warpgroups multiply. [`Block::converting_pipeline`] makes it.
///
/// `LOADED` stages of `R` and `STAGES` of `T` are multiples of `WARPS`, so that a stage always belongs to the same converting
/// warp. There are `DIRECT` stages of `D`.
#[doc(alias = "warp specialization")]
pub struct ConvertingPipeline<
    D,
    R,
    T,
    const WARPS: u32,
    const DIRECT: u32,
    const LOADED: u32,
    const STAGES: u32,
> {
    direct: Pipeline<D, DIRECT>,
    loaded: Pipeline<R, LOADED>,
    converted: Converted<T, STAGES>,
}

/// The stages that are converted, and their barriers.
struct Converted<T, const STAGES: u32> {
    stages: SharedPtr<T>,
    ring: Ring<STAGES>,
}

impl<T, const STAGES: u32> Converted<T, STAGES> {
    #[inline(always)]
    fn another(&self) -> Self {
        Self { ..*self }
    }

    #[inline(always)]
    fn stage(&self, cursor: Cursor<STAGES>) -> SharedPtr<T> {
        self.stages.add(cursor.stage())
    }
}

/// The draining end of a [`ConvertingPipeline`], for every thread of a warpgroup that multiplies.
pub struct ConvertedStages<T, const STAGES: u32> {
    converted: Converted<T, STAGES>,
    cursor: Cursor<STAGES>,
    warpgroup: Warpgroup,
}

/// The converting end of a [`ConvertingPipeline`], for every thread of a warp that converts.
pub struct Conversions<R, T, const WARPS: u32, const LOADED: u32, const STAGES: u32> {
    loaded: Pipeline<R, LOADED>,
    converted: Converted<T, STAGES>,
    from: Cursor<LOADED>,
    to: Cursor<STAGES>,
    warp: Warp,
    /// The number of stages before the next one of this warp.
    before: u32,
}

impl Block {
    /// Makes a pipeline in this memory, from a multiple of 1024 bytes on: `DIRECT` stages of `D` and their barriers, then from a
    /// multiple of 1024 bytes on `STAGES` of `T`, `LOADED` of `R` and their barriers, [`converting_bytes`] in all. Collective; the
    /// block consists of at least two warpgroups.
    ///
    /// ```compile_fail,E0080
    /// # use tma::{Block, shared};
    /// # let block = unsafe { Block::converged() };
    /// // 3 is not a multiple of 2.
    /// block.converting_pipeline::<[u8; 1024], [u8; 1024], [u16; 1024], 2, 2, 4, 3>(shared::dynamic::<_, 1024>());
    /// ```
    #[inline(always)]
    pub fn converting_pipeline<
        D,
        R,
        T,
        const WARPS: u32,
        const DIRECT: u32,
        const LOADED: u32,
        const STAGES: u32,
    >(
        self,
        memory: SharedPtr<D>,
    ) -> ConvertingPipeline<D, R, T, WARPS, DIRECT, LOADED, STAGES> {
        const {
            assert!(
                1 <= WARPS && WARPS < Warpgroup::WARPS,
                "one to three warps convert: another warp of their warpgroup loads"
            );
            assert!(
                LOADED.is_multiple_of(WARPS) && STAGES.is_multiple_of(WARPS),
                "warps convert stages in turn: both counts of stages are multiples of the number of warps"
            );
        };
        let multiplying = self.threads() / Warpgroup::THREADS - 1;
        let stages: SharedPtr<T> = memory.byte_add(direct_bytes::<D>(DIRECT)).cast();
        let loads: SharedPtr<R> = stages.add(STAGES).cast();
        let barriers = loads.byte_add(loaded_bytes::<R>(LOADED)).cast();
        if self.thread() == 0 {
            // SAFETY: one thread initialises the barriers, before any other uses them, in memory that is for the
            // pipeline alone (3 of `converged`).
            unsafe { Ring::<STAGES>::init(barriers, 1, multiplying) };
        }
        // All threads wait here until the rings of barriers are initialised.
        let direct = self.pipeline_of(memory, 1, multiplying);
        let loaded = self.pipeline_of(loads, 1, 1);
        // SAFETY: the barriers are initialised; the ends go through the stages in order, and a stage that was handed out
        // arrives once where it ends.
        let ring = unsafe { Ring::assume_init(barriers) };
        ConvertingPipeline {
            direct,
            loaded,
            converted: Converted { stages, ring },
        }
    }
}

impl<D, R, T, const WARPS: u32, const DIRECT: u32, const LOADED: u32, const STAGES: u32>
    ConvertingPipeline<D, R, T, WARPS, DIRECT, LOADED, STAGES>
{
    /// Runs three roles where `BLOCKS` blocks share the registers of a multiprocessor: `fill` in the producer thread, `convert`
    /// in the threads of each converting warp, and `multiply` in the threads of the other warpgroups. Loading and converting threads
    /// have `FILLING` registers; [`Block::split_registers`] has the limits of registers. Collective.
    ///
    /// # Safety
    /// 1. The condition of [`Block::split_shared_registers`].
    #[inline(always)]
    pub unsafe fn split_shared<
        const BLOCKS: u32,
        const THREADS: u32,
        const FILLING: u32,
        const MULTIPLYING: u32,
    >(
        self,
        fill: impl FnOnce(Fill<D, DIRECT>, Fill<R, LOADED>),
        convert: impl FnOnce(Conversions<R, T, WARPS, LOADED, STAGES>),
        multiply: impl FnOnce(Warpgroup, Products<D, DIRECT>, ConvertedStages<T, STAGES>),
    ) {
        let filling = |warps: Warps| {
            let warp = warps.warp();
            if warp.index() > WARPS {
                // The warp gives up its registers, and has no role.
            } else if warp.index() != 0 {
                convert(Conversions {
                    loaded: self.loaded.another(),
                    converted: self.converted.another(),
                    from: Cursor::new(),
                    to: Cursor::new(),
                    warp,
                    before: warp.index() - 1,
                });
            } else if warps.elect() {
                self.loaded
                    .run_fill(|loaded| fill(loaded.of_another(self.direct.another()), loaded));
            }
        };
        let multiplying = |warps: Warps| {
            // They are whole ones.
            if let Some(warpgroup) = warps.warpgroup() {
                let stages = ConvertedStages {
                    converted: self.converted.another(),
                    cursor: Cursor::new(),
                    warpgroup,
                };
                multiply(warpgroup, Products::new(&self.direct, warpgroup), stages);
            }
        };
        let block = self.loaded.block;
        // SAFETY: the kernel is compiled for `BLOCKS` blocks of `THREADS` threads on each multiprocessor (1).
        unsafe {
            block.split_shared_registers::<BLOCKS, THREADS, FILLING, MULTIPLYING>(
                filling,
                multiplying,
            );
        };
    }
}

impl<R, T, const WARPS: u32, const LOADED: u32, const STAGES: u32>
    Conversions<R, T, WARPS, LOADED, STAGES>
{
    /// Converts this warp's part of the next `stages` stages: `convert` reads a loaded stage and writes all of a stage for
    /// products. Collective of the warp.
    #[inline(always)]
    pub fn advance(&mut self, stages: u32, convert: impl Fn(Warp, SharedPtr<R>, SharedPtr<T>)) {
        let mut left = stages;
        while left != 0 {
            if self.before == 0 {
                self.before = WARPS;
                self.loaded.ring().wait(self.from);
                // At first every stage is empty: the phase before the first counts as complete.
                self.converted.ring.acquire(self.to);
                convert(
                    self.warp,
                    self.loaded.stage(self.from),
                    self.converted.stage(self.to),
                );
                fence::proxy_async_shared_cta();
                self.warp.sync();
                if self.warp.lane() == 0 {
                    self.loaded.ring().release(self.from);
                    // The waiting ends are the multiplying ones, by parity.
                    let _ = self.converted.ring.full(self.to).arrive();
                }
            }
            self.before -= 1;
            self.from.advance();
            self.to.advance();
            left -= 1;
        }
    }
}

impl<T, const STAGES: u32> ConvertedStages<T, STAGES> {
    /// Waits until the next stage has been converted. Collective of the warpgroup.
    #[doc(alias = "consumer_wait")]
    #[inline(always)]
    #[expect(clippy::should_implement_trait, reason = "stages never end")]
    pub fn next(&mut self) -> ProductStage<T> {
        let cursor = self.cursor;
        self.converted.ring.wait(cursor);
        self.cursor.advance();
        ProductStage {
            tiles: self.converted.stage(cursor),
            empty: self.converted.ring.empty(cursor),
            warpgroup: self.warpgroup,
        }
    }
}

/// Returns the shared memory of a [`ConvertingPipeline`] in bytes.
pub const fn converting_bytes<D, R, T>(direct: u32, loaded: u32, stages: u32) -> u64 {
    let of_stage = (size_of::<T>() + 2 * size_of::<Mbarrier>()) as u64;
    (direct_bytes::<D>(direct) + loaded_bytes::<R>(loaded)) as u64 + stages as u64 * of_stage
}

/// Returns the bytes of the pipeline of direct stages, up to an address where stages may be.
const fn direct_bytes<D>(direct: u32) -> u32 {
    super::bytes::<D>(direct, 1).next_multiple_of(1024) as u32
}

/// Returns the bytes of the pipeline of loaded stages, up to an address where barriers may be.
const fn loaded_bytes<R>(loaded: u32) -> u32 {
    super::bytes::<R>(loaded, 1).next_multiple_of(size_of::<Mbarrier>() as u64) as u32
}

use tma::{SharedPtr, ptx::mbarrier::Mbarrier, shared};

/// Stages of `stage_bytes` in the block's dynamic shared memory; behind them, for each stage, two
/// barriers and the number of the item that it holds.
#[derive(Clone, Copy)]
pub(crate) struct Ring<const STAGES: u32> {
    stage_bytes: u32,
}

/// Bytes of a [`Ring`] of so many stages.
#[cfg(not(target_arch = "nvptx64"))]
pub(crate) const fn ring_bytes(stages: u32, stage_bytes: u64) -> u64 {
    let behind_stage = 2 * size_of::<Mbarrier>() + size_of::<u32>();
    (stages as u64).saturating_mul(stage_bytes + behind_stage as u64)
}

/// A stage, and the parity of the phase in which it is used next.
#[derive(Clone, Copy)]
pub(crate) struct Turn {
    pub(crate) stage: u32,
    pub(crate) parity: u32,
}

impl<const STAGES: u32> Ring<STAGES> {
    /// A ring whose stages have `stage_bytes`, a multiple of 16, or of 1024 where a stage holds a
    /// box with a 128-byte swizzle.
    #[inline(always)]
    pub(crate) fn new(stage_bytes: u32) -> Self {
        const { assert!(STAGES >= 2, "one stage is loaded while another one is used") };
        Self { stage_bytes }
    }

    #[inline(always)]
    fn start(self) -> SharedPtr<u8> {
        shared::dynamic::<u8, 1024>()
    }

    #[inline(always)]
    pub(crate) fn data(self, stage: u32) -> SharedPtr<u8> {
        self.start().byte_add(stage * self.stage_bytes)
    }

    /// Completes when the stage has been loaded.
    #[inline(always)]
    pub(crate) fn full(self, stage: u32) -> SharedPtr<Mbarrier> {
        self.data(STAGES).cast::<Mbarrier>().add(stage)
    }

    /// Completes when the stage may be loaded again.
    #[inline(always)]
    pub(crate) fn empty(self, stage: u32) -> SharedPtr<Mbarrier> {
        self.full(STAGES).add(stage)
    }

    /// The item that the stage holds.
    #[inline(always)]
    pub(crate) fn item(self, stage: u32) -> SharedPtr<u32> {
        self.empty(STAGES).cast::<u32>().add(stage)
    }
}

impl Turn {
    #[inline(always)]
    pub(crate) fn first() -> Self {
        Self {
            stage: 0,
            parity: 0,
        }
    }

    #[inline(always)]
    pub(crate) fn advance<const STAGES: u32>(&mut self) {
        self.stage += 1;
        if self.stage == STAGES {
            self.stage = 0;
            self.parity ^= 1;
        }
    }
}

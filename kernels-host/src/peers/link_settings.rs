use kernels_gpu::settings::Setting;
use tma_host::{Failure, Stage};
use tma_launch::Conditions;

use super::low_latency;

/// Settings of the calls of [`Peers`](super::Peers) for the link between the two devices. The default is for the 18 NVLinks
/// of two H100 or H200; `peers --tune` of the benchmarks finds those of other links.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkSettings {
    /// The most bytes each way of a low-latency exchange: less than 16 counts as 16, more than 1 MiB as 1 MiB.
    pub low_latency_bytes: u64,
    /// The bytes each way from which copy engines move the data; kernels move less.
    pub copy_engine_bytes: u64,
    /// The most memory of each device for numbers that copy engines bring to be added: the first call that needs it allocates
    /// it. If it is less than 16, kernels move all data of sums.
    pub staging_bytes: u64,
    /// The number of bytes that a block of a kernel moves: a multiple of 512, up to 8192.
    pub chunk_bytes: u32,
    /// The number of blocks that a multiprocessor runs at once: 1 to 32.
    pub blocks: u32,
}

impl Default for LinkSettings {
    fn default() -> Self {
        Self {
            low_latency_bytes: low_latency::MOST_BYTES,
            copy_engine_bytes: 128 << 20,
            staging_bytes: 512 << 20,
            chunk_bytes: Setting::OVER_LINK.chunk_bytes,
            blocks: Setting::OVER_LINK.blocks.unwrap_or(1),
        }
    }
}

impl LinkSettings {
    /// Checks the chunks and blocks; every size is valid.
    pub(super) fn check(self) -> Result<(), Failure> {
        let mut conditions = Conditions::default();
        let reason = "16 bytes for each thread of 1 to 16 warps";
        let parameter = "chunk_bytes";
        if !(512..=8192).contains(&self.chunk_bytes) {
            conditions.within(parameter, self.chunk_bytes, 512..=8192, reason);
        } else {
            let reason = "16 bytes for each thread of full warps";
            conditions.multiple(parameter, self.chunk_bytes.into(), 512, reason);
        }
        let reason = "blocks that fit on a multiprocessor";
        conditions.within("blocks", self.blocks, 1..=32, reason);
        conditions.into_result().map_err(|violations| Failure {
            violations,
            ..Failure::new(Stage::Check, "the settings of the link cannot work")
        })
    }

    /// Returns the setting of kernels, with a block for each chunk.
    pub(super) fn of_kernels(self) -> Setting {
        Setting {
            chunk_bytes: self.chunk_bytes,
            blocks: Some(self.blocks),
            ..Setting::OVER_LINK
        }
    }
}

//! The blocks of a launch that are resident on a multiprocessor at once.

use tma_launch::Limits;

/// The blocks of a launch that fit a multiprocessor, by each limit.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Occupancy {
    /// Name of the kernel in PTX.
    pub kernel: String,
    /// Number of threads of a block.
    pub threads: u64,
    /// Bytes of shared memory of a block, static and dynamic.
    pub shared_bytes: u64,
    /// Number of registers of a thread, if it is known.
    pub registers: Option<u32>,
}

impl Occupancy {
    /// Returns the number of resident blocks; an unknown number of registers is no limit.
    pub fn blocks(&self) -> u32 {
        let by_limit = self.by_limit().into_iter();
        by_limit.map(|(_, blocks)| blocks).min().unwrap_or(0)
    }

    /// Returns the number of resident warps, at most 64.
    pub fn warps(&self) -> u64 {
        u64::from(self.blocks()) * self.threads.div_ceil(32)
    }

    /// Returns the names of the limits that allow no more blocks.
    pub fn limits(&self) -> Vec<&'static str> {
        let blocks = self.blocks();
        let by_limit = self.by_limit().into_iter();
        let reached = by_limit.filter(|(_, fitting)| *fitting == blocks);
        reached.map(|(name, _)| name).collect()
    }

    fn by_limit(&self) -> [(&'static str, u32); 4] {
        let limits = Limits::SM_90;
        let by_registers = self
            .registers
            .map(|registers| Limits::blocks_by_registers(self.threads, registers));
        [
            ("threads", limits.blocks_by_threads(self.threads)),
            ("blocks", limits.multiprocessor_blocks),
            (
                "shared memory",
                limits.blocks_by_shared_bytes(self.shared_bytes),
            ),
            ("registers", by_registers.unwrap_or(u32::MAX)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_blocks_are_limited_by_their_number_alone() {
        let mut occupancy = Occupancy {
            kernel: "k".to_owned(),
            threads: 32,
            shared_bytes: 0,
            registers: Some(16),
        };
        assert_eq!(
            (occupancy.blocks(), occupancy.limits()),
            (32, vec!["blocks"])
        );
        occupancy.threads = 64;
        assert_eq!(occupancy.limits(), ["threads", "blocks"]);
    }
}

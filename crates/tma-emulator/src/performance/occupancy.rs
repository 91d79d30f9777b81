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
    /// Registers and barriers, if they are known.
    pub by_ptxas: Option<ByPtxas>,
}

/// The resources of a kernel that ptxas assigns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ByPtxas {
    /// Number of registers of a thread.
    pub registers: u32,
    /// Number of barriers of a block.
    pub barriers: u32,
}

impl Occupancy {
    /// Returns the number of resident blocks; unknown numbers of registers and barriers are no limits.
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

    fn by_limit(&self) -> [(&'static str, u32); 5] {
        let limits = Limits::SM_90;
        let by_ptxas = |blocks: &dyn Fn(ByPtxas) -> u32| self.by_ptxas.map_or(u32::MAX, blocks);
        [
            ("threads", limits.blocks_by_threads(self.threads)),
            ("blocks", limits.multiprocessor_blocks),
            (
                "shared memory",
                limits.blocks_by_shared_bytes(self.shared_bytes),
            ),
            (
                "registers",
                by_ptxas(&|it| Limits::blocks_by_registers(self.threads, it.registers)),
            ),
            (
                "barriers",
                by_ptxas(&|it| Limits::blocks_by_barriers(it.barriers)),
            ),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn occupancy(threads: u64, registers: u32, barriers: u32) -> Occupancy {
        Occupancy {
            kernel: "k".to_owned(),
            threads,
            shared_bytes: 0,
            by_ptxas: Some(ByPtxas {
                registers,
                barriers,
            }),
        }
    }

    #[test]
    fn small_blocks_are_limited_by_their_number_alone() {
        let found = occupancy(32, 16, 1);
        assert_eq!((found.blocks(), found.limits()), (32, vec!["blocks"]));
        assert_eq!(occupancy(64, 16, 1).limits(), ["threads", "blocks"]);
    }

    #[test]
    fn a_barrier_by_register_leaves_room_for_four_blocks() {
        let found = occupancy(128, 40, 16);
        assert_eq!((found.blocks(), found.limits()), (4, vec!["barriers"]));
    }
}

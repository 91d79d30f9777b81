//! The registers of a block, which `setmaxnreg` moves from warp to warp. PTX ISA 9.7.19.5.

use std::fmt::Write;

/// Registers are given out in multiples of this.
const UNIT: u32 = 8;
/// Registers of a multiprocessor.
const OF_MULTIPROCESSOR: u32 = 1 << 16;
/// Registers of a thread at most.
const MOST: u32 = 256;

/// Registers of each thread when a kernel begins, if directives set them: `.maxnreg`, or both the threads of a
/// block and the blocks of a multiprocessor. ptxas 13.0 ignores `setmaxnreg` without (its message C7508).
pub(crate) fn at_entry(kernel: &ptx::Function) -> Option<u32> {
    let number = |name| {
        let extent = kernel.directive(name)?.extent()?;
        let product = |all: u32, side| all.checked_mul(side);
        extent.into_iter().try_fold(1, product)
    };
    let threads = number(".reqntid").or_else(|| number(".maxntid"));
    let of_blocks = threads
        .zip(number(".minnctapersm"))
        .and_then(|(threads, blocks)| {
            let threads = threads.checked_mul(blocks)?;
            Some(OF_MULTIPROCESSOR.checked_div(threads)? / UNIT * UNIT)
        });
    let stated = number(".maxnreg").map(|most| most.div_ceil(UNIT).saturating_mul(UNIT));
    let least = match (stated, of_blocks) {
        (Some(stated), Some(of_blocks)) => stated.min(of_blocks),
        (stated, of_blocks) => stated.or(of_blocks)?,
    };
    Some(least.min(MOST))
}

/// Distribution of a block's registers: as many as its warps have at entry.
#[derive(Clone, Debug)]
pub(crate) struct RegisterPool {
    /// Registers that warps have given back, for each lane of a warp.
    free: u32,
    /// Registers per thread, for each warp.
    of_warps: Vec<u32>,
}

impl RegisterPool {
    pub(crate) fn new(at_entry: u32, warps: u32) -> Self {
        Self {
            free: 0,
            of_warps: vec![at_entry; warps as usize],
        }
    }

    pub(crate) fn of_warp(&self, warp: usize) -> u32 {
        self.of_warps[warp]
    }

    /// Returns whether a warp can have `count` registers per thread.
    pub(crate) fn has(&self, warp: usize, count: u32) -> bool {
        count <= self.of_warps[warp] + self.free
    }

    /// Sets the registers per thread of a warp.
    pub(crate) fn set(&mut self, warp: usize, count: u32) {
        self.free = self.free + self.of_warps[warp] - count;
        self.of_warps[warp] = count;
    }

    /// Adds registers to those that are free.
    pub(crate) fn add(&mut self, count: u32) {
        self.free += count;
    }

    /// Describes the registers of each warp.
    pub(crate) fn describe(&self) -> String {
        let mut text = String::new();
        let mut first = 0;
        for warps in self.of_warps.chunk_by(|one, next| one == next) {
            let last = first + warps.len() - 1;
            let who = if first == last {
                format!("warp {first} has")
            } else {
                format!("warps {first} to {last} have")
            };
            let _ = write!(text, "{who} {}, ", warps[0]);
            first = last + 1;
        }
        text + &format!("and {} are free", self.free)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The registers that ptxas 13.0 reports of kernels with `setmaxnreg`, in units of allocation.
    #[test]
    fn the_directives_say_how_many_registers_a_thread_begins_with() {
        let cases = [
            ("", None),
            (".maxntid 384", None),
            (".reqntid 384", None),
            (".maxntid 384 .minnctapersm 1", Some(168)),
            (".reqntid 384 .minnctapersm 1", Some(168)),
            (".maxntid 32, 4, 3 .minnctapersm 1", Some(168)),
            (".maxntid 640 .minnctapersm 1", Some(96)),
            (".maxntid 256 .minnctapersm 2", Some(128)),
            (".maxntid 1024 .minnctapersm 1", Some(64)),
            (".maxntid 128 .minnctapersm 1", Some(256)),
            (".maxnreg 128", Some(128)),
            (".maxnreg 100", Some(104)),
            (".maxntid 384 .maxnreg 128 .minnctapersm 1", Some(128)),
            (".maxntid 384 .maxnreg 200 .minnctapersm 1", Some(168)),
        ];
        for (directives, expected) in cases {
            let text = format!(
                ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry k() {directives} {{ ret; }}\n"
            );
            let module = ptx::parse(&text).unwrap();
            let kernel = module.entries().next().unwrap();
            assert_eq!(at_entry(kernel), expected, "{directives}");
        }
    }

    #[test]
    fn warps_get_what_others_gave_back() {
        let mut pool = RegisterPool::new(128, 3);
        assert!(!pool.has(2, 136));
        pool.set(0, 40);
        assert!(pool.has(2, 216) && !pool.has(2, 224));
        pool.set(2, 208);
        assert_eq!(
            pool.describe(),
            "warp 0 has 40, warp 1 has 128, warp 2 has 208, and 8 are free"
        );
    }
}

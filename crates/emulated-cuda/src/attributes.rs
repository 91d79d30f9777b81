//! The device: an H100 with 80 GB, in numbers that its documentation has.

use tma_emulator::Session;
use tma_launch::Limits;

use crate::{calls::Result, code::Code, memory::TOTAL_BYTES};

/// Its name.
pub(crate) const NAME: &str = "NVIDIA H100 80GB HBM3 (emulated)";
const LIMITS: Limits = Session::LIMITS;
/// Multiprocessors.
pub(crate) const MULTIPROCESSORS: i32 = LIMITS.multiprocessors as i32;
/// Version 13.0, as calls give it.
pub(crate) const VERSION: i32 = 13_000;
/// Shared memory of a multiprocessor in bytes.
pub(crate) const MULTIPROCESSOR_SHARED_BYTES: i32 = LIMITS.multiprocessor_shared_bytes as i32;
/// Shared memory of each block that is the system's, in bytes.
const RESERVED_SHARED_BYTES: i32 = 1 << 10;
/// Registers of a multiprocessor.
const REGISTERS: i32 = 65536;
const CLOCK_KHZ: i32 = 1_980_000;
const MEMORY_CLOCK_KHZ: i32 = 2_619_000;
const L2_BYTES: i32 = 50 << 20;
const MOST: i32 = i32::MAX;

/// An attribute of the device by its number, which is the same for the runtime and the driver.
pub(crate) fn attribute(number: i32) -> Result<i32> {
    Ok(match number {
        // Threads of a block, and the sizes of blocks and grids.
        1 => LIMITS.block_threads as i32,
        2 | 3 => 1024,
        4 => 64,
        5 => MOST,
        6 | 7 => 65535,
        // Shared memory of a block, constants, lanes, pitch, registers of a block.
        8 => 48 << 10,
        9 => 64 << 10,
        10 => 32,
        11 => MOST,
        12 | 82 => REGISTERS,
        13 => CLOCK_KHZ,
        // Alignment of textures and surfaces, and of their rows.
        14 | 30 => 512,
        51 => 32,
        16 => MULTIPROCESSORS,
        // Timeout, integrated, exclusive, TCC, PCI numbers.
        17 | 18 | 20 | 33 | 34 | 35 | 50 => 0,
        // What it can: overlap, mapping, concurrent kernels, ECC, unified addresses, streams with priorities, L1.
        15 | 19 | 31 | 32 | 41 | 78 | 79 | 80 => 1,
        // Textures of one, two and three dimensions.
        21 => 131_072,
        22 | 27 => 131_072,
        23 => 65536,
        24..=26 => 16384,
        28 | 29 => 32768,
        36 => MEMORY_CLOCK_KHZ,
        37 => 5120,
        38 => L2_BYTES,
        39 => LIMITS.multiprocessor_threads as i32,
        40 => 3,
        75 => 9,
        76 => 0,
        81 => MULTIPROCESSOR_SHARED_BYTES,
        // Managed memory; not a board with several GPUs; native atomics with the host.
        83 => 1,
        84..=86 => 0,
        87 => 2,
        // Pageable memory is not the device's; managed memory is used in turns.
        88 | 89 | 91 | 92..=94 | 96 | 99..=101 => 0,
        90 | 95 | 98 => 1,
        97 => LIMITS.shared_bytes as i32,
        106 => LIMITS.multiprocessor_blocks as i32,
        108 | 109 => 0,
        110 | 111 => RESERVED_SHARED_BYTES * (number - 110),
        113..=114 => 0,
        115 => 1,
        120 => 1,
        102..=105 | 107 | 112 | 116..=119 | 121..=148 => 0,
        _ => return Err(Code::INVALID_VALUE),
    })
}

/// A version of the runtime whose `cudaDeviceProp` is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// Of CUDA 12.
    V12,
    /// Of CUDA 13, which lacks some fields.
    V13,
}

/// Writes fields one behind the other, as C does.
struct Fields {
    bytes: Vec<u8>,
    layout: Layout,
}

impl Fields {
    fn ints<const N: usize>(&mut self, values: [i32; N]) {
        for value in values {
            self.bytes.extend(value.to_le_bytes());
        }
    }

    /// An attribute.
    fn of(&mut self, number: i32) {
        self.ints([attribute(number).unwrap_or_default()]);
    }

    /// A field that CUDA 13 has not.
    fn old(&mut self, value: i32) {
        if self.layout == Layout::V12 {
            self.ints([value]);
        }
    }

    fn long(&mut self, value: u64) {
        self.bytes.resize(self.bytes.len().next_multiple_of(8), 0);
        self.bytes.extend(value.to_le_bytes());
    }
}

/// The bytes of `cudaDeviceProp`.
pub(crate) fn properties(layout: Layout) -> Vec<u8> {
    let mut name = NAME.as_bytes().to_vec();
    name.resize(256 + 16 + 8, 0);
    let mut to = Fields {
        bytes: name,
        layout,
    };
    to.ints([0]);
    to.long(TOTAL_BYTES);
    to.long(48 << 10);
    to.ints([REGISTERS, 32]);
    to.long(MOST as u64);
    to.ints([1024, 1024, 1024, 64, MOST, 65535, 65535]);
    to.old(CLOCK_KHZ);
    to.long(64 << 10);
    to.ints([9, 0]);
    to.long(512);
    to.long(32);
    to.old(1);
    to.ints([MULTIPROCESSORS]);
    to.old(0);
    to.ints([0, 1]);
    to.old(0);
    to.ints([131_072, 32_768]);
    to.old(1 << 28);
    // Textures of two and three dimensions, with levels, of memory, gathered, cubes, and layered ones.
    to.ints([131_072, 65_536, 32_768, 32_768, 131_072, 65_000, 2_097_120]);
    to.ints([32_768, 32_768, 16_384, 16_384, 16_384, 8192, 8192, 32_768]);
    to.ints([32_768, 32_768, 2048, 32_768, 32_768, 2048, 32_768, 2046]);
    // Surfaces of one to three dimensions, layered ones, cubes.
    to.ints([32_768, 131_072, 65_536, 16_384, 16_384, 16_384]);
    to.ints([32_768, 2048, 32_768, 32_768, 2048, 32_768, 32_768, 2046]);
    to.long(512);
    // Concurrent kernels, ECC, bus, device, domain, TCC, copy engines, unified addresses.
    to.ints([1, 1, 0, 0, 0, 0, 3, 1]);
    to.old(MEMORY_CLOCK_KHZ);
    to.ints([
        5120,
        L2_BYTES,
        0,
        LIMITS.multiprocessor_threads as i32,
        1,
        1,
        1,
    ]);
    to.long(MULTIPROCESSOR_SHARED_BYTES as u64);
    to.ints([REGISTERS]);
    // Managed memory, boards, native atomics with the host.
    to.ints([1, 0, 0, 0]);
    to.old(2);
    // Pageable memory, concurrent managed access, preemption, registered memory, cooperative launches.
    to.of(88);
    to.of(89);
    to.of(90);
    to.of(91);
    to.of(95);
    to.old(0);
    to.long(LIMITS.shared_bytes);
    to.ints([0, 0, LIMITS.multiprocessor_blocks as i32, 0]);
    to.long(RESERVED_SHARED_BYTES as u64);
    // Registration of host memory, sparse arrays, read-only registration, semaphores, pools.
    to.ints([1, 0, 0, 0, 1]);
    // RDMA, its flushes and its order, handles of pools, deferred arrays, events between processes.
    to.ints([0; 6]);
    // Clusters, unified function pointers.
    to.ints([1, 0]);
    match layout {
        Layout::V12 => to.ints([0; 63]),
        // NUMA, MPS, PCI numbers, and what is reserved.
        Layout::V13 => to.ints([0; 7 + 56]),
    }
    let len = to.bytes.len().next_multiple_of(8);
    to.bytes.resize(len, 0);
    to.bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where the headers of CUDA 12.8 and 13.0 have a field, and what lies there.
    #[test]
    fn properties_lie_where_the_headers_say() {
        let at = |bytes: &[u8], offset: usize| {
            let field = bytes[offset..offset + 4].try_into().unwrap();
            i32::from_le_bytes(field)
        };
        let [old, new] = [Layout::V12, Layout::V13].map(properties);
        assert_eq!([old.len(), new.len()], [1032, 1008]);
        for (in_old, in_new, value) in [
            (352, 352, 64 << 10),
            (388, 384, 132),
            (568, 552, 512),
            (612, 592, 5120),
            (640, 624, 228 << 10),
            (696, 672, 227 << 10),
            (720, 696, 1024),
            (772, 748, 1),
        ] {
            assert_eq!(at(&old, in_old), value, "{in_old}");
            assert_eq!(at(&new, in_new), value, "{in_new}");
        }
        assert!(old.starts_with(NAME.as_bytes()));
    }
}

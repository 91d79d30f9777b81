//! The device: an H100 with 80 GB, with documented properties.

use tma_emulator::Session;
use tma_launch::Limits;

use crate::{
    allocations::TOTAL_BYTES,
    code::{Code, Result},
};

/// The name of the device.
pub(crate) const NAME: &str = "NVIDIA H100 80GB HBM3 (emulated)";
const LIMITS: Limits = Session::LIMITS;
/// Number of multiprocessors.
pub(crate) const MULTIPROCESSORS: i32 = LIMITS.multiprocessors as i32;
/// Version 13.0, as returned by calls.
pub(crate) const VERSION: i32 = 13_000;
/// Shared memory per multiprocessor in bytes.
pub(crate) const MULTIPROCESSOR_SHARED_BYTES: i32 = LIMITS.multiprocessor_shared_bytes as i32;
/// Shared memory per block reserved by the system, in bytes.
const RESERVED_SHARED_BYTES: i32 = 1 << 10;
/// Number of registers per multiprocessor.
const REGISTERS: i32 = 65536;
const CLOCK_KHZ: i32 = 1_980_000;
const MEMORY_CLOCK_KHZ: i32 = 2_619_000;
const L2_BYTES: i32 = 50 << 20;
/// The part of L2 for persisting accesses, five eighths as on an H200; also the limit of an access policy window.
const PERSISTING_L2_BYTES: i32 = L2_BYTES / 8 * 5;
const WINDOW_BYTES: i32 = 128 << 20;
const MOST: i32 = i32::MAX;

/// Returns a device attribute by its number, which the runtime and the driver share.
pub(crate) fn attribute(number: i32) -> Result<i32> {
    Ok(match number {
        // Threads per block, and maximum sizes of blocks and grids.
        1 => LIMITS.block_threads as i32,
        2 | 3 => 1024,
        4 => 64,
        5 => MOST,
        6 | 7 => 65535,
        // Shared memory per block, constants, lanes, pitch, registers per block.
        8 => 48 << 10,
        9 => 64 << 10,
        10 => 32,
        11 => MOST,
        12 | 82 => REGISTERS,
        13 => CLOCK_KHZ,
        // Alignment of textures, surfaces and their rows.
        14 | 30 => 512,
        51 => 32,
        16 => MULTIPROCESSORS,
        // Timeout, integrated, exclusive, TCC, PCI numbers.
        17 | 18 | 20 | 33 | 34 | 35 | 50 => 0,
        // Capabilities: overlap, mapping, concurrent kernels, ECC, unified addresses, gathers, stream priorities,
        // L1.
        15 | 19 | 31 | 32 | 41 | 44 | 78 | 79 | 80 => 1,
        21..=29 | 42..=43 | 45..=49 | 52..=74 | 77 => texels(number),
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
        // No access to pageable memory; managed memory is used alternately.
        88 | 89 | 92..=94 | 96 | 98 | 100 | 101 => 0,
        // Preemption, registered memory at its own address, cooperative launches, registration of host memory.
        90 | 91 | 95 | 99 => 1,
        97 => LIMITS.shared_bytes as i32,
        106 => LIMITS.multiprocessor_blocks as i32,
        111 => RESERVED_SHARED_BYTES,
        108 => PERSISTING_L2_BYTES,
        109 => WINDOW_BYTES,
        // Pools, clusters, tensor maps.
        115 | 120 | 127 => 1,
        126 => 4,
        // Not a NUMA node.
        131 => -1,
        // Features of a GPU that are not supported: virtual memory, handles, sparse arrays, RDMA, fabrics, MPS,
        // NUMA, decompression.
        102..=105 | 107 | 110 | 112..=114 | 116..=119 | 121..=125 | 128..=130 | 132..=147 => 0,
        _ => return Err(Code::INVALID_VALUE),
    })
}

/// Returns the maximum number of texels of textures and surfaces in each dimension, and of layers.
fn texels(number: i32) -> i32 {
    match number {
        // One, two and three dimensions: textures, and surfaces.
        21 | 22 | 56 => 131_072,
        23 | 57 => 65_536,
        24..=26 | 58..=60 => 16_384,
        // Three dimensions of alternative proportions.
        47 | 48 => 8192,
        // Layers, and cubes in layers.
        29 | 43 | 62 | 65 => 2048,
        54 | 68 => 2046,
        // Memory of one and two dimensions, and a pitch in bytes.
        69 => 1 << 28,
        70 => 131_072,
        71 => 65_000,
        72 => 2_097_120,
        _ => 32_768,
    }
}

/// The runtime version that determines the layout of `cudaDeviceProp`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layout {
    /// The layout of CUDA 12.
    V12,
    /// The layout of CUDA 13, which lacks some fields.
    V13,
}

/// Writes consecutive fields with C's alignment.
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

    /// Writes attributes.
    fn all<const N: usize>(&mut self, numbers: [i32; N]) {
        self.ints(numbers.map(|number| attribute(number).unwrap_or_default()));
    }

    /// Writes a field that CUDA 13 lacks.
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

/// Returns the bytes of `cudaDeviceProp`.
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
    to.all([21, 77]);
    to.old(texels(69));
    // Textures of two and three dimensions, with mipmaps, linear, gathered, cubes, and layered ones.
    to.all([22, 23, 73, 74, 70, 71, 72]);
    to.all([45, 46, 24, 25, 26, 47, 48, 49]);
    to.all([52, 42, 43, 27, 28, 29, 53, 54]);
    // Surfaces of one to three dimensions, layered ones, cubes.
    to.all([55, 56, 57, 58, 59, 60]);
    to.all([61, 62, 63, 64, 65, 66, 67, 68]);
    to.long(512);
    // Concurrent kernels, ECC, bus, device, domain, TCC, copy engines, unified addresses.
    to.ints([1, 1, 0, 0, 0, 0, 3, 1]);
    to.old(MEMORY_CLOCK_KHZ);
    to.all([37, 38, 108, 39, 78, 79, 80]);
    to.long(MULTIPROCESSOR_SHARED_BYTES as u64);
    to.ints([REGISTERS]);
    // Managed memory, boards, native atomics with the host.
    to.ints([1, 0, 0, 0]);
    to.old(2);
    // Pageable memory, concurrent managed access, preemption, registered memory, cooperative launches.
    to.all([88, 89, 90, 91, 95]);
    to.old(0);
    to.long(LIMITS.shared_bytes);
    to.all([100, 101, 106, 109]);
    to.long(RESERVED_SHARED_BYTES as u64);
    // Registration of host memory, sparse arrays, read-only registration, semaphores, pools.
    to.all([99, 112, 113, 114, 115]);
    // RDMA, its flushes and its order, handles of pools, deferred arrays, events between processes.
    to.all([116, 117, 118, 119, 121, 125]);
    // Clusters, unified function pointers.
    to.all([120, 129]);
    match layout {
        Layout::V12 => to.ints([0; 63]),
        // NUMA, MPS, PCI numbers, and reserved fields.
        Layout::V13 => {
            to.all([130, 131, 133, 134, 139, 140, 143]);
            to.ints([0; 56]);
        }
    }
    let len = to.bytes.len().next_multiple_of(8);
    to.bytes.resize(len, 0);
    to.bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Offsets of fields in the headers of CUDA 12.8 and 13.0, and their values.
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

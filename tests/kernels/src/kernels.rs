//! The kernels and their cases, a file each.

mod add_one_1d;
mod add_one_bulk;
mod add_one_ring;
mod add_one_tile;
mod add_one_tile_ring;
mod all_reduce;
mod attention;
mod attention_backward;
mod attention_decode;
mod consume_map;
mod conv_im2col;
mod copy_bulk;
mod copy_tile;
mod deform_attn;
mod encode_map;
mod gather_rows;
mod gemm;
mod gemm_fp8;
mod gemm_mma;
mod gemm_step;
mod histogram;
mod hwc_tile;
mod layer_norm;
mod low_latency_exchange;
mod multicast_tile;
mod persistent_tiles;
mod prefetch;
mod prefetch_1d;
mod producer_consumer;
mod reduce_scatter;
mod ring;
mod rms_norm;
mod softmax;
mod stencil;
mod tile_2d;
mod tile_gather;
mod transpose;

use tma_launch::{DeviceDescription, Launch, Violations};

use crate::Scenario;

/// A kernel as the user sees it.
pub struct Kernel {
    /// The name of the kernel and of its file in `kernels-gpu`.
    pub name: &'static str,
    /// The subject of the kernel, in a sentence.
    pub summary: &'static str,
    /// Entries with golden files of their PTX.
    pub golden: &'static [&'static str],
    /// The scenario that `run` shows.
    pub showcase: fn() -> Scenario,
    /// Everything that is tested.
    pub cases: fn() -> Vec<Scenario>,
}

// The list of the files of `kernels-gpu`.
include!(concat!(env!("OUT_DIR"), "/kernels.rs"));

/// Kernels whose launch depends on the device, by name, with the scenario that `run` shows on it.
pub const TUNED: &[Tuned] = &[
    ("add_one_bulk", add_one_bulk::tuned),
    ("add_one_ring", add_one_ring::tuned),
    ("add_one_tile", add_one_tile::tuned),
    ("add_one_tile_ring", add_one_tile_ring::tuned),
    ("all_reduce", all_reduce::tuned),
    ("copy_bulk", copy_bulk::tuned),
    ("copy_tile", copy_tile::tuned),
    ("persistent_tiles", persistent_tiles::tuned),
    ("reduce_scatter", reduce_scatter::tuned),
];

/// The name of a kernel, and its scenario on a device.
pub type Tuned = (&'static str, fn(&DeviceDescription) -> Scenario);

impl Kernel {
    /// The scenario that `run` shows on a device.
    pub fn shown_on(&self, device: &DeviceDescription) -> Scenario {
        let tuned = TUNED.iter().find(|(name, _)| *name == self.name);
        tuned.map_or_else(self.showcase, |(_, scenario)| scenario(device))
    }
}

/// Cases that only a GPU can run in a short time: their names, and how they are made.
pub const LARGE: &[Large] = deform_attn::LARGE;

/// The name of a case, and its constructor.
pub type Large = (&'static str, fn() -> Scenario);

/// The launch of a case, which keeps the kernel's conditions.
pub(crate) fn kept(launch: Result<Launch, Violations>) -> Launch {
    launch
        .unwrap_or_else(|violations| panic!("a case breaks its kernel's conditions:\n{violations}"))
}

/// Returns numbers that differ from element to element, without a pattern of small period.
pub(crate) fn numbers(count: usize) -> Vec<i32> {
    let mut state = 0x9e37_79b9_u32;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        // Small enough that a few additions do not wrap.
        (state >> 8) as i32 - (1 << 23)
    };
    (0..count).map(next).collect()
}

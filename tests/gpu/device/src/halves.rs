//! Halves of the crate `half`, and the own ones: in memory, in a tile, by value, and between lanes.

use half::{bf16, f16};
use tma::{
    Block, KernelArg, Swizzle64, Tile, TileMap,
    halves::{Bf16, F16},
    kernel, memory,
    ptx::{Cs, mbarrier::Mbarrier},
    shared,
};

/// The tile.
pub type F16Rows = [[f16; 32]; 4];

/// The numbers that a mixture is made of and kept within.
#[derive(Clone, Copy, KernelArg)]
#[repr(C)]
pub struct Limits {
    /// The number by which elements are multiplied.
    pub factor: F16,
    /// Least and greatest result.
    pub ends: [bf16; 2],
}

/// Multiplies the elements of the tile at column `x` and row `y`, first by `factor`, then by `limits.factor`, stores the
/// tile, adds `addends` as `bf16`, and writes each sum, within the limits, at the place of its neighbour's addend.
///
/// # Safety
/// 1. There is one block of 128 threads.
/// 2. No other code uses the tensor; `x` is a multiple of 8, and neither coordinate is negative.
/// 3. `addends` and `output` have 128 numbers, and no other code uses these.
#[kernel(max_threads = 128)]
pub unsafe fn mixed_halves(
    output: *mut bf16,
    addends: *const Bf16,
    #[grid_constant] map: &TileMap<F16Rows, Swizzle64>,
    factor: f16,
    limits: Limits,
    x: i32,
    y: i32,
) {
    shared! {
        static TILE: Tile<F16Rows, Swizzle64>;
        static BAR: Mbarrier;
    }
    // SAFETY: every thread gets here (1), and the tensor is this kernel's (2).
    let block = unsafe { Block::converged() };
    let tile = block.load_tile(TILE::ptr(), BAR::ptr(), map, [x, y]);
    let tile = tile.update(block, |_, element| {
        let product = F16::from(element) * factor.into() * limits.factor;
        // SAFETY: the kernel's conditions (3); the addends are not written.
        let addend = unsafe { memory::load_nc(addends.add(block.thread() as usize)) };
        let sum = Bf16::from_f32(product.to_f32()) + addend;
        let [least, greatest] = limits.ends.map(Bf16::from);
        let sum = bf16::from(sum.max(least).min(greatest));
        let sum = block.warp().shuffle_xor(sum, 1);
        // SAFETY: as above; each thread has its own number.
        unsafe { memory::store::<Cs, _>(output.add(block.thread() as usize), sum) };
        product.into()
    });
    tile.store(block, map, [x, y]);
}

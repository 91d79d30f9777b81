//! Ports the guide's "Batching Loads in Conditional Code": a block loads a centre and two halos with
//! LDGSTS (`cp.async`), whose copies are all on their way at once though they stand in branches.

use core::hint::assert_unchecked;

use tma::{
    Barrier, Block, SharedPtr, kernel,
    ptx::{Ca, cp_async, cp_async_mbarrier_arrive, mbarrier::Mbarrier},
    shared,
};

/// Numbers in the middle: one for each thread that loads.
pub const CENTER: u32 = 32;
/// Numbers on each side.
pub const HALO: u32 = 8;

const BUFFER: usize = (HALO + CENTER + HALO) as usize;

/// For each of the 32 numbers in the middle, the sum of it and its eight neighbours on each side;
/// loaded by ordinary loads, as the guide's sample begins.
///
/// Block `i` has the numbers from `32 * i` of `center`, and from `8 * i` of the halos.
///
/// # Safety
/// 1. `center` and `output` have 32 numbers for each block, `left` and `right` 8, at multiples of 4
///    bytes; nobody else writes the inputs or uses the output while the kernel runs.
/// 2. Grid and blocks are one-dimensional; blocks have at least 32 threads.
#[kernel(max_threads = 1024)]
pub unsafe fn stencil_loads(
    left: *const f32,
    center: *const f32,
    right: *const f32,
    output: *mut f32,
) {
    // SAFETY: every thread gets here (2).
    let block = unsafe { Block::converged() };
    let buffer = BUFFER_OF_BLOCK::ptr();
    // SAFETY: the conditions are this kernel's own (1, 2).
    let (left, center, right) = unsafe { of_block(block, left, center, right) };
    let tid = block.thread();
    let copy = |to: u32, from: *const f32| {
        // SAFETY: both elements are there, and nobody else has the one in the buffer.
        unsafe { buffer.at(to).write(*from.add(tid as usize)) };
    };
    if tid < HALO {
        copy(tid, left);
    } else if (CENTER - HALO..CENTER).contains(&tid) {
        copy(
            tid + HALO + HALO,
            right.wrapping_sub((CENTER - HALO) as usize),
        );
    }
    if tid < CENTER {
        copy(tid + HALO, center);
    }
    block.sync();
    // SAFETY: the buffer is written, and the conditions are this kernel's own (1, 2).
    unsafe { sum(block, buffer, output) };
}

/// As [`stencil_loads`], by copies that each thread starts for itself and that a barrier waits for:
/// the guide's version 1.
///
/// # Safety
/// As for [`stencil_loads`].
#[cfg_attr(doc, doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/stencil_threads.ptx"), "\n```"))]
#[kernel(max_threads = 1024)]
pub unsafe fn stencil_threads(
    left: *const f32,
    center: *const f32,
    right: *const f32,
    output: *mut f32,
) {
    // SAFETY: every thread gets here (2), and arrives once.
    let block = unsafe { Block::converged() };
    let (buffer, bar) = (
        BUFFER_OF_BLOCK::ptr(),
        block.barrier(BAR::ptr(), block.threads()),
    );
    // SAFETY: the conditions are this kernel's own (1, 2).
    unsafe {
        let (left, center, right) = of_block(block, left, center, right);
        own_copies(block, buffer, left, center, right);
        wait(&bar);
        sum(block, buffer, output);
    }
}

/// As [`stencil_loads`], by copies that all threads of the block start together and that a barrier
/// waits for: the guide's version 2.
///
/// # Safety
/// As for [`stencil_loads`].
#[cfg_attr(doc, doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/stencil_block.ptx"), "\n```"))]
#[kernel(max_threads = 1024)]
pub unsafe fn stencil_block(
    left: *const f32,
    center: *const f32,
    right: *const f32,
    output: *mut f32,
) {
    // SAFETY: every thread gets here (2), and arrives once.
    let block = unsafe { Block::converged() };
    let (buffer, bar) = (
        BUFFER_OF_BLOCK::ptr(),
        block.barrier(BAR::ptr(), block.threads()),
    );
    // SAFETY: the conditions are this kernel's own (1, 2).
    unsafe {
        let (left, center, right) = of_block(block, left, center, right);
        copy_together(block, buffer.at(0), left, HALO);
        copy_together(block, buffer.at(HALO), center, CENTER);
        copy_together(block, buffer.at(HALO + CENTER), right, HALO);
        wait(&bar);
        sum(block, buffer, output);
    }
}

/// As [`stencil_loads`], by copies that each thread starts for itself and waits for as a group: the
/// guide's primitives.
///
/// # Safety
/// As for [`stencil_loads`].
#[cfg_attr(doc, doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/stencil_groups.ptx"), "\n```"))]
#[kernel(max_threads = 1024)]
pub unsafe fn stencil_groups(
    left: *const f32,
    center: *const f32,
    right: *const f32,
    output: *mut f32,
) {
    // SAFETY: every thread gets here (2).
    let block = unsafe { Block::converged() };
    let buffer = BUFFER_OF_BLOCK::ptr();
    // SAFETY: the conditions are this kernel's own (1, 2).
    unsafe {
        let (left, center, right) = of_block(block, left, center, right);
        own_copies(block, buffer, left, center, right);
        cp_async::commit_group();
        // A thread waits for its own copies; `sync` shows them to the others.
        cp_async::wait_group::<0>();
        block.sync();
        sum(block, buffer, output);
    }
}

shared! {
    static BAR: Mbarrier;
    /// Left halo, centre, right halo.
    static BUFFER_OF_BLOCK: [f32; BUFFER];
}

/// The block's part of the inputs.
///
/// # Safety
/// 1. As (1) and (2) of [`stencil_loads`].
#[inline(always)]
unsafe fn of_block(
    block: Block,
    left: *const f32,
    center: *const f32,
    right: *const f32,
) -> (*const f32, *const f32, *const f32) {
    let block = block.index() as usize;
    let halo = block * HALO as usize;
    // SAFETY: the parts lie within the inputs (1).
    unsafe {
        (
            left.add(halo),
            center.add(block * CENTER as usize),
            right.add(halo),
        )
    }
}

/// Starts a copy of one number.
///
/// # Safety
/// 1. Those of [`cp_async::shared_cta_global`], with 4 bytes.
#[inline(always)]
unsafe fn copy(to: SharedPtr<f32>, from: *const f32) {
    // SAFETY: (1).
    unsafe { cp_async::shared_cta_global::<Ca, 4>(to.cast(), from.cast()) };
}

/// The copies of the first warp: two halos and the centre.
///
/// # Safety
/// 1. The pointers are those of [`of_block`]; nobody uses the buffer.
#[inline(always)]
unsafe fn own_copies(
    block: Block,
    buffer: SharedPtr<[f32; BUFFER]>,
    left: *const f32,
    center: *const f32,
    right: *const f32,
) {
    let tid = block.thread();
    // SAFETY: the numbers are there, and each has an address of its own (1).
    unsafe {
        if tid < HALO {
            copy(buffer.at(tid), left.add(tid as usize));
        } else if (CENTER - HALO..CENTER).contains(&tid) {
            let number = tid - (CENTER - HALO);
            copy(
                buffer.at(HALO + CENTER + number),
                right.add(number as usize),
            );
        }
        if tid < CENTER {
            copy(buffer.at(HALO + tid), center.add(tid as usize));
        }
    }
}

/// Starts copies of `count` numbers, spread over the threads of the block.
///
/// # Safety
/// 1. Both ends have `count` numbers, and nobody uses those at `to`.
/// 2. The block has at least [`CENTER`] threads.
#[inline(always)]
unsafe fn copy_together(block: Block, to: SharedPtr<f32>, from: *const f32, count: u32) {
    // SAFETY: (2).
    unsafe { assert_unchecked(block.threads() >= CENTER) };
    let mut i = block.thread();
    while i < count {
        // SAFETY: the numbers are there, and each is copied once (1).
        unsafe { copy(to.add(i), from.add(i as usize)) };
        i += block.threads();
    }
}

/// Waits for the copies of all threads.
///
/// # Safety
/// 1. Every thread of the block calls it, once.
#[inline(always)]
unsafe fn wait(bar: &Barrier) {
    // The phase waits for this thread's copies, too: they add an arrival and make it when they are
    // done.
    // SAFETY: the thread's own arrival is still to come.
    unsafe { cp_async_mbarrier_arrive::arrive(bar.address()) };
    bar.arrive_and_wait();
}

/// What the stencil computes.
///
/// # Safety
/// 1. The buffer is written, for all threads to see.
/// 2. As (1) and (2) of [`stencil_loads`].
#[inline(always)]
unsafe fn sum(block: Block, buffer: SharedPtr<[f32; BUFFER]>, output: *mut f32) {
    let tid = block.thread();
    if tid < CENTER {
        let mut sum = 0.0;
        for neighbour in 0..2 * HALO + 1 {
            // SAFETY: the index is in bounds, and the number is written (1).
            sum += unsafe { buffer.at(tid + neighbour).read() };
        }
        let index = (block.index() * CENTER + tid) as usize;
        // SAFETY: the output has room for it (2).
        unsafe { *output.add(index) = sum };
    }
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{Stencil, StencilForm};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tma_launch::{BufferRef, Conditions, Launch, Region, Shape, Violations};

    use super::{CENTER, HALO, stencil_block, stencil_groups, stencil_loads, stencil_threads};
    use crate::arguments::product;

    /// Sums 17 neighbours of each of 32 numbers in each block.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Stencil {
        /// How the numbers are loaded.
        pub form: StencilForm,
        /// The buffer of the left halos: 8 numbers of `f32` for each block.
        pub left: usize,
        /// The buffer of the centres: 32 for each block.
        pub center: usize,
        /// The buffer of the right halos: 8 for each block.
        pub right: usize,
        /// The buffer that is written: 32 for each block.
        pub output: usize,
        /// Blocks.
        pub blocks: u32,
        /// Threads of a block.
        pub threads: u32,
    }

    /// How a stencil's numbers are loaded.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum StencilForm {
        /// Ordinary loads and stores.
        Loads,
        /// Copies of each thread, at a barrier.
        #[doc(alias = "cuda::memcpy_async")]
        Threads,
        /// Copies of the block together, at a barrier.
        #[doc(alias = "cuda::memcpy_async")]
        Block,
        /// Copies of each thread, in groups.
        #[doc(alias = "__pipeline_memcpy_async")]
        Groups,
    }

    impl Stencil {
        /// Checks the arguments.
        ///
        /// # Errors
        /// All that the kernels cannot take.
        pub fn launch(&self) -> Result<Launch, Violations> {
            let mut conditions = Conditions::default();
            let reason = "a thread for each number in the middle:";
            conditions.within("threads of a block", self.threads, CENTER..=1024, reason);
            let most = u32::MAX / CENTER;
            let reason = "numbers of the output fit in 32 bits:";
            conditions.within("blocks", self.blocks, 1..=most, reason);
            let bytes = |numbers: u32| product(&[self.blocks, numbers, size_of::<f32>() as u32]);
            conditions.reads(Region::bytes(self.left, bytes(HALO)));
            conditions.reads(Region::bytes(self.center, bytes(CENTER)));
            conditions.reads(Region::bytes(self.right, bytes(HALO)));
            conditions.writes(Region::bytes(self.output, bytes(CENTER)));
            let kernel = match self.form {
                StencilForm::Loads => stencil_loads,
                StencilForm::Threads => stencil_threads,
                StencilForm::Block => stencil_block,
                StencilForm::Groups => stencil_groups,
            };
            let [left, center, right, output] =
                [self.left, self.center, self.right, self.output].map(BufferRef::new);
            let call = kernel(left, center, right, output);
            conditions.launch(call, Shape::new(self.blocks, self.threads))
        }
    }
}

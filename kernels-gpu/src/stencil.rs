//! Ports the guide's "Batching Loads in Conditional Code": a block loads a centre and two halos with
//! LDGSTS (`cp.async`); all copies are in flight at once though they are in branches.

use tma::{
    Barrier, Block, GlobalMut, GlobalRef, PerBlock, SharedPtr, kernel, memory,
    ptx::{Ca, Wb, cp_async, mbarrier::Mbarrier},
    shared,
};

use crate::vectors::{VECTOR_BYTES, Vector};

/// The number of values in the middle: one for each thread that loads.
pub const CENTER: u32 = 32;
/// The number of values on each side.
pub const HALO: u32 = 8;

const BUFFER: usize = (HALO + CENTER + HALO) as usize;

/// A block's numbers in the middle.
pub type Center = [f32; CENTER as usize];
/// A block's numbers on one side.
pub type Halo = [f32; HALO as usize];

/// Writes, for each of the 32 numbers in the middle, the sum of it and its eight neighbours on each side;
/// loaded by ordinary loads, as the guide's sample begins.
///
/// # Safety
/// 1. The parameters are as their types require.
/// 2. Grid and blocks are one-dimensional; blocks have at least 32 threads.
#[kernel(max_threads = 1024)]
pub unsafe fn stencil_loads(
    left: GlobalRef<Halo, PerBlock>,
    center: GlobalRef<Center, PerBlock>,
    right: GlobalRef<Halo, PerBlock>,
    output: GlobalMut<Center, PerBlock>,
) {
    // SAFETY: every thread gets here (2).
    let block = unsafe { Block::converged() };
    let buffer = BUFFER_OF_BLOCK::ptr();
    let tid = block.thread();
    let copy = |to: u32, number: f32| {
        // SAFETY: the element exists, and no other code has it.
        unsafe { buffer.at(to).write(number) };
    };
    if tid < HALO {
        copy(tid, left.of(block)[tid as usize]);
    } else if (CENTER - HALO..CENTER).contains(&tid) {
        let number = tid - (CENTER - HALO);
        copy(HALO + CENTER + number, right.of(block)[number as usize]);
    }
    if tid < CENTER {
        copy(tid + HALO, center.of(block)[tid as usize]);
    }
    block.sync();
    // SAFETY: the buffer is written.
    unsafe { sum(block, buffer, output) };
}

/// Works like [`stencil_loads`], by copies that each thread starts for itself and that a barrier waits for:
/// the guide's version 1.
///
/// # Safety
/// The conditions of [`stencil_loads`].
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/stencil_threads.ptx"), "\n```"))]
#[kernel(max_threads = 1024)]
pub unsafe fn stencil_threads(
    left: GlobalRef<Halo, PerBlock>,
    center: GlobalRef<Center, PerBlock>,
    right: GlobalRef<Halo, PerBlock>,
    output: GlobalMut<Center, PerBlock>,
) {
    // SAFETY: every thread gets here (2), and arrives once.
    let block = unsafe { Block::converged() };
    let (buffer, bar) = (
        BUFFER_OF_BLOCK::ptr(),
        block.barrier(BAR::ptr(), block.threads()),
    );
    // SAFETY: no other code uses the buffer, and every thread waits once, for all of it.
    unsafe {
        own_copies(
            block,
            buffer,
            left.of(block),
            center.of(block),
            right.of(block),
        );
        wait(&bar);
        sum(block, buffer, output);
    }
}

/// Works like [`stencil_loads`], by copies that all threads of the block start together and that a barrier
/// waits for: the guide's version 2.
///
/// # Safety
/// The conditions of [`stencil_loads`].
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/stencil_block.ptx"), "\n```"))]
#[kernel(max_threads = 1024)]
pub unsafe fn stencil_block(
    left: GlobalRef<Halo, PerBlock>,
    center: GlobalRef<Center, PerBlock>,
    right: GlobalRef<Halo, PerBlock>,
    output: GlobalMut<Center, PerBlock>,
) {
    // SAFETY: every thread gets here (2), and arrives once.
    let block = unsafe { Block::converged() };
    let (buffer, bar) = (
        BUFFER_OF_BLOCK::ptr(),
        block.barrier(BAR::ptr(), block.threads()),
    );
    // SAFETY: the parts follow each other in the buffer, which no other code uses; every thread waits once.
    unsafe {
        copy_together(block, buffer.at(0), left.of(block));
        copy_together(block, buffer.at(HALO), center.of(block));
        copy_together(block, buffer.at(HALO + CENTER), right.of(block));
        wait(&bar);
        sum(block, buffer, output);
    }
}

/// Works like [`stencil_loads`], by copies that each thread starts for itself and waits for as a group: the
/// guide's primitives.
///
/// # Safety
/// The conditions of [`stencil_loads`].
#[cfg_attr(all(doc, not(docsrs)), doc = concat!("\n# PTX\n```text\n", include_str!("../../tests/golden/ptx/stencil_groups.ptx"), "\n```"))]
#[kernel(max_threads = 1024)]
pub unsafe fn stencil_groups(
    left: GlobalRef<Halo, PerBlock>,
    center: GlobalRef<Center, PerBlock>,
    right: GlobalRef<Halo, PerBlock>,
    output: GlobalMut<Center, PerBlock>,
) {
    // SAFETY: every thread gets here (2).
    let block = unsafe { Block::converged() };
    let buffer = BUFFER_OF_BLOCK::ptr();
    // SAFETY: no other code uses the buffer, and every thread waits for all of it.
    unsafe {
        own_copies(
            block,
            buffer,
            left.of(block),
            center.of(block),
            right.of(block),
        );
        cp_async::commit_group();
        // A thread waits for its own copies; `sync` shows them to the others.
        cp_async::wait_group::<0>();
        block.sync();
        sum(block, buffer, output);
    }
}

/// Vectors of a halo and of a centre.
const VECTORS: [u32; 2] = [HALO / 4, CENTER / 4];
/// The number of threads that compute the results of one centre: four results each.
const THREADS_OF_CENTER: u32 = CENTER / 4;
/// Vectors of a centre and its halos for each of these threads, in bytes.
const BYTES_OF_THREAD: u64 = 24;

/// Works like [`stencil_loads`] with many centres for each block, which three bulk copies bring: one for each eight threads.
///
/// # Safety
/// 1. `left`, `center`, `right` and `output` have `centers` values at multiples of 16 bytes. No thread writes the first
///    three, and no other code uses the last.
/// 2. Grid and blocks are one-dimensional; blocks are whole warps, and none begins after the last centre.
#[kernel(max_threads = 1024, shared_bytes = |threads| threads * BYTES_OF_THREAD)]
pub unsafe fn stencil_bulk(
    left: *const Halo,
    center: *const Center,
    right: *const Halo,
    output: *mut Center,
    centers: u32,
) {
    shared! {
        static LOADED: Mbarrier;
    }
    // SAFETY: every thread gets here (2).
    let block = unsafe { Block::converged() };
    let most = block.threads() / THREADS_OF_CENTER;
    let first = block.index() * most;
    let centers = (centers - first).min(most);
    let [of_halo, of_center] = VECTORS;
    // The left halos, the centres and the right halos of the block.
    let (center_at, right_at) = (of_halo * centers, (of_halo + of_center) * centers);
    let vectors = right_at + of_halo * centers;
    let buffer = shared::dynamic::<Vector, 128>();
    let loading = block.load_buffer(buffer, vectors, LOADED::ptr(), |loads, to| {
        let at = first as usize;
        let [halo_bytes, center_bytes] = VECTORS.map(|vectors| vectors * centers * VECTOR_BYTES);
        // SAFETY: the values exist, aligned (1), and so does room for them.
        unsafe {
            loads.bulk(to.cast(), left.add(at).cast(), halo_bytes);
            loads.bulk(
                to.add(center_at).cast(),
                center.add(at).cast(),
                center_bytes,
            );
            loads.bulk(to.add(right_at).cast(), right.add(at).cast(), halo_bytes);
        }
    });
    let _loaded = loading.wait();

    let thread = block.thread();
    let (number, quarter) = (thread / THREADS_OF_CENTER, thread % THREADS_OF_CENTER);
    if number >= centers {
        return;
    }
    // The number of a place in the line of the left halo, the centre and the right halo.
    let vector = |ahead: u32| {
        let at = quarter + ahead;
        let index = if at < of_halo {
            of_halo * number + at
        } else if at < of_halo + of_center {
            center_at + of_center * number + (at - of_halo)
        } else {
            right_at + of_halo * number + (at - of_halo - of_center)
        };
        // SAFETY: the vector is one of those that were loaded.
        unsafe { buffer.add(index).read() }.map(f32::from_bits)
    };
    let ([a, b, c, d], [e, f, g, h]) = (vector(0), vector(4));
    let add = |sums: [f32; 4], [a, b, c, d]: [f32; 4]| sums.map(|sum| sum + a + b + c + d);
    let sums = [a + b + c + d, b + c + d, c + d, d];
    let [w, x, y, z] = add(add(add(sums, vector(1)), vector(2)), vector(3));
    let sums = [w + e, x + e + f, y + e + f + g, z + e + f + g + h];
    // SAFETY: there is room for the results (1), and no other thread has these.
    unsafe {
        let center = output.add((first + number) as usize).cast::<[f32; 4]>();
        memory::store::<Wb, _>(center.add(quarter as usize), sums);
    }
}

shared! {
    static BAR: Mbarrier;
    /// Left halo, centre, right halo.
    static BUFFER_OF_BLOCK: [f32; BUFFER];
}

/// Starts a copy of one number.
///
/// # Safety
/// 1. No other code uses the memory at `to` until the copy has been waited for.
#[inline(always)]
unsafe fn copy(to: SharedPtr<f32>, from: &f32) {
    // SAFETY: the number exists, and so does room for it (1); both are multiples of 4.
    unsafe { cp_async::shared_cta_global::<Ca, 4>(to.cast(), (&raw const *from).cast()) };
}

/// The copies of the first warp: two halos and the centre.
///
/// # Safety
/// 1. No other code uses the buffer until the copies have been waited for.
#[inline(always)]
unsafe fn own_copies(
    block: Block,
    buffer: SharedPtr<[f32; BUFFER]>,
    left: &Halo,
    center: &Center,
    right: &Halo,
) {
    let tid = block.thread();
    // SAFETY: each number has an address of its own (1).
    unsafe {
        if tid < HALO {
            copy(buffer.at(tid), &left[tid as usize]);
        } else if (CENTER - HALO..CENTER).contains(&tid) {
            let number = tid - (CENTER - HALO);
            copy(buffer.at(HALO + CENTER + number), &right[number as usize]);
        }
        if tid < CENTER {
            copy(buffer.at(HALO + tid), &center[tid as usize]);
        }
    }
}

/// Starts copies of the numbers, one for each of the first `N` threads of the block.
///
/// # Safety
/// 1. There is room for the numbers at `to`, which no other code uses until the copies have been waited for.
#[inline(always)]
unsafe fn copy_together<const N: usize>(block: Block, to: SharedPtr<f32>, from: &[f32; N]) {
    if let Some(number) = from.get(block.thread() as usize) {
        // SAFETY: each number has an address of its own (1).
        unsafe { copy(to.add(block.thread()), number) };
    }
}

/// Waits for the copies of all threads of the block; each thread calls it once.
#[inline(always)]
fn wait(bar: &Barrier) {
    bar.wait_for_copies();
    bar.arrive_and_wait();
}

/// Computes the stencil.
///
/// # Safety
/// 1. The buffer is written, for all threads to see.
#[inline(always)]
unsafe fn sum(block: Block, buffer: SharedPtr<[f32; BUFFER]>, output: GlobalMut<Center, PerBlock>) {
    output.write_own(block, || {
        let mut sum = 0.0;
        for neighbour in 0..=2 * HALO {
            // SAFETY: the index is in bounds, and the number is written (1).
            sum += unsafe { buffer.at(block.thread() + neighbour).read() };
        }
        sum
    });
}

#[cfg(not(target_arch = "nvptx64"))]
pub use host::{Stencil, StencilForm};

#[cfg(not(target_arch = "nvptx64"))]
mod host {
    use tma_launch::{BufferRef, Call, Conditions, Region, Shape};

    use super::{
        CENTER, HALO, THREADS_OF_CENTER, stencil_block, stencil_bulk, stencil_groups,
        stencil_loads, stencil_threads,
    };
    use crate::arguments::product;

    /// Sums 17 neighbours of each of 32 numbers in each block.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Stencil {
        /// The way in which the numbers are loaded.
        pub form: StencilForm,
        /// The buffer of the left halos: 8 numbers of `f32` for each block.
        pub left: usize,
        /// The buffer of the centres: 32 for each block.
        pub center: usize,
        /// The buffer of the right halos: 8 for each block.
        pub right: usize,
        /// The buffer that is written: 32 for each block.
        pub output: usize,
        /// The number of blocks.
        pub blocks: u32,
        /// The number of threads of a block: at least 32, and whole warps for [`StencilForm::Bulk`].
        pub threads: u32,
    }

    /// The way in which a stencil's numbers are loaded.
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
        /// Three bulk copies for many centres; each block of the grid has one for each eight of its threads.
        Bulk,
    }

    impl Stencil {
        pub(crate) fn checked_call(&self, conditions: &mut Conditions) -> (Call<'_>, Shape) {
            let reason = "one thread for each number in the middle";
            conditions.within("block size", self.threads, CENTER..=1024, reason);
            let most = u32::MAX / CENTER;
            let reason = "output numbers have 32 bits";
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
                StencilForm::Bulk => {
                    conditions.whole_warps(self.threads);
                    let call = stencil_bulk(
                        BufferRef::new(self.left),
                        BufferRef::new(self.center),
                        BufferRef::new(self.right),
                        BufferRef::new(self.output),
                        self.blocks,
                    );
                    let of_block = (self.threads / THREADS_OF_CENTER).max(1);
                    let blocks = self.blocks.div_ceil(of_block);
                    return (call, Shape::new(blocks, self.threads));
                }
            };
            let call = kernel(
                BufferRef::new(self.left),
                BufferRef::new(self.center),
                BufferRef::new(self.right),
                BufferRef::new(self.output),
            );
            (call, Shape::new(self.blocks, self.threads))
        }
    }
}

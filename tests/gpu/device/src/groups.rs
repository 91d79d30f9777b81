//! Threads that work together: warps, blocks, parts of blocks, clusters.

use tma::{Block, Lanes, Threads, Warp, kernel, shared, thread::grid_dim};

/// The results of the four shuffles in each thread.
#[inline(always)]
fn shuffled<T: Lanes>(warp: Warp, value: T, by: u32) -> [T; 4] {
    [
        warp.shuffle(value, by),
        warp.shuffle_xor(value, by),
        warp.shuffle_up(value, by),
        warp.shuffle_down(value, by),
    ]
}

/// Writes each thread's result of each shuffle.
///
/// # Safety
/// 1. There is one block, one-dimensional, of whole warps.
/// 2. `values` has a value for each thread, and `output` four that no other code uses.
#[kernel(max_threads = 96, instances(T = u8, i16, f32, u64, f64))]
pub unsafe fn shuffles<T: Lanes>(output: *mut [T; 4], values: *const T, by: u32) {
    // SAFETY: every thread gets here (1).
    let block = unsafe { Block::converged() };
    let thread = block.thread() as usize;
    // SAFETY: there is a value for each thread, and four for its results (2).
    unsafe { *output.add(thread) = shuffled(block.warp(), *values.add(thread), by) };
}

/// Works like [`shuffles`], with three numbers each.
///
/// # Safety
/// The conditions of [`shuffles`].
#[kernel(max_threads = 96)]
pub unsafe fn shuffles_of_arrays(output: *mut [[u32; 3]; 4], values: *const [u32; 3], by: u32) {
    // SAFETY: every thread gets here (1).
    let block = unsafe { Block::converged() };
    let thread = block.thread() as usize;
    // SAFETY: there is a value for each thread, and four for its results (2).
    unsafe { *output.add(thread) = shuffled(block.warp(), *values.add(thread), by) };
}

/// Works like [`shuffles`], with a pair each, stored as bits.
///
/// # Safety
/// The conditions of [`shuffles`].
#[kernel(max_threads = 96)]
pub unsafe fn shuffles_of_pairs(output: *mut [[u32; 2]; 4], values: *const [u32; 2], by: u32) {
    // SAFETY: every thread gets here (1).
    let block = unsafe { Block::converged() };
    let thread = block.thread() as usize;
    // SAFETY: there is a value for each thread (2).
    let [number, bits] = unsafe { *values.add(thread) };
    let pairs = shuffled(block.warp(), (number as i32, f32::from_bits(bits)), by);
    // SAFETY: there are four for its results (2).
    unsafe { *output.add(thread) = pairs.map(|(number, real)| [number as u32, real.to_bits()]) };
}

/// Works like [`shuffles`], with truth values, stored as numbers.
///
/// # Safety
/// The conditions of [`shuffles`].
#[kernel(max_threads = 96)]
pub unsafe fn shuffles_of_bools(output: *mut [u8; 4], values: *const u8, by: u32) {
    // SAFETY: every thread gets here (1).
    let block = unsafe { Block::converged() };
    let thread = block.thread() as usize;
    // SAFETY: there is a value for each thread (2).
    let value = unsafe { *values.add(thread) } != 0;
    // SAFETY: there are four for its results (2).
    unsafe { *output.add(thread) = shuffled(block.warp(), value, by).map(u8::from) };
}

/// Writes each thread's result of each vote.
///
/// # Safety
/// 1. There is one block, one-dimensional, of whole warps.
/// 2. `numbers` has a number for each thread, and `output` three that no other code uses.
#[kernel(max_threads = 128)]
pub unsafe fn votes(output: *mut [u32; 3], numbers: *const u32) {
    // SAFETY: every thread gets here (1).
    let block = unsafe { Block::converged() };
    let thread = block.thread() as usize;
    // SAFETY: there is a number for each thread (2).
    let predicate = unsafe { *numbers.add(thread) } != 0;
    let warp = block.warp();
    let votes = [
        warp.ballot(predicate),
        u32::from(warp.all(predicate)),
        u32::from(warp.any(predicate)),
    ];
    // SAFETY: there are three for its results (2).
    unsafe { *output.add(thread) = votes };
}

/// The function `f(x) = a * x + b`, then `g`: the order makes a difference.
#[inline(always)]
fn then([a, b]: [u32; 2], [c, d]: [u32; 2]) -> [u32; 2] {
    [c * a, c * b + d]
}

/// Writes each thread's results of the reductions and prefixes of its warp: the sum, the largest `i32`, the
/// sum of the numbers as `f32`, and two numbers that depend on the order; then the same for the prefixes,
/// except for the `f32` of the low 16 bits.
///
/// # Safety
/// 1. There is one block, one-dimensional, of whole warps.
/// 2. `numbers` has a number for each thread, and `output` ten that no other code uses.
#[kernel(max_threads = 96)]
pub unsafe fn warp_reductions(output: *mut [u32; 10], numbers: *const u32) {
    // SAFETY: every thread gets here (1).
    let block = unsafe { Block::converged() };
    let thread = block.thread() as usize;
    // SAFETY: there is a number for each thread (2).
    let number = unsafe { *numbers.add(thread) };
    let (warp, step) = (block.warp(), [number | 1, number >> 7]);
    let [reduced, scanned] = [warp.reduce(step, then), warp.scan(step, then)];
    let results = [
        warp.reduce(number, |a, b| a + b),
        warp.reduce(number as i32, |a, b| a.max(b)) as u32,
        warp.reduce(number as f32, |a, b| a + b).to_bits(),
        reduced[0],
        reduced[1],
        warp.scan(number, |a, b| a + b),
        warp.scan(number as i32, |a, b| a.max(b)) as u32,
        warp.scan((number & 0xffff) as f32, |a, b| a + b).to_bits(),
        scanned[0],
        scanned[1],
    ];
    // SAFETY: there are ten for its results (2).
    unsafe { *output.add(thread) = results };
}

/// Writes each thread's results of reductions of its block, one after the other: two sums, the sum of
/// quarters as `f64`, the largest number with its thread, and four smallest numbers of 16 bytes.
///
/// # Safety
/// 1. Blocks are one-dimensional, of whole warps.
/// 2. `numbers` has a number for each thread of the grid, and `output` ten that no other code uses.
#[kernel(max_threads = 1024)]
pub unsafe fn block_reductions(output: *mut [u32; 10], numbers: *const u32) {
    // SAFETY: every thread gets here (1).
    let block = unsafe { Block::converged() };
    let thread = block.index() as usize * block.threads() as usize + block.thread() as usize;
    // SAFETY: there is a number for each thread (2).
    let number = unsafe { *numbers.add(thread) };
    let sum = block.reduce(number, |a, b| a + b);
    let other = block.reduce(number ^ sum, |a, b| a + b);
    let quarters = block
        .reduce(f64::from(number) / 4.0, |a, b| a + b)
        .to_bits();
    let largest = block.reduce((number, block.thread()), |a, b| if a < b { b } else { a });
    let least = block.reduce([number, !number, number << 9, number ^ 0x5555], |a, b| {
        [
            a[0].min(b[0]),
            a[1].min(b[1]),
            a[2].min(b[2]),
            a[3].min(b[3]),
        ]
    });
    let results = [
        sum,
        other,
        quarters as u32,
        (quarters >> 32) as u32,
        largest.0,
        largest.1,
        least[0],
        least[1],
        least[2],
        least[3],
    ];
    // SAFETY: there are ten for its results (2).
    unsafe { *output.add(thread) = results };
}

shared! {
    static NUMBERS: [u32; 1024];
}

/// Returns this thread's number, the number of threads, the elected ones of its warp and of all, whether these are the
/// same twice, and the number of the next thread.
#[inline(always)]
fn in_group(group: impl Threads, warp: Warp, own: u32, numbers: u32) -> [u32; 6] {
    let at = |thread| NUMBERS::ptr().at(numbers + thread);
    let (thread, threads) = (group.thread(), group.threads());
    // SAFETY: there is a number for each thread of the group.
    unsafe { at(thread).write(own) };
    group.sync();
    // SAFETY: `sync` orders the write before.
    let behind = unsafe { at((thread + 1) % threads).read() };
    let first = group.elect();
    let second = group.elect();
    [
        thread,
        threads,
        warp.ballot(first).count_ones(),
        u32::from(first == second),
        behind,
        warp.index(),
    ]
}

/// Writes each thread's view of its block, of its warp, and of its part of the block.
///
/// # Safety
/// 1. There is one block, one-dimensional, of two warps at least.
/// 2. `output` has 18 numbers for each thread that no other code uses.
#[kernel(max_threads = 1024)]
pub unsafe fn groups_of_block(output: *mut [[u32; 6]; 3]) {
    // SAFETY: every thread gets here (1).
    let block = unsafe { Block::converged() };
    let (thread, warp) = (block.thread(), block.warp());
    let own = 1000 + thread;
    let of_block = in_group(block, warp, own, 0);
    block.sync();
    let first_of_warp = thread / Warp::LANES * Warp::LANES;
    let of_warp = in_group(warp, warp, 2 * own, first_of_warp);
    block.sync();
    let write = |of_part| {
        // SAFETY: there are three rows for each thread (2).
        unsafe { *output.add(thread as usize) = [of_block, of_warp, of_part] };
    };
    block.split(
        |warp| write(in_group(warp, warp, 3 * own, 0)),
        |others| write(in_group(others, others.warp(), 3 * own, Warp::LANES)),
    );
}

/// Writes the rank of each thread's block in its cluster, the number of blocks, and the number that the next block of
/// the cluster wrote before they synchronised.
///
/// # Safety
/// 1. Blocks are one-dimensional, of whole warps; so is the grid, of whole clusters.
/// 2. `output` has three numbers for each thread, and `numbers` one for each block, that no other code uses.
#[kernel(max_threads = 64)]
pub unsafe fn groups_of_cluster(output: *mut [u32; 3], numbers: *mut u32) {
    // SAFETY: every thread gets here (1).
    let block = unsafe { Block::converged() };
    let (index, cluster) = (block.index(), block.cluster());
    if block.elect() {
        // SAFETY: there is a number for each block (2).
        unsafe { *numbers.add(index as usize) = 7 * index + grid_dim().x };
    }
    cluster.sync();
    let (rank, blocks) = (cluster.rank(), cluster.blocks());
    let behind = index - rank + (rank + 1) % blocks;
    // SAFETY: that block wrote its number before `sync` (2).
    let number = unsafe { numbers.add(behind as usize).read_volatile() };
    let thread = index * block.threads() + block.thread();
    // SAFETY: there are three for each thread (2).
    unsafe { *output.add(thread as usize) = [rank, blocks.get(), number] };
}

/// Writes for each thread the number that the next thread of its warpgroup has written last, in each of `rounds`: 1000
/// times the round, and the thread's number. The warpgroups have two roles.
///
/// # Safety
/// 1. `output` is as its type requires. Blocks have 256 threads.
#[cfg(not(any(tma_arch = "sm_90", tma_arch = "sm_100", tma_arch = "sm_120")))]
#[kernel(max_threads = 256, min_blocks = 1)]
pub unsafe fn warpgroups_of_roles(output: tma::GlobalMut<u32, tma::PerThread>, rounds: u32) {
    // SAFETY: every thread gets here (1).
    let block = unsafe { Block::converged() };
    let pass_on = |warps: tma::Warps| {
        let Some(warpgroup) = warps.warpgroup() else {
            return;
        };
        let first = block.thread() - warpgroup.thread();
        let at = |thread| NUMBERS::ptr().at(first + thread % warpgroup.threads());
        let mut next = 0;
        for round in 0..rounds {
            // SAFETY: the number is valid, and this thread's until the warpgroup synchronises.
            unsafe { at(warpgroup.thread()).write(1000 * round + block.thread()) };
            warpgroup.sync();
            // SAFETY: `sync` orders the write before.
            next = unsafe { at(warpgroup.thread() + 1).read() };
            warpgroup.sync();
        }
        output.write(block, next);
    };
    // SAFETY: the attributes set them.
    unsafe { block.split_registers::<256, 64, 256>(pass_on, pass_on) };
}

use tma::{
    GlobalPtr,
    atomic::fence,
    halves::{Bf16x2, F16x2},
    integer::{bfe, bfi, byte_perm, dp2a_hi, dp2a_lo, dp4a, mulhi},
    kernel, memory,
    ptx::{Acquire, Cg, Cs, Cta, Gpu, Relaxed, Release, Sc, Sys},
    shared,
    thread::{self, block_dim, block_idx, clock, nanoseconds, sleep, sync_threads, thread_idx},
};

/// Writes the results of integer functions for two numbers of each thread.
///
/// # Safety
/// 1. `output` has 20 numbers for each thread of the one block, `input` two.
#[kernel(max_threads = 256)]
pub unsafe fn integers(output: *mut u32, input: *const [u32; 2]) {
    let thread = thread_idx().x as usize;
    // SAFETY: two numbers for each thread (1).
    let [a, b] = unsafe { *input.add(thread) };
    let (signed, wide) = (a as i32, u64::from(a) << 32 | u64::from(b));
    let (position, length) = (b & 63, b >> 8 & 63);
    let high = mulhi(wide, !wide);
    let high_signed = mulhi(wide as i64, 3 - wide as i64);
    let results = [
        byte_perm(a, b, a ^ b),
        bfe(a, position, length),
        bfe(signed, position, length) as u32,
        bfe(wide, position, length) as u32,
        bfe(wide as i64, position, length) as u32,
        bfi(a, b, position, length),
        bfi(wide, !wide, position, length) as u32,
        dp4a(a, b, 7_u32),
        dp4a(signed, b as i32, -7) as u32,
        dp4a(a, b as i32, 1) as u32,
        dp2a_lo(signed, b, 3) as u32,
        dp2a_hi(a, b, 5),
        mulhi(a, b),
        mulhi(signed, b as i32) as u32,
        high as u32 ^ (high >> 32) as u32,
        high_signed as u32 ^ (high_signed >> 32) as u32,
        a.count_ones() + a.leading_zeros() * 100 + a.trailing_zeros() * 10_000,
        wide.count_ones() + wide.leading_zeros() * 100 + wide.trailing_zeros() * 10_000,
        a.reverse_bits() ^ b.swap_bytes(),
        a.rotate_left(b & 31),
    ];
    for (number, result) in results.into_iter().enumerate() {
        // SAFETY: twenty numbers for each thread (1).
        unsafe { *output.add(20 * thread + number) = result };
    }
}

/// All threads of all blocks change a number of each type and way, in global and in shared memory.
///
/// # Safety
/// 1. `output` has 16 numbers of 8 bytes, zeros at first; those from 8 on belong to the first block.
#[kernel(max_threads = 256)]
pub unsafe fn atomics(output: *mut u64) {
    shared! {
        static COUNT: u32;
        static SUM: f32;
        static PAIR: F16x2;
        static LEAST: i32;
    }
    let thread = thread_idx().x;
    let number = block_idx().x * block_dim().x + thread;
    let (count, sum, pair, least) = (COUNT::ptr(), SUM::ptr(), PAIR::ptr(), LEAST::ptr());
    if thread == 0 {
        // SAFETY: one thread writes memory that no other thread uses before the barrier.
        unsafe {
            count.write(0);
            sum.write(0.0);
            pair.cast::<u32>().write(0);
            least.write(0);
        }
    }
    // SAFETY: every thread is here.
    unsafe { sync_threads() };
    // SAFETY: numbers that were written before the launch (1) or the barrier, aligned to 8, and changed
    // only by atomic operations.
    unsafe {
        let at = |index: usize| GlobalPtr::from_ptr(output.add(index));
        at(0).fetch_add::<Relaxed, Gpu>(3);
        at(1).cast::<f32>().fetch_add::<Relaxed, Gpu>(0.5);
        at(2)
            .cast::<F16x2>()
            .fetch_add::<Relaxed, Gpu>(F16x2::from_bits(0x3c00_4000));
        at(3)
            .cast::<Bf16x2>()
            .fetch_add::<Relaxed, Sys>(Bf16x2::from_bits(0x3f80_4000));
        at(4).cast::<u32>().fetch_max::<Gpu>(number);
        at(5).fetch_or::<Gpu>(1 << (number & 63));
        at(6).cast::<f64>().fetch_add::<Relaxed, Gpu>(0.25);
        // A sum by compare and exchange.
        let cell = at(7).cast::<u32>();
        let mut old = memory::load_ordered::<Relaxed, Gpu, u32>(output.add(7).cast());
        loop {
            let seen = cell.compare_exchange::<Relaxed, Gpu>(old, old + number);
            if seen == old {
                break;
            }
            old = seen;
        }
        count.fetch_add::<Relaxed, Cta>(1);
        sum.fetch_add::<Relaxed, Cta>(2.0);
        pair.fetch_add::<Relaxed, Cta>(F16x2::from_bits(0x3c00_3800));
        least.fetch_min::<Cta>(-(thread as i32));
    }
    // SAFETY: every thread is here.
    unsafe { sync_threads() };
    if number == 0 {
        // SAFETY: written before the barrier; numbers that no other block uses (1).
        unsafe {
            *output.add(8) = count.read().into();
            *output.add(9) = u64::from(sum.read().to_bits());
            *output.add(10) = pair.cast::<u32>().read().into();
            *output.add(11) = least.read() as u64;
        }
    }
}

/// The last block to finish adds up the numbers of the others.
///
/// # Safety
/// 1. `output` has a number, `parts` one for each block, and `count` is 0 at first.
#[kernel(max_threads = 32)]
pub unsafe fn last_block_adds(output: *mut u32, parts: *mut u32, count: *mut u32, blocks: u32) {
    if thread_idx().x != 0 {
        return;
    }
    let block = block_idx().x;
    // SAFETY: a number for each block (1); the counter is changed only by atomic operations, and the last
    // block reads the others' numbers after the fences of all.
    unsafe {
        *parts.add(block as usize) = 3 * block + 1;
        fence::<Sc, Gpu>();
        let before = GlobalPtr::from_ptr(count).fetch_add::<Relaxed, Gpu>(1);
        if before == blocks - 1 {
            fence::<Sc, Gpu>();
            let mut sum = 0;
            for part in 0..blocks {
                sum += *parts.add(part as usize);
            }
            *output = sum;
        }
    }
}

/// The first block hands a number over to the second.
///
/// # Safety
/// 1. `output` has two numbers, `flag` is 0 at first.
#[kernel(max_threads = 32)]
pub unsafe fn handed_over(output: *mut u32, flag: *mut u32) {
    if thread_idx().x != 0 {
        return;
    }
    // SAFETY: the second block reads the number after the flag that the first one has released (1).
    unsafe {
        if block_idx().x == 0 {
            *output = 42;
            memory::store_ordered::<Release, Gpu, u32>(flag, 1);
        } else {
            while memory::load_ordered::<Acquire, Gpu, u32>(flag) == 0 {
                sleep(20);
            }
            *output.add(1) = *output + 1;
        }
    }
}

/// Copies 16 bytes for each thread in each way that has hints for caches; two clocks go on.
///
/// # Safety
/// 1. `input` has 4 numbers for each thread of the one block, `output` 20, and one more.
#[kernel(max_threads = 256)]
pub unsafe fn cached_copies(output: *mut f32, input: *const f32) {
    let thread = thread_idx().x as usize;
    let (cycles, time) = (clock(), nanoseconds());
    // SAFETY: 4 and 20 numbers for each thread (1), aligned to 16; no thread writes the input.
    unsafe {
        let from = input.add(4 * thread).cast::<[f32; 4]>();
        let to = output.add(20 * thread).cast::<[f32; 4]>();
        memory::store::<Cs, _>(to, memory::load_nc(from));
        memory::store_no_allocate(to.add(1), memory::load_nc_no_allocate(from));
        memory::store::<Cg, _>(to.add(2), memory::load::<Cg, _>(from));
        let halves = from.cast::<[u64; 2]>();
        memory::store::<Cs, _>(to.add(3).cast(), memory::load::<Cs, _>(halves));
        for index in 0..8 {
            let pair = from.cast::<u16>().add(index);
            memory::store::<Cs, _>(to.add(4).cast::<u16>().add(index), memory::load_nc(pair));
        }
        if thread == 0 {
            let goes_on = clock() > cycles && nanoseconds() >= time;
            *output.add(20 * block_dim().x as usize) = if goes_on { 1.0 } else { 0.0 };
        }
    }
}

/// Stops the kernel in one thread.
///
/// # Safety
/// 1. No conditions: it only stops.
#[kernel(max_threads = 32)]
pub unsafe fn stops(number: u32) {
    if thread_idx().x == number {
        thread::trap();
    }
}

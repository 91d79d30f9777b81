use tma::{
    SharedPtr, kernel, shared,
    thread::{block_dim, sync_threads, thread_idx},
};

/// Defines one kernel for each type that `SharedPtr` reads and writes.
macro_rules! reverse {
    ($($name:ident: $type:ty,)*) => {$(
        /// Reverses one value per thread through dynamic shared memory.
        ///
        /// # Safety
        /// 1. `input` and `output` have a value for each thread of the one block, whose launch requests
        ///    as many bytes of shared memory.
        #[kernel]
        pub unsafe fn $name(output: *mut $type, input: *const $type) {
            let (thread, threads) = (thread_idx().x, block_dim().x);
            let values = shared::dynamic::<$type, 16>();
            // SAFETY: a value for each thread (1).
            unsafe { values.add(thread).write(*input.add(thread as usize)) };
            // SAFETY: every thread is here.
            unsafe { sync_threads() };
            // SAFETY: all values were written before the barrier; a value for each thread (1).
            unsafe { *output.add(thread as usize) = values.add(threads - 1 - thread).read() };
        }
    )*};
}

reverse! {
    reverse_u8: u8,
    reverse_i8: i8,
    reverse_u16: u16,
    reverse_i16: i16,
    reverse_u32: u32,
    reverse_i32: i32,
    reverse_f32: f32,
    reverse_u64: u64,
    reverse_i64: i64,
    reverse_f64: f64,
    reverse_v4: [u32; 4],
}

/// Writes through a generic pointer and reads by `SharedPtr`; writes the addresses of variables.
///
/// # Safety
/// 1. `output` has a number for each of the 64 threads, and 5 more.
#[kernel(max_threads = 64)]
pub unsafe fn static_shared(output: *mut u32) {
    shared! {
        static NUMBERS: [u32; 64];
        static BYTE: u8;
        /// A variable with a much larger alignment than its type.
        static ALIGNED: [u64; 3] align 256;
    }
    let thread = thread_idx().x;
    let numbers = NUMBERS::ptr();
    // SAFETY: the array has a number for each thread.
    unsafe {
        *numbers.at(thread).as_ptr() = 7 * thread + counter().address() - counter().address()
    };
    // SAFETY: every thread is here.
    unsafe { sync_threads() };
    // SAFETY: all numbers were written before the barrier; a number for each thread (1).
    unsafe { *output.add(thread as usize) = numbers.at(63 - thread).read() };
    if thread == 0 {
        let addresses = [NUMBERS::ptr().address() % 4, ALIGNED::ptr().address() % 256];
        // Variables do not overlap, and a variable in a function exists once.
        let apart = BYTE::ptr().address().abs_diff(ALIGNED::ptr().address()) >= 1;
        let once = counter().address() == counter().address();
        let last = numbers.byte_add(4 * 63).cast::<u32>().address() - numbers.address();
        let results = [
            addresses[0],
            addresses[1],
            u32::from(apart),
            u32::from(once),
            last,
        ];
        for (index, result) in results.into_iter().enumerate() {
            // SAFETY: five numbers after the threads' (1).
            unsafe { *output.add(64 + index) = result };
        }
    }
}

/// A variable that belongs to this function.
#[inline(always)]
fn counter() -> SharedPtr<u32> {
    shared! {
        static COUNTER: u32;
    }
    COUNTER::ptr()
}

/// Writes how far dynamic shared memory is from each alignment that it may have.
///
/// # Safety
/// 1. `output` has 7 numbers.
#[kernel(max_threads = 32)]
pub unsafe fn dynamic_alignment(output: *mut u32) {
    if thread_idx().x == 0 {
        // SAFETY: seven numbers (1).
        unsafe {
            *output.cast::<[u32; 7]>() = [
                shared::dynamic::<u8, 16>().address() % 16,
                shared::dynamic::<u8, 32>().address() % 32,
                shared::dynamic::<u8, 64>().address() % 64,
                shared::dynamic::<u8, 128>().address() % 128,
                shared::dynamic::<u8, 256>().address() % 256,
                shared::dynamic::<u8, 512>().address() % 512,
                shared::dynamic::<u8, 1024>().address() % 1024,
            ];
        }
    }
}

use tma::{kernel, println, thread};

/// Panics in one way of several.
///
/// # Panics
/// Always, in one thread.
///
/// # Safety
/// 1. `numbers` has four numbers.
#[kernel(max_threads = 32)]
pub unsafe fn panics(numbers: *mut u32, way: u32, index: u32) {
    if thread::thread_idx().x != 5 {
        return;
    }
    // SAFETY: there are four (1), and no other thread uses them.
    let numbers = unsafe { core::slice::from_raw_parts_mut(numbers, 4) };
    match way {
        0 => numbers[index as usize] = 1,
        1 => assert_eq!(index, 4, "of {:?}", "four"),
        2 => panic!("{index:#06x} {:+} {:>8.3}|", -1_i64, 0.5_f32),
        3 => numbers[0] = 1 / (index - 7),
        _ => numbers[0] = numbers.get(index as usize).copied().expect("four numbers"),
    }
}

/// Prints one line in one thread.
#[kernel(max_threads = 32)]
pub unsafe fn prints(number: i32, ratio: f32) {
    let thread = thread::thread_idx().x;
    if thread == 5 {
        println!(
            "thread {thread}: {number} {:#x} {:4}|{:<4}|{:04} {ratio:.3} {ratio} {} 100% {{}}",
            number as i8,
            number,
            number,
            number,
            number < 0,
        );
    }
}

use tma::{TensorMap, kernel, thread};

/// Writes each parameter, widened to 64 bits, to its own index.
///
/// # Safety
/// 1. `output` has 10 numbers.
#[kernel]
#[allow(clippy::too_many_arguments, reason = "each type of parameter is shown")]
pub unsafe fn parameters(
    a: u8,
    b: i16,
    c: u32,
    output: *mut u64,
    d: f32,
    #[grid_constant] map: &TensorMap,
    e: i64,
    f: f64,
    g: i8,
    h: u16,
) {
    if thread::thread_idx().x == 0 {
        let words = map.words();
        let values = [
            u64::from(a),
            i64::from(b) as u64,
            u64::from(c),
            u64::from(d.to_bits()),
            // Rank and data type of the map, as the hardware keeps them.
            words[1] >> 4 & 0x7f,
            e as u64,
            f.to_bits(),
            i64::from(g) as u64,
            u64::from(h),
            core::ptr::from_ref(map) as u64 % 64,
        ];
        for (index, value) in values.into_iter().enumerate() {
            // SAFETY: ten numbers (1).
            unsafe { *output.add(index) = value };
        }
    }
}

/// Writes `number`, unless it is 7.
///
/// # Panics
/// In one thread when `number` is 7, which ends the kernel.
///
/// # Safety
/// 1. `output` has one number.
#[kernel(max_threads = 32)]
pub unsafe fn trap(output: *mut u32, number: u32) {
    if thread::thread_idx().x == 0 {
        assert!(number != 7);
        // SAFETY: one number (1).
        unsafe { *output = number };
    }
}

use tma::{
    halves::{Bf16, Bf16x2, F16, F16x2},
    kernel, math,
    math::approx,
    thread::{block_dim, block_idx, thread_idx},
};

/// This thread's number in the grid.
fn index() -> u32 {
    block_idx().x * block_dim().x + thread_idx().x
}

/// Defines a kernel for each function of one `f32`: for the numbers whose bits are `first` and later ones, every
/// `step`th.
macro_rules! functions {
    ($($name:ident: $function:expr;)+) => {
        $(
            /// Writes the bits of each result; those of a NaN are the hardware's.
            ///
            /// # Safety
            /// 1. `output` has a number for each thread.
            #[kernel(max_threads = 256)]
            pub unsafe fn $name(output: *mut u32, first: u32, step: u32) {
                let index = index();
                let x = f32::from_bits(first.wrapping_add(index.wrapping_mul(step)));
                let function: fn(f32) -> f32 = $function;
                let result = function(x);
                let bits = if result.is_nan() { 0x7fff_ffff } else { result.to_bits() };
                // SAFETY: a number for each thread (1).
                unsafe { *output.add(index as usize) = bits };
            }
        )+
    };
}

functions! {
    math_exp: math::exp;
    math_exp2: math::exp2;
    math_log: math::log;
    math_log2: math::log2;
    math_sin: math::sin;
    math_cos: math::cos;
    math_tanh: math::tanh;
    math_erf: math::erf;
    math_sqrt: math::sqrt;
    math_rsqrt: math::rsqrt;
    math_rcp: math::rcp;
    math_floor: math::floor;
    math_ceil: math::ceil;
    math_trunc: math::trunc;
    math_round_ties_even: math::round_ties_even;
    math_sin_cos: |x| { let (sin, cos) = math::sin_cos(x); sin + cos };
    math_pow_half: |x| math::pow(x, 0.5);
    math_pow_minus_3: |x| math::pow(x, -3.0);
    math_power_of_1_5: |x| math::pow(1.5, x);
    math_minimum: |x: f32| math::minimum(x, 1.0 - x);
    math_maximum: |x: f32| math::maximum(x, 1.0 - x);
    math_fma: |x: f32| math::fma(x, x, -x);
    approx_exp: approx::exp;
    approx_exp2: approx::exp2;
    approx_log: approx::log;
    approx_log2: approx::log2;
    approx_sin: approx::sin;
    approx_cos: approx::cos;
    approx_tanh: approx::tanh;
    approx_sqrt: approx::sqrt;
    approx_rsqrt: approx::rsqrt;
    approx_rcp: approx::rcp;
}

/// A kernel for each type of halves.
macro_rules! halves {
    ($($name:ident: $pair:ident of $half:ident;)+) => {
        $(
            /// Writes 16 results of two pairs of halves, operations of one and of both: the lower half of the
            /// first operand is the thread's number.
            ///
            /// # Safety
            /// 1. `output` has 16 numbers for each thread, `input` one.
            #[kernel(max_threads = 256)]
            pub unsafe fn $name(output: *mut u32, input: *const u32) {
                let index = index();
                // SAFETY: a number for each thread (1).
                let number = unsafe { *input.add(index as usize) };
                let a = $pair::from_bits(index & 0xffff | number << 16);
                let b = $pair::from_bits(number);
                let [c, _] = b.halves();
                let [low, _] = a.halves();
                let [first, second] = a.to_f32s();
                let one = |half: $half| u32::from(half.to_bits());
                let results = [
                    (a + b).to_bits(),
                    (a - b).to_bits(),
                    (a * b).to_bits(),
                    (-a).to_bits(),
                    a.abs().to_bits(),
                    a.min(b).to_bits(),
                    a.maximum(b).to_bits(),
                    a.fma(b, $pair::splat(c)).to_bits(),
                    a.fma_relu(b, $pair::splat(c)).to_bits(),
                    $pair::from_f32s([first * 1.5, second * 0.25]).to_bits(),
                    one(low + c) | one(low - c) << 16,
                    one(low * c) | one(low.fma(c, c)) << 16,
                    one(low.max(c)) | one(low.minimum(c)) << 16,
                    one($half::from_f32(low.to_f32() * 0.3)),
                    a.exp2().to_bits(),
                    a.tanh().to_bits(),
                ];
                for (number, result) in results.into_iter().enumerate() {
                    // SAFETY: sixteen numbers for each thread (1).
                    unsafe { *output.add(16 * index as usize + number) = result };
                }
            }
        )+
    };
}

halves! {
    halves_f16: F16x2 of F16;
    halves_bf16: Bf16x2 of Bf16;
}

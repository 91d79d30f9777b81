//! Functions of numbers: the distance of the accurate ones from double precision, and that a device computes
//! the same bits as the host.
//!
//! `cargo xtask test --long` takes 2^26 inputs of each function instead of some
//! thousands; `math-differential` compares a GPU.

use tests::{
    DEVICE_PTX,
    math::{FUNCTIONS, How, MathFunction, error_ulp, greatest_error, halves},
};
use tma::math;
use tma_host::{Buffer, Device, Module, Shape};

const THREADS: u32 = 256;

/// A kernel, and the function that it computes.
type Named<T> = (&'static str, fn(T) -> T);

fn load(device: &Device) -> Module {
    device.load("device.ptx", DEVICE_PTX[0].text).unwrap()
}

/// Returns the bits from a kernel, one number for each element of `output`.
fn computed(
    module: &Module,
    output: &Buffer<u32>,
    kernel: &str,
    first: u32,
    step: u32,
) -> Vec<u32> {
    let function = module.function(kernel).unwrap();
    let shape = Shape::new(output.len_elems() as u32 / THREADS, THREADS);
    // SAFETY: the kernel takes an address and two numbers, and writes a number for each thread, which the
    // buffer has; the buffer lives until it was read, and nothing else runs.
    unsafe { function.launch(shape, (output, first, step)) }.unwrap();
    output.read().unwrap()
}

/// Checks that each accurate function keeps its bound, over every `step`th number.
fn near(step: u32) {
    for MathFunction { kernel, exact, how } in FUNCTIONS {
        if let How::Accurately { host, most_ulp } = how {
            let (error, x) = greatest_error(*host, *exact, step);
            println!("{kernel}: {error:.3} ULP at {x:e}");
            assert!(error <= *most_ulp, "{kernel}: {error} ULP at {x:e}");
        }
    }
}

/// Checks that the emulator computes the host's bits, and for an approximating instruction the nearest number.
fn same(count: usize, first: u32, step: u32) {
    let device = Device::emulator(0);
    let module = load(&device);
    let output = device.zeroed::<u32>(count).unwrap();
    for MathFunction { kernel, exact, how } in FUNCTIONS {
        let got = computed(&module, &output, kernel, first, step);
        for (index, bits) in (0..).zip(got) {
            let x = f32::from_bits(first.wrapping_add(step.wrapping_mul(index)));
            let wanted = match how {
                How::Accurately { host, .. } => host(x),
                How::Approximately(_) => exact(f64::from(x)) as f32,
            };
            let wanted = if wanted.is_nan() {
                0x7fff_ffff
            } else {
                wanted.to_bits()
            };
            assert_eq!(
                bits, wanted,
                "{kernel} of {x:e}: {bits:#x}, not {wanted:#x}"
            );
        }
    }
}

#[test]
fn accurate_functions_are_near() {
    near(65_521);
}

#[test]
#[ignore = "minutes"]
fn accurate_functions_are_near_everywhere() {
    near(61);
}

#[test]
fn the_emulator_computes_what_the_host_does() {
    same(1 << 12, 12_345, 1_048_573);
    // Small and large arguments of sines.
    same(1 << 10, 100_f32.to_bits(), 331);
}

#[test]
#[ignore = "minutes"]
fn the_emulator_computes_what_the_host_does_everywhere() {
    for part in 0..16 {
        same(1 << 22, part, 61 * 16);
    }
}

#[test]
fn powers_are_near() {
    let mut state = 1_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for _ in 0..200_000 {
        let x = f32::from_bits(next() as u32 & 0x7fff_ffff);
        // Most results are finite.
        let y = (next() as i32 as f64 / f64::from(1 << 24) / f64::from(x).log2()) as f32;
        let exact = f64::from(x).powf(f64::from(y));
        let error = error_ulp(math::pow(x, y), exact);
        assert!(error <= 0.95, "{x:e} to the power of {y:e}: {error} ULP");
    }
}

#[test]
fn special_powers_are_those_of_c() {
    let numbers = [
        0.0,
        -0.0,
        0.5,
        1.0,
        2.0,
        3.0,
        1e-45,
        8_388_609.0,
        16_777_215.0,
        16_777_216.0,
        3e38,
        f32::INFINITY,
        f32::NAN,
    ];
    let numbers: Vec<f32> = numbers
        .iter()
        .flat_map(|number| [*number, -number])
        .collect();
    for x in &numbers {
        for y in &numbers {
            let (got, exact) = (math::pow(*x, *y), f64::from(*x).powf(f64::from(*y)));
            assert!(
                error_ulp(got, exact) <= 0.95,
                "{x:e} to the power of {y:e}: {got:e}"
            );
        }
    }
}

#[test]
fn the_other_functions_are_those_of_the_host() {
    let device = Device::emulator(0);
    let module = load(&device);
    let output = device.zeroed::<u32>(1 << 12).unwrap();
    let functions: [Named<f32>; 4] = [
        ("math_sin_cos", |x| math::sin(x) + math::cos(x)),
        (
            "math_minimum",
            |x| if x.is_nan() { x } else { x.min(1.0 - x) },
        ),
        (
            "math_maximum",
            |x| if x.is_nan() { x } else { x.max(1.0 - x) },
        ),
        ("math_fma", |x| x.mul_add(x, -x)),
    ];
    for (kernel, host) in functions {
        for (index, bits) in (0..).zip(computed(&module, &output, kernel, 7, 1_048_573)) {
            let x = f32::from_bits(7_u32.wrapping_add(1_048_573_u32.wrapping_mul(index)));
            let wanted = host(x);
            let wanted = if wanted.is_nan() {
                0x7fff_ffff
            } else {
                wanted.to_bits()
            };
            assert_eq!(bits, wanted, "{kernel} of {x:e}");
        }
    }
    // Zeros have an order.
    let zeros = (math::minimum(0.0, -0.0), math::maximum(-0.0, 0.0));
    assert_eq!((zeros.0.to_bits(), zeros.1.to_bits()), (1 << 31, 0));
    // The hardware's composed functions.
    let composed: [Named<f64>; 2] = [("approx_exp", f64::exp), ("approx_log", f64::ln)];
    for (kernel, exact) in composed {
        for (index, bits) in (0..).zip(computed(&module, &output, kernel, 1.5_f32.to_bits(), 4096))
        {
            let x = f32::from_bits(1.5_f32.to_bits() + 4096 * index);
            let (got, exact) = (f32::from_bits(bits), exact(f64::from(x)));
            let error = (f64::from(got) / exact - 1.0).abs();
            let is_near = error < 1e-5 || f64::from(got) == f64::from(exact as f32);
            assert!(is_near, "{kernel} of {x:e}: {got:e}, not {exact:e}");
        }
    }
}

/// Checks all halves, each paired with another one.
#[test]
fn halves_are_computed_exactly() {
    let device = Device::emulator(0);
    let module = load(&device);
    let numbers: Vec<u32> = (0..1 << 16_u32)
        .map(|index: u32| index.wrapping_mul(0x9e37_79b9) ^ index << 7)
        .collect();
    let input = device.upload(&numbers).unwrap();
    let output = device.zeroed::<u32>(16 << 16).unwrap();
    for ty in ["f16", "bf16"] {
        let function = module.function(&format!("halves_{ty}")).unwrap();
        // SAFETY: the kernel takes two addresses, reads one number for each thread and writes sixteen, which the
        // buffers have; they live until the results were read, and nothing else runs.
        unsafe { function.launch(Shape::new((1 << 16) / THREADS, THREADS), (&output, &input)) }
            .unwrap();
        let results = output.read().unwrap();
        for ((index, number), got) in (0..).zip(&numbers).zip(results.chunks_exact(16)) {
            let wanted = halves::results(ty, index, *number);
            let different = got
                .iter()
                .zip(wanted)
                .position(|(got, wanted)| *got != wanted);
            assert_eq!(
                different, None,
                "{ty} {index:#x}, {number:#x}: {got:x?}, not {wanted:x?}"
            );
        }
    }
}

#[test]
fn methods_of_integers_are_instructions() {
    let module = DEVICE_PTX[0].parsed().unwrap();
    let kernel = module.extract("integers").unwrap().to_string();
    for instruction in [
        "popc.b32",
        "popc.b64",
        "clz.b32",
        "clz.b64",
        "brev.b32",
        "prmt.b32",
        "shf.l.wrap.b32",
        "mul.hi.u64",
        "mul.hi.s64",
    ] {
        assert!(
            kernel.contains(instruction),
            "`{instruction}` is not in\n{kernel}"
        );
    }
}

/// ptxas fuses products and sums without a rounding mode, and then a GPU has other bits.
#[test]
fn every_operation_is_rounded_by_itself() {
    let module = DEVICE_PTX[0].parsed().unwrap();
    let kernels = FUNCTIONS
        .iter()
        .filter(|function| matches!(function.how, How::Accurately { .. }));
    let mut rounded = 0;
    for MathFunction { kernel, .. } in kernels {
        let text = module.extract(kernel).unwrap().to_string();
        for operation in ["add", "sub", "mul", "fma", "mad", "rcp", "div", "sqrt"] {
            let of = |ending: &str| text.matches(&format!("\t{operation}.{ending}")).count();
            let all: usize = ["f32", "ftz", "rn.f32", "approx", "full", "rn.ftz"]
                .map(of)
                .iter()
                .sum();
            assert_eq!(of("rn.f32"), all, "`{operation}` in {text}");
            rounded += all;
        }
    }
    assert!(rounded > 100, "{rounded}");
}

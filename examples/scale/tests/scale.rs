//! What can be tested anywhere, and what needs a GPU.

use std::process::ExitCode;

use host::Gpu;
use libtest_mimic::{Arguments, Completion, Failed, Trial};
use scale::{PTX, scale};

fn main() -> ExitCode {
    let tests = vec![
        Trial::test("the_ptx_has_the_kernel", the_ptx_has_the_kernel),
        Trial::ignorable_test("numbers_are_scaled", numbers_are_scaled),
    ];
    libtest_mimic::run(&Arguments::from_args(), tests).exit_code()
}

fn the_ptx_has_the_kernel() -> Result<(), Failed> {
    let module = ptx::parse(PTX)?;
    let kernels: Vec<&str> = module.entries().map(|entry| entry.name.as_str()).collect();
    assert_eq!(kernels, ["scale"]);
    Ok(())
}

/// Ignored, with the reason, where there is no GPU. One that is broken is a failure.
fn numbers_are_scaled() -> Result<Completion, Failed> {
    let gpu = match Gpu::first() {
        Ok(gpu) => gpu,
        Err(error) if error.is_absent() => return Ok(Completion::ignored_with(error.to_string())),
        Err(error) => return Err(error.into()),
    };
    // Less than a block, more than one, and not a multiple of 16 bytes.
    for len in [0, 1, 1024, 5003] {
        let numbers: Vec<f32> = (0..len).map(|number| number as f32).collect();
        let expected: Vec<f32> = numbers.iter().map(|number| number * -1.5).collect();
        assert_eq!(scale(&gpu, &numbers, -1.5)?, expected);
    }
    Ok(Completion::Completed)
}

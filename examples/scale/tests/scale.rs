//! The kernel under several schedules of the emulator, and on a GPU.

use scale::scale;
use tma_host::{Device, Failure};

/// Less than a block, more than one, and not a multiple of 16 bytes.
fn check(device: &Device) -> Result<(), Failure> {
    for len in [0, 1, 1024, 5003] {
        let numbers: Vec<f32> = (0..len).map(|number| number as f32).collect();
        let expected: Vec<f32> = numbers.iter().map(|number| number * -1.5).collect();
        assert_eq!(scale(device, &numbers, -1.5)?, expected);
    }
    Ok(())
}

/// Runs under the emulator's checker, which also finds missing order of accesses.
#[test]
fn numbers_are_scaled_on_the_emulator() {
    for seed in 0..8 {
        check(&Device::emulator(seed)).unwrap_or_else(|failure| panic!("seed {seed}: {failure}"));
    }
}

#[test]
#[ignore = "needs a GPU"]
fn numbers_are_scaled_on_a_gpu() {
    let gpu = Device::gpu().unwrap_or_else(|error| panic!("{error}"));
    check(&gpu).unwrap_or_else(|failure| panic!("{failure}"));
}

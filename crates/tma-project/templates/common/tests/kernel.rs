//! The kernel under several schedules of the emulator, and on a GPU.

use {{crate_name}}::check;
use tma_host::Device;

/// The emulator's checker also finds accesses that are in no order.
#[test]
fn results_are_right_on_the_emulator() {
    for seed in 0..8 {
        check(&Device::emulator(seed)).unwrap_or_else(|failure| panic!("seed {seed}: {failure}"));
    }
}

#[test]
#[ignore = "needs a GPU"]
fn results_are_right_on_a_gpu() {
    let gpu = Device::gpu().unwrap_or_else(|error| panic!("{error}"));
    check(&gpu).unwrap_or_else(|failure| panic!("{failure}"));
}

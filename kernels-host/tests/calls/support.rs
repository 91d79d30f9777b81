//! Devices and numbers that the tests share.

use tma_host::{Device, DeviceChoice};

/// The result of a test.
pub(crate) type Result<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

/// The emulator with two schedules, and the first GPU if there is one; a requested GPU must exist.
pub(crate) fn everywhere() -> Vec<Device> {
    let mut devices = vec![Device::emulator(0), Device::emulator(7)];
    match Device::gpu() {
        Ok(gpu) => devices.push(gpu),
        Err(error) => {
            let is_asked_for = DeviceChoice::from_env() == Ok(DeviceChoice::Gpu);
            assert!(error.is_absent() && !is_asked_for, "{error}");
        }
    }
    devices
}

/// Whole numbers from -4 to 4 without a pattern of small period; `f32` has their sums exactly.
pub(crate) fn numbers(len: usize, seed: u32) -> Vec<f32> {
    let mut state = 0x9e37_79b9 ^ seed;
    let next = |_| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        (state >> 8) as f32 % 9.0 - 4.0
    };
    (0..len).map(next).collect()
}

/// The bits of the `e4m3` of a whole number from -4 to 4.
pub(crate) fn e4m3(number: f32) -> u8 {
    let magnitude = [0, 0x38, 0x40, 0x44, 0x48][number.abs() as usize];
    magnitude | if number < 0.0 { 0x80 } else { 0 }
}

/// A change of a valid shape, and the condition that it breaks.
pub(crate) type Broken<'a, S> = (fn(&mut S), &'a str);

/// Fails unless each change of a valid shape breaks the one condition beside it; `refused` returns the error of a call.
pub(crate) fn assert_refused<S: Copy>(
    kernel: &str,
    valid: S,
    cases: &[Broken<'_, S>],
    mut refused: impl FnMut(S) -> String,
) {
    for (change, expected) in cases {
        let mut shape = valid;
        change(&mut shape);
        let expected =
            format!("check: the launch of `{kernel}` cannot work\n  kernel-condition: {expected}");
        assert_eq!(refused(shape), expected);
    }
}

/// Fails unless each number is within `error` of the expected one, relative to its size or to 1.
pub(crate) fn assert_near(got: &[f32], expected: &[f64], error: f64) {
    assert_eq!(got.len(), expected.len());
    for (index, (got, expected)) in got.iter().zip(expected).enumerate() {
        let distance = (f64::from(*got) - expected).abs();
        assert!(
            distance <= error * expected.abs().max(1.0),
            "element {index} is {got}, and {expected} is expected"
        );
    }
}

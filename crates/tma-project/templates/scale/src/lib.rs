//! Scales numbers on a device: the host side of the kernel in `gpu/`.

use gpu::BLOCK_LEN;
use tma_host::{Device, Failure};

/// The kernels, as `build.rs` compiled them.
pub const PTX: &str = include_str!(env!("KERNELS_PTX"));

/// Multiplies each number by `factor`.
///
/// # Errors
/// The operation that failed, and its stage; on the emulator also the checker's diagnostics.
pub fn {{kernel_name}}(device: &Device, numbers: &[f32], factor: f32) -> Result<Vec<f32>, Failure> {
    if numbers.is_empty() {
        return Ok(Vec::new());
    }
    // The kernel works on 16 bytes at a time.
    let mut padded = numbers.to_vec();
    padded.resize(numbers.len().next_multiple_of(4), 0.0);
    let len = u32::try_from(padded.len()).expect("a GPU's memory holds fewer numbers");

    let module = device.load("gpu.ptx", PTX)?;
    let data = device.upload(&padded)?;
    let call = gpu::{{kernel_name}}(&data, len, factor);
    // SAFETY: the kernel stays within the `len` numbers (1, 2), which live until they are read (3) and
    // are no one else's (4).
    unsafe { module.launch((len.div_ceil(BLOCK_LEN), 256), call) }?;
    let mut scaled = data.read()?;
    scaled.truncate(numbers.len());
    Ok(scaled)
}

/// Runs the kernel, and compares its results with the processor's. Returns their number.
///
/// # Errors
/// A launch fails, or the checker has findings.
///
/// # Panics
/// A result differs.
pub fn check(device: &Device) -> Result<usize, Failure> {
    let mut count = 0;
    // None, less than a block, one block, and more of them that do not end at a multiple of 16 bytes.
    for len in [0, 1, 1024, 5003] {
        let numbers: Vec<f32> = (0..len).map(|number| number as f32).collect();
        let expected: Vec<f32> = numbers.iter().map(|number| number * -1.5).collect();
        assert_eq!({{kernel_name}}(device, &numbers, -1.5)?, expected);
        count += numbers.len();
    }
    Ok(count)
}

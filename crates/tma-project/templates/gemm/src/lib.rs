//! Multiplies matrices on a device: the host side of the kernel in `gpu/`.

use gpu::{COLUMNS, ROWS, THREADS};
use tma_host::{Buffer, DataType, Device, Failure, Swizzle, TensorMap, Tiled, half::bf16};

/// The kernels, as `build.rs` compiled them.
pub const PTX: &str = include_str!(env!("KERNELS_PTX"));

/// Returns A times the transpose of B. A has rows of `k` numbers, B has `COLUMNS` of them.
///
/// # Errors
/// A map breaks a rule, such as rows that are no multiple of 16 bytes; the launch fails; or the checker has findings.
pub fn {{kernel_name}}(
    device: &Device,
    a: &[bf16],
    b: &[bf16],
    k: u32,
) -> Result<Vec<bf16>, Failure> {
    let rows = a.len() as u32 / k;
    let module = device.load("gpu.ptx", PTX)?;
    let (a, b) = (device.upload(a)?, device.upload(b)?);
    let c: Buffer<bf16> = device.zeroed((rows * COLUMNS) as usize)?;
    let (on_c, on_a, on_b) = (
        c.tensor_map(map(COLUMNS, rows))?,
        a.tensor_map(map(k, rows))?,
        b.tensor_map(map(k, COLUMNS))?,
    );
    let call = gpu::{{kernel_name}}(&on_c, &on_a, &on_b, k);
    // SAFETY: A and B are only read, nothing else uses C (1), and this is the kernel's shape (2).
    unsafe { module.launch((rows.div_ceil(ROWS), THREADS), call) }?;
    c.read()
}

/// Returns the map of a matrix, with the boxes and the swizzle of the kernel.
fn map(columns: u32, rows: u32) -> Tiled {
    TensorMap::tiled(DataType::Bf16, &[u64::from(columns), u64::from(rows)])
        .box_dims(&[64, 64])
        .swizzle(Swizzle::B128)
}

/// Runs the kernel, and compares its results with the processor's. Returns their number.
///
/// # Errors
/// A launch fails, or the checker has findings.
///
/// # Panics
/// A result differs.
pub fn check(device: &Device) -> Result<usize, Failure> {
    // The last rows of C and the last stage are not full. Sums of small integers are exact.
    let (rows, k) = (100, 328);
    let numbers = |count: usize, period: usize| -> Vec<bf16> {
        let number = |i| bf16::from_f32((i % period) as f32 - 1.0);
        (0..count).map(number).collect()
    };
    let (a, b) = (numbers(rows * k, 3), numbers(COLUMNS as usize * k, 4));
    let mut expected = Vec::new();
    for row in a.chunks(k) {
        for column in b.chunks(k) {
            let products = row.iter().zip(column).map(|(a, b)| a.to_f32() * b.to_f32());
            expected.push(bf16::from_f32(products.sum()));
        }
    }
    let result = {{kernel_name}}(device, &a, &b, k as u32)?;
    assert_eq!(result, expected);
    Ok(result.len())
}

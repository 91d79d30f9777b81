//! Sums the columns of a matrix on a device: the host side of the kernel in `gpu/`.

use gpu::{COLUMNS, ROWS, THREADS};
use tma_host::{DataType, Device, Failure, TensorMap};

/// The kernels, as `build.rs` compiled them.
pub const PTX: &str = include_str!(env!("KERNELS_PTX"));

/// Returns the sum of each column; the matrix has rows of `columns` numbers.
///
/// # Errors
/// The map breaks a rule, such as rows that are no multiple of 16 bytes; the launch fails; or the checker has findings.
pub fn {{kernel_name}}(device: &Device, matrix: &[f32], columns: u32) -> Result<Vec<f32>, Failure> {
    let rows = matrix.len() as u32 / columns;
    let module = device.load("gpu.ptx", PTX)?;
    let on_device = device.upload(matrix)?;
    let sums = device.zeroed::<f32>(columns as usize)?;
    let params = TensorMap::tiled(DataType::F32, &[u64::from(columns), u64::from(rows)])
        .box_dims(&[COLUMNS, ROWS]);
    let map = on_device.tensor_map(params)?;
    let call = gpu::{{kernel_name}}(&map, &sums, columns, rows);
    // SAFETY: the matrix is only read (1), nothing else uses the sums (2), and this is the kernel's shape (3).
    unsafe { module.launch((columns.div_ceil(COLUMNS), THREADS), call) }?;
    sums.read()
}

/// Runs the kernel, and compares its results with the processor's. Returns their number.
///
/// # Errors
/// A launch fails, or the checker has findings.
///
/// # Panics
/// A result differs.
pub fn check(device: &Device) -> Result<usize, Failure> {
    // More tiles than stages; the last ones of rows and columns are not full. Sums of integers are exact.
    let (columns, rows) = (100, 135);
    let matrix: Vec<f32> = (0..columns * rows).map(|i| (i % 97) as f32).collect();
    let column = |column: usize| matrix.iter().skip(column).step_by(columns).sum::<f32>();
    let expected: Vec<f32> = (0..columns).map(column).collect();
    let sums = {{kernel_name}}(device, &matrix, columns as u32)?;
    assert_eq!(sums, expected);
    Ok(sums.len())
}

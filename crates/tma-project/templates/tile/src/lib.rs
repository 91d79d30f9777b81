//! Adds one to a matrix on a device: the host side of the kernel in `gpu/`.

use gpu::{COLUMNS, ROWS};
use tma_host::{DataType, Device, Failure, TensorMap};

/// The kernels, as `build.rs` compiled them.
pub const PTX: &str = include_str!(env!("KERNELS_PTX"));

/// Returns each number plus one; the matrix has rows of `width` numbers.
///
/// # Errors
/// The map breaks a rule, such as rows that are no multiple of 16 bytes; the launch fails; or the checker has findings.
pub fn {{kernel_name}}(device: &Device, matrix: &[i32], width: u32) -> Result<Vec<i32>, Failure> {
    let height = matrix.len() as u32 / width;
    let module = device.load("gpu.ptx", PTX)?;
    let on_device = device.upload(matrix)?;
    let params = TensorMap::tiled(DataType::I32, &[u64::from(width), u64::from(height)])
        .box_dims(&[COLUMNS, ROWS]);
    let map = on_device.tensor_map(params)?;
    let grid = (width.div_ceil(COLUMNS), height.div_ceil(ROWS));
    // SAFETY: nothing else uses the matrix until it is read (1), and the grid covers it (2).
    unsafe { module.launch((grid, 128), gpu::{{kernel_name}}(&map)) }?;
    on_device.read()
}

/// Runs the kernel, and compares its results with the processor's. Returns their number.
///
/// # Errors
/// A launch fails, or the checker has findings.
///
/// # Panics
/// A result differs.
pub fn check(device: &Device) -> Result<usize, Failure> {
    // The last tiles of rows and columns are not full.
    let (width, height) = (100, 37);
    let matrix: Vec<i32> = (0..width * height).collect();
    let expected: Vec<i32> = matrix.iter().map(|number| number + 1).collect();
    let result = {{kernel_name}}(device, &matrix, width as u32)?;
    assert_eq!(result, expected);
    Ok(result.len())
}

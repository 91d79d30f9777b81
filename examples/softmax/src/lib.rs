//! Softmax over the rows of a matrix: the host side of the kernel in `gpu/`.

use gpu::{MOST_COLUMNS, THREADS};
use tma_host::{Device, Failure, Stage};

/// The kernel, as `build.rs` compiled it.
pub const PTX: &str = include_str!(env!("KERNELS_PTX"));

/// The least number of blocks that a multiprocessor runs at once.
const BLOCKS_OF_MULTIPROCESSOR: u32 = 8;

/// Returns the softmax of each row of a matrix with this many columns, row by row.
///
/// # Errors
/// `columns` is not a multiple of 4 from 4 to 1024, the numbers make no whole rows, or the device
/// failed; on the emulator also the checker's findings on the kernel.
pub fn softmax(device: &Device, matrix: &[f32], columns: u32) -> Result<Vec<f32>, Failure> {
    if columns == 0 || columns > MOST_COLUMNS || !columns.is_multiple_of(4) {
        let what =
            format!("columns is {columns}; it must be a multiple of 4 from 4 to {MOST_COLUMNS}");
        return Err(Failure::new(Stage::Check, what));
    }
    let rows = u32::try_from(matrix.len() / columns as usize).unwrap_or(u32::MAX);
    let blocks = rows.min(device.multiprocessors() * BLOCKS_OF_MULTIPROCESSOR);
    if rows as usize * columns as usize != matrix.len() || rows > u32::MAX - blocks {
        let what = format!("{} numbers make no whole rows of {columns}", matrix.len());
        return Err(Failure::new(Stage::Check, what));
    }
    if rows == 0 {
        return Ok(Vec::new());
    }
    let module = device.load("gpu.ptx", PTX)?;
    let input = device.upload(matrix)?;
    let output = device.zeroed::<f32>(matrix.len())?;
    let call = gpu::softmax(&output, &input, rows, columns);
    // SAFETY: the kernel stays within the rows of both buffers, which begin at multiples of 256 bytes
    // (1, 2), live until the output is read, which waits (3), and are no one else's (4).
    unsafe { module.launch((blocks, THREADS), call) }?;
    output.read()
}

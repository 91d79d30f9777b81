//! The tile of a tensor map as a `wgmma` operand: one descriptor for each step along K.

use std::ops::Range;

use anyhow::{Result, ensure};
use tensor_map::{Interleave, MatrixDescriptor, Tensor};

/// Bytes per line of the matrix that one instruction reads along K.
const STEP_BYTES: u64 = 32;
/// Number of lines in a core matrix.
const CORE_LINES: u64 = 8;

/// The contiguous dimension of a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Major {
    /// K, the reduced dimension: a row of the box is a row of A or a column of B
    K,
    /// Rows of A or columns of B: a row of the box is at one position of K
    Mn,
}

/// One instruction's part of the matrix.
#[derive(Clone, Debug)]
pub struct Step {
    /// The elements along K.
    pub k: Range<u64>,
    /// The matrix descriptor of the instruction.
    pub descriptor: MatrixDescriptor,
    /// The addresses of the pieces of 16 bytes that the instruction reads.
    pub pieces: Vec<u64>,
}

/// Returns the steps along K of a box at a shared address, from the count and length of its rows.
pub(crate) fn steps(
    major: Major,
    tensor: &Tensor,
    (rows, row_bytes): (u64, u64),
    address: u32,
) -> Result<Vec<Step>> {
    ensure!(
        !tensor.data_type.is_packed(),
        "drawing matrices with 4-bit or 6-bit elements is not supported"
    );
    let size = tensor.data_type.bytes();
    ensure!(
        size <= 4 && (major == Major::K || size == 2),
        "the element size of {size} bytes must be 1, 2 or 4 when K is contiguous, and 2 otherwise, for tensor \
         cores to read the tile"
    );
    ensure!(
        tensor.interleave == Interleave::None,
        "tensor cores do not read interleaved tensors"
    );
    let span = tensor
        .swizzle
        .span_bytes()
        .filter(|span| *span == row_bytes);
    let span = span.ok_or_else(|| {
        anyhow::anyhow!(
            "a row of the box has {row_bytes} bytes but must fill the span of its swizzle, which is {}; use \
             `--swizzle 32b`, `64b` or `128b` and a box of that width in bytes along dimension 0",
            tensor.swizzle.name()
        )
    })?;
    let pattern = CORE_LINES * span;
    ensure!(
        u64::from(address).is_multiple_of(pattern),
        "the shared address {address} must be a multiple of {pattern}, with which the swizzle repeats"
    );
    let depth = match major {
        Major::K => CORE_LINES,
        Major::Mn => STEP_BYTES / size,
    };
    ensure!(
        rows.is_multiple_of(depth),
        "the number of rows in the box, {rows}, must be a multiple of {depth}"
    );
    let count = match major {
        Major::K => span / STEP_BYTES,
        Major::Mn => rows / depth,
    };
    let of = |step: u64| {
        let begin = match major {
            Major::K => step * STEP_BYTES,
            Major::Mn => step * depth * span,
        };
        let descriptor = MatrixDescriptor {
            start_bytes: address + begin as u32,
            leading_bytes: (rows * span) as u32,
            stride_bytes: pattern as u32,
            base_offset: 0,
            swizzle: tensor.swizzle,
        };
        let pieces = match major {
            Major::K => (0..rows)
                .flat_map(|line| [0, 16].map(|byte| descriptor.k_major_address(line, byte)))
                .collect(),
            Major::Mn => (0..depth)
                .flat_map(|k| (0..span).step_by(16).map(move |byte| (byte, k)))
                .map(|(byte, k)| descriptor.mn_major_address(byte, k))
                .collect(),
        };
        let elements = STEP_BYTES / size;
        Step {
            k: step * elements..(step + 1) * elements,
            descriptor,
            pieces,
        }
    };
    Ok((0..count).map(of).collect())
}

#[cfg(test)]
mod tests {
    use tensor_map::{DataType, Swizzle, TensorMap, walk::Direction};

    use super::*;

    /// Returns the places of the pieces that each step reads, as pairs of row and piece of the row.
    fn read(
        major: Major,
        box_dims: [u32; 2],
        swizzle: Swizzle,
        address: u32,
    ) -> Vec<Vec<(usize, u64)>> {
        let map = TensorMap::tiled(DataType::Bf16, &[128, 128])
            .box_dims(&box_dims)
            .swizzle(swizzle);
        let params = map.params();
        let rows: Vec<_> = params
            .walk(&[0, 0], &[], Direction::Load)
            .unwrap()
            .collect();
        let size = (rows.len() as u64, rows[0].bytes);
        let place = |address_of: u64| {
            let pieces = rows.iter().enumerate().flat_map(|(number, row)| {
                row.pieces(swizzle, address)
                    .map(move |piece| (number, piece))
            });
            let mut pieces = pieces.filter_map(|(number, piece)| {
                let within = address_of.checked_sub(piece.shared_address.into())?;
                (within < piece.bytes).then_some((number, (piece.row_offset + within) / 16))
            });
            pieces.next().unwrap()
        };
        let steps = steps(major, params.tensor(), size, address).unwrap();
        let of = |step: Step| {
            let mut of: Vec<_> = step.pieces.into_iter().map(place).collect();
            of.sort_unstable();
            of
        };
        steps.into_iter().map(of).collect()
    }

    #[test]
    fn each_step_reads_what_the_copy_put_there() {
        for (swizzle, width) in [(Swizzle::B32, 16), (Swizzle::B64, 32), (Swizzle::B128, 64)] {
            let steps = read(Major::K, [width, 24], swizzle, 2048);
            assert_eq!(steps.len() as u32, width / 16);
            for (step, pieces) in steps.iter().enumerate() {
                let step = step as u64;
                let expected: Vec<_> = (0..24)
                    .flat_map(|row| [(row, 2 * step), (row, 2 * step + 1)])
                    .collect();
                assert_eq!(*pieces, expected);
            }
            let steps = read(Major::Mn, [width, 48], swizzle, 1024);
            assert_eq!(steps.len(), 3);
            for (step, pieces) in steps.iter().enumerate() {
                let rows = 16 * step..16 * step + 16;
                let expected: Vec<_> = rows
                    .flat_map(|row| (0..u64::from(width) / 8).map(move |piece| (row, piece)))
                    .collect();
                assert_eq!(*pieces, expected);
            }
        }
    }

    #[test]
    fn tiles_that_tensor_cores_cannot_read_are_refused() {
        let says = |data_type, box_dims: [u32; 2], swizzle, major, address| {
            let map = TensorMap::tiled(data_type, &[128, 128])
                .box_dims(&box_dims)
                .swizzle(swizzle);
            let params = map.params();
            let rows: Vec<_> = params
                .walk(&[0, 0], &[], Direction::Load)
                .unwrap()
                .collect();
            let steps = steps(
                major,
                params.tensor(),
                (rows.len() as u64, rows[0].bytes),
                address,
            );
            steps.unwrap_err().to_string()
        };
        let none = says(DataType::Bf16, [64, 64], Swizzle::None, Major::K, 0);
        assert!(
            none.contains("must fill the span of its swizzle, which is none"),
            "{none}"
        );
        let short = says(DataType::Bf16, [32, 64], Swizzle::B128, Major::K, 0);
        assert!(short.contains("has 64 bytes"), "{short}");
        let address = says(DataType::Bf16, [64, 64], Swizzle::B128, Major::K, 512);
        assert!(address.contains("a multiple of 1024"), "{address}");
        let rows = says(DataType::Bf16, [64, 24], Swizzle::B128, Major::Mn, 0);
        assert!(rows.contains("24, must be a multiple of 16"), "{rows}");
        let wide = says(DataType::F64, [16, 8], Swizzle::B128, Major::K, 0);
        assert!(wide.contains("8 bytes must be 1, 2 or 4"), "{wide}");
        let bytes = says(DataType::U8, [128, 32], Swizzle::B128, Major::Mn, 0);
        assert!(bytes.contains("and 2 otherwise"), "{bytes}");
    }
}

//! Descriptors that read one piece of shared memory as two of the matrix.

use std::collections::HashMap;

use tensor_map::{MatrixDescriptor, Swizzle};

use crate::machine::observer::MatrixRead;

/// Bytes that a swizzle of matrices moves as a whole.
pub(super) const PIECE: u64 = 16;
/// Lines of a matrix that the descriptor's offsets keep together.
pub(super) const LINES: i64 = 8;

/// A piece of a matrix: its line, and its number in the line.
type At = (u32, u32);

/// Two pieces of a matrix at one address.
#[derive(Clone, Copy, Debug)]
pub(super) struct Collision {
    pieces: [At; 2],
    /// True if the offset is zero, so that the hardware reads the same lines again.
    pub(super) is_repetition: bool,
}

/// Collisions of the descriptors seen so far, by all their fields except the address.
#[derive(Clone, Debug, Default)]
pub(in crate::check) struct Collisions(HashMap<MatrixRead, Option<Collision>>);

impl Collisions {
    pub(super) fn of(&mut self, matrix: MatrixRead) -> Option<Collision> {
        let descriptor = MatrixDescriptor {
            start_bytes: 0,
            base_offset: 0,
            ..MatrixDescriptor::decode(matrix.descriptor)
        };
        let shape = MatrixRead {
            descriptor: descriptor.encode(),
            ..matrix
        };
        *self.0.entry(shape).or_insert_with(|| shape.collision())
    }
}

impl MatrixRead {
    /// Returns the address of a piece.
    pub(super) fn address(&self, descriptor: &MatrixDescriptor, (line, piece): At) -> u64 {
        let byte = u64::from(piece) * PIECE;
        match self.is_mn_major {
            true => descriptor.mn_major_address(byte, line.into()),
            false => descriptor.k_major_address(line.into(), byte),
        }
    }

    fn collision(&self) -> Option<Collision> {
        let descriptor = MatrixDescriptor::decode(self.descriptor);
        let lines = (0..self.lines).flat_map(|line| (0..self.pieces).map(move |at| (line, at)));
        let mut pieces: Vec<(u64, At)> = lines
            .map(|at| (self.address(&descriptor, at), at))
            .collect();
        pieces.sort();
        let two = pieces.windows(2).find(|two| two[0].0 == two[1].0);
        two.map(|two| {
            let [one, other] = [two[0].1, two[1].1];
            let within = |(line, piece): At| {
                let span = descriptor.swizzle.span_bytes().unwrap_or(PIECE);
                (i64::from(line) % LINES, u64::from(piece) * PIECE % span)
            };
            let is_zero = descriptor.leading_bytes == 0 || descriptor.stride_bytes == 0;
            Collision {
                pieces: [one, other],
                is_repetition: is_zero && within(one) == within(other),
            }
        })
    }
}

impl Collision {
    pub(super) fn address(&self, matrix: MatrixRead) -> u64 {
        matrix.address(&MatrixDescriptor::decode(matrix.descriptor), self.pieces[0])
    }

    pub(super) fn describe(&self, matrix: MatrixRead) -> String {
        let descriptor = MatrixDescriptor::decode(matrix.descriptor);
        let [one, other] = self.pieces.map(|(line, piece)| {
            let byte = u64::from(piece) * PIECE;
            format!("byte {byte} of {}", name_of_line(matrix, line))
        });
        let address = self.address(matrix);
        let core = match descriptor.swizzle {
            Swizzle::None => {
                "; without a swizzle, each offset must be 128 bytes or more".to_owned()
            }
            swizzle => {
                let span = swizzle.span_bytes().unwrap_or(PIECE);
                format!("; eight lines of this swizzle take {} bytes", 8 * span)
            }
        };
        format!("{one} and {other} are both read from shared address {address:#x}{core}")
    }
}

pub(super) fn name_of_line(matrix: MatrixRead, line: u32) -> String {
    match (matrix.is_mn_major, matrix.is_a) {
        (true, _) => format!("element {line} along K"),
        (false, true) => format!("row {line} of A"),
        (false, false) => format!("column {line} of B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_same_piece_of_a_line_is_read_again_as_a_whole() {
        // Line 8 begins `stride_bytes` bytes after line 0.
        for (stride_bytes, is_repetition) in [(0, true), (16, false)] {
            let descriptor = MatrixDescriptor {
                start_bytes: 0x800,
                leading_bytes: 0,
                stride_bytes,
                base_offset: 0,
                swizzle: Swizzle::B128,
            };
            let matrix = MatrixRead {
                is_a: true,
                descriptor: descriptor.encode(),
                is_mn_major: false,
                lines: 16,
                pieces: 2,
            };
            let collision = Collisions::default().of(matrix).unwrap();
            assert_eq!(collision.is_repetition, is_repetition);
            assert_eq!(collision.address(matrix), 0x800 + u64::from(stride_bytes));
        }
    }
}

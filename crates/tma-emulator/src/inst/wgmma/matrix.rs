//! Matrices in shared memory. PTX ISA 9.7.14.5.1.

use tensor_map::MatrixDescriptor;

use crate::{
    inst::{Step, mma::Element},
    machine::{SHARED_START, Trap, Trapped, observer::MatrixRead},
};

/// Bytes that a swizzle moves as a whole.
pub(super) const CHUNK_BYTES: usize = 16;

/// A or B of one product, located in shared memory by its descriptor. A sparse A is stored without its zero
/// elements.
#[derive(Clone, Copy, Debug)]
pub(super) struct SharedMatrix {
    pub(super) is_a: bool,
    pub(super) descriptor: u64,
    /// Rows of A or columns of B are contiguous; otherwise K is.
    pub(super) is_mn_major: bool,
    pub(super) element: Element,
    /// Number of rows of A or columns of B.
    pub(super) mn: usize,
    /// Stored elements along K, in elements or in words of bits.
    pub(super) k: usize,
}

impl SharedMatrix {
    const fn element_bytes(&self) -> usize {
        self.element.bits() as usize / 8
    }

    /// Returns the lines, and the 16-byte pieces of each line.
    const fn lines(&self) -> (usize, usize) {
        let per_piece = CHUNK_BYTES / self.element_bytes();
        match self.is_mn_major {
            true => (self.k, self.mn / per_piece),
            false => (self.mn, self.k / per_piece),
        }
    }

    /// Returns the event for observers.
    pub(super) fn as_read(&self) -> MatrixRead {
        let (lines, pieces) = self.lines();
        MatrixRead {
            is_a: self.is_a,
            descriptor: self.descriptor,
            is_mn_major: self.is_mn_major,
            lines: lines as u32,
            pieces: pieces as u32,
        }
    }

    /// Reads the elements, by rows of A or columns of B, and notes the address of each piece in `read`.
    pub(super) fn load(
        &self,
        step: &mut Step<'_>,
        elements: &mut [u64],
        read: &mut Vec<u64>,
    ) -> Result<(), Trapped> {
        let descriptor = MatrixDescriptor::decode(self.descriptor);
        let shared = step.world.shared_bytes;
        let per_piece = CHUNK_BYTES / self.element_bytes();
        let (lines, pieces) = self.lines();
        for line in 0..lines {
            for piece in 0..pieces {
                let byte = (piece * CHUNK_BYTES) as u64;
                let address = match self.is_mn_major {
                    true => descriptor.mn_major_address(byte, line as u64),
                    false => descriptor.k_major_address(line as u64, byte),
                };
                let end = address + CHUNK_BYTES as u64;
                if end > shared {
                    let what = format!(
                        "the matrix of the descriptor {:#018x} has {CHUNK_BYTES} bytes at {address:#x} of \
                         shared memory, which ends at {shared:#x}",
                        self.descriptor
                    );
                    return Err(step.trapped(Trap::IllegalAddress, what));
                }
                // The system's part below reads as zeros.
                if address < SHARED_START {
                    continue;
                }
                read.push(address);
                let bytes = &step.cta().shared[address as usize..end as usize];
                for (at, bytes) in bytes.chunks_exact(self.element_bytes()).enumerate() {
                    let index = match self.is_mn_major {
                        true => (piece * per_piece + at) * self.k + line,
                        false => line * self.k + piece * per_piece + at,
                    };
                    elements[index] = crate::value::read(bytes);
                }
            }
        }
        Ok(())
    }
}

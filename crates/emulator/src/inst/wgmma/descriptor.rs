//! Where the elements of a matrix lie in shared memory. PTX ISA 9.7.14.7.1 (matrix descriptor); the
//! addresses are those that an H200 read.

use tensor_map::MatrixDescriptor;

/// Bytes that a swizzle moves as a whole.
pub(super) const CHUNK: usize = 16;

/// A matrix descriptor, taken apart. Its other bits are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Descriptor {
    start: u64,
    leading: u64,
    stride: u64,
    base: u64,
    /// Bytes of a line of the swizzle; 16 without.
    span: u64,
    mask: u64,
}

impl Descriptor {
    pub(super) fn new(bits: u64) -> Self {
        let descriptor = MatrixDescriptor::decode(bits);
        let span = descriptor.swizzle.span_bytes().unwrap_or(CHUNK as u64);
        Self {
            start: descriptor.start_bytes.into(),
            leading: descriptor.leading_bytes.into(),
            stride: descriptor.stride_bytes.into(),
            base: descriptor.base_offset.into(),
            span,
            mask: span / CHUNK as u64 - 1,
        }
    }

    pub(super) const fn is_swizzled(&self) -> bool {
        self.mask != 0
    }

    /// The address of byte `k_byte` along K, of a row of A or a column of B, where K lies together.
    pub(super) fn along_k(&self, line: u64, k_byte: u64) -> u64 {
        let within = match self.span {
            16 => k_byte / 16 * self.leading + k_byte % 16,
            _ => k_byte,
        };
        self.swizzled(line % 8 * self.span + line / 8 * self.stride + within)
    }

    /// The address of byte `line_byte` along the rows of A or the columns of B, where these lie together.
    pub(super) fn across_k(&self, line_byte: u64, k: u64) -> u64 {
        let (along, depth) = match self.span {
            16 => (self.stride, self.leading),
            _ => (self.leading, self.stride),
        };
        let line = line_byte / self.span * along + line_byte % self.span;
        self.swizzled(line + k % 8 * self.span + k / 8 * depth)
    }

    /// The swizzle takes the bits of the address itself.
    fn swizzled(&self, offset: u64) -> u64 {
        let address = self.start + offset;
        address ^ ((address >> 7).wrapping_sub(self.base) & self.mask) << 4
    }
}

#[cfg(test)]
#[path = "../../../tests/emulator/tensor/samples.rs"]
mod samples;

#[cfg(test)]
mod tests {
    use super::{samples::SAMPLES, *};

    #[test]
    fn elements_are_where_an_h200_read_them() {
        let mut compared = 0;
        for (name, descriptors) in SAMPLES.iter() {
            let Some(of) = name.strip_suffix("_desc") else {
                continue;
            };
            let words: Vec<&str> = of.split('_').collect();
            let size = match words[1] {
                "u8" => 1,
                "f16" => 2,
                _ => 4,
            };
            let addresses = &SAMPLES[&format!("{of}_addr")];
            let depth = addresses.shape[2];
            for (tile, bits) in descriptors.numbers.iter().enumerate() {
                let descriptor = Descriptor::new(*bits);
                for (at, address) in addresses.tile(tile).iter().enumerate() {
                    let (line, k) = ((at / depth) as u64, (at % depth) as u64);
                    let ours = match words[2] {
                        "0" => descriptor.along_k(line, k * size),
                        _ => descriptor.across_k(line * size, k),
                    };
                    assert_eq!(ours, *address, "{of} {bits:#x}, line {line}, k {k}");
                    compared += 1;
                }
            }
        }
        assert!(compared > 80_000, "{compared}");
    }
}

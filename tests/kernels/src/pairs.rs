//! Cases of the kernels that reduce a part of two buffers.

use half::bf16;
use kernels_gpu::rows::Numbers;

use crate::kernels::numbers;

/// 16 bytes.
const VECTOR_BYTES: usize = 16;

/// A part of two buffers, followed by as many vectors as precede it, which must stay unchanged.
pub(crate) struct Pair {
    pub(crate) numbers: Numbers,
    /// Vectors before the part.
    before: usize,
    /// Vectors of the part.
    count: usize,
}

impl Pair {
    pub(crate) fn of(numbers: Numbers, before: usize, count: usize) -> Self {
        Self {
            numbers,
            before,
            count,
        }
    }

    /// Parts of this many vectors, each at the start of the buffers and later.
    pub(crate) fn all(
        numbers: Numbers,
        counts: impl IntoIterator<Item = usize>,
    ) -> impl Iterator<Item = Self> {
        let of = move |count| [0, 3].map(|before| Self::of(numbers, before, count));
        counts.into_iter().flat_map(of)
    }

    pub(crate) fn offset_bytes(&self) -> u64 {
        (self.before * VECTOR_BYTES) as u64
    }

    pub(crate) fn len_bytes(&self) -> u64 {
        (self.count * VECTOR_BYTES) as u64
    }

    pub(crate) fn name(&self) -> String {
        let Self {
            numbers,
            before,
            count,
        } = self;
        let numbers = match numbers {
            Numbers::F32 => "f32",
            Numbers::Bf16 => "bf16",
        };
        format!("{count}_vectors_of_{numbers}_after_{before}")
    }

    /// The bytes of both. The numbers have fractions and several magnitudes, so that most sums are rounded.
    pub(crate) fn buffers(&self) -> [Vec<u8>; 2] {
        let bytes = (self.count + 2 * self.before) * VECTOR_BYTES;
        let len = match self.numbers {
            Numbers::F32 => bytes / 4,
            Numbers::Bf16 => bytes / 2,
        };
        let integers = numbers(2 * len);
        let buffer = |integers: &[i32]| {
            let numbers = integers.iter().enumerate();
            let numbers = numbers.map(|(index, it)| *it as f32 * [0.37, 1e-3, 41.0][index % 3]);
            match self.numbers {
                Numbers::F32 => numbers.flat_map(f32::to_le_bytes).collect(),
                Numbers::Bf16 => numbers
                    .flat_map(|number| bf16::from_f32(number).to_le_bytes())
                    .collect(),
            }
        };
        let (first, second) = integers.split_at(len);
        [buffer(first), buffer(second)]
    }

    /// The bytes of the sums of the part, each rounded once.
    pub(crate) fn sums(&self) -> Vec<u8> {
        let [first, second] = self.buffers();
        let start = self.before * VECTOR_BYTES;
        let part = start..start + self.count * VECTOR_BYTES;
        let (first, second) = (&first[part.clone()], &second[part]);
        match self.numbers {
            Numbers::F32 => {
                let number =
                    |bytes: &[u8]| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
                let pairs = first.chunks(4).zip(second.chunks(4));
                pairs
                    .flat_map(|(x, y)| (number(x) + number(y)).to_le_bytes())
                    .collect()
            }
            Numbers::Bf16 => {
                let number = |bytes: &[u8]| bf16::from_le_bytes([bytes[0], bytes[1]]).to_f64();
                let pairs = first.chunks(2).zip(second.chunks(2));
                pairs
                    .flat_map(|(x, y)| nearest(number(x) + number(y)).to_le_bytes())
                    .collect()
            }
        }
    }

    /// The bytes of twice these numbers, which need no rounding.
    pub(crate) fn twice(&self, numbers: &[u8]) -> Vec<u8> {
        let twice = |bits: u32| (2.0 * f32::from_bits(bits)).to_bits();
        match self.numbers {
            Numbers::F32 => {
                let words = numbers.chunks(4);
                let words = words.map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
                words.flat_map(|bits| twice(bits).to_le_bytes()).collect()
            }
            Numbers::Bf16 => {
                let halves = numbers.chunks(2);
                let halves = halves.map(|b| u32::from(u16::from_le_bytes([b[0], b[1]])) << 16);
                let upper = |bits| ((twice(bits) >> 16) as u16).to_le_bytes();
                halves.flat_map(upper).collect()
            }
        }
    }

    /// A buffer with other bytes in the part.
    pub(crate) fn replaced(&self, buffer: &[u8], part: &[u8]) -> Vec<u8> {
        let mut buffer = buffer.to_vec();
        let start = self.before * VECTOR_BYTES;
        buffer[start..start + part.len()].copy_from_slice(part);
        buffer
    }
}

/// Returns the nearest number, ties to even; `bf16::from_f64` only looks at the upper half of the bits.
fn nearest(value: f64) -> bf16 {
    /// Bits of the fraction of an `f64` that `bf16` lacks.
    const LACKS: u32 = 52 - 7;
    let bits = value.to_bits();
    let half = (1 << (LACKS - 1)) - 1 + (bits >> LACKS & 1);
    bf16::from_f64(f64::from_bits((bits + half) >> LACKS << LACKS))
}

//! Positions of the fields in the 128 bytes of a tensor map: the only table of bit positions.
//!
//! The layout is not documented. It was read off an H100 with driver 580.159 (CUDA 13.0), by
//! changing one parameter of the encoders at a time and by the writes of `tensormap.replace`, which
//! is ordinary loads, masks and stores. The fields marked with compute capability 10.0 follow from
//! the masks in the code that `ptxas` 13.0 makes of `tensormap.replace` for it.

use crate::TensorMap;

/// Some bits of one of the sixteen 64-bit words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name of the value that the field contains.
    pub name: &'static str,
    /// The index of the 64-bit word that contains the field.
    pub word: usize,
    /// The position of the field's lowest bit in its word.
    pub shift: u32,
    /// The width of the field in bits.
    pub bits: u32,
}

impl Field {
    const fn new(name: &'static str, word: usize, shift: u32, bits: u32) -> Self {
        assert!(word < TensorMap::WORDS && bits >= 1 && shift + bits <= 64);
        Self {
            name,
            word,
            shift,
            bits,
        }
    }

    /// Returns the largest value that the field's bits can encode.
    pub const fn max(self) -> u64 {
        u64::MAX >> (64 - self.bits)
    }

    /// Returns the bits in the word.
    pub const fn mask(self) -> u64 {
        self.max() << self.shift
    }

    /// Returns the field's value in the words of a map.
    pub const fn get(self, words: &[u64; TensorMap::WORDS]) -> u64 {
        (words[self.word] >> self.shift) & self.max()
    }

    /// Returns the value in a map, with the highest bit as a sign.
    pub const fn get_signed(self, words: &[u64; TensorMap::WORDS]) -> i64 {
        let unused = 64 - self.bits;
        ((self.get(words) << unused) as i64) >> unused
    }

    /// Puts a value into a map; bits that do not fit are dropped.
    pub const fn set(self, words: &mut [u64; TensorMap::WORDS], value: u64) {
        words[self.word] = (words[self.word] & !self.mask()) | ((value & self.max()) << self.shift);
    }
}

/// The address of element zero. Drivers accept 57 bits, `tensormap.replace` writes all 64.
pub const GLOBAL_ADDRESS: Field = Field::new("global address", 0, 0, 64);
/// 0 for tiled maps, 1 for im2col maps.
pub const IM2COL: Field = Field::new("im2col", 1, 0, 1);
/// Number of dimensions, less one.
pub const RANK: Field = Field::new("rank - 1", 1, 4, 3);
/// Type of the elements, in the order of PTX; see [`type_code`].
pub const DATA_TYPE: Field = Field::new("element type", 1, 7, 4);
/// [`Interleave`](crate::Interleave).
pub const INTERLEAVE: Field = Field::new("interleave", 1, 11, 2);
/// Swizzle span: none, 32, 64 or 128 bytes.
pub const SWIZZLE: Field = Field::new("swizzle", 1, 13, 2);
/// [`OobFill`](crate::OobFill).
pub const OOB_FILL: Field = Field::new("out-of-bounds fill", 1, 15, 1);
/// Set if an `f32` is rounded to TensorFloat-32.
pub const TF32: Field = Field::new("tf32", 1, 16, 1);
/// [`L2Promotion`](crate::L2Promotion).
pub const L2_PROMOTION: Field = Field::new("L2 promotion", 1, 17, 2);
/// Pieces of a 128-byte swizzle: 16, 32, 32 with 8 flipped, or 64 bytes. Compute capability 10.0.
pub const SWIZZLE_ATOM: Field = Field::new("swizzle atomicity", 1, 19, 2);
/// Set from 128 KiB of tensor on, compute capability 10.0. Reserved before. CUDA 13.5 calls it the
/// [`AllocationClass`](crate::AllocationClass).
///
/// Drivers before CUDA 13.2 can set it for smaller tensors too, and addresses then count as out of
/// bounds (NVIDIA bug 5736804); CCCL, CUTLASS and Triton clear it after the driver.
/// `tensormap.replace.swizzle_atomicity` clears it as well.
pub const LARGE_TENSOR: Field = Field::new("tensor of 128 KiB or more", 1, 21, 1);
/// Swizzle span of 96 bytes, compute capability 10.3; cleared by `tensormap.replace.swizzle_mode`.
pub const SWIZZLE_96: Field = Field::new("swizzle 96 bytes", 1, 22, 1);
/// Low 32 bits of each stride, in units of 16 bytes.
pub const STRIDE_LOW: [Field; 4] = [
    Field::new("stride 0 / 16, low", 1, 32, 32),
    Field::new("stride 1 / 16, low", 2, 0, 32),
    Field::new("stride 2 / 16, low", 2, 32, 32),
    Field::new("stride 3 / 16, low", 3, 0, 32),
];
/// High 4 bits of each stride, in units of 16 bytes.
pub const STRIDE_HIGH: [Field; 4] = [
    Field::new("stride 0 / 16, high", 3, 32, 4),
    Field::new("stride 1 / 16, high", 3, 36, 4),
    Field::new("stride 2 / 16, high", 3, 40, 4),
    Field::new("stride 3 / 16, high", 3, 44, 4),
];
/// Length of each dimension in elements, less one.
pub const DIM: [Field; 5] = [
    Field::new("dimension 0 - 1", 4, 0, 32),
    Field::new("dimension 1 - 1", 4, 32, 32),
    Field::new("dimension 2 - 1", 5, 0, 32),
    Field::new("dimension 3 - 1", 5, 32, 32),
    Field::new("dimension 4 - 1", 6, 0, 32),
];
/// Element stride of each dimension, less one.
pub const ELEMENT_STRIDE: [Field; 5] = [
    Field::new("element stride 0 - 1", 6, 32, 3),
    Field::new("element stride 1 - 1", 6, 35, 3),
    Field::new("element stride 2 - 1", 6, 38, 3),
    Field::new("element stride 3 - 1", 6, 41, 3),
    Field::new("element stride 4 - 1", 6, 44, 3),
];
/// Tiled maps: length of the box in each dimension, less one.
pub const BOX: [Field; 5] = [
    Field::new("box 0 - 1", 6, 56, 8),
    Field::new("box 1 - 1", 7, 0, 8),
    Field::new("box 2 - 1", 7, 8, 8),
    Field::new("box 3 - 1", 7, 16, 8),
    Field::new("box 4 - 1", 7, 24, 8),
];
/// Im2col maps: channels per pixel, less one.
pub const CHANNELS: Field = Field::new("channels per pixel - 1", 6, 56, 8);
/// Im2col maps: pixels per column, less one.
pub const PIXELS: Field = Field::new("pixels per column - 1", 7, 32, 10);
/// Bytes of one box in shared memory, as drivers count them: whole element strides only.
/// `tensormap.replace` does not keep it up to date.
pub const BOX_BYTES: Field = Field::new("bytes of one box", 8, 0, 32);
/// Alignment of the box in shared memory in bytes: 0x10, or eight times the swizzle span.
/// `tensormap.replace` does not keep it up to date.
pub const BOX_ALIGN: Field = Field::new("alignment of one box", 9, 0, 32);

/// Im2col maps: the fields of the lower or the upper corner, signed, W first.
///
/// Corners have 16, 8 or 5 bits for one, two or three spatial dimensions. Numbers out of range are
/// taken for the nearest: there are one to three spatial dimensions, and `dim` is one of them.
pub const fn corner(upper: bool, spatial: usize, dim: usize) -> Field {
    let spatial = match spatial {
        0 => 1,
        1..=3 => spatial,
        _ => 3,
    };
    let dim = if dim < spatial { dim } else { spatial - 1 };
    let bits = match spatial {
        1 => 16,
        2 => 8,
        _ => 5,
    };
    let name = if upper {
        "upper corner"
    } else {
        "lower corner"
    };
    Field::new(
        name,
        7,
        if upper { 16 } else { 0 } + bits * dim as u32,
        bits,
    )
}

/// Returns the codes of a type in [`DATA_TYPE`] and [`TF32`].
pub const fn type_code(data_type: crate::DataType) -> (u64, u64) {
    use crate::DataType as T;
    match data_type {
        T::U8 => (0, 0),
        T::U16 => (1, 0),
        T::U32 => (2, 0),
        T::I32 => (3, 0),
        T::U64 => (4, 0),
        T::I64 => (5, 0),
        T::F16 => (6, 0),
        T::F32 => (7, 0),
        T::F32Ftz => (8, 0),
        T::F64 => (9, 0),
        T::Bf16 => (10, 0),
        T::Tf32 => (7, 1),
        T::Tf32Ftz => (8, 1),
        T::U4x16Align8 => (11, 0),
        T::U4x16Align16 => (12, 0),
        T::U6x16Align16 => (13, 0),
    }
}

/// Fields of all maps, before the fields of the box.
const GENERAL: [&[Field]; 5] = [
    &[
        GLOBAL_ADDRESS,
        IM2COL,
        RANK,
        DATA_TYPE,
        INTERLEAVE,
        SWIZZLE,
        OOB_FILL,
        TF32,
        L2_PROMOTION,
        SWIZZLE_ATOM,
        LARGE_TENSOR,
        SWIZZLE_96,
    ],
    &STRIDE_LOW,
    &STRIDE_HIGH,
    &DIM,
    &ELEMENT_STRIDE,
];

/// Returns a field of a map by its number.
const fn field(is_im2col: bool, spatial: usize, mut number: usize) -> Option<Field> {
    let mut list = 0;
    while list < GENERAL.len() {
        if number < GENERAL[list].len() {
            return Some(GENERAL[list][number]);
        }
        number -= GENERAL[list].len();
        list += 1;
    }
    if is_im2col {
        if number < 2 * spatial {
            return Some(corner(number >= spatial, spatial, number % spatial));
        }
        number -= 2 * spatial;
    }
    let boxes: &[Field] = if is_im2col { &[CHANNELS, PIXELS] } else { &BOX };
    if number < boxes.len() {
        return Some(boxes[number]);
    }
    match number - boxes.len() {
        0 => Some(BOX_BYTES),
        1 => Some(BOX_ALIGN),
        _ => None,
    }
}

/// Returns all fields of a map in the order of their bits, except the fields that share a word with the box.
pub fn fields(is_im2col: bool, rank: usize) -> impl Iterator<Item = Field> + Clone {
    let spatial = rank.saturating_sub(2).clamp(1, 3);
    (0..).map_while(move |number| field(is_im2col, spatial, number))
}

/// The bits that some field has: for tiled maps, then for im2col maps of one, two and three spatial
/// dimensions.
const USED: [[u64; TensorMap::WORDS]; 4] = [used(0), used(1), used(2), used(3)];

const fn used(spatial: usize) -> [u64; TensorMap::WORDS] {
    let mut used = [0; TensorMap::WORDS];
    let mut number = 0;
    while let Some(field) = field(spatial > 0, spatial, number) {
        used[field.word] |= field.mask();
        number += 1;
    }
    used
}

/// Returns the bits of each word that some field of [`fields`] has.
pub(crate) const fn used_bits(is_im2col: bool, rank: usize) -> &'static [u64; TensorMap::WORDS] {
    match (is_im2col, rank) {
        (false, _) => &USED[0],
        (true, 0..=3) => &USED[1],
        (true, 4) => &USED[2],
        (true, _) => &USED[3],
    }
}

//! Random parameters, dense at the edges of every rule, half of them legal.

use tensor_map::{
    DataType, Im2col, Im2colWide, Interleave, L2Promotion, OobFill, Swizzle, Tensor, TensorMap,
    Tiled, WideMode,
};

use super::MapCase;

/// A sequence of numbers that is the same on every machine (SplitMix64).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The sequence of this seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The next number.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.bits() % end.max(1)
    }

    /// A number from `first` to `last`.
    pub fn within(&mut self, first: i64, last: i64) -> i64 {
        first + self.below((last - first + 1) as u64) as i64
    }

    /// True once in `n`.
    pub fn once_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    /// Returns one of these.
    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len() as u64) as usize]
    }
}

/// The driver function that a case is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MapFunction {
    /// `cuTensorMapEncodeTiled`
    Tiled,
    /// `cuTensorMapEncodeIm2col`
    Im2col,
    /// `cuTensorMapEncodeIm2colWide`
    Im2colWide,
    /// `cuTensorMapReplaceAddress`
    ReplaceAddress,
}

impl MapFunction {
    /// All data types.
    pub const ALL: [Self; 4] = [
        Self::Tiled,
        Self::Im2col,
        Self::Im2colWide,
        Self::ReplaceAddress,
    ];
}

/// The next case for a function.
pub fn case(random: &mut Random, function: MapFunction) -> MapCase {
    match function {
        MapFunction::Tiled => {
            let tiled = tiled(random);
            MapCase::Encode(tiled.params(), address(random, &tiled.tensor))
        }
        MapFunction::Im2col => {
            let im2col = im2col(random);
            MapCase::Encode(im2col.params(), address(random, &im2col.tensor))
        }
        MapFunction::Im2colWide => {
            let wide = im2col_wide(random);
            MapCase::Encode(wide.params(), address(random, &wide.tensor))
        }
        MapFunction::ReplaceAddress => loop {
            let first = MapFunction::ALL[random.below(3) as usize];
            if let Ok(map) = case(random, first).ours() {
                let address = replacement(random);
                break MapCase::Replace(map, address);
            }
        },
    }
}

fn replacement(random: &mut Random) -> u64 {
    let edges: [u64; 8] = [
        0,
        16,
        1 << 47,
        1 << 56,
        (1 << 57) - 16,
        1 << 57,
        (1 << 57) + 16,
        1 << 63,
    ];
    let near = random.pick(&[0, 0, 1, 2, 4, 8, 15, 16, 17, 24, 32]);
    match random.below(4) {
        0 => random.pick(&edges).wrapping_add(near),
        1 => random.bits() >> random.below(64),
        2 => random.bits() >> 7 & !15,
        _ => 0x7f00_0000_0000 + random.below(1 << 30) * 16 + near,
    }
}

fn address(random: &mut Random, tensor: &Tensor) -> u64 {
    let align = if tensor.interleave == Interleave::B32 {
        32
    } else {
        16
    };
    let base = random.pick(&[0, 0x7f00_0000_0000, 0x7fff_ffff_fe00, 1 << 46]);
    let mut address = base + random.below(64) * align;
    if random.once_in(40) {
        address += random.pick(&[1, 2, 4, 8, 15, 16, 17]);
    }
    if random.once_in(60) {
        address = random.pick(&[1 << 56, 1 << 57, 1 << 63, u64::MAX - 31]) & !(align - 1);
        address = address.wrapping_sub(random.below(3) * align);
    }
    address
}

fn tiled(random: &mut Random) -> Tiled {
    let tensor = tensor(random, &[1, 2, 2, 3, 3, 4, 5]);
    let channels = row(random, &tensor);
    let bytes = tensor.data_type.bytes();
    let mut left = random.pick(&[232_448, 233_472, 233_488, 262_144, 300_000, 4096])
        / (u64::from(channels) * bytes).max(1);
    let mut box_dims = [channels; 8];
    for (dim, slot) in box_dims.iter_mut().enumerate().skip(1) {
        // Lengths whose product, strides left out, is near the capacity of shared memory.
        let stride = u64::from(tensor.element_strides.at(dim)).max(1);
        let room = left.clamp(1, 256);
        let any = [
            1,
            2,
            4,
            random.below(256) + 1,
            random.below(16) + 1,
            room,
            room * stride,
        ];
        let mut length = random.pick(&any);
        if !random.once_in(8) {
            length = length.min((left * stride).max(1));
        }
        if random.once_in(150) {
            length = random.pick(&[0, 255, 256, 257, 512, u64::from(u32::MAX)]);
        }
        *slot = length as u32;
        left /= (length / stride).max(1);
    }
    let mut tiled =
        Tiled::new(tensor.data_type, &tensor.dims).box_dims(&box_dims[..tensor.rank().min(8)]);
    tiled.tensor = tensor;
    tiled
}

fn im2col(random: &mut Random) -> Im2col {
    let tensor = tensor(random, &[3, 4, 4, 5]);
    let spatial = tensor.rank().saturating_sub(2);
    let limit = [32_768, 32_768, 128, 16][spatial.min(3)];
    let first = if tensor.interleave == Interleave::None {
        1
    } else {
        0
    };
    let (mut lower, mut upper) = ([0; 8], [0; 8]);
    for dim in 0..spatial.min(8) {
        (lower[dim], upper[dim]) = corners(random, limit, tensor.dims.at(first + dim));
    }
    let channels = row(random, &tensor);
    let mut im2col = Im2col::new(tensor.data_type, &tensor.dims)
        .pixel_box(&lower[..spatial.min(8)], &upper[..spatial.min(8)])
        .channels_per_pixel(channels)
        .pixels_per_column(pixels(
            random,
            u64::from(channels) * tensor.data_type.bytes(),
        ));
    im2col.tensor = tensor;
    im2col
}

fn im2col_wide(random: &mut Random) -> Im2colWide {
    let im2col = im2col(random);
    let mode = random.pick(&WideMode::ALL);
    let mut wide = Im2colWide::new(im2col.tensor.data_type, &im2col.tensor.dims)
        .pixel_box(im2col.lower_corner.at(0), im2col.upper_corner.at(0))
        .channels_per_pixel(im2col.channels_per_pixel)
        .pixels_per_column(im2col.pixels_per_column)
        .mode(mode);
    wide.tensor = im2col.tensor;
    wide
}

fn corners(random: &mut Random, limit: i64, pixels: u64) -> (i32, i32) {
    let corner = |random: &mut Random| match random.below(20) {
        0..10 => random.within(-4, 4),
        10..13 => random.within(-limit, limit - 1),
        13..15 => random.pick(&[-limit, limit - 1, 1 - limit, limit - 2]),
        15 if random.once_in(6) => {
            let beyond = [
                limit,
                -limit - 1,
                2 * limit,
                -2 * limit,
                i64::from(i32::MAX),
                i64::from(i32::MIN),
            ];
            random.pick(&beyond)
        }
        _ => 0,
    };
    let (lower, mut upper) = (corner(random), corner(random));
    if random.once_in(5) {
        // Boxes of one pixel, of no pixel, and of a negative size.
        let empty = lower - pixels as u32 as i32 as i64;
        upper = empty + random.within(-1, 2);
        if !random.once_in(8) {
            upper = upper.clamp(-limit, limit - 1);
        }
    }
    (
        lower as i32,
        upper.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32,
    )
}

fn pixels(random: &mut Random, pixel_bytes: u64) -> u32 {
    let most = (233_472 / pixel_bytes.max(1)).max(1);
    let near = most.saturating_add_signed(random.within(-1, 1));
    let usual = [1, 2, 64, 128, 256, random.below(1024) + 1, near];
    let mut pixels = random.pick(&usual);
    if !random.once_in(10) {
        pixels = pixels.min(most).min(1024);
    }
    if random.once_in(60) {
        pixels = random.pick(&[0, 1023, 1024, 1025, 2048, u64::from(u32::MAX)]);
    }
    pixels as u32
}

/// Returns the elements of the row of a box: near the limits of the swizzle span and of 16 bytes.
fn row(random: &mut Random, tensor: &Tensor) -> u32 {
    let bytes = tensor.data_type.bytes();
    let span = match (tensor.interleave, tensor.swizzle.span_bytes()) {
        (Interleave::None, Some(span)) => span,
        _ => 256 * bytes,
    };
    let any = [
        16,
        32,
        64,
        128,
        256,
        span,
        span / 2,
        span + 16,
        16 * (random.below(64) + 1),
    ];
    let mut row = random.pick(&any);
    if !random.once_in(6) {
        row = row.min(span);
    }
    if random.once_in(25) {
        row += random.pick(&[1, 2, 4, 8]);
    }
    let mut elements = row / bytes;
    if random.once_in(60) {
        elements = random.pick(&[0, 1, 255, 256, 257, 512, u64::from(u32::MAX)]);
    } else if !random.once_in(30) {
        elements = elements.min(256);
    }
    elements as u32
}

fn tensor(random: &mut Random, ranks: &[usize]) -> Tensor {
    let usual = random.below(13) as usize;
    let data_type = if random.once_in(60) {
        random.pick(&DataType::ALL)
    } else {
        DataType::ALL[usual]
    };
    let mut rank = random.pick(ranks);
    if random.once_in(100) {
        rank = random.pick(&[0, 1, 2, 6, 7]);
    }
    let interleave = random.pick(&[
        Interleave::None,
        Interleave::None,
        Interleave::None,
        Interleave::B16,
        Interleave::B32,
    ]);
    let mut dims = [0; 8];
    dims[..rank].fill_with(|| dim(random));
    let mut tensor = Tiled::new(data_type, &dims[..rank])
        .interleave(interleave)
        .tensor;
    tensor.swizzle = random.pick(&Swizzle::ALL[..4]);
    if random.once_in(50) {
        tensor.swizzle = random.pick(&Swizzle::ALL);
    }
    tensor.l2_promotion = random.pick(&L2Promotion::ALL);
    if random.once_in(if data_type.is_float() { 3 } else { 40 }) {
        tensor.oob_fill = OobFill::NanRequestZeroFma;
    }
    let strides = strides(random, &tensor);
    let element_strides = element_strides(random);
    Tiled {
        tensor,
        box_dims: TensorMap::tiled(data_type, &[]).box_dims,
    }
    .strides_bytes(&strides[..rank.saturating_sub(1)])
    .element_strides(&element_strides[..rank])
    .tensor
}

fn dim(random: &mut Random) -> u64 {
    match random.below(100) {
        0..8 => 1,
        8..50 => random.below(40) + 1,
        50..88 => random.below(5000) + 1,
        88..94 => random.pick(&[1 << 32, (1 << 32) - 1, 1 << 31, (1 << 31) - 1, 65_536]),
        94..99 => (random.bits() >> 32) + 1,
        _ => random.pick(&[0, 1, (1 << 32) + 1, 1 << 33, u64::MAX]),
    }
}

fn strides(random: &mut Random, tensor: &Tensor) -> [u64; 8] {
    let align = if tensor.interleave == Interleave::B32 {
        32
    } else {
        16
    };
    let mut strides = [0; 8];
    let mut packed = tensor.row_bytes();
    for (dim, stride) in strides.iter_mut().enumerate() {
        let row = packed
            .checked_next_multiple_of(align)
            .unwrap_or(1 << 39)
            .min((1 << 40) - align);
        *stride = match random.below(20) {
            0..12 => row,
            12..14 => row
                .saturating_add(random.below(20) * align)
                .min((1 << 40) - align),
            14..16 => random.below(64) * align,
            16 => (1 << 40) - align * (random.below(3) + 1),
            _ => random.below(1 << 39) / align * align,
        };
        if random.once_in(150) {
            *stride += random.pick(&[1, 2, 4, 8, 15, 16]);
        }
        if random.once_in(250) {
            *stride = random.pick(&[1 << 40, (1 << 40) + 32, 1 << 41, 1 << 63, u64::MAX - 31]);
        }
        packed = stride.saturating_mul(tensor.dims.at(dim + 1));
    }
    strides
}

fn element_strides(random: &mut Random) -> [u32; 8] {
    let mut strides = [1; 8];
    if random.once_in(3) {
        strides = std::array::from_fn(|_| random.pick(&[1, 1, 2, 3, 4, 5, 6, 7, 8]));
    }
    if random.once_in(50) {
        strides[random.below(5) as usize] = random.pick(&[0, 8, 9, 16, u32::MAX]);
    }
    strides
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use tensor_map::{Rule, Target};

    /// Rules of later GPUs, and of lengths, which the driver does not get.
    const NOT_GENERATED: [Rule; 10] = [
        Rule::StridesLength,
        Rule::BoxLength,
        Rule::ElementStridesLength,
        Rule::CornersLength,
        Rule::PackedTypeSwizzle,
        Rule::PackedTypeInterleave,
        Rule::DimPackedMultiple,
        Rule::BoxPackedWidth,
        Rule::WideSwizzle,
        Rule::WideBitsUnknown,
    ];

    #[test]
    fn every_rule_is_broken_alone() {
        let random = &mut Random::new(7);
        let mut alone: BTreeMap<&str, u64> = BTreeMap::new();
        for number in 0..150_000 {
            let case = case(random, MapFunction::ALL[number % 3]);
            if let MapCase::Encode(params, address) = case
                && let Err(refused) = params.build_for(address, Target::SM_90)
            {
                let mut violations = refused.violations();
                if let (Some(only), None) = (violations.next(), violations.next()) {
                    *alone.entry(only.rule.id()).or_default() += 1;
                }
            }
        }
        for rule in Rule::ALL {
            let is_generated =
                !rule.is_warning() && !NOT_GENERATED.contains(&rule) && rule != Rule::AddressNull;
            let count = alone.get(rule.id()).copied().unwrap_or(0);
            assert!(!is_generated || count >= 10, "{}: {alone:?}", rule.id());
        }
    }
}

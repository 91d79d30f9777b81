//! Compares two maps field by field.

use core::fmt::{self, Display, Formatter};

use crate::{
    Decoded, Params, TensorMap, encode,
    layout::{self, Field},
};

/// Fields with a known cause of a difference, under a name that describes it.
const WRONGLY_LARGE: Field = Field {
    name: "tensor of 128 KiB or more (the tensor is smaller)",
    ..layout::LARGE_TENSOR
};
const STALE_BYTES: Field = Field {
    name: "bytes of one box (the map's box differs)",
    ..layout::BOX_BYTES
};
const STALE_ALIGN: Field = Field {
    name: "alignment of one box (the map's swizzle differs)",
    ..layout::BOX_ALIGN
};

/// Returns the field under its descriptive name, if one of the maps contradicts itself in it.
fn contradicted(field: Field, maps: [&TensorMap; 2]) -> Field {
    let is_at_odds = |odd: fn(&Decoded) -> bool| {
        maps.iter()
            .any(|map| map.decode().is_ok_and(|decoded| odd(&decoded)))
    };
    if field == layout::LARGE_TENSOR
        && is_at_odds(|map| map.is_large && map.params.tensor().span_bytes() < 128 * 1024)
    {
        WRONGLY_LARGE
    } else if field == layout::BOX_BYTES
        && is_at_odds(|map| {
            let counted = match &map.params {
                Params::Tiled(tiled) => encode::counted_box_bytes(tiled),
                Params::Im2col(im2col) => encode::counted_column_bytes(im2col),
                Params::Im2colWide(wide) => encode::counted_column_bytes(&wide.as_im2col()),
            };
            map.box_bytes != counted
        })
    {
        STALE_BYTES
    } else if field == layout::BOX_ALIGN
        && is_at_odds(|map| map.box_align_bytes != encode::counted_align(map.params.tensor()))
    {
        STALE_ALIGN
    } else {
        field
    }
}

/// A field that two maps hold different values in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The field. Its name has more detail than the name in [`layout`] if one of the maps contradicts
    /// itself in it.
    pub field: Field,
    /// The field's value in the first of the two maps.
    pub left: u64,
    /// The value in the second map.
    pub right: u64,
}

impl Difference {
    /// Explains a difference that shows that one of the maps contradicts itself.
    pub fn note(&self) -> Option<&'static str> {
        if self.field == WRONGLY_LARGE {
            Some(
                "drivers before CUDA 13.2 set this wrongly for tensors under 128 KiB (NVIDIA bug 5736804)",
            )
        } else if self.field == STALE_BYTES || self.field == STALE_ALIGN {
            Some("tensormap.replace does not update this field")
        } else {
            None
        }
    }
}

impl Display for Difference {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            field:
                Field {
                    name,
                    word,
                    shift,
                    bits,
                },
            left,
            right,
        } = self;
        write!(
            f,
            "{name} (word {word}, bits {}:{shift}): {left:#x} and {right:#x}",
            shift + bits - 1
        )?;
        self.note().map_or(Ok(()), |note| write!(f, "; {note}"))
    }
}

impl TensorMap {
    /// Returns the fields in which this map and another differ, in the order of their bits. Bits of no known
    /// field count as fields of their word.
    ///
    /// ```
    /// use tensor_map::{DataType, Swizzle, TensorMap};
    ///
    /// let tiled = TensorMap::tiled(DataType::F32, &[64, 64]).box_dims(&[32, 32]);
    /// let (left, right) = (tiled.build(0x1000)?, tiled.swizzle(Swizzle::B128).build(0x1000)?);
    /// let differences: Vec<String> = left.differences(&right).map(|d| d.to_string()).collect();
    /// assert_eq!(differences[0], "swizzle (word 1, bits 14:13): 0x0 and 0x3");
    /// # Ok::<(), tensor_map::Violations>(())
    /// ```
    pub fn differences(&self, other: &Self) -> impl Iterator<Item = Difference> {
        let (left, right) = (*self.words(), *other.words());
        let is_im2col = layout::IM2COL.get(&left) == 1 && layout::IM2COL.get(&right) == 1;
        let known = layout::fields(is_im2col, layout::RANK.get(&left) as usize + 1);
        let mut rest = [u64::MAX; TensorMap::WORDS];
        known
            .clone()
            .for_each(|field| rest[field.word] &= !field.mask());
        let unknown = (0..TensorMap::WORDS).map(move |word| {
            let mask = if rest[word] == 0 { 1 } else { rest[word] };
            let (shift, bits) = (
                mask.trailing_zeros(),
                64 - mask.leading_zeros() - mask.trailing_zeros(),
            );
            let keep = |words: &[u64; 16]| (words[word] & rest[word]) >> shift;
            let field = Field {
                name: "unknown",
                word,
                shift,
                bits,
            };
            Difference {
                field,
                left: keep(&left),
                right: keep(&right),
            }
        });
        known
            .map(move |field| Difference {
                field,
                left: field.get(&left),
                right: field.get(&right),
            })
            .chain(unknown)
            .filter(|difference| difference.left != difference.right)
            .map(move |difference| Difference {
                field: contradicted(
                    difference.field,
                    [&Self::from_words(left), &Self::from_words(right)],
                ),
                ..difference
            })
    }
}

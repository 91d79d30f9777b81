//! The 128 bytes back into parameters.

use core::{
    error::Error,
    fmt::{self, Display, Formatter},
};

use crate::{
    DataType, Dims, Im2col, Interleave, L2Promotion, OobFill, Params, Swizzle, Tensor, TensorMap,
    Tiled, layout,
};

/// The fields of a tensor map, as read from its 128 bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Decoded {
    /// The parameters that make this map. A wide map for an H100 is an im2col map.
    ///
    /// They may break rules, since bytes can hold values that no driver encodes. A map built of them can
    /// differ from this one in fields that are not parameters: the bytes and the alignment of a box, whether
    /// the tensor counts as large, and the fields of dimensions beyond the rank.
    pub params: Params,
    /// The global address of the tensor's first element.
    pub address: u64,
    /// The bytes of a box in the map. [`tensormap.replace`](crate::replace) does not update them,
    /// so they may belong to an earlier map.
    pub box_bytes: u64,
    /// The alignment of a box in shared memory in the map, in bytes. `tensormap.replace` does not update it either.
    pub box_align_bytes: u64,
    /// True if the tensor counts as one of 128 KiB or more, see [`layout::LARGE_TENSOR`].
    pub is_large: bool,
}

/// The reason why bytes are not a tensor map.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotATensorMap {
    /// The map has more than five dimensions.
    Rank(u64),
    /// A number that is not an element type, and whether it is rounded to TensorFloat-32.
    DataType(u64, bool),
    /// A number that is not an interleave.
    Interleave(u64),
    /// Numbers for span and atom that do not form a known swizzle.
    Swizzle(u64, u64),
    /// The swizzle of 96 bytes of compute capability 10.3, which this crate does not know.
    Swizzle96,
    /// A number of dimensions that an im2col map cannot have.
    Im2colRank(u64),
    /// Unused bits that are set: a word and its bits.
    Reserved(usize, u64),
}

impl Display for NotATensorMap {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("not a valid tensor map: ")?;
        match self {
            Self::Rank(rank) => write!(f, "rank {rank} must be 1 to 5"),
            Self::DataType(code, false) => write!(f, "element type {code} does not exist"),
            Self::DataType(code, true) => {
                write!(f, "element type {code} cannot be rounded to tf32")
            }
            Self::Interleave(code) => write!(f, "interleave {code} does not exist"),
            Self::Swizzle(span, atom) => {
                write!(f, "swizzle of span {span} and atom {atom} does not exist")
            }
            Self::Swizzle96 => f.write_str(
                "the bit for a swizzle of 96 bytes is set, and this crate does not support that swizzle",
            ),
            Self::Im2colRank(rank) => write!(f, "rank {rank} must be 3 to 5 in an im2col map"),
            Self::Reserved(word, bits) => {
                write!(
                    f,
                    "unused bits {bits:#x} are set in the word at byte {}",
                    word * 8
                )
            }
        }
    }
}

impl Error for NotATensorMap {}

impl TensorMap {
    /// Decodes the contents of the map.
    ///
    /// ```
    /// use tensor_map::{DataType, Params, TensorMap};
    ///
    /// let tiled = TensorMap::tiled(DataType::I32, &[100, 64]).strides_bytes(&[416]).box_dims(&[32, 8]);
    /// let map = tiled.build(0x7f00_0000_0000)?;
    /// assert_eq!(map.decode().unwrap().params, Params::Tiled(tiled));
    /// # Ok::<(), tensor_map::Violations>(())
    /// ```
    ///
    /// # Errors
    /// The reason why these bytes are not a tensor map.
    pub const fn decode(&self) -> Result<Decoded, NotATensorMap> {
        let words = self.words();
        if let Some((word, bits)) = reserved(words) {
            return Err(NotATensorMap::Reserved(word, bits));
        }
        let tensor = match tensor(words) {
            Ok(tensor) => tensor,
            Err(error) => return Err(error),
        };
        let params = if layout::IM2COL.get(words) == 0 {
            Params::Tiled(tiled(words, tensor))
        } else if tensor.rank() < 3 {
            return Err(NotATensorMap::Im2colRank(tensor.rank() as u64));
        } else {
            Params::Im2col(im2col(words, tensor))
        };
        Ok(Decoded {
            params,
            address: layout::GLOBAL_ADDRESS.get(words),
            box_bytes: layout::BOX_BYTES.get(words),
            box_align_bytes: layout::BOX_ALIGN.get(words),
            is_large: layout::LARGE_TENSOR.get(words) == 1,
        })
    }
}

/// Returns the first word with bits that no field of such a map has.
const fn reserved(words: &[u64; TensorMap::WORDS]) -> Option<(usize, u64)> {
    let rank = layout::RANK.get(words) as usize + 1;
    let used = layout::used_bits(layout::IM2COL.get(words) == 1, rank);
    let mut word = 0;
    while word < TensorMap::WORDS {
        let bits = words[word] & !used[word];
        if bits != 0 {
            return Some((word, bits));
        }
        word += 1;
    }
    None
}

const fn tensor(words: &[u64; TensorMap::WORDS]) -> Result<Tensor, NotATensorMap> {
    let rank = layout::RANK.get(words) as usize + 1;
    if rank > crate::MAX_RANK {
        return Err(NotATensorMap::Rank(rank as u64));
    }
    let data_type = match data_type(words) {
        Ok(data_type) => data_type,
        Err(error) => return Err(error),
    };
    let interleave = layout::INTERLEAVE.get(words);
    if interleave >= Interleave::ALL.len() as u64 {
        return Err(NotATensorMap::Interleave(interleave));
    }
    if layout::SWIZZLE_96.get(words) == 1 {
        return Err(NotATensorMap::Swizzle96);
    }
    let swizzle = match swizzle(layout::SWIZZLE.get(words), layout::SWIZZLE_ATOM.get(words)) {
        Ok(swizzle) => swizzle,
        Err(error) => return Err(error),
    };
    let mut dims = Dims::<u64>::filled(0, rank);
    let mut strides = Dims::<u64>::filled(0, rank - 1);
    let mut element_strides = Dims::<u32>::filled(0, rank);
    let mut dim = 0;
    while dim < rank {
        dims.put(dim, layout::DIM[dim].get(words) + 1);
        element_strides.put(dim, layout::ELEMENT_STRIDE[dim].get(words) as u32 + 1);
        if dim + 1 < rank {
            let low = layout::STRIDE_LOW[dim].get(words) << 4;
            strides.put(dim, layout::STRIDE_HIGH[dim].get(words) << 36 | low);
        }
        dim += 1;
    }
    Ok(Tensor {
        data_type,
        dims,
        strides_bytes: strides,
        element_strides,
        interleave: Interleave::ALL[interleave as usize],
        swizzle,
        l2_promotion: L2Promotion::ALL[layout::L2_PROMOTION.get(words) as usize],
        oob_fill: OobFill::ALL[layout::OOB_FILL.get(words) as usize],
    })
}

const fn data_type(words: &[u64; TensorMap::WORDS]) -> Result<DataType, NotATensorMap> {
    let (code, tf32) = (layout::DATA_TYPE.get(words), layout::TF32.get(words));
    let mut i = 0;
    while i < DataType::ALL.len() {
        let known = layout::type_code(DataType::ALL[i]);
        if known.0 == code && known.1 == tf32 {
            return Ok(DataType::ALL[i]);
        }
        i += 1;
    }
    Err(NotATensorMap::DataType(code, tf32 == 1))
}

const fn swizzle(span: u64, atom: u64) -> Result<Swizzle, NotATensorMap> {
    let mut i = 0;
    while i < Swizzle::ALL.len() {
        let known = crate::encode::swizzle_codes(Swizzle::ALL[i]);
        if known.0 == span && known.1 == atom {
            return Ok(Swizzle::ALL[i]);
        }
        i += 1;
    }
    Err(NotATensorMap::Swizzle(span, atom))
}

const fn tiled(words: &[u64; TensorMap::WORDS], tensor: Tensor) -> Tiled {
    let mut box_dims = Dims::<u32>::filled(0, tensor.rank());
    let mut dim = 0;
    while dim < tensor.rank() {
        box_dims.put(dim, layout::BOX[dim].get(words) as u32 + 1);
        dim += 1;
    }
    Tiled { tensor, box_dims }
}

const fn im2col(words: &[u64; TensorMap::WORDS], tensor: Tensor) -> Im2col {
    let spatial = tensor.rank() - 2;
    let mut lower_corner = Dims::<i32>::filled(0, spatial);
    let mut upper_corner = Dims::<i32>::filled(0, spatial);
    let mut dim = 0;
    while dim < spatial {
        lower_corner.put(
            dim,
            layout::corner(false, spatial, dim).get_signed(words) as i32,
        );
        upper_corner.put(
            dim,
            layout::corner(true, spatial, dim).get_signed(words) as i32,
        );
        dim += 1;
    }
    Im2col {
        tensor,
        lower_corner,
        upper_corner,
        channels_per_pixel: layout::CHANNELS.get(words) as u32 + 1,
        pixels_per_column: layout::PIXELS.get(words) as u32 + 1,
    }
}

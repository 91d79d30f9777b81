use crate::DataType;

/// The most dimensions a tensor can have.
pub const MAX_RANK: usize = 5;

/// How elements of a few bytes lie in global memory (`CUtensorMapInterleave`).
#[doc(alias = "CUtensorMapInterleave")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Interleave {
    /// Plain rows.
    #[default]
    None = 0,
    /// Slices of 16 bytes.
    B16 = 1,
    /// Slices of 32 bytes.
    B32 = 2,
}

/// How 16-byte pieces are permuted in shared memory (`CUtensorMapSwizzle`).
#[doc(alias = "CUtensorMapSwizzle")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum Swizzle {
    /// As they come.
    #[default]
    None = 0,
    /// Within spans of 32 bytes.
    B32 = 1,
    /// Within spans of 64 bytes.
    B64 = 2,
    /// Within spans of 128 bytes.
    B128 = 3,
}

/// How much of a row the L2 cache fetches at once (`CUtensorMapL2promotion`).
#[doc(alias = "CUtensorMapL2promotion")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum L2Promotion {
    /// Only what is asked for.
    #[default]
    None = 0,
    /// 64 bytes.
    B64 = 1,
    /// 128 bytes.
    B128 = 2,
    /// 256 bytes.
    B256 = 3,
}

/// What a load delivers for elements outside the tensor (`CUtensorMapFloatOOBfill`).
#[doc(alias = "CUtensorMapFloatOOBfill")]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum OobFill {
    /// Zeros.
    #[default]
    Zeros = 0,
    /// A special NaN, for floating-point types.
    NanRequestZeroFma = 1,
}

/// Parameters of a tiled tensor map, as `cuTensorMapEncodeTiled` takes them.
///
/// Everything is innermost first. Lengths that disagree are kept as they are given and refused
/// when the map is encoded.
#[doc(alias = "cuTensorMapEncodeTiled")]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tiled {
    data_type: DataType,
    rank: usize,
    global_dim: [u64; MAX_RANK],
    global_strides_bytes: [u64; MAX_RANK - 1],
    box_dim: [u32; MAX_RANK],
    element_strides: [u32; MAX_RANK],
    interleave: Interleave,
    swizzle: Swizzle,
    l2_promotion: L2Promotion,
    oob_fill: OobFill,
}

impl Tiled {
    /// A tensor of `global_dim` elements per dimension, innermost first, packed without padding,
    /// read in boxes of one element.
    ///
    /// # Panics
    /// If there is no dimension, or more than [`MAX_RANK`].
    pub fn new(data_type: DataType, global_dim: &[u64]) -> Self {
        let rank = global_dim.len();
        assert!(
            (1..=MAX_RANK).contains(&rank),
            "a tensor has 1 to {MAX_RANK} dimensions, not {rank}"
        );
        let mut tiled = Self {
            data_type,
            rank,
            global_dim: [1; MAX_RANK],
            global_strides_bytes: [0; MAX_RANK - 1],
            box_dim: [1; MAX_RANK],
            element_strides: [1; MAX_RANK],
            interleave: Interleave::None,
            swizzle: Swizzle::None,
            l2_promotion: L2Promotion::None,
            oob_fill: OobFill::Zeros,
        };
        tiled.global_dim[..rank].copy_from_slice(global_dim);
        let mut stride_bytes = data_type.bytes();
        for (stride, dim) in tiled.global_strides_bytes[..rank - 1]
            .iter_mut()
            .zip(global_dim)
        {
            stride_bytes = stride_bytes.saturating_mul(*dim);
            *stride = stride_bytes;
        }
        tiled
    }

    /// Bytes from one element to the next in dimensions 1 and up; one fewer than there are
    /// dimensions.
    ///
    /// # Panics
    /// If their number is not the rank less one.
    #[must_use]
    pub fn strides_bytes(mut self, strides_bytes: &[u64]) -> Self {
        let expected = self.rank - 1;
        let given = strides_bytes.len();
        assert_eq!(
            given, expected,
            "a tensor of rank {} has {expected} strides, not {given}",
            self.rank
        );
        self.global_strides_bytes[..expected].copy_from_slice(strides_bytes);
        self
    }

    /// Elements of one box in each dimension.
    ///
    /// # Panics
    /// If their number is not the rank.
    #[must_use]
    pub fn box_dim(mut self, box_dim: &[u32]) -> Self {
        let (rank, given) = (self.rank, box_dim.len());
        assert_eq!(
            given, rank,
            "a tensor of rank {rank} has {rank} box dimensions, not {given}"
        );
        self.box_dim[..rank].copy_from_slice(box_dim);
        self
    }

    /// Take every n-th element in each dimension.
    ///
    /// # Panics
    /// If their number is not the rank.
    #[must_use]
    pub fn element_strides(mut self, element_strides: &[u32]) -> Self {
        let (rank, given) = (self.rank, element_strides.len());
        assert_eq!(
            given, rank,
            "a tensor of rank {rank} has {rank} element strides, not {given}"
        );
        self.element_strides[..rank].copy_from_slice(element_strides);
        self
    }

    /// Lay global memory out in slices.
    #[must_use]
    pub fn interleave(mut self, interleave: Interleave) -> Self {
        self.interleave = interleave;
        self
    }

    /// Permute 16-byte pieces in shared memory.
    #[must_use]
    pub fn swizzle(mut self, swizzle: Swizzle) -> Self {
        self.swizzle = swizzle;
        self
    }

    /// Fetch more into the L2 cache than is asked for.
    #[must_use]
    pub fn l2_promotion(mut self, l2_promotion: L2Promotion) -> Self {
        self.l2_promotion = l2_promotion;
        self
    }

    /// What loads deliver outside the tensor.
    #[must_use]
    pub fn oob_fill(mut self, oob_fill: OobFill) -> Self {
        self.oob_fill = oob_fill;
        self
    }

    /// Number of dimensions.
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// Type of an element.
    pub fn data_type(&self) -> DataType {
        self.data_type
    }

    /// Elements in each dimension.
    pub fn global_dim(&self) -> &[u64] {
        &self.global_dim[..self.rank]
    }

    /// Strides in bytes of dimensions 1 and up.
    pub fn global_strides_bytes(&self) -> &[u64] {
        &self.global_strides_bytes[..self.rank - 1]
    }

    /// Elements of a box in each dimension.
    pub fn get_box_dim(&self) -> &[u32] {
        &self.box_dim[..self.rank]
    }

    /// Element strides in each dimension.
    pub fn get_element_strides(&self) -> &[u32] {
        &self.element_strides[..self.rank]
    }

    /// Interleave layout.
    pub fn get_interleave(&self) -> Interleave {
        self.interleave
    }

    /// Swizzle mode.
    pub fn get_swizzle(&self) -> Swizzle {
        self.swizzle
    }

    /// L2 promotion.
    pub fn get_l2_promotion(&self) -> L2Promotion {
        self.l2_promotion
    }

    /// Fill for elements outside the tensor.
    pub fn get_oob_fill(&self) -> OobFill {
        self.oob_fill
    }

    /// Bytes that one load of the box delivers to its barrier, element strides not counted.
    pub fn box_bytes(&self) -> u64 {
        self.get_box_dim()
            .iter()
            .fold(self.data_type.bytes(), |bytes, dim| {
                bytes.saturating_mul(u64::from(*dim))
            })
    }

    /// Bytes of global memory from the tensor's address to the end of its last element.
    pub fn span_bytes(&self) -> u64 {
        let steps = |dim: u64| dim.saturating_sub(1);
        let outer = self.global_dim()[1..]
            .iter()
            .zip(self.global_strides_bytes())
            .fold(0u64, |span, (dim, stride)| {
                span.saturating_add(steps(*dim).saturating_mul(*stride))
            });
        outer.saturating_add(self.global_dim[0].saturating_mul(self.data_type.bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn default_strides_are_packed() {
        let tiled = Tiled::new(DataType::F16, &[32, 162, 94]);
        assert_eq!(tiled.global_strides_bytes(), [64, 64 * 162]);
        assert_eq!(tiled.span_bytes(), 32 * 162 * 94 * 2);
    }

    #[test]
    fn span_ends_with_the_last_element_not_the_last_stride() {
        let padded = Tiled::new(DataType::I32, &[3, 4]).strides_bytes(&[16]);
        assert_eq!(padded.span_bytes(), 3 * 16 + 12);
    }

    #[test]
    #[should_panic(expected = "a tensor of rank 2 has 1 strides, not 2")]
    fn strides_of_another_rank_are_refused() {
        let _ = Tiled::new(DataType::I32, &[3, 4]).strides_bytes(&[16, 64]);
    }
}

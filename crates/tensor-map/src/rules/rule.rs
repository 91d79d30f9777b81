/// A requirement on the parameters of a map, or a warning about parameters that are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// A tiled tensor has 1 to 5 dimensions, a tensor of pixels 3 to 5.
    RankRange,
    /// Interleaved tensors have at least three dimensions.
    InterleaveRank,
    /// There is one stride fewer than dimensions.
    StridesLength,
    /// There is one box length for each dimension.
    BoxLength,
    /// There is one element stride for each dimension.
    ElementStridesLength,
    /// Corners have a value for each spatial dimension.
    CornersLength,
    /// Some types need compute capability 10.0.
    TypeNeedsBlackwell,
    /// Some swizzles need compute capability 10.0.
    SwizzleNeedsBlackwell,
    /// NaN can fill floating-point tensors only.
    NanFillNeedsFloat,
    /// Types with gaps in shared memory support few swizzles.
    PackedTypeSwizzle,
    /// Types of 6 bits are not interleaved.
    PackedTypeInterleave,
    /// The address is a multiple of 16 or 32.
    AddressMultiple,
    /// The address has at most 57 bits.
    AddressRange,
    /// An address that replaces another is not null.
    AddressNull,
    /// A dimension has 1 to 2^32 elements.
    DimRange,
    /// Rows of packed types are whole groups.
    DimPackedMultiple,
    /// Strides are multiples of 16 or 32.
    StrideMultiple,
    /// Strides are below 2^40.
    StrideRange,
    /// Element strides are 1 to 8.
    ElementStrideRange,
    /// A box has 1 to 256 elements in each dimension.
    BoxRange,
    /// Boxes of types with gaps in shared memory are 128 elements wide.
    BoxPackedWidth,
    /// The row of a box is a multiple of 16 bytes.
    BoxRowMultiple,
    /// The row of a box fits the swizzle span.
    BoxRowSpan,
    /// A box fits shared memory.
    BoxFitsShared,
    /// A pixel has 1 to 256 channels.
    ChannelsRange,
    /// A column has 1 to 1024 pixels.
    PixelsRange,
    /// Corners fit in 16, 8 or 5 bits, depending on the rank.
    CornerRange,
    /// The box of pixels is not empty.
    PixelBoxEmpty,
    /// Wide maps support few swizzles.
    WideSwizzle,
    /// The bits of wide maps for later GPUs are not known.
    WideBitsUnknown,

    /// 32-byte slices need the 32-byte swizzle. A warning for compute capability 9.0.
    InterleaveSwizzle,
    /// Warning: wide maps need compute capability 10.0.
    WideNeedsBlackwell,
    /// Warning: the box is longer than the tensor.
    BoxBeyondTensor,
    /// Warning: rows overlap.
    StrideOverlap,
    /// Warning: strides get smaller outwards.
    StridesDecrease,
    /// Warning: rows of the box are shorter than the swizzle span.
    SpanNotFilled,
    /// Warning: the swizzle repeats after more than 128 bytes.
    SharedAlign,
    /// Warning: a box is larger than the shared memory of one block.
    BoxBeyondBlock,
    /// Warning: an element stride has no effect.
    ElementStrideIgnored,
    /// Warning: an element stride does not divide the box.
    ElementStrideRemainder,
    /// Warning: the address is null.
    NullAddress,
    /// Warning: a box has more than one slice of channels.
    BoxSlices,
    /// Warning: a row does not end at a multiple of 16 bytes.
    RowRemainder,
    /// Warning: the element type can be loaded only, not stored.
    LoadOnly,
    /// Warning: the swizzle can be used by stores only.
    StoreOnly,
}

impl Rule {
    /// All rules, requirements before warnings.
    pub const ALL: [Self; 45] = [
        Self::RankRange,
        Self::InterleaveRank,
        Self::StridesLength,
        Self::BoxLength,
        Self::ElementStridesLength,
        Self::CornersLength,
        Self::TypeNeedsBlackwell,
        Self::SwizzleNeedsBlackwell,
        Self::NanFillNeedsFloat,
        Self::PackedTypeSwizzle,
        Self::PackedTypeInterleave,
        Self::AddressMultiple,
        Self::AddressRange,
        Self::AddressNull,
        Self::DimRange,
        Self::DimPackedMultiple,
        Self::StrideMultiple,
        Self::StrideRange,
        Self::ElementStrideRange,
        Self::BoxRange,
        Self::BoxPackedWidth,
        Self::BoxRowMultiple,
        Self::BoxRowSpan,
        Self::BoxFitsShared,
        Self::ChannelsRange,
        Self::PixelsRange,
        Self::CornerRange,
        Self::PixelBoxEmpty,
        Self::WideSwizzle,
        Self::WideBitsUnknown,
        Self::InterleaveSwizzle,
        Self::WideNeedsBlackwell,
        Self::BoxBeyondTensor,
        Self::StrideOverlap,
        Self::StridesDecrease,
        Self::SpanNotFilled,
        Self::SharedAlign,
        Self::BoxBeyondBlock,
        Self::ElementStrideIgnored,
        Self::ElementStrideRemainder,
        Self::NullAddress,
        Self::BoxSlices,
        Self::RowRemainder,
        Self::LoadOnly,
        Self::StoreOnly,
    ];

    /// Returns the name of the rule in messages.
    pub const fn id(self) -> &'static str {
        self.card().0
    }

    /// Returns the rule as one sentence.
    pub const fn summary(self) -> &'static str {
        self.card().1
    }

    /// Returns the source of the rule: a reference, or the GPU on which it was observed.
    pub const fn source(self) -> &'static str {
        self.card().2
    }

    /// Returns whether maps are built although they break this rule, at least for compute capability
    /// 9.0; later GPUs require [`InterleaveSwizzle`](Self::InterleaveSwizzle).
    pub const fn is_warning(self) -> bool {
        self as u32 >= Self::InterleaveSwizzle as u32
    }

    const fn card(self) -> (&'static str, &'static str, &'static str) {
        match self {
            Self::RankRange => (
                "rank-range",
                "A tiled tensor has 1 to 5 dimensions, a tensor of pixels 3 to 5.",
                "cuTensorMapEncode*, tensorRank",
            ),
            Self::InterleaveRank => (
                "interleave-rank",
                "An interleaved tensor has at least 3 dimensions.",
                "cuTensorMapEncodeTiled, tensorRank",
            ),
            Self::StridesLength => (
                "strides-length",
                "There is one stride fewer than dimensions.",
                "cuTensorMapEncode*, globalStrides",
            ),
            Self::BoxLength => (
                "box-length",
                "There is one box length for each dimension.",
                "cuTensorMapEncodeTiled, boxDim",
            ),
            Self::ElementStridesLength => (
                "element-strides-length",
                "There is one element stride for each dimension.",
                "cuTensorMapEncode*, elementStrides",
            ),
            Self::CornersLength => (
                "corners-length",
                "A corner has one value for each spatial dimension, two fewer than dimensions.",
                "cuTensorMapEncodeIm2col, pixelBoxLowerCorner",
            ),
            Self::TypeNeedsBlackwell => (
                "type-needs-blackwell",
                "Types of 4 and 6 bits need compute capability 10.0.",
                "refused by the driver on an H100; PTX ISA 5.5.1, sub-byte types",
            ),
            Self::SwizzleNeedsBlackwell => (
                "swizzle-needs-blackwell",
                "128-byte swizzles of pieces of 32 or 64 bytes need compute capability 10.0.",
                "refused by the driver on an H100; PTX ISA 5.5.7",
            ),
            Self::NanFillNeedsFloat => (
                "nan-fill-needs-float",
                "NaN can fill tensors of ordinary floating-point types only.",
                "cuTensorMapEncode*, oobFill",
            ),
            Self::PackedTypeSwizzle => (
                "packed-type-swizzle",
                "Types with gaps in shared memory support few swizzles.",
                "cuTensorMapEncode*, swizzle",
            ),
            Self::PackedTypeInterleave => (
                "packed-type-interleave",
                "Types of 6 bits are not interleaved.",
                "cuTensorMapEncode*, interleave",
            ),
            Self::AddressMultiple => (
                "address-multiple",
                "The address is a multiple of 16, or of 32 for 32-byte slices and types with gaps.",
                "cuTensorMapEncode*, globalAddress",
            ),
            Self::AddressRange => (
                "address-range",
                "The address is below 2^57.",
                "refused by the driver on an H100",
            ),
            Self::AddressNull => (
                "address-null",
                "An address that replaces another is not null.",
                "refused by cuTensorMapReplaceAddress on an H100",
            ),
            Self::DimRange => (
                "dim-range",
                "A dimension has 1 to 2^32 elements.",
                "cuTensorMapEncode*, globalDim",
            ),
            Self::DimPackedMultiple => (
                "dim-packed-multiple",
                "Rows of packed types are whole bytes, or whole groups of 128 elements where there are gaps.",
                "cuTensorMapEncode*, globalDim",
            ),
            Self::StrideMultiple => (
                "stride-multiple",
                "A stride is a multiple of 16 bytes, or of 32 for 32-byte slices and types with gaps.",
                "cuTensorMapEncode*, globalStrides",
            ),
            Self::StrideRange => (
                "stride-range",
                "A stride is below 2^40 bytes.",
                "cuTensorMapEncode*, globalStrides",
            ),
            Self::ElementStrideRange => (
                "element-stride-range",
                "An element stride is 1 to 8.",
                "cuTensorMapEncode*, elementStrides",
            ),
            Self::BoxRange => (
                "box-range",
                "A box has 1 to 256 elements in each dimension.",
                "cuTensorMapEncodeTiled, boxDim",
            ),
            Self::BoxPackedWidth => (
                "box-packed-width",
                "Boxes of types with gaps are 128 elements wide.",
                "cuTensorMapEncode*, boxDim, channelsPerPixel",
            ),
            Self::BoxRowMultiple => (
                "box-row-multiple",
                "The row of a box is a multiple of 16 bytes.",
                "cuTensorMapEncodeTiled, boxDim; by the driver on an H100 for all modes and interleaves",
            ),
            Self::BoxRowSpan => (
                "box-row-span",
                "Without interleave, the row of a box is not longer than the swizzle span.",
                "cuTensorMapEncode*, interleave",
            ),
            Self::BoxFitsShared => (
                "box-fits-shared",
                "A box fits the shared memory of a multiprocessor.",
                "refused by the driver on an H100 above 233472 bytes",
            ),
            Self::ChannelsRange => (
                "channels-range",
                "A copy takes 1 to 256 channels of a pixel.",
                "cuTensorMapEncodeIm2col, channelsPerPixel",
            ),
            Self::PixelsRange => (
                "pixels-range",
                "A column has 1 to 1024 pixels.",
                "cuTensorMapEncodeIm2col, pixelsPerColumn",
            ),
            Self::CornerRange => (
                "corner-range",
                "Corners have 16, 8 or 5 bits for one, two or three spatial dimensions, and corners of wide maps 16.",
                "cuTensorMapEncodeIm2col, pixelBoxLowerCorner",
            ),
            Self::PixelBoxEmpty => (
                "pixel-box-empty",
                "The box of pixels is not empty, and ends below 2^31.",
                "cuTensorMapEncodeIm2col, pixelBoxUpperCorner; with 32-bit arithmetic by the driver on an H100",
            ),
            Self::WideSwizzle => (
                "wide-swizzle",
                "Wide maps support the swizzles 64b, 128b and 128b-atom-32b.",
                "cuTensorMapEncodeIm2colWide, swizzle",
            ),
            Self::WideBitsUnknown => (
                "wide-bits-unknown",
                "The bits of wide maps are known for an H100 only; other maps must be encoded by the driver.",
                "not seen: no GPU of compute capability 10.0 was at hand",
            ),
            Self::InterleaveSwizzle => (
                "interleave-swizzle",
                "32-byte slices need the 32-byte swizzle, though a driver on an H100 accepts others; an error for later GPUs.",
                "cuTensorMapEncode*, interleave",
            ),
            Self::WideNeedsBlackwell => (
                "wide-needs-blackwell",
                "Wide copies need compute capability 10.0, though a driver on an H100 makes an ordinary im2col map.",
                "cuTensorMapEncodeIm2colWide",
            ),
            Self::BoxBeyondTensor => (
                "box-beyond-tensor",
                "A box longer than the tensor is partly out of bounds wherever it is.",
                "accepted by the driver on an H100",
            ),
            Self::StrideOverlap => (
                "stride-overlap",
                "A stride shorter than the bytes that it steps over makes elements share memory.",
                "cuTensorMapEncode*, globalStrides; accepted by the driver on an H100",
            ),
            Self::StridesDecrease => (
                "strides-decrease",
                "Strides that get smaller outwards may be written outermost first.",
                "cuTensorMapEncode*, globalStrides; accepted by the driver on an H100",
            ),
            Self::SpanNotFilled => (
                "span-not-filled",
                "A row occupies a full swizzle span in shared memory, even if it is shorter.",
                "seen on an H100",
            ),
            Self::SharedAlign => (
                "shared-align",
                "The swizzle follows the shared address and repeats after eight spans: align buffers to that.",
                "PTX ISA 5.5.7; seen on an H100",
            ),
            Self::BoxBeyondBlock => (
                "box-beyond-block",
                "One block can have 1 KiB less shared memory than the multiprocessor.",
                "CUDA programming guide, compute capabilities",
            ),
            Self::ElementStrideIgnored => (
                "element-stride-ignored",
                "The element stride of dimension 0 is ignored without interleave.",
                "cuTensorMapEncode*, elementStrides; seen on an H100",
            ),
            Self::ElementStrideRemainder => (
                "element-stride-remainder",
                "An element stride that does not divide the box is rounded up by the copy and down by the driver.",
                "cuTensorMapEncode*, elementStrides",
            ),
            Self::NullAddress => (
                "null-address",
                "A null address is accepted; the address must be replaced before the map is used.",
                "accepted by the driver on an H100",
            ),
            Self::BoxSlices => (
                "box-slices",
                "A copy of an interleaved tensor takes one slice of channels, even if the box has several.",
                "seen on an H100",
            ),
            Self::RowRemainder => (
                "row-remainder",
                "Stores are cut at the end of dimension 0 in units of 16 bytes, so they overwrite what follows a shorter row.",
                "seen on an H100",
            ),
            Self::LoadOnly => (
                "load-only",
                "The type u4x16-align16 can be loaded only, not stored.",
                "cuTensorMapEncode*, swizzle",
            ),
            Self::StoreOnly => (
                "store-only",
                "The swizzle 128b-atom-64b of u6x16-align16 can be used by stores only.",
                "cuTensorMapEncode*, swizzle",
            ),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_rule_is_listed_once_with_its_own_id() {
        for (number, rule) in Rule::ALL.into_iter().enumerate() {
            assert_eq!(rule as usize, number, "{}", rule.id());
            assert!(
                Rule::ALL[..number]
                    .iter()
                    .all(|other| other.id() != rule.id())
            );
            assert!(
                rule.id()
                    .bytes()
                    .all(|byte| byte == b'-' || byte.is_ascii_lowercase())
            );
            assert!(rule.summary().ends_with('.') && !rule.source().is_empty());
        }
    }
}

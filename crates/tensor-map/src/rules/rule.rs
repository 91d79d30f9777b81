use super::Violation;

macro_rules! rules {
    ($($rule:ident $id:literal $severity:ident $summary:literal $source:literal $message:literal
        $(if $field:ident $compare:tt $number:expr => $special:literal)?;)*) => {
        /// A requirement on the parameters of a map, or a warning about parameters that are allowed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $(
                #[doc = concat!($summary, "\n\n", stringify!($severity), "; source: ", $source, ".")]
                $rule,
            )*
        }

        impl Rule {
            /// All rules, requirements before warnings.
            pub const ALL: [Self; [$($id),*].len()] = [$(Self::$rule),*];

            /// Returns the name of the rule in messages.
            pub const fn id(self) -> &'static str {
                match self { $(Self::$rule => $id,)* }
            }

            /// Returns the rule as one sentence.
            pub const fn summary(self) -> &'static str {
                match self { $(Self::$rule => $summary,)* }
            }

            /// Returns the source of the rule: a reference, or the GPU on which it was observed.
            pub const fn source(self) -> &'static str {
                match self { $(Self::$rule => $source,)* }
            }

            /// Returns whether maps are built although they break this rule, at least for compute capability
            /// 9.0; later GPUs require [`InterleaveSwizzle`](Self::InterleaveSwizzle).
            pub const fn is_warning(self) -> bool {
                match self { $(Self::$rule => matches!(Severity::$severity, Severity::Warning),)* }
            }

            /// Returns the message of a violation, with names in braces for its numbers.
            pub(super) const fn message(self, violation: &Violation) -> &'static str {
                match self {
                    $(
                        $(Self::$rule if violation.$field $compare $number => $special,)?
                        Self::$rule => $message,
                    )*
                }
            }
        }
    };
}

enum Severity {
    Requirement,
    Warning,
}

// A row: id, severity, summary, source, and the message, where a special case may have one of its own.
rules! {
    RankRange "rank-range" Requirement
    "A tiled tensor has 1 to 5 dimensions, a tensor of pixels 3 to 5."
    "cuTensorMapEncode*, tensorRank"
    "must be {measured} to {limit}";
    InterleaveRank "interleave-rank" Requirement
    "An interleaved tensor has at least 3 dimensions."
    "cuTensorMapEncodeTiled, tensorRank"
    "must be at least 3 in an interleaved tensor";
    StridesLength "strides-length" Requirement
    "There is one stride fewer than dimensions."
    "cuTensorMapEncode*, globalStrides"
    "must be {limit}, one for each dimension but the innermost";
    BoxLength "box-length" Requirement
    "There is one box length for each dimension."
    "cuTensorMapEncodeTiled, boxDim"
    "must be {limit}, one for each dimension";
    ElementStridesLength "element-strides-length" Requirement
    "There is one element stride for each dimension."
    "cuTensorMapEncode*, elementStrides"
    "must be {limit}, one for each dimension";
    CornersLength "corners-length" Requirement
    "A corner has one value for each spatial dimension, two fewer than dimensions."
    "cuTensorMapEncodeIm2col, pixelBoxLowerCorner"
    "must be {limit}, one for each spatial dimension";
    TypeNeedsBlackwell "type-needs-blackwell" Requirement
    "Types of 4 and 6 bits need compute capability 10.0."
    "refused by the driver on an H100; PTX ISA 5.5.1, sub-byte types"
    "must not be used below compute capability 10.0, and the target is {capability}";
    SwizzleNeedsBlackwell "swizzle-needs-blackwell" Requirement
    "128-byte swizzles of pieces of 32 or 64 bytes need compute capability 10.0."
    "refused by the driver on an H100; PTX ISA 5.5.7"
    "must not be used below compute capability 10.0, and the target is {capability}";
    NanFillNeedsFloat "nan-fill-needs-float" Requirement
    "NaN can fill tensors of ordinary floating-point types only."
    "cuTensorMapEncode*, oobFill"
    "element type must be f16, bf16, f32, tf32 or f64";
    PackedTypeSwizzle "packed-type-swizzle" Requirement
    "Types with gaps in shared memory support few swizzles."
    "cuTensorMapEncode*, swizzle"
    "must be none, 128b or 128b-atom-32b for this element type"
    if measured == 1 => "must be none, 128b, 128b-atom-32b or, in stores, 128b-atom-64b for this element type";
    PackedTypeInterleave "packed-type-interleave" Requirement
    "Types of 6 bits are not interleaved."
    "cuTensorMapEncode*, interleave"
    "must be none for elements of 6 bits";
    AddressMultiple "address-multiple" Requirement
    "The address is a multiple of 16, or of 32 for 32-byte slices and types with gaps."
    "cuTensorMapEncode*, globalAddress"
    "must be a multiple of {limit}";
    AddressRange "address-range" Requirement
    "The address is below 2^57."
    "refused by the driver on an H100"
    "must be below 2^57";
    AddressNull "address-null" Requirement
    "An address that replaces another is not null."
    "refused by cuTensorMapReplaceAddress on an H100"
    "must not be null";
    DimRange "dim-range" Requirement
    "A dimension has 1 to 2^32 elements."
    "cuTensorMapEncode*, globalDim"
    "must be 1 to 2^32 elements";
    DimPackedMultiple "dim-packed-multiple" Requirement
    "Rows of packed types are whole bytes, or whole groups of 128 elements where there are gaps."
    "cuTensorMapEncode*, globalDim"
    "must be a multiple of {limit} elements";
    StrideMultiple "stride-multiple" Requirement
    "A stride is a multiple of 16 bytes, or of 32 for 32-byte slices and types with gaps."
    "cuTensorMapEncode*, globalStrides"
    "must be a multiple of {limit} bytes";
    StrideRange "stride-range" Requirement
    "A stride is below 2^40 bytes."
    "cuTensorMapEncode*, globalStrides"
    "must be below 2^40 bytes";
    ElementStrideRange "element-stride-range" Requirement
    "An element stride is 1 to 8."
    "cuTensorMapEncode*, elementStrides"
    "must be 1 to 8";
    BoxRange "box-range" Requirement
    "A box has 1 to 256 elements in each dimension."
    "cuTensorMapEncodeTiled, boxDim"
    "must be 1 to 256 elements";
    BoxPackedWidth "box-packed-width" Requirement
    "Boxes of types with gaps are 128 elements wide."
    "cuTensorMapEncode*, boxDim, channelsPerPixel"
    "must be 128 elements for this element type";
    BoxRowMultiple "box-row-multiple" Requirement
    "The row of a box is a multiple of 16 bytes."
    "cuTensorMapEncodeTiled, boxDim; by the driver on an H100 for all modes and interleaves"
    "row of {measured} bytes must be a multiple of 16";
    BoxRowSpan "box-row-span" Requirement
    "Without interleave, the row of a box is not longer than the swizzle span."
    "cuTensorMapEncode*, interleave"
    "row of {measured} bytes must fit the swizzle span of {limit}";
    BoxFitsShared "box-fits-shared" Requirement
    "A box fits the shared memory of a multiprocessor."
    "refused by the driver on an H100 above 233472 bytes"
    "box of {measured} bytes must fit {limit} bytes of shared memory";
    ChannelsRange "channels-range" Requirement
    "A copy takes 1 to 256 channels of a pixel."
    "cuTensorMapEncodeIm2col, channelsPerPixel"
    "must be 1 to 256 elements";
    PixelsRange "pixels-range" Requirement
    "A column has 1 to 1024 pixels."
    "cuTensorMapEncodeIm2col, pixelsPerColumn"
    "must be 1 to 1024 pixels";
    CornerRange "corner-range" Requirement
    "Corners have 16, 8 or 5 bits for one, two or three spatial dimensions, and corners of wide maps 16."
    "cuTensorMapEncodeIm2col, pixelBoxLowerCorner"
    "must be {measured} to {limit} in a tensor of this rank"
    if limit == i16::MAX as i128 => "must be {measured} to {limit}";
    PixelBoxEmpty "pixel-box-empty" Requirement
    "The box of pixels is not empty, and ends below 2^31."
    "cuTensorMapEncodeIm2col, pixelBoxUpperCorner; with 32-bit arithmetic by the driver on an H100"
    "end of the box of pixels, {measured}, must be above its first pixel, {limit}"
    if measured >= 1 << 31 => "end of the box of pixels, {measured}, must be below 2^31";
    WideSwizzle "wide-swizzle" Requirement
    "Wide maps support the swizzles 64b, 128b and 128b-atom-32b."
    "cuTensorMapEncodeIm2colWide, swizzle"
    "must be 64b, 128b or 128b-atom-32b";
    WideBitsUnknown "wide-bits-unknown" Requirement
    "The bits of wide maps are known for an H100 only; other maps must be encoded by the driver."
    "not seen: no GPU of compute capability 10.0 was at hand"
    "must be encoded by the driver: the bits of wide maps for compute capability {capability} are unknown";
    InterleaveSwizzle "interleave-swizzle" Warning
    "32-byte slices need the 32-byte swizzle, though a driver on an H100 accepts others; an error for later GPUs."
    "cuTensorMapEncode*, interleave"
    "should be 32b for 32-byte slices";
    WideNeedsBlackwell "wide-needs-blackwell" Warning
    "Wide copies need compute capability 10.0, though a driver on an H100 makes an ordinary im2col map."
    "cuTensorMapEncodeIm2colWide"
    "wide copies need compute capability 10.0; on this target the map is an ordinary im2col map";
    BoxBeyondTensor "box-beyond-tensor" Warning
    "A box longer than the tensor is partly out of bounds wherever it is."
    "accepted by the driver on an H100"
    "longer than the {limit} elements of the tensor, so every box is partly out of bounds";
    StrideOverlap "stride-overlap" Warning
    "A stride shorter than the bytes that it steps over makes elements share memory."
    "cuTensorMapEncode*, globalStrides; accepted by the driver on an H100"
    "shorter than the {limit} bytes that it steps over, so elements share memory";
    StridesDecrease "strides-decrease" Warning
    "Strides that get smaller outwards may be written outermost first."
    "cuTensorMapEncode*, globalStrides; accepted by the driver on an H100"
    "smaller than the {limit} before it; check that strides are innermost first";
    SpanNotFilled "span-not-filled" Warning
    "A row occupies a full swizzle span in shared memory, even if it is shorter."
    "seen on an H100"
    "a row of {measured} bytes occupies a full swizzle span of {limit} bytes in shared memory";
    SharedAlign "shared-align" Warning
    "The swizzle follows the shared address and repeats after eight spans: align buffers to that."
    "PTX ISA 5.5.7; seen on an H100"
    "shared-memory buffer must be aligned to {limit} bytes, not 128";
    BoxBeyondBlock "box-beyond-block" Warning
    "One block can have 1 KiB less shared memory than the multiprocessor."
    "CUDA programming guide, compute capabilities"
    "box of {measured} bytes is larger than the {limit} bytes that one block can have";
    ElementStrideIgnored "element-stride-ignored" Warning
    "The element stride of dimension 0 is ignored without interleave."
    "cuTensorMapEncode*, elementStrides; seen on an H100"
    "ignored in dimension 0; all elements are copied";
    ElementStrideRemainder "element-stride-remainder" Warning
    "An element stride that does not divide the box is rounded up by the copy and down by the driver."
    "cuTensorMapEncode*, elementStrides"
    "does not divide the box of {limit}: the copy takes {measured} elements, the driver counts one fewer";
    NullAddress "null-address" Warning
    "A null address is accepted; the address must be replaced before the map is used."
    "accepted by the driver on an H100"
    "must be replaced before the map is used";
    BoxSlices "box-slices" Warning
    "A copy of an interleaved tensor takes one slice of channels, even if the box has several."
    "seen on an H100"
    "a copy takes one slice of channels, whatever the length of the box";
    RowRemainder "row-remainder" Warning
    "Stores are cut at the end of dimension 0 in units of 16 bytes, so they overwrite what follows a shorter row."
    "seen on an H100"
    "rows of {measured} bytes, but stores write units of 16 bytes, up to byte {limit}";
    LoadOnly "load-only" Warning
    "The type u4x16-align16 can be loaded only, not stored."
    "cuTensorMapEncode*, swizzle"
    "can be loaded only, not stored";
    StoreOnly "store-only" Warning
    "The swizzle 128b-atom-64b of u6x16-align16 can be used by stores only."
    "cuTensorMapEncode*, swizzle"
    "can be used by stores only with this element type";
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

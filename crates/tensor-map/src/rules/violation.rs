use core::fmt::{self, Display, Formatter};

use super::Rule;
use crate::{DataType, Dims, Interleave, Swizzle};

/// A parameter that a violation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// The number of dimensions.
    Rank,
    /// The element type.
    DataType,
    /// The global address.
    Address,
    /// The length of a dimension.
    Dim(usize),
    /// All strides.
    Strides,
    /// A stride, numbered from 0 for dimension 1.
    Stride(usize),
    /// All element strides.
    ElementStrides,
    /// An element stride.
    ElementStride(usize),
    /// All lengths of the box.
    BoxDims,
    /// A length of the box.
    BoxDim(usize),
    /// Channels per pixel.
    ChannelsPerPixel,
    /// Pixels per column.
    PixelsPerColumn,
    /// The lower corner, or its value in a spatial dimension.
    LowerCorner(Option<usize>),
    /// The upper corner, or its value in a spatial dimension.
    UpperCorner(Option<usize>),
    /// The interleave.
    Interleave,
    /// The swizzle.
    Swizzle,
    /// The fill.
    OobFill,
    /// The mode of a wide map.
    Mode,
}

impl Display for Parameter {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rank => f.write_str("rank"),
            Self::DataType => f.write_str("data type"),
            Self::Address => f.write_str("address"),
            Self::Dim(dim) => write!(f, "dims[{dim}]"),
            Self::Strides => f.write_str("strides_bytes"),
            Self::Stride(dim) => write!(f, "strides_bytes[{dim}]"),
            Self::ElementStrides => f.write_str("element_strides"),
            Self::ElementStride(dim) => write!(f, "element_strides[{dim}]"),
            Self::BoxDims => f.write_str("box_dims"),
            Self::BoxDim(dim) => write!(f, "box_dims[{dim}]"),
            Self::ChannelsPerPixel => f.write_str("channels_per_pixel"),
            Self::PixelsPerColumn => f.write_str("pixels_per_column"),
            Self::LowerCorner(None) => f.write_str("lower_corner"),
            Self::LowerCorner(Some(dim)) => write!(f, "lower_corner[{dim}]"),
            Self::UpperCorner(None) => f.write_str("upper_corner"),
            Self::UpperCorner(Some(dim)) => write!(f, "upper_corner[{dim}]"),
            Self::Interleave => f.write_str("interleave"),
            Self::Swizzle => f.write_str("swizzle"),
            Self::OobFill => f.write_str("oob_fill"),
            Self::Mode => f.write_str("mode"),
        }
    }
}

/// The value of a parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number.
    Number(i128),
    /// An address.
    Address(u64),
    /// The number of values.
    Values(usize),
    /// A length for each dimension.
    Lengths(Dims<u32>),
    /// A type.
    Type(DataType),
    /// An interleave.
    Interleave(Interleave),
    /// A swizzle.
    Swizzle(Swizzle),
    /// Any other name.
    Name(&'static str),
}

impl Display for Value {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Address(address) => write!(f, "{address:#x}"),
            Self::Values(1) => f.write_str("1 value"),
            Self::Values(count) => write!(f, "{count} values"),
            Self::Lengths(lengths) => write!(f, "{lengths:?}"),
            Self::Type(data_type) => f.write_str(data_type.name()),
            Self::Interleave(interleave) => f.write_str(interleave.name()),
            Self::Swizzle(swizzle) => f.write_str(swizzle.name()),
            Self::Name(name) => f.write_str(name),
        }
    }
}

/// A rule that some parameters break, or a warning about them.
///
/// Displayed as one line: the parameter and its value, the requirement, the nearest valid value, and the rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The rule.
    pub rule: Rule,
    /// The parameter.
    pub parameter: Parameter,
    /// The value of the parameter.
    pub value: Value,
    /// The number that the rule compares, where it is not the value itself: most often bytes.
    pub measured: i128,
    /// The number that it compares with.
    pub limit: i128,
    /// The nearest value that keeps the rule.
    pub nearest: Option<Value>,
}

impl Violation {
    pub(crate) const fn new(rule: Rule, parameter: Parameter, value: Value) -> Self {
        Self {
            rule,
            parameter,
            value,
            measured: 0,
            limit: 0,
            nearest: None,
        }
    }

    pub(crate) const fn measured(mut self, measured: i128) -> Self {
        self.measured = measured;
        self
    }

    pub(crate) const fn limit(mut self, limit: i128) -> Self {
        self.limit = limit;
        self
    }

    pub(crate) const fn try_value(mut self, nearest: Value) -> Self {
        self.nearest = Some(nearest);
        self
    }

    pub(crate) const fn try_number(self, nearest: i128) -> Self {
        self.try_value(Value::Number(nearest))
    }
}

impl Display for Violation {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            rule,
            parameter,
            value,
            measured,
            limit,
            nearest,
        } = self;
        match value {
            Value::Values(_) => write!(f, "{parameter} has {value}: ")?,
            _ => write!(f, "{parameter} = {value}: ")?,
        }
        match rule {
            Rule::RankRange => write!(f, "must be {measured} to {limit}"),
            Rule::InterleaveRank => write!(f, "must be at least 3 in an interleaved tensor"),
            Rule::StridesLength => write!(
                f,
                "must be {limit}, one for each dimension but the innermost"
            ),
            Rule::BoxLength | Rule::ElementStridesLength => {
                write!(f, "must be {limit}, one for each dimension")
            }
            Rule::CornersLength => write!(f, "must be {limit}, one for each spatial dimension"),
            Rule::TypeNeedsBlackwell | Rule::SwizzleNeedsBlackwell => {
                write!(
                    f,
                    "must not be used below compute capability 10.0, and the target is {}.{}",
                    measured / 10,
                    measured % 10
                )
            }
            Rule::NanFillNeedsFloat => {
                write!(f, "element type must be f16, bf16, f32, tf32 or f64")
            }
            Rule::PackedTypeSwizzle if *measured == 1 => write!(
                f,
                "must be none, 128b, 128b-atom-32b or, in stores, 128b-atom-64b for this element type"
            ),
            Rule::PackedTypeSwizzle => write!(
                f,
                "must be none, 128b or 128b-atom-32b for this element type"
            ),
            Rule::PackedTypeInterleave => write!(f, "must be none for elements of 6 bits"),
            Rule::AddressMultiple => write!(f, "must be a multiple of {limit}"),
            Rule::AddressRange => write!(f, "must be below 2^57"),
            Rule::AddressNull => write!(f, "must not be null"),
            Rule::DimRange => write!(f, "must be 1 to 2^32 elements"),
            Rule::DimPackedMultiple => write!(f, "must be a multiple of {limit} elements"),
            Rule::StrideMultiple => write!(f, "must be a multiple of {limit} bytes"),
            Rule::StrideRange => write!(f, "must be below 2^40 bytes"),
            Rule::ElementStrideRange => write!(f, "must be 1 to 8"),
            Rule::BoxRange | Rule::ChannelsRange => write!(f, "must be 1 to 256 elements"),
            Rule::BoxPackedWidth => write!(f, "must be 128 elements for this element type"),
            Rule::BoxRowMultiple => {
                write!(f, "row of {measured} bytes must be a multiple of 16")
            }
            Rule::BoxRowSpan => write!(
                f,
                "row of {measured} bytes must fit the swizzle span of {limit}"
            ),
            Rule::BoxFitsShared => write!(
                f,
                "box of {measured} bytes must fit {limit} bytes of shared memory"
            ),
            Rule::PixelsRange => write!(f, "must be 1 to 1024 pixels"),
            Rule::CornerRange if *limit == i16::MAX as i128 => {
                write!(f, "must be {measured} to {limit}")
            }
            Rule::CornerRange => {
                write!(f, "must be {measured} to {limit} in a tensor of this rank")
            }
            Rule::PixelBoxEmpty if *measured >= 1 << 31 => {
                write!(
                    f,
                    "end of the box of pixels, {measured}, must be below 2^31"
                )
            }
            Rule::PixelBoxEmpty => {
                write!(
                    f,
                    "end of the box of pixels, {measured}, must be above its first pixel, {limit}"
                )
            }
            Rule::WideSwizzle => write!(f, "must be 64b, 128b or 128b-atom-32b"),
            Rule::WideBitsUnknown => {
                write!(
                    f,
                    "must be encoded by the driver: the bits of wide maps for compute capability {}.{} are unknown",
                    measured / 10,
                    measured % 10
                )
            }
            Rule::InterleaveSwizzle => write!(f, "should be 32b for 32-byte slices"),
            Rule::WideNeedsBlackwell => {
                write!(
                    f,
                    "wide copies need compute capability 10.0; on this target the map is an ordinary im2col map"
                )
            }
            Rule::BoxBeyondTensor => write!(
                f,
                "longer than the {limit} elements of the tensor, so every box is partly out of bounds"
            ),
            Rule::StrideOverlap => write!(
                f,
                "shorter than the {limit} bytes that it steps over, so elements share memory"
            ),
            Rule::StridesDecrease => write!(
                f,
                "smaller than the {limit} before it; check that strides are innermost first"
            ),
            Rule::SpanNotFilled => write!(
                f,
                "a row of {measured} bytes occupies a full swizzle span of {limit} bytes in shared memory"
            ),
            Rule::SharedAlign => write!(
                f,
                "shared-memory buffer must be aligned to {limit} bytes, not 128"
            ),
            Rule::BoxSlices => write!(
                f,
                "a copy takes one slice of channels, whatever the length of the box"
            ),
            Rule::RowRemainder => write!(
                f,
                "rows of {measured} bytes, but stores write units of 16 bytes, up to byte {limit}"
            ),
            Rule::LoadOnly => write!(f, "can be loaded only, not stored"),
            Rule::StoreOnly => write!(f, "can be used by stores only with this element type"),
            Rule::BoxBeyondBlock => write!(
                f,
                "box of {measured} bytes is larger than the {limit} bytes that one block can have"
            ),
            Rule::ElementStrideIgnored => {
                write!(f, "ignored in dimension 0; all elements are copied")
            }
            Rule::ElementStrideRemainder => write!(
                f,
                "does not divide the box of {limit}: the copy takes {measured} elements, the driver counts one fewer"
            ),
            Rule::NullAddress => write!(f, "must be replaced before the map is used"),
        }?;
        if let Some(nearest) = nearest {
            write!(f, "; use {nearest}")?;
        }
        write!(f, " [{}]", rule.id())
    }
}

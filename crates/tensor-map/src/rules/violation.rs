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
        for (index, part) in rule.message(self).split(['{', '}']).enumerate() {
            match part {
                _ if index % 2 == 0 => f.write_str(part),
                "measured" => write!(f, "{measured}"),
                "limit" => write!(f, "{limit}"),
                _ => write!(f, "{}.{}", measured / 10, measured % 10),
            }?;
        }
        if let Some(nearest) = nearest {
            write!(f, "; use {nearest}")?;
        }
        write!(f, " [{}]", rule.id())
    }
}

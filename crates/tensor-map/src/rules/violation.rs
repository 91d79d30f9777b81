use core::fmt::{self, Display, Formatter};

use super::Rule;
use crate::{DataType, Dims, Interleave, Swizzle};

/// A parameter that a violation is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    /// The number of dimensions of the tensor.
    Rank,
    /// The type of the tensor's elements.
    DataType,
    /// The global address of the tensor.
    Address,
    /// The length of the tensor in one dimension.
    Dim(usize),
    /// All strides of the tensor, as a list.
    Strides,
    /// A stride, numbered from 0 for dimension 1.
    Stride(usize),
    /// All element strides of the box, as a list.
    ElementStrides,
    /// The element stride of one dimension.
    ElementStride(usize),
    /// All lengths of the box, as a list.
    BoxDims,
    /// The length of the box in one dimension.
    BoxDim(usize),
    /// The number of channels per pixel of an im2col map.
    ChannelsPerPixel,
    /// The number of pixels per column of an im2col map.
    PixelsPerColumn,
    /// The lower corner, or its value in a spatial dimension.
    LowerCorner(Option<usize>),
    /// The upper corner, or its value in a spatial dimension.
    UpperCorner(Option<usize>),
    /// The interleave: how channels are sliced in memory.
    Interleave,
    /// The swizzle: how bytes are permuted in shared memory.
    Swizzle,
    /// The value of elements out of bounds.
    OobFill,
    /// The mode of an im2col-wide map.
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

/// The value of a parameter that breaks a rule, as a message prints it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number, printed in decimal.
    Number(i128),
    /// An address, printed in hexadecimal.
    Address(u64),
    /// The length of a list of values.
    Values(usize),
    /// A length for each dimension.
    Lengths(Dims<u32>),
    /// The data type of the elements.
    Type(DataType),
    /// The interleave of the map.
    Interleave(Interleave),
    /// The swizzle of the map.
    Swizzle(Swizzle),
    /// The name of a variant of another type.
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
    /// The rule that the parameters break.
    pub rule: Rule,
    /// The parameter that breaks the rule.
    pub parameter: Parameter,
    /// The value that breaks the rule.
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

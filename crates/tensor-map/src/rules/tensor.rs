//! The rules for the tensors of all modes.

use super::{Parameter, Rule, Sink, Value, Violation};
use crate::{DataType, Interleave, MAX_RANK, OobFill, Swizzle, Target, Tensor};

/// Checks a tensor; whether its rank allows to look at the rest.
pub(super) const fn check(
    sink: &mut Sink,
    tensor: &Tensor,
    address: u64,
    target: Target,
    min_rank: usize,
) -> bool {
    kinds(sink, tensor, target);
    self::address(sink, address, align(tensor));
    let rank = tensor.rank();
    if rank < min_rank || rank > MAX_RANK {
        let nearest = if rank < min_rank { min_rank } else { MAX_RANK };
        let violation = Violation::new(
            Rule::RankRange,
            Parameter::Rank,
            Value::Number(rank as i128),
        );
        let violation = violation.measured(min_rank as i128).limit(MAX_RANK as i128);
        sink.report(violation.try_number(nearest as i128));
        return false;
    }
    lengths(sink, tensor);
    let mut dim = 0;
    while dim < rank {
        self::dim(sink, tensor, dim);
        element_stride(
            sink,
            tensor.element_strides.at(dim),
            dim,
            tensor.element_strides.given(),
        );
        if dim + 1 < rank && dim < tensor.strides_bytes.given() {
            stride(sink, tensor, dim);
        }
        dim += 1;
    }
    true
}

/// Returns the alignment of the address and the strides.
const fn align(tensor: &Tensor) -> u64 {
    if matches!(tensor.interleave, Interleave::B32) || tensor.data_type.is_align16() {
        32
    } else {
        16
    }
}

/// Returns whether the reference has the element type with this swizzle, in some direction.
const fn type_goes_with_swizzle(tensor: &Tensor) -> bool {
    match tensor.swizzle {
        Swizzle::None | Swizzle::B128 | Swizzle::B128Atom32 => true,
        Swizzle::B128Atom64 if matches!(tensor.data_type, DataType::U6x16Align16) => true,
        _ => !tensor.data_type.is_align16(),
    }
}

/// Returns the swizzle span that rows must fit; none where the swizzle is at fault itself.
pub(super) const fn span(tensor: &Tensor, target: Target) -> Option<u64> {
    let known = target.is_blackwell() || !tensor.swizzle.is_atom();
    if known && type_goes_with_swizzle(tensor) && matches!(tensor.interleave, Interleave::None) {
        tensor.swizzle.span_bytes()
    } else {
        None
    }
}

/// 32-byte slices and the swizzle: the reference has it as a requirement, a driver on an H100
/// accepts all swizzles.
pub(super) const fn interleave_swizzle(sink: &mut Sink, tensor: &Tensor) {
    if matches!(tensor.interleave, Interleave::B32) && !matches!(tensor.swizzle, Swizzle::B32) {
        let violation = Violation::new(
            Rule::InterleaveSwizzle,
            Parameter::Swizzle,
            Value::Swizzle(tensor.swizzle),
        );
        sink.report(violation.try_value(Value::Swizzle(Swizzle::B32)));
    }
}

const fn kinds(sink: &mut Sink, tensor: &Tensor, target: Target) {
    let (data_type, swizzle) = (tensor.data_type, tensor.swizzle);
    let capability = target.major as i128 * 10 + target.minor as i128;
    if data_type.is_packed() && !target.is_blackwell() {
        let value = Value::Type(data_type);
        sink.report(
            Violation::new(Rule::TypeNeedsBlackwell, Parameter::DataType, value)
                .measured(capability),
        );
    }
    if swizzle.is_atom() && !target.is_blackwell() {
        let violation = Violation::new(
            Rule::SwizzleNeedsBlackwell,
            Parameter::Swizzle,
            Value::Swizzle(swizzle),
        );
        sink.report(
            violation
                .measured(capability)
                .try_value(Value::Swizzle(Swizzle::B128)),
        );
    }
    if matches!(tensor.oob_fill, OobFill::NanRequestZeroFma) && !data_type.is_float() {
        let violation = Violation::new(
            Rule::NanFillNeedsFloat,
            Parameter::OobFill,
            Value::Name("nan"),
        );
        sink.report(violation.try_value(Value::Name("zeros")));
    }
    if !type_goes_with_swizzle(tensor) {
        let violation = Violation::new(
            Rule::PackedTypeSwizzle,
            Parameter::Swizzle,
            Value::Swizzle(swizzle),
        );
        let for_stores = matches!(data_type, DataType::U6x16Align16);
        let violation = violation.measured(for_stores as i128);
        sink.report(violation.try_value(Value::Swizzle(Swizzle::B128)));
    }
    let interleaved = !matches!(tensor.interleave, Interleave::None);
    if matches!(data_type, DataType::U6x16Align16) && interleaved {
        let value = Value::Interleave(tensor.interleave);
        let violation = Violation::new(Rule::PackedTypeInterleave, Parameter::Interleave, value);
        sink.report(violation.try_value(Value::Interleave(Interleave::None)));
    }
}

pub(super) const fn address(sink: &mut Sink, address: u64, align: u64) {
    let value = Value::Address(address);
    if !address.is_multiple_of(align) {
        let violation =
            Violation::new(Rule::AddressMultiple, Parameter::Address, value).limit(align as i128);
        sink.report(violation.try_value(Value::Address(nearest_address(address, align))));
    }
    if address >= 1 << 57 {
        let violation =
            Violation::new(Rule::AddressRange, Parameter::Address, value).limit(1 << 57);
        sink.report(violation.try_value(Value::Address(nearest_address(address, align))));
    }
}

/// Returns the nearest multiple of `align` that is not null and below 2^57, the lower one of two.
const fn nearest_address(address: u64, align: u64) -> u64 {
    let (below, past) = (address / align * align, address % align);
    let most = (1 << 57) - align;
    if below > most {
        most
    } else if below == 0 || (align - past < past && below < most) {
        below + align
    } else {
        below
    }
}

const fn lengths(sink: &mut Sink, tensor: &Tensor) {
    let rank = tensor.rank();
    length(
        sink,
        Rule::StridesLength,
        Parameter::Strides,
        tensor.strides_bytes.given(),
        rank - 1,
    );
    let given = tensor.element_strides.given();
    length(
        sink,
        Rule::ElementStridesLength,
        Parameter::ElementStrides,
        given,
        rank,
    );
}

pub(super) const fn length(
    sink: &mut Sink,
    rule: Rule,
    parameter: Parameter,
    given: usize,
    needed: usize,
) {
    if given != needed {
        sink.report(Violation::new(rule, parameter, Value::Values(given)).limit(needed as i128));
    }
}

const fn dim(sink: &mut Sink, tensor: &Tensor, dim: usize) {
    let elements = tensor.dims.at(dim);
    let value = Value::Number(elements as i128);
    if elements == 0 || elements > 1 << 32 {
        let nearest = if elements == 0 { 1 } else { 1 << 32 };
        sink.report(Violation::new(Rule::DimRange, Parameter::Dim(dim), value).try_number(nearest));
    }
    if dim == 0 && tensor.data_type.is_packed() {
        let multiple = if tensor.data_type.is_align16() {
            128
        } else {
            2
        };
        if !elements.is_multiple_of(multiple) {
            let violation = Violation::new(Rule::DimPackedMultiple, Parameter::Dim(dim), value);
            let nearest = elements as i128 / multiple as i128 * multiple as i128 + multiple as i128;
            sink.report(violation.limit(multiple as i128).try_number(nearest));
        }
    }
}

const fn stride(sink: &mut Sink, tensor: &Tensor, dim: usize) {
    let bytes = tensor.strides_bytes.at(dim);
    let value = Value::Number(bytes as i128);
    let align = align(tensor);
    if !bytes.is_multiple_of(align) {
        let violation = Violation::new(Rule::StrideMultiple, Parameter::Stride(dim), value);
        let nearest = (bytes / align + 1) as i128 * align as i128;
        let nearest = if nearest >= 1 << 40 {
            (1 << 40) - align as i128
        } else {
            nearest
        };
        sink.report(violation.limit(align as i128).try_number(nearest));
    }
    if bytes >= 1 << 40 {
        let violation = Violation::new(Rule::StrideRange, Parameter::Stride(dim), value);
        sink.report(violation.try_number((1 << 40) - align as i128));
    }
}

const fn element_stride(sink: &mut Sink, stride: u32, dim: usize, given: usize) {
    if dim < given && (stride == 0 || stride > 8) {
        let parameter = Parameter::ElementStride(dim);
        let violation = Violation::new(
            Rule::ElementStrideRange,
            parameter,
            Value::Number(stride as i128),
        );
        sink.report(violation.try_number(if stride == 0 { 1 } else { 8 }));
    }
}

/// Returns the length of a row nearest to `elements` that keeps all rules: whole pieces of 16 bytes, not
/// more than 256 elements or the swizzle span.
pub(super) const fn nearest_row(tensor: &Tensor, elements: u32, span: Option<u64>) -> i128 {
    if tensor.data_type.is_align16() {
        return 128;
    }
    let bits = tensor.data_type.shared_bits();
    let piece = 128 / bits;
    let most = match span {
        Some(span) if span * 8 / bits < 256 => span * 8 / bits,
        _ => 256,
    };
    let pieces = (elements as u64).div_ceil(piece);
    let nearest = if pieces == 0 { piece } else { pieces * piece };
    (if nearest < most { nearest } else { most }) as i128
}

/// Checks the length of a box's row. `span` is the result of [`span`].
pub(super) const fn row(
    sink: &mut Sink,
    tensor: &Tensor,
    elements: u32,
    parameter: Parameter,
    span: Option<u64>,
) {
    let data_type = tensor.data_type;
    let value = Value::Number(elements as i128);
    let nearest = nearest_row(tensor, elements, span);
    if data_type.is_align16() {
        // These have one width, which keeps the rules below.
        if elements != 128 {
            sink.report(Violation::new(Rule::BoxPackedWidth, parameter, value).try_number(nearest));
        }
        return;
    }
    let bits = elements as u64 * data_type.shared_bits();
    let bytes = bits.div_ceil(8);
    if !bits.is_multiple_of(128) && elements <= 256 {
        let violation =
            Violation::new(Rule::BoxRowMultiple, parameter, value).measured(bytes as i128);
        sink.report(violation.limit(16).try_number(nearest));
    }
    if let Some(span) = span
        && bytes > span
    {
        let violation = Violation::new(Rule::BoxRowSpan, parameter, value).measured(bytes as i128);
        sink.report(violation.limit(span as i128).try_number(nearest));
    }
}

/// Checks that a box of this size in bytes fits.
pub(super) const fn fits(
    sink: &mut Sink,
    bytes: u64,
    target: Target,
    parameter: Parameter,
    value: Value,
) {
    if bytes > target.shared_bytes {
        let violation =
            Violation::new(Rule::BoxFitsShared, parameter, value).measured(bytes as i128);
        sink.report(violation.limit(target.shared_bytes as i128));
    }
}

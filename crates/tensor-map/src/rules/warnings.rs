//! Warnings about parameters that the driver accepts.

use super::{Parameter, Rule, Sink, Value, Violation};
use crate::{DataType, Interleave, Params, Swizzle, Target, Tensor, Tiled};

pub(super) const fn check(sink: &mut Sink, params: &Params, address: u64, target: Target) {
    let tensor = params.tensor();
    if address == 0 {
        sink.report(Violation::new(
            Rule::NullAddress,
            Parameter::Address,
            Value::Address(address),
        ));
    }
    strides(sink, tensor);
    shared(sink, params, target);
    directions(sink, tensor);
    match params {
        Params::Tiled(tiled) => boxes(sink, tiled),
        Params::Im2col(im2col) => columns(sink, tensor, im2col.channels_per_pixel),
        Params::Im2colWide(wide) => {
            columns(sink, tensor, wide.channels_per_pixel);
            if !target.is_blackwell() {
                let value = Value::Name(wide.mode.name());
                sink.report(Violation::new(
                    Rule::WideNeedsBlackwell,
                    Parameter::Mode,
                    value,
                ));
            }
        }
    }
}

/// Warns of parameters that only loads or only stores support, or that they treat differently.
const fn directions(sink: &mut Sink, tensor: &Tensor) {
    let data_type = tensor.data_type;
    if matches!(data_type, DataType::U4x16Align16) {
        let value = Value::Type(data_type);
        sink.report(Violation::new(Rule::LoadOnly, Parameter::DataType, value));
    }
    if matches!(
        (data_type, tensor.swizzle),
        (DataType::U6x16Align16, Swizzle::B128Atom64)
    ) {
        let value = Value::Swizzle(tensor.swizzle);
        sink.report(Violation::new(Rule::StoreOnly, Parameter::Swizzle, value));
    }
    let row = tensor.row_bytes();
    if !row.is_multiple_of(16) && tensor.rank() > 0 {
        let value = Value::Number(tensor.dims.at(0) as i128);
        let violation = Violation::new(Rule::RowRemainder, Parameter::Dim(0), value);
        let end = (row / 16 + 1) as i128 * 16;
        sink.report(violation.measured(row as i128).limit(end));
    }
}

const fn columns(sink: &mut Sink, tensor: &Tensor, channels: u32) {
    if !matches!(tensor.interleave, Interleave::None) {
        return;
    }
    let length = tensor.dims.at(0);
    if channels as u64 > length {
        let value = Value::Number(channels as i128);
        let violation = Violation::new(Rule::BoxBeyondTensor, Parameter::ChannelsPerPixel, value);
        sink.report(violation.limit(length as i128));
    }
    let stride = tensor.element_strides.at(0);
    if stride > 1 {
        let value = Value::Number(stride as i128);
        let parameter = Parameter::ElementStride(0);
        sink.report(Violation::new(Rule::ElementStrideIgnored, parameter, value).try_number(1));
    }
}

const fn strides(sink: &mut Sink, tensor: &Tensor) {
    // Up to 2^72 in tensors that keep the rules.
    let mut extent = match tensor.interleave.slice_bytes() {
        Some(slice) => tensor.dims.at(0) as i128 * slice as i128,
        None => (tensor.dims.at(0) as i128 * tensor.data_type.global_bits() as i128 + 7) / 8,
    };
    let mut before = 0;
    let mut dim = 0;
    while dim + 1 < tensor.rank() && dim < tensor.strides_bytes.given() {
        let stride = tensor.strides_bytes.at(dim) as i128;
        let value = Value::Number(stride);
        let steps = tensor.dims.at(dim + 1).saturating_sub(1) as i128;
        if steps > 0 && stride < extent {
            let rule = if stride < before {
                Rule::StridesDecrease
            } else {
                Rule::StrideOverlap
            };
            let limit = if stride < before { before } else { extent };
            sink.report(Violation::new(rule, Parameter::Stride(dim), value).limit(limit));
        }
        extent = extent.saturating_add(steps.saturating_mul(stride));
        before = stride;
        dim += 1;
    }
}

const fn shared(sink: &mut Sink, params: &Params, target: Target) {
    let tensor = params.tensor();
    if !target.is_blackwell() {
        super::tensor::interleave_swizzle(sink, tensor);
    }
    let elements = params.row_elements();
    let parameter = match params {
        Params::Tiled(_) => Parameter::BoxDim(0),
        Params::Im2col(_) | Params::Im2colWide(_) => Parameter::ChannelsPerPixel,
    };
    let row = tensor.data_type.shared_bytes(elements as u64);
    if let (Some(span), Interleave::None) = (tensor.swizzle.span_bytes(), tensor.interleave) {
        if row < span {
            let violation = Violation::new(
                Rule::SpanNotFilled,
                parameter,
                Value::Number(elements as i128),
            );
            sink.report(violation.measured(row as i128).limit(span as i128));
        }
        if tensor.shared_align_bytes() > 128 {
            let violation = Violation::new(
                Rule::SharedAlign,
                Parameter::Swizzle,
                Value::Swizzle(tensor.swizzle),
            );
            sink.report(violation.limit(tensor.shared_align_bytes() as i128));
        }
    }
    let bytes = params.shared_footprint_bytes();
    if bytes > target.block_shared_bytes() {
        let (parameter, value) = match params {
            Params::Tiled(tiled) => (Parameter::BoxDims, Value::Lengths(tiled.box_dims)),
            Params::Im2col(im2col) => pixels(im2col.pixels_per_column),
            Params::Im2colWide(wide) => pixels(wide.pixels()),
        };
        let violation =
            Violation::new(Rule::BoxBeyondBlock, parameter, value).measured(bytes as i128);
        sink.report(violation.limit(target.block_shared_bytes() as i128));
    }
}

const fn pixels(pixels: u32) -> (Parameter, Value) {
    (Parameter::PixelsPerColumn, Value::Number(pixels as i128))
}

const fn boxes(sink: &mut Sink, tiled: &Tiled) {
    let interleaved = !matches!(tiled.tensor.interleave, Interleave::None);
    let mut dim = 0;
    while dim < tiled.tensor.rank() {
        let (elements, length) = (tiled.box_dims.at(dim), tiled.tensor.dims.at(dim));
        if elements as u64 > length {
            let value = Value::Number(elements as i128);
            let violation = Violation::new(Rule::BoxBeyondTensor, Parameter::BoxDim(dim), value);
            sink.report(violation.limit(length as i128));
        }
        if interleaved && dim + 2 == tiled.tensor.rank() && elements > 1 {
            let value = Value::Number(elements as i128);
            let violation = Violation::new(Rule::BoxSlices, Parameter::BoxDim(dim), value);
            sink.report(violation.try_number(1));
        }
        let stride = tiled.tensor.element_strides.at(dim);
        let value = Value::Number(stride as i128);
        let parameter = Parameter::ElementStride(dim);
        if dim == 0 && stride > 1 && !interleaved {
            sink.report(Violation::new(Rule::ElementStrideIgnored, parameter, value).try_number(1));
        } else if stride > 1 && !elements.is_multiple_of(stride) {
            let violation = Violation::new(Rule::ElementStrideRemainder, parameter, value);
            sink.report(
                violation
                    .measured(elements.div_ceil(stride) as i128)
                    .limit(elements as i128),
            );
        }
        dim += 1;
    }
}

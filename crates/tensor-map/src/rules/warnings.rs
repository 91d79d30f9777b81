//! What the driver accepts and people regret.

use super::{Finding, Parameter, Rule, Sink, Value};
use crate::{Interleave, Params, Swizzle, Target, Tensor, Tiled};

pub(super) const fn check(sink: &mut Sink, params: &Params, address: u64, target: Target) {
    let tensor = params.tensor();
    if address == 0 {
        sink.report(Finding::new(
            Rule::NullAddress,
            Parameter::Address,
            Value::Address(address),
        ));
    }
    strides(sink, tensor);
    shared(sink, params, target);
    match params {
        Params::Tiled(tiled) => boxes(sink, tiled),
        Params::Im2col(_) => {}
        Params::Im2colWide(wide) => {
            if !target.is_blackwell() {
                let value = Value::Name(wide.mode.name());
                sink.report(Finding::new(
                    Rule::WideNeedsBlackwell,
                    Parameter::Mode,
                    value,
                ));
            }
        }
    }
}

const fn strides(sink: &mut Sink, tensor: &Tensor) {
    let mut extent = tensor.row_bytes();
    let mut before = 0;
    let mut dim = 0;
    while dim + 1 < tensor.rank() && dim < tensor.strides_bytes.given() {
        let stride = tensor.strides_bytes.at(dim);
        let value = Value::Number(stride as i128);
        let steps = tensor.dims.at(dim + 1).saturating_sub(1);
        if steps > 0 && stride < extent {
            let rule = if stride < before {
                Rule::StridesDecrease
            } else {
                Rule::StrideOverlap
            };
            let limit = if stride < before { before } else { extent };
            sink.report(Finding::new(rule, Parameter::Stride(dim), value).limit(limit as i128));
        }
        extent = extent.saturating_add(steps.saturating_mul(stride));
        before = stride;
        dim += 1;
    }
}

const fn shared(sink: &mut Sink, params: &Params, target: Target) {
    let tensor = params.tensor();
    if matches!(
        (tensor.interleave, tensor.swizzle),
        (
            Interleave::B32,
            Swizzle::None | Swizzle::B64 | Swizzle::B128
        )
    ) {
        let finding = Finding::new(
            Rule::InterleaveSwizzle,
            Parameter::Swizzle,
            Value::Swizzle(tensor.swizzle),
        );
        sink.report(finding.try_value(Value::Swizzle(Swizzle::B32)));
    }
    let (elements, parameter) = match params {
        Params::Tiled(tiled) => (tiled.box_dims.at(0), Parameter::BoxDim(0)),
        Params::Im2col(im2col) => (im2col.channels_per_pixel, Parameter::ChannelsPerPixel),
        Params::Im2colWide(wide) => (wide.channels_per_pixel, Parameter::ChannelsPerPixel),
    };
    let row = tensor.data_type.shared_bytes(elements as u64);
    if let (Some(span), Interleave::None) = (tensor.swizzle.span_bytes(), tensor.interleave) {
        if row < span {
            let finding = Finding::new(
                Rule::SpanNotFilled,
                parameter,
                Value::Number(elements as i128),
            );
            sink.report(finding.measured(row as i128).limit(span as i128));
        }
        if tensor.shared_align_bytes() > 128 {
            let finding = Finding::new(
                Rule::SharedAlign,
                Parameter::Swizzle,
                Value::Swizzle(tensor.swizzle),
            );
            sink.report(finding.limit(tensor.shared_align_bytes() as i128));
        }
    }
    let bytes = params.box_bytes();
    if bytes > target.block_shared_bytes() {
        let value = Value::Number(elements as i128);
        let finding = Finding::new(Rule::BoxBeyondBlock, parameter, value).measured(bytes as i128);
        sink.report(finding.limit(target.block_shared_bytes() as i128));
    }
}

const fn boxes(sink: &mut Sink, tiled: &Tiled) {
    let interleaved = !matches!(tiled.tensor.interleave, Interleave::None);
    let mut dim = 0;
    while dim < tiled.tensor.rank() {
        let (elements, length) = (tiled.box_dims.at(dim), tiled.tensor.dims.at(dim));
        if elements as u64 > length {
            let value = Value::Number(elements as i128);
            let finding = Finding::new(Rule::BoxBeyondTensor, Parameter::BoxDim(dim), value);
            sink.report(finding.limit(length as i128));
        }
        let stride = tiled.tensor.element_strides.at(dim);
        let value = Value::Number(stride as i128);
        let parameter = Parameter::ElementStride(dim);
        if dim == 0 && stride > 1 && !interleaved {
            sink.report(Finding::new(Rule::ElementStrideIgnored, parameter, value).try_number(1));
        } else if stride > 1 && !elements.is_multiple_of(stride) {
            let finding = Finding::new(Rule::ElementStrideRemainder, parameter, value);
            sink.report(
                finding
                    .measured(elements.div_ceil(stride) as i128)
                    .limit(elements as i128),
            );
        }
        dim += 1;
    }
}

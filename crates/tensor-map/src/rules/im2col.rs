//! What holds for im2col maps.

use super::{Finding, Parameter, Rule, Sink, Value, tensor};
use crate::{Im2col, Im2colWide, Swizzle, Target, encode::counted_column_bytes};

pub(super) const fn check(sink: &mut Sink, im2col: &Im2col, address: u64, target: Target) {
    if !tensor::check(sink, &im2col.tensor, address, target, 3) {
        return;
    }
    let spatial = im2col.tensor.rank() - 2;
    let (lower, upper) = (&im2col.lower_corner, &im2col.upper_corner);
    tensor::length(
        sink,
        Rule::CornersLength,
        Parameter::LowerCorner(None),
        lower.given(),
        spatial,
    );
    tensor::length(
        sink,
        Rule::CornersLength,
        Parameter::UpperCorner(None),
        upper.given(),
        spatial,
    );
    let mut dim = 0;
    while dim < spatial {
        if dim < lower.given() && dim < upper.given() {
            let pixels = im2col.tensor.dims.at(im2col.first_spatial() + dim);
            corners(sink, spatial, dim, pixels, lower.at(dim), upper.at(dim));
        }
        dim += 1;
    }
    column(sink, im2col, target);
}

pub(super) const fn check_wide(sink: &mut Sink, wide: &Im2colWide, address: u64, target: Target) {
    check(sink, &wide.as_im2col(), address, target);
    if !target.is_blackwell() {
        return;
    }
    let swizzle = wide.tensor.swizzle;
    if !matches!(swizzle, Swizzle::B64 | Swizzle::B128 | Swizzle::B128Atom32) {
        let finding = Finding::new(
            Rule::WideSwizzle,
            Parameter::Swizzle,
            Value::Swizzle(swizzle),
        );
        sink.report(finding.try_value(Value::Swizzle(Swizzle::B128)));
    }
    let finding = Finding::new(
        Rule::WideBitsUnknown,
        Parameter::Mode,
        Value::Name(wide.mode.name()),
    );
    sink.report(finding.measured(target.major as i128 * 10 + target.minor as i128));
}

const fn corners(sink: &mut Sink, spatial: usize, dim: usize, pixels: u64, lower: i32, upper: i32) {
    let bits = match spatial {
        1 => 16,
        2 => 8,
        _ => 5,
    };
    let (min, max) = (-1 << (bits - 1), (1 << (bits - 1)) - 1);
    corner(sink, Parameter::LowerCorner(Some(dim)), lower, min, max);
    corner(sink, Parameter::UpperCorner(Some(dim)), upper, min, max);
    // The driver on an H100 adds with 32 bits, so that dimensions above 2^31 may seem empty.
    let end = (pixels as u32 as i32).wrapping_add(upper);
    if lower >= end {
        let value = Value::Number(upper as i128);
        let finding = Finding::new(
            Rule::PixelBoxEmpty,
            Parameter::UpperCorner(Some(dim)),
            value,
        );
        let real_end = pixels as i128 + upper as i128;
        let finding = finding.measured(real_end).limit(lower as i128);
        let nearest = lower as i128 + 1 - pixels as i128;
        let fits = nearest >= min as i128 && nearest <= max as i128 && real_end < 1 << 31;
        sink.report(if fits {
            finding.try_number(nearest)
        } else {
            finding
        });
    }
}

const fn corner(sink: &mut Sink, parameter: Parameter, value: i32, min: i32, max: i32) {
    if value < min || value > max {
        let finding = Finding::new(Rule::CornerRange, parameter, Value::Number(value as i128));
        let finding = finding.measured(min as i128).limit(max as i128);
        sink.report(finding.try_number(if value < min { min } else { max } as i128));
    }
}

const fn column(sink: &mut Sink, im2col: &Im2col, target: Target) {
    let (channels, pixels) = (im2col.channels_per_pixel, im2col.pixels_per_column);
    let channels_fit = channels >= 1 && channels <= 256;
    let pixels_fit = pixels >= 1 && pixels <= 1024;
    if !channels_fit {
        let value = Value::Number(channels as i128);
        let finding = Finding::new(Rule::ChannelsRange, Parameter::ChannelsPerPixel, value);
        sink.report(finding.try_number(if channels == 0 { 1 } else { 256 }));
    }
    tensor::row(sink, &im2col.tensor, channels, Parameter::ChannelsPerPixel);
    let value = Value::Number(pixels as i128);
    if !pixels_fit {
        let finding = Finding::new(Rule::PixelsRange, Parameter::PixelsPerColumn, value);
        sink.report(finding.try_number(if pixels == 0 { 1 } else { 1024 }));
    }
    if channels_fit && pixels_fit {
        tensor::fits(
            sink,
            counted_column_bytes(im2col),
            target,
            Parameter::PixelsPerColumn,
            value,
        );
    }
}

//! The rules for im2col maps.

use super::{Parameter, Rule, Sink, Value, Violation, tensor};
use crate::{Im2col, Im2colWide, Swizzle, Target, Tensor, encode::counted_column_bytes};

pub(super) const fn check(sink: &mut Sink, im2col: &Im2col, address: u64, target: Target) {
    if !tensor::check(sink, &im2col.tensor, address, target, 3) {
        return;
    }
    if target.is_blackwell() {
        tensor::interleave_swizzle(sink, &im2col.tensor);
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
    let (pixels, bytes) = (im2col.pixels_per_column, counted_column_bytes(im2col));
    let span = tensor::span(&im2col.tensor, target);
    channels(sink, &im2col.tensor, im2col.channels_per_pixel, span);
    self::pixels(sink, pixels, bytes, im2col.channels_per_pixel, target);
}

/// The reference for later GPUs: the box is one pixel along H and D. An H100 makes the ordinary map.
pub(super) const fn check_wide(sink: &mut Sink, wide: &Im2colWide, address: u64, target: Target) {
    if !target.is_blackwell() {
        return check(sink, &wide.as_im2col(), address, target);
    }
    let tensor = &wide.tensor;
    if !tensor::check(sink, tensor, address, target, 3) {
        return;
    }
    let length = tensor.dims.at(wide.as_im2col().first_spatial());
    corners(sink, 1, 0, length, wide.lower_corner, wide.upper_corner);
    let goes = matches!(
        tensor.swizzle,
        Swizzle::B64 | Swizzle::B128 | Swizzle::B128Atom32
    );
    let span = if goes {
        tensor::span(tensor, target)
    } else {
        None
    };
    channels(sink, tensor, wide.channels_per_pixel, span);
    let im2col = wide.as_im2col();
    let bytes = counted_column_bytes(&im2col.pixels_per_column(wide.pixels()));
    pixels(sink, wide.pixels(), bytes, wide.channels_per_pixel, target);
    if !goes {
        let violation = Violation::new(
            Rule::WideSwizzle,
            Parameter::Swizzle,
            Value::Swizzle(tensor.swizzle),
        );
        sink.report(violation.try_value(Value::Swizzle(Swizzle::B128)));
    }
    if !sink.any {
        let violation = Violation::new(
            Rule::WideBitsUnknown,
            Parameter::Mode,
            Value::Name(wide.mode.name()),
        );
        sink.report(violation.measured(target.major as i128 * 10 + target.minor as i128));
    }
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
        let violation = Violation::new(
            Rule::PixelBoxEmpty,
            Parameter::UpperCorner(Some(dim)),
            value,
        );
        let real_end = pixels as i128 + upper as i128;
        let violation = violation.measured(real_end).limit(lower as i128);
        let nearest = lower as i128 + 1 - pixels as i128;
        let fits = nearest >= min as i128 && nearest <= max as i128 && real_end < 1 << 31;
        sink.report(if fits {
            violation.try_number(nearest)
        } else {
            violation
        });
    }
}

const fn corner(sink: &mut Sink, parameter: Parameter, value: i32, min: i32, max: i32) {
    if value < min || value > max {
        let violation = Violation::new(Rule::CornerRange, parameter, Value::Number(value as i128));
        let violation = violation.measured(min as i128).limit(max as i128);
        sink.report(violation.try_number(if value < min { min } else { max } as i128));
    }
}

const fn channels(sink: &mut Sink, tensor: &Tensor, channels: u32, span: Option<u64>) {
    if channels == 0 || channels > 256 {
        let value = Value::Number(channels as i128);
        let violation = Violation::new(Rule::ChannelsRange, Parameter::ChannelsPerPixel, value);
        sink.report(violation.try_number(tensor::nearest_row(tensor, channels, span)));
    }
    tensor::row(sink, tensor, channels, Parameter::ChannelsPerPixel, span);
}

const fn pixels(sink: &mut Sink, pixels: u32, bytes: u64, channels: u32, target: Target) {
    let value = Value::Number(pixels as i128);
    if pixels == 0 || pixels > 1024 {
        let violation = Violation::new(Rule::PixelsRange, Parameter::PixelsPerColumn, value);
        sink.report(violation.try_number(if pixels == 0 { 1 } else { 1024 }));
    } else if channels >= 1 && channels <= 256 {
        tensor::fits(sink, bytes, target, Parameter::PixelsPerColumn, value);
    }
}

//! The rules for tiled maps.

use super::{Parameter, Rule, Sink, Value, Violation, tensor};
use crate::{Interleave, Target, Tiled, encode::counted_box_bytes};

pub(super) const fn check(sink: &mut Sink, tiled: &Tiled, address: u64, target: Target) {
    if !tensor::check(sink, &tiled.tensor, address, target, 1) {
        return;
    }
    if target.is_blackwell() {
        tensor::interleave_swizzle(sink, &tiled.tensor);
    }
    let span = tensor::span(&tiled.tensor, target);
    let rank = tiled.tensor.rank();
    let interleave = tiled.tensor.interleave;
    if !matches!(interleave, Interleave::None) && rank < 3 {
        let violation = Violation::new(
            Rule::InterleaveRank,
            Parameter::Rank,
            Value::Number(rank as i128),
        );
        sink.report(violation.limit(3).try_number(3));
    }
    let given = tiled.box_dims.given();
    tensor::length(sink, Rule::BoxLength, Parameter::BoxDims, given, rank);
    let mut in_range = given == rank && tiled.tensor.element_strides.given() == rank;
    let mut dim = 0;
    while dim < rank && dim < given {
        let elements = tiled.box_dims.at(dim);
        if elements == 0 || elements > 256 {
            let value = Value::Number(elements as i128);
            let violation = Violation::new(Rule::BoxRange, Parameter::BoxDim(dim), value);
            sink.report(violation.try_number(match dim {
                0 => tensor::nearest_row(&tiled.tensor, elements, span),
                _ if elements == 0 => 1,
                _ => 256,
            }));
            in_range = false;
        }
        dim += 1;
    }
    if given > 0 {
        tensor::row(
            sink,
            &tiled.tensor,
            tiled.box_dims.at(0),
            Parameter::BoxDim(0),
            span,
        );
    }
    if in_range && !sink.is_full() {
        let value = Value::Lengths(tiled.box_dims);
        tensor::fits(
            sink,
            counted_box_bytes(tiled),
            target,
            Parameter::BoxDims,
            value,
        );
    }
}

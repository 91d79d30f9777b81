use std::ops;

use super::{Rule, Violation, Violations};
use crate::{Access, Buffer, Region, Use};

/// A range of bytes that a launch uses, if it declares one.
#[derive(Clone, Copy)]
struct Range<'a> {
    index: usize,
    start: u64,
    end: u64,
    access: &'a Access,
}

impl<'a> Range<'a> {
    fn of(used: &'a Use) -> Option<Self> {
        let (index, bytes) = used.bytes()?;
        Some(Self {
            index,
            start: bytes.start,
            end: bytes.end,
            access: &used.access,
        })
    }
}

/// Finds memory of a launch beyond the end of its buffer, and writes that overlap other uses.
pub fn regions(uses: &[Use], buffers: &[Buffer]) -> Violations {
    let lengths = uses.iter().filter_map(|used| length(used, buffers));
    let missing = uses.iter().filter_map(|used| variable(used, buffers));
    let ranges: Vec<Range<'_>> = uses.iter().filter_map(Range::of).collect();
    let pairs = (1..).zip(&ranges).flat_map(|(next, one)| {
        let others = ranges.iter().skip(next);
        others.filter_map(move |other| overlap(one, other, buffers))
    });
    Violations(lengths.chain(missing).chain(pairs).collect())
}

/// Returns a violation if a buffer is too short.
fn length(used: &Use, buffers: &[Buffer]) -> Option<Violation> {
    let Range { index, end, .. } = Range::of(used)?;
    let buffer = buffers.get(index)?;
    let len_bytes = buffer.bytes().len() as u64;
    // A tensor beyond the end of its buffer is reported with its argument.
    let is_too_long = match &used.region {
        Region::Tensor {
            params,
            offset_bytes,
            ..
        } => offset_bytes.saturating_add(params.tensor().span_bytes()) > len_bytes,
        _ => false,
    };
    let missing = end.checked_sub(len_bytes);
    let missing = missing.filter(|bytes| *bytes > 0 && !is_too_long)?;
    Some(Violation::new(
        Rule::BufferLength,
        format!("buffer `{}`", buffer.name()),
        format!("{len_bytes} bytes"),
        format!("the kernel uses {end}"),
        format!("make it {missing} bytes longer"),
    ))
}

/// Returns whether a launch writes some of these bytes of a buffer.
pub(super) fn writes_to(uses: &[Use], index: usize, bytes: ops::Range<u64>) -> bool {
    let mut ranges = uses.iter().filter_map(Range::of);
    ranges.any(|range| {
        let apart = range.index != index || range.end <= bytes.start || bytes.end <= range.start;
        range.access.writes() && !apart
    })
}

/// Returns a violation if no buffer fills a variable.
fn variable(used: &Use, buffers: &[Buffer]) -> Option<Violation> {
    let Region::Variable(name) = &used.region else {
        return None;
    };
    let fills = |buffer: &Buffer| buffer.variable() == Some(name);
    (!buffers.iter().any(fills)).then(|| {
        Violation::new(
            Rule::Variable,
            format!("the variable `{name}`"),
            "not filled by any buffer",
            "the kernel reads it",
            "fill the variable with a buffer",
        )
    })
}

fn overlap(one: &Range<'_>, other: &Range<'_>, buffers: &[Buffer]) -> Option<Violation> {
    let is_known = [one, other]
        .iter()
        .all(|range| *range.access != Access::Used);
    let is_written = one.access.writes() || other.access.writes();
    let (start, end) = (one.start.max(other.start), one.end.min(other.end));
    let meet = one.index == other.index && start < end;
    if !(is_known && is_written && meet) {
        return None;
    }
    let buffer = buffers.get(one.index)?;
    let describe = |range: &Range<'_>| {
        let (how, start, end) = (range.access.as_str(), range.start, range.end);
        format!("{how} from byte {start} to {end}")
    };
    Some(Violation::new(
        Rule::Overlap,
        format!("buffer `{}`", buffer.name()),
        describe(one),
        format!("it is also {}, which must not overlap", describe(other)),
        "use another buffer, or disjoint bytes",
    ))
}

//! Tensor cores compared bit for bit with the results of an H200.

mod descriptor;
mod gemm;
mod mma;
mod samples;
mod sparse;
mod wgmma;
mod wmma;

use samples::{Array, SAMPLES};

/// A form with its matrices, `[tile, row, column]`.
pub(crate) struct Sample {
    pub(crate) a: &'static Array,
    pub(crate) b: &'static Array,
    pub(crate) c: &'static Array,
    pub(crate) d: &'static Array,
}

/// Returns the forms with names that begin so, each with the rest of its name.
pub(crate) fn forms(beginning: &str) -> Vec<(&'static str, Sample)> {
    let names = SAMPLES.keys().filter_map(|name| name.strip_suffix("/A"));
    let names = names.filter_map(|name| Some((name, name.strip_prefix(beginning)?)));
    let of = |name: &str, operand: &str| &SAMPLES[&format!("{name}/{operand}")];
    let forms = names.map(|(name, rest)| {
        let [a, b, c, d] = ["A", "B", "C", "D"].map(|operand| of(name, operand));
        (rest, Sample { a, b, c, d })
    });
    forms.collect()
}

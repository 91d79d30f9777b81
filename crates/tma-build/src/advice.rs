//! Advice for features that device code lacks, where the compiler has none.

/// Parts of the compiler's messages, each with the advice.
const ADVICE: &[(&[&str], &str)] = &[
    (
        &["can't find crate for `std`"],
        "a GPU crate has no `std`, nor has any crate that it depends on: write `#![no_std]` at the top of \
         src/lib.rs, use `core`, and turn off the feature `std` of the dependencies",
    ),
    (
        &["can't find crate for `alloc`", "cannot find `alloc`"],
        "a GPU crate has no heap: keep data in buffers that the host allocates, in `tma::shared!`, or in \
         arrays of fixed length",
    ),
    (
        &[
            "found for type `f32`",
            "found for type `f64`",
            "found for type `{float}`",
        ],
        "`exp`, `sin`, `sqrt` and their like are not in `core`: take `tma::math`, or the crate `libm` with \
         `default-features = false`",
    ),
];

/// Returns the advice for the compiler's messages, one a line, each after `= help:`.
pub(crate) fn advice(diagnostics: &str) -> String {
    let fits = |messages: &&[&str]| messages.iter().any(|message| diagnostics.contains(message));
    let fitting = ADVICE.iter().filter(|(messages, _)| fits(messages));
    fitting
        .map(|(_, advice)| format!("\n= help: {advice}"))
        .collect()
}

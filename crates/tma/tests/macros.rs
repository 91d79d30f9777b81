//! The macros of `tma` refuse bad input with these messages.

#[test]
fn wrong_kernels_are_refused_with_a_reason() {
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
}

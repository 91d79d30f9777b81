//! The macros of `tma` refuse bad input with these messages.

use std::{env, process::Command};

const WRAPPER: &str = "RUSTC_WORKSPACE_WRAPPER";

#[test]
fn wrong_kernels_are_refused_with_a_reason() {
    // Clippy's compiler, which CI sets, names types by their full paths.
    if env::var_os(WRAPPER).is_some() {
        let mut again = Command::new(env::current_exe().unwrap());
        let status = again.args(env::args().skip(1)).env_remove(WRAPPER).status();
        assert!(status.unwrap().success());
    } else {
        let cases = trybuild::TestCases::new();
        cases.compile_fail("tests/ui/*.rs");
    }
}

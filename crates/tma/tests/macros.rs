//! The macros of `tma` refuse bad input with these messages.

use std::{env, process::Command};

#[test]
fn wrong_kernels_are_refused_with_a_reason() {
    const WRAPPER: &str = "RUSTC_WORKSPACE_WRAPPER";
    // Clippy's compiler, which CI sets, names types by their full paths.
    if env::var_os(WRAPPER).is_some() {
        let program = env::current_exe().unwrap();
        let mut again = Command::new(program);
        let status = again.args(env::args().skip(1)).env_remove(WRAPPER).status();
        assert!(status.unwrap().success());
        return;
    }
    let cases = trybuild::TestCases::new();
    cases.compile_fail("tests/ui/*.rs");
}

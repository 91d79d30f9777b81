//! Tells the command where cargo builds the libraries of `tma exec` and `tma record`: a release contains them, since
//! `cargo install` copies only programs, and a debug build loads them from there.

use std::{env, path::PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = env::var_os("OUT_DIR").map(PathBuf::from);
    // Out of `PROFILE/build/PACKAGE/out`.
    if let Some(folder) = out.as_deref().and_then(|out| out.ancestors().nth(3)) {
        println!("cargo::rustc-env=TMA_BUILT_IN={}", folder.display());
    }
}

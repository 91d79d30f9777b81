//! Passes cargo's build folder to the command, so that `tma exec` finds its library after `cargo install`, which copies
//! programs alone.

use std::{env, path::PathBuf};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = env::var_os("OUT_DIR").map(PathBuf::from);
    // Out of `PROFILE/build/PACKAGE/out`.
    if let Some(folder) = out.as_deref().and_then(|out| out.ancestors().nth(3)) {
        println!("cargo::rustc-env=TMA_BUILT_IN={}", folder.display());
    }
}

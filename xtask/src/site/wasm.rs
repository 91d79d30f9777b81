//! The checker for `wasm32-unknown-unknown`, by the device compiler, which has the source of the standard library.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result};
use tma_project::setup;

use crate::{
    paths::{root, target_dir},
    process::{first_line, run},
};

const TARGET: &str = "wasm32-unknown-unknown";
const PROFILE: &str = "site";

/// Builds the module and returns its path.
pub(super) fn build() -> Result<PathBuf> {
    let compiler = setup::ensure_device_compiler()?;
    let linker = linker(&compiler.sysroot).context(
        "linking WebAssembly needs `rust-lld`, a part of rustup's toolchains, or `wasm-ld`; Debian: apt-get install lld",
    )?;
    let folder = target_dir().join("wasm");
    let mut cargo = Command::new(&compiler.cargo);
    cargo
        .args(["build", "--package", "tma-playground", "--lib"])
        .args(["--profile", PROFILE, "--target", TARGET])
        // The target's standard library is in no package; its source is.
        .arg("-Zbuild-std=std,panic_abort")
        .current_dir(root())
        .env("RUSTC_BOOTSTRAP", "1")
        .env("RUSTC", &compiler.rustc)
        .env("CARGO_TARGET_DIR", &folder)
        .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker)
        .env_remove("RUSTUP_TOOLCHAIN")
        .env_remove("RUSTC_WORKSPACE_WRAPPER");
    run(&mut cargo)?;
    let module = folder.join(TARGET).join(PROFILE);
    Ok(module.join("tma_playground.wasm"))
}

/// Returns a linker of WebAssembly: that of a toolchain of rustup, or LLVM's.
fn linker(device_sysroot: &Path) -> Option<PathBuf> {
    let own = first_line("rustc", &["--print", "sysroot"]).map(PathBuf::from);
    let host = format!("{}-unknown-linux-gnu", env::consts::ARCH);
    let in_toolchain =
        |sysroot: PathBuf| sysroot.join("lib/rustlib").join(&host).join("bin/rust-lld");
    let toolchains = [Some(device_sysroot.to_owned()), own].into_iter().flatten();
    let mut linkers = toolchains.map(in_toolchain);
    linkers
        .find(|linker| linker.is_file())
        .or_else(|| first_line("wasm-ld", &["--version"]).map(|_| PathBuf::from("wasm-ld")))
}

//! Small crates, and the PTX that is made of them.

use std::{
    fs,
    path::{Path, PathBuf},
};

use libtest_mimic::Failed;
use tempfile::TempDir;
use tma_build::{Arch, Assemble, Ptx, PtxBuilder};

/// A crate with this body after the usual head. `tma` is compiled for each architecture, version of PTX ISA
/// and set of flags; those of the kernels and of other tests are compiled already.
pub(super) struct Crate {
    pub(super) folder: TempDir,
}

impl Crate {
    pub(super) fn new(body: &str) -> Result<Self, Failed> {
        let tma = repository()?.join("crates/tma");
        let head = "#![no_std]\n#![feature(abi_ptx, asm_experimental_arch)]\n#![allow(dead_code, unused_imports)]\n\
                    use core::arch::asm; use tma::{kernel, shared, thread::{sync_threads, thread_idx}};\n";
        Self::with(
            &format!("tma = {{ package = \"rust-tma\", path = {tma:?} }}"),
            head,
            body,
        )
    }

    /// One without `tma`, which takes far longer to compile: for architectures and versions that no other test has.
    pub(super) fn bare(body: &str) -> Result<Self, Failed> {
        let head = "#![no_std]\n#![feature(abi_ptx, asm_experimental_arch)]\n#![allow(unused_imports)]\n\
                    use core::arch::asm; #[panic_handler] fn panic(_: &core::panic::PanicInfo<'_>) -> ! { loop {} }\n";
        let entry = "#[unsafe(no_mangle)] pub unsafe extern \"ptx-kernel\" fn";
        Self::with("", head, &body.replace("pub unsafe fn", entry))
    }

    pub(super) fn with(dependency: &str, head: &str, body: &str) -> Result<Self, Failed> {
        let folder = tempfile::tempdir()?;
        // The same name for the same body, so that what cargo left is used again.
        let name = format!(
            "k{:08x}",
            body.bytes()
                .fold(0_u32, |hash, byte| hash.wrapping_mul(31) ^ u32::from(byte))
        );
        let manifest = format!(
            "[package]\nname = \"{name}\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
             [dependencies]\n{dependency}\n\n[workspace]\n"
        );
        fs::write(folder.path().join("Cargo.toml"), manifest)?;
        // The lock file of the repository, so that nothing is looked up anew.
        fs::copy(
            repository()?.join("Cargo.lock"),
            folder.path().join("Cargo.lock"),
        )?;
        fs::create_dir(folder.path().join("src"))?;
        fs::write(folder.path().join("src/lib.rs"), format!("{head}{body}"))?;
        Ok(Self { folder })
    }

    pub(super) fn builder(&self) -> PtxBuilder {
        PtxBuilder::new(self.folder.path())
            .arch(Arch::Sm90a)
            .assemble(Assemble::Never)
    }
}

pub(super) fn repository() -> Result<PathBuf, Failed> {
    Ok(Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()?)
}

pub(super) fn text(ptx: &Ptx) -> Result<String, Failed> {
    Ok(fs::read_to_string(&ptx.path)?)
}

pub(super) fn holds(condition: bool, message: impl Into<String>) -> Result<(), Failed> {
    if condition {
        Ok(())
    } else {
        Err(message.into().into())
    }
}

pub(super) fn contains(text: &str, parts: &[&str]) -> Result<(), Failed> {
    for part in parts {
        holds(
            text.contains(part),
            format!("`{part}` is missing from\n{text}"),
        )?;
    }
    Ok(())
}

/// The error's text; success is a failure of the test.
pub(super) fn refused(builder: &PtxBuilder) -> Result<String, Failed> {
    match builder.build() {
        Err(error) => Ok(error.to_string()),
        Ok(ptx) => Err(format!("was built:\n{}", text(&ptx)?).into()),
    }
}

//! Builds again, without a change and after one.

use std::{fs, path::PathBuf, time::SystemTime};

use libtest_mimic::Failed;
use tma_build::{Arch, Ptx};

use super::{Crate, contains, holds, text};

const KERNEL: &str = "pub unsafe fn k(data: *mut u32) { unsafe { *data = numbers::NUMBER } }";

/// Another crate that uses the library, since a test gives each body a package of its own.
const OTHER_KERNEL: &str =
    "pub unsafe fn other(data: *mut u32) { unsafe { *data = numbers::NUMBER + 1 } }";

/// Returns the time at which the compiler wrote the last PTX of a crate for an architecture.
fn compiled(of: &Crate, arch: Arch) -> Result<SystemTime, Failed> {
    let manifest = fs::read_to_string(of.folder.path().join("Cargo.toml"))?;
    let name = manifest.split('"').nth(1).ok_or("it has no name")?;
    let built = of.builder().arch(arch).build()?.path;
    let prefix = format!("{name}-{arch}-");
    // `tma-build/ptx/ARCH/NAME.ptx`
    let target = built.ancestors().nth(3).ok_or("it is in no folder")?;
    let mut times = Vec::new();
    for folder in fs::read_dir(target.join("sm_9/emitted"))? {
        let folder = folder?;
        if folder.file_name().to_string_lossy().starts_with(&prefix) {
            times.push(fs::metadata(folder.path().join("module.ptx"))?.modified()?);
        }
    }
    Ok(times.into_iter().max().ok_or("nothing was emitted")?)
}

pub(super) fn unchanged() -> Result<(), Failed> {
    let good = Crate::bare("pub unsafe fn k(data: *mut u32) { unsafe { *data = 7 } }")?;
    let first = compiled(&good, Arch::Sm90a)?;
    holds(
        compiled(&good, Arch::Sm90a)? == first,
        "it was compiled again",
    )?;
    let other = compiled(&good, Arch::Sm90)?;
    let both = [
        compiled(&good, Arch::Sm90a)?,
        compiled(&good, Arch::Sm90)?,
        compiled(&good, Arch::Sm90a)?,
    ];
    holds(
        both == [first, other, first],
        "one architecture had the other compiled again",
    )?;
    let source = good.folder.path().join("src/lib.rs");
    let edited = fs::read_to_string(&source)?.replace("= 7", "= 8");
    fs::write(&source, edited)?;
    for (arch, before) in [(Arch::Sm90a, first), (Arch::Sm90, other)] {
        holds(
            compiled(&good, arch)? > before,
            format!("the edit was not compiled for {arch}"),
        )?;
    }
    Ok(())
}

/// Crates that use a library, whose PTX has one name for all architectures.
pub(super) fn edited_library() -> Result<(), Failed> {
    let library = tempfile::tempdir()?;
    fs::create_dir(library.path().join("src"))?;
    let manifest = "[package]\nname = \"numbers\"\nversion = \"0.0.0\"\nedition = \"2024\"\n";
    fs::write(library.path().join("Cargo.toml"), manifest)?;
    let set = |number: u32| {
        let source = format!("#![no_std]\npub const NUMBER: u32 = {number};\n");
        fs::write(library.path().join("src/lib.rs"), source)
    };
    let with_library = |body| -> Result<Crate, Failed> {
        let user = Crate::bare(body)?;
        let path: PathBuf = user.folder.path().join("Cargo.toml");
        let dependency = format!(
            "[dependencies]\nnumbers = {{ path = {:?} }}",
            library.path()
        );
        let manifest = fs::read_to_string(&path)?.replace("[dependencies]", &dependency);
        fs::write(path, manifest)?;
        Ok(user)
    };
    let (user, other) = (with_library(KERNEL)?, with_library(OTHER_KERNEL)?);
    let build = |of: &Crate, arch| -> Result<Ptx, Failed> { Ok(of.builder().arch(arch).build()?) };
    let has =
        |of: &Crate, arch, number: u32| contains(&text(&build(of, arch)?)?, &[&number.to_string()]);
    set(4321)?;
    has(&user, Arch::Sm90a, 4321)?;
    has(&user, Arch::Sm90, 4321)?;
    set(8765)?;
    // The library is now newer than the PTX for sm_90a, and older than that for sm_90.
    has(&other, Arch::Sm90a, 8766)?;
    has(&user, Arch::Sm90, 8765)?;
    has(&user, Arch::Sm90a, 8765)
}

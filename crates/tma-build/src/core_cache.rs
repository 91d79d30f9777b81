//! The compiled `core` of a device compiler, which every architecture, crate and project of a user
//! shares.
//!
//! It is compiled for no particular GPU: LLVM inlines across CPU names for this target, so that the
//! link-time optimisation of a crate specialises the functions that it uses of `core`.

use std::{
    fs::{self, File},
    hash::{DefaultHasher, Hash, Hasher},
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    DeviceCompiler, Error,
    compile::{TARGET, clean_environment, readable},
    user_cache,
};

/// Flags that `core` and device code have in common.
pub(crate) const COMMON_RUSTFLAGS: [&str; 2] = [
    // The target's own linker is neither there nor needed: the output is text.
    "-Clinker=true",
    // The pass copies barriers into divergent arms (rust-lang/rust#137086).
    "-Zmir-enable-passes=-JumpThreading",
];

/// The profile of `core` and of device code.
pub(crate) const PROFILE: [(&str, &str); 5] = [
    ("CARGO_PROFILE_RELEASE_LTO", "fat"),
    ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "1"),
    ("CARGO_PROFILE_RELEASE_PANIC", "abort"),
    ("CARGO_PROFILE_RELEASE_DEBUG", "line-directives-only"),
    ("CARGO_PROFILE_RELEASE_BUILD_OVERRIDE_DEBUG", "false"),
];

/// The optimisation of `core`: of MIR alone. Whatever device code takes from it is optimised together with that code.
const CORE_PROFILE: (&str, &str) = ("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0");
const CORE_RUSTFLAGS: &str = "-Zmir-opt-level=2";

const MANIFEST: &str = "\
[package]
name = \"core-for-kernels\"
version = \"0.0.0\"
edition = \"2024\"

[lib]
path = \"lib.rs\"

[workspace]
";

/// The prefixes of cargo's file names for the libraries that make the sysroot.
const LIBRARIES: [&str; 2] = ["libcore-", "libcompiler_builtins-"];

impl DeviceCompiler {
    /// Returns whether this compiler has compiled `core` before. If not, the next build does so,
    /// which takes about half a minute of one processor core.
    pub fn has_core(&self) -> bool {
        sysroot(self).is_dir()
    }

    /// The folder for `--sysroot` with the compiled `core`, which is made where it is missing.
    ///
    /// # Errors
    /// [`Error::Core`] with the messages of the compiler, and [`Error::Io`].
    pub fn core(&self) -> Result<PathBuf, Error> {
        let sysroot = sysroot(self);
        if sysroot.is_dir() {
            return Ok(sysroot);
        }
        create(&user_cache())?;
        let lock = beside(&sysroot, "lock");
        let io = || Error::io(format!("cannot lock {}", lock.display()));
        let file = File::create(&lock).map_err(io())?;
        // Another process may be compiling it, and has finished when the lock is free.
        file.lock().map_err(io())?;
        if !sysroot.is_dir() {
            compile(self, &sysroot)?;
        }
        Ok(sysroot)
    }
}

/// A folder for each compiler: a new one may keep the path or the version of an old one.
fn sysroot(compiler: &DeviceCompiler) -> PathBuf {
    let mut hasher = DefaultHasher::new();
    (&compiler.rustc, &compiler.verbose).hash(&mut hasher);
    if let Ok(file) = compiler.rustc.metadata() {
        (file.len(), file.modified().ok()).hash(&mut hasher);
    }
    (COMMON_RUSTFLAGS, PROFILE, MANIFEST).hash(&mut hasher);
    (CORE_PROFILE, CORE_RUSTFLAGS).hash(&mut hasher);
    let name = format!("core-{}-{:016x}", compiler.version, hasher.finish());
    user_cache().join(name)
}

/// Compiles into a folder of its own, which becomes the sysroot when it is complete.
fn compile(compiler: &DeviceCompiler, sysroot: &Path) -> Result<(), Error> {
    // The lock is held, so a folder of this name is left from a stopped build.
    let folder = beside(sysroot, "new");
    let _ = fs::remove_dir_all(&folder);
    let made = compile_in(compiler, &folder).and_then(|libraries| {
        let complete = folder.join("sysroot");
        let target = complete.join("lib/rustlib").join(TARGET).join("lib");
        create(&target)?;
        for library in libraries {
            let to = target.join(library.file_name().unwrap_or_default());
            let cannot = Error::io(format!("cannot move {}", library.display()));
            fs::rename(&library, to).map_err(cannot)?;
        }
        let cannot = Error::io(format!("cannot create {}", sysroot.display()));
        fs::rename(&complete, sysroot).map_err(cannot)
    });
    let _ = fs::remove_dir_all(&folder);
    made
}

fn compile_in(compiler: &DeviceCompiler, folder: &Path) -> Result<Vec<PathBuf>, Error> {
    create(folder)?;
    for (name, text) in [("Cargo.toml", MANIFEST), ("lib.rs", "#![no_std]")] {
        let path = folder.join(name);
        let cannot = Error::io(format!("cannot write {}", path.display()));
        fs::write(&path, text).map_err(cannot)?;
    }
    let rustflags = [&COMMON_RUSTFLAGS[..], &[CORE_RUSTFLAGS]].concat();
    let mut command = Command::new(&compiler.cargo);
    clean_environment(&mut command);
    command
        .current_dir(folder)
        .env("RUSTC", &compiler.rustc)
        .env("RUSTC_BOOTSTRAP", "1")
        .env("CARGO_TARGET_DIR", folder.join("target"))
        .env("CARGO_ENCODED_RUSTFLAGS", rustflags.join("\x1f"))
        .envs(PROFILE)
        .envs([CORE_PROFILE])
        .args(["build", "--release", "--quiet"])
        .args(["--target", TARGET, "-Zbuild-std=core"]);
    let output = command.output().map_err(Error::io(format!(
        "cannot run {}",
        compiler.cargo.display()
    )))?;
    let libraries = folder.join("target").join(TARGET).join("release/deps");
    let entries = libraries.read_dir().into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path());
    let found: Vec<PathBuf> = paths.filter(|path| is_library(path)).collect();
    if output.status.success() && found.len() == LIBRARIES.len() {
        return Ok(found);
    }
    Err(Error::Core {
        version: compiler.version,
        diagnostics: readable(&String::from_utf8_lossy(&output.stderr)),
    })
}

fn is_library(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    name.ends_with(".rlib") && LIBRARIES.iter().any(|library| name.starts_with(library))
}

/// `core-1.96.0-….lock` for `core-1.96.0-…`.
fn beside(sysroot: &Path, suffix: &str) -> PathBuf {
    let name = sysroot.file_name().unwrap_or_default().to_string_lossy();
    sysroot.with_file_name(format!("{name}.{suffix}"))
}

fn create(folder: &Path) -> Result<(), Error> {
    let cannot = Error::io(format!("cannot create {}", folder.display()));
    fs::create_dir_all(folder).map_err(cannot)
}

//! rust-cuda's backend in place of rustc's own.

use std::{
    env,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    Arch, DeviceCompiler, Error,
    compile::{Compilation, Output, TARGET, clean_environment, readable},
    nvvm::virtual_arch,
};

/// rust-cuda's backend library, with a rustc that loads it.
#[derive(Clone, Debug)]
pub struct RustCuda {
    backend: PathBuf,
    compiler: DeviceCompiler,
}

impl RustCuda {
    /// The environment variable that names the backend library, `librustc_codegen_nvvm.so`.
    pub const VARIABLE: &str = "TMA_RUST_CUDA";

    /// The nightly that rust-cuda requires, whose rustup toolchain is searched first.
    pub const NIGHTLY: &str = "nightly-2026-04-02";

    /// Takes the library that `TMA_RUST_CUDA` names, with this rustc, or else the one that `TMA_DEVICE_RUSTC` names, or
    /// else rustup's [`NIGHTLY`](Self::NIGHTLY), or else the [device compiler](DeviceCompiler::find).
    ///
    /// # Errors
    /// [`Error::NoRustCuda`] if no library is named or the rustc does not load it for `compute_100`.
    pub fn find(rustc: Option<&Path>) -> Result<Self, Error> {
        let missing = |reason: String| Error::NoRustCuda { reason };
        let backend = env::var_os(Self::VARIABLE)
            .ok_or_else(|| missing(format!("{} is not set", Self::VARIABLE)))?;
        let backend = PathBuf::from(backend);
        if !backend.is_file() {
            return Err(missing(format!("{} is not a file", backend.display())));
        }
        let nightly = || {
            let toolchain = DeviceCompiler::toolchain(Self::NIGHTLY)?;
            DeviceCompiler::at(&toolchain).ok()
        };
        let compiler = match rustc {
            Some(rustc) => DeviceCompiler::at(rustc)?,
            None if env::var_os(DeviceCompiler::VARIABLE).is_some() => DeviceCompiler::find()?,
            None => nightly().map_or_else(DeviceCompiler::find, Ok)?,
        };
        let found = Self { backend, compiler };
        found.check().map_err(missing)?;
        Ok(found)
    }

    /// Returns the path of the backend library.
    pub fn path(&self) -> &Path {
        &self.backend
    }

    /// Returns the rustc that loads the backend.
    pub fn compiler(&self) -> &DeviceCompiler {
        &self.compiler
    }

    /// Makes rustc load the library and name the target features of `compute_100`.
    fn check(&self) -> Result<(), String> {
        let rustc = self.compiler.rustc.display();
        let output = Command::new(&self.compiler.rustc)
            .env("RUSTC_BOOTSTRAP", "1")
            .env_remove("RUSTUP_TOOLCHAIN")
            .args(["--target", TARGET, "--print", "cfg"])
            .args(self.rustflags(Arch::Sm100))
            .output()
            .map_err(|error| format!("{rustc} does not run: {error}"))?;
        let errors = String::from_utf8_lossy(&output.stderr);
        let loads = || format!("{rustc} does not load {}", self.backend.display());
        if !output.status.success() {
            return Err(format!("{}: {}", loads(), errors.trim()));
        }
        let features = String::from_utf8_lossy(&output.stdout);
        match features.contains("target_feature=\"compute_100\"") {
            true => Ok(()),
            false => Err(format!("{} for compute_100", loads())),
        }
    }

    /// The flags that select the backend and an architecture. Hopper's modules are compiled for `compute_100`, as libNVVM's.
    fn rustflags(&self, arch: Arch) -> Vec<String> {
        vec![
            format!("-Zcodegen-backend={}", self.backend.display()),
            // In Rust a product and a sum are rounded each.
            format!(
                "-Cllvm-args=-arch={} -fma=0 -generate-line-info",
                virtual_arch(arch)
            ),
        ]
    }

    /// Compiles a crate.
    ///
    /// # Errors
    /// [`Error::Compile`] with the compiler's messages.
    pub(crate) fn compile(&self, compilation: &Compilation<'_>) -> Result<Output, Error> {
        let arch = compilation.arch;
        let mut rustflags = self.rustflags(arch);
        rustflags.extend(
            [
                "-Zcrate-attr=feature(register_tool)",
                "-Zcrate-attr=register_tool(nvvm_internal)",
                // The pass copies barriers into divergent arms.
                "-Zmir-enable-passes=-JumpThreading",
                // The backend has no formatting of panics.
                "-Zunstable-options",
                "-Cpanic=immediate-abort",
                "-Cdebuginfo=1",
                // `tma`'s panic handler, which replaces the one of `cuda_std`.
                "--cfg=tma_panic_handler",
            ]
            .map(str::to_owned),
        );
        rustflags.push(format!("--cfg=tma_arch=\"{arch}\""));
        rustflags.extend(compilation.rustflags.iter().cloned());
        rustflags.extend(compilation.kernel_cfgs());
        let target_dir = compilation.target_dir.join("rust-cuda").join(arch.name());
        let mut command = Command::new(&self.compiler.cargo);
        clean_environment(&mut command);
        command
            .env("RUSTC", &self.compiler.rustc)
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_TARGET_DIR", &target_dir)
            .env("CARGO_ENCODED_RUSTFLAGS", rustflags.join("\x1f"))
            // From `compiler_builtins`: the backend has neither type.
            .env("CARGO_FEATURE_NO_F16_F128", "1")
            .envs(compilation.check_profile())
            .args(["rustc", "--release", "--quiet", "--lib"])
            .args([
                "--crate-type=cdylib",
                "--target",
                TARGET,
                "-Zbuild-std=core",
            ])
            .arg("--manifest-path")
            .arg(compilation.crate_dir.join("Cargo.toml"))
            .args(compilation.feature_arguments());
        let output = command.output().map_err(Error::io(format!(
            "cannot run {}",
            self.compiler.cargo.display()
        )))?;
        if !output.status.success() {
            return Err(Error::Compile {
                arch,
                diagnostics: readable(&String::from_utf8_lossy(&output.stderr)),
            });
        }
        compilation.output_of(&target_dir)
    }
}

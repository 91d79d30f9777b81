use std::{io, path::PathBuf};

use crate::{Arch, DeviceCompiler, LibNvvm, RustCuda, Version, advice::advice, lint::Diagnostic};

/// The reason why a build has no PTX.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No compiler that can build device code.
    #[error(
        "no device compiler found: rustc 1.96.0 or later with the source of `core` is needed.\n\
         Looked at:\n{looked_at}\n\
         Install one with\n    {command}"
    )]
    NoCompiler {
        /// The compilers that were found and why none serves, one a line.
        looked_at: String,
        /// The command that installs one.
        command: String,
    },
    /// The requested compiler cannot build device code.
    #[error("{rustc} cannot compile device code: {reason}")]
    UnusableCompiler {
        /// The path of the compiler.
        rustc: PathBuf,
        /// The reason why the compiler cannot be used.
        reason: String,
    },
    /// A compiler that was never tried with this crate made wrong PTX of the self-test.
    #[error(
        "rustc {version} failed the self-test: {reason}.\n\
         Version 1.96.0 is known to work: `rustup toolchain install 1.96.0 --profile minimal --component rust-src`"
    )]
    SelfTest {
        /// The compiler's version.
        version: Version,
        /// The property that the self-test's PTX lacks.
        reason: String,
    },
    /// The compiler refused `core`.
    #[error("rustc {version} does not compile `core` for the GPU:\n{diagnostics}")]
    Core {
        /// The compiler's version.
        version: Version,
        /// The compiler's messages.
        diagnostics: String,
    },
    /// There is no crate at the path.
    #[error("there is no GPU crate at {path}: {path}/Cargo.toml does not exist")]
    NoCrate {
        /// The path where the file is expected.
        path: PathBuf,
    },
    /// The compiler refused the crate.
    #[error(
        "the GPU crate does not compile for {arch}:\n{diagnostics}{}",
        advice(diagnostics)
    )]
    Compile {
        /// The architecture of the failed build.
        arch: Arch,
        /// The compiler's messages.
        diagnostics: String,
    },
    /// The PTX does not parse, or a marker in it makes no sense.
    #[error("the PTX of {path} cannot be finished: {reason}")]
    Finish {
        /// The path of the invalid PTX.
        path: PathBuf,
        /// The reason why the PTX is invalid.
        reason: String,
    },
    /// A lint refuses the PTX.
    #[error("the PTX for {arch} has errors:\n{}", lines(diagnostics))]
    Lint {
        /// The architecture of the refused PTX.
        arch: Arch,
        /// The diagnostics that refuse the PTX.
        diagnostics: Vec<Diagnostic>,
    },
    /// `TMA_CODEGEN` names no code generator.
    #[error("there is no code generator `{name}`; TMA_CODEGEN is `llvm`, `libnvvm` or `rust-cuda`")]
    UnknownCodeGenerator {
        /// The unknown name in the variable.
        name: String,
    },
    /// libNVVM was requested, and no version found reads the compiler's IR.
    #[error(
        "no libNVVM was found that reads the IR of LLVM {llvm}, which rustc has; {variable} can name one. Looked at:\n\
         {looked_at}\n\
         `cargo xtask setup --cuda` of rust-tma installs one",
        variable = LibNvvm::VARIABLE
    )]
    NoLibNvvm {
        /// The version of rustc's LLVM.
        llvm: u32,
        /// The libraries that were found and why none serves, one a line.
        looked_at: String,
    },
    /// rust-cuda was requested, and no rustc loads a backend library of it.
    #[error(
        "no backend of rust-cuda can be used: {reason}.\n\
         Build the backend with rust-cuda's nightly and its feature `llvm19`, then\n    \
         export {backend}=…/librustc_codegen_nvvm.so {rustc}=$(rustup which --toolchain {nightly} rustc)",
        backend = RustCuda::VARIABLE,
        rustc = DeviceCompiler::VARIABLE,
        nightly = RustCuda::NIGHTLY
    )]
    NoRustCuda {
        /// The reason why the backend cannot be used.
        reason: String,
    },
    /// libNVVM refused the module.
    #[error("libNVVM refuses the module for {arch}:\n{log}")]
    LibNvvm {
        /// The architecture of the refused module.
        arch: Arch,
        /// The messages of libNVVM.
        log: String,
    },
    /// `ptxas` was requested, and no version found knows the architecture.
    #[error(
        "no ptxas that knows {arch} was found (looked at TMA_PTXAS, PATH, CUDA_PATH, /usr/local/cuda and {cache:?}){}; \
         `cargo xtask setup --cuda` of rust-tma installs one",
        reasons(passed_over)
    )]
    NoPtxas {
        /// The architecture that no ptxas knows.
        arch: Arch,
        /// The folder that `cargo xtask setup --cuda` fills.
        cache: PathBuf,
        /// The ones that were found and do not serve, with the reason.
        passed_over: Vec<String>,
    },
    /// `ptxas` refused the PTX.
    #[error("ptxas refuses the PTX for {arch}:\n{diagnostics}")]
    Assemble {
        /// The architecture of the refused PTX.
        arch: Arch,
        /// The messages of `ptxas`, with Rust lines.
        diagnostics: String,
    },
    /// A file or program could not be used.
    #[error("{what}: {source}")]
    Io {
        /// The name of the operation that failed.
        what: String,
        /// The error of the operating system.
        source: io::Error,
    },
}

impl Error {
    /// Wraps an I/O error with the failed operation.
    pub(crate) fn io(what: impl Into<String>) -> impl FnOnce(io::Error) -> Self {
        let what = what.into();
        move |source| Self::Io { what, source }
    }
}

fn reasons(passed_over: &[String]) -> String {
    passed_over
        .iter()
        .map(|reason| format!("; {reason}"))
        .collect()
}

fn lines(diagnostics: &[Diagnostic]) -> String {
    let lines: Vec<String> = diagnostics
        .iter()
        .map(|diagnostic| format!("  {diagnostic}"))
        .collect();
    lines.join("\n")
}

//! `setup`: installs missing tools, and announces each step.

mod compiler;
mod cuda;

use std::process::ExitCode;

use anyhow::Result;
use tma_build::{DeviceCompiler, Error, cuda_cache};

use crate::{output::Mark, typed};
pub(crate) use cuda::{UNSET_PTXAS, misnamed_ptxas, names_ptxas};
pub use cuda::{libnvvm, tool};

/// Installs the missing tools to compile kernels
#[derive(clap::Args)]
pub struct Args {
    /// Only list missing tools; exit with 1 if there are any
    #[arg(long)]
    check: bool,
    /// Include NVIDIA's ptxas, nvcc, nvdisasm, cuobjdump and libNVVM, which check or make PTX and need no GPU
    #[arg(long)]
    cuda: bool,
}

/// Runs the verb.
///
/// # Errors
/// A tool cannot be installed.
pub fn run(args: &Args) -> Result<ExitCode> {
    let mut complete = true;

    match (DeviceCompiler::find(), args.check) {
        (Ok(compiler), _) => have_compiler(&compiler),
        (Err(error), true) => {
            complete = false;
            say!("{} {error}", Mark::Fatal);
        }
        (Err(error), false) => have_compiler(&install_unless_named(error)?),
    }

    if let Some(says) = misnamed_ptxas() {
        say!("{} {says}; {UNSET_PTXAS}", Mark::Fatal);
        return Ok(ExitCode::FAILURE);
    }
    if !args.check {
        // Also for tools that an earlier version installed.
        cuda::make_linkable(&cuda_cache())?;
    }
    match (cuda::missing().as_slice(), args.cuda, args.check) {
        ([], ..) => cuda::tell(),
        (missing, true, true) => {
            complete = false;
            say!("{} CUDA's {} missing", Mark::Fatal, list(missing));
        }
        (_, true, false) => {
            cuda::install()?;
            cuda::make_linkable(&cuda_cache())?;
            cuda::tell();
        }
        (missing, false, _) => say!(
            "{} CUDA's {} missing; optional, to check PTX and show the resources of a kernel \
             ({})",
            Mark::Info,
            list(missing),
            typed("setup --cuda")
        ),
    }
    Ok(if complete {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Returns the device compiler, and installs it if missing. Prints a notice if `core` must still be compiled.
///
/// # Errors
/// The user selected an unusable compiler, or none can be installed.
pub fn ensure_device_compiler() -> Result<DeviceCompiler> {
    let compiler = DeviceCompiler::find().or_else(install_unless_named)?;
    if !compiler.has_core() {
        say!(
            "compiling `core` for the GPU first, once for rustc {} and all projects of this user \
             (about half a minute)",
            compiler.version
        );
    }
    Ok(compiler)
}

/// Installs a device compiler, unless the user selected an unusable one.
fn install_unless_named(error: Error) -> Result<DeviceCompiler> {
    match error {
        Error::NoCompiler { .. } => compiler::install(),
        error => Err(anyhow::Error::msg(error)),
    }
}

fn have_compiler(compiler: &DeviceCompiler) {
    say!(
        "{} device compiler: {} {}",
        Mark::Ok,
        compiler.rustc.display(),
        compiler.version
    );
}

fn list(names: &[&str]) -> String {
    let verb = if names.len() == 1 { "is" } else { "are" };
    format!("{} {verb}", names.join(", "))
}

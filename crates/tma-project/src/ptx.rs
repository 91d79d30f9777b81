//! `ptx`: builds a GPU crate and shows the resources of its kernels.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tma_build::{Arch, Ptx, PtxBuilder, Resources};

use crate::{output::table, setup, typed};

/// Architectures covered by tests.
pub const TESTED: &[Arch] = &[
    Arch::Sm90,
    Arch::Sm90a,
    Arch::Sm100a,
    Arch::Sm120,
    Arch::Sm120a,
];

/// The tested architectures with and without `a`, and every family.
const ALL: &[Arch] = &[
    Arch::Sm90,
    Arch::Sm90a,
    Arch::Sm100a,
    Arch::Sm100f,
    Arch::Sm103f,
    Arch::Sm110f,
    Arch::Sm120,
    Arch::Sm120a,
    Arch::Sm120f,
    Arch::Sm121f,
];

/// Builds a GPU crate and shows the path of its PTX, and each kernel's resources if ptxas is installed
#[derive(clap::Args)]
pub struct Args {
    /// Folder of the GPU crate [default: the project's]
    #[arg(value_name = "CRATE")]
    crate_dir: Option<PathBuf>,
    /// Target architecture; may be repeated
    #[arg(
        long,
        value_name = "ARCH",
        default_value = "sm_90a",
        conflicts_with = "all"
    )]
    arch: Vec<Arch>,
    /// Build for Hopper, Blackwell and each of its families
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the verb for the crate that is named, or else for `default`.
///
/// # Errors
/// There is no crate, no device compiler, or the build fails.
pub fn run(args: &Args, default: &Path) -> Result<ExitCode> {
    let crate_dir = find(args.crate_dir.as_deref().unwrap_or(default))?;
    setup::ensure_device_compiler()?;
    let archs = if args.all { ALL } else { &args.arch };
    let mut reports = Vec::new();
    for arch in archs {
        let start = Instant::now();
        let ptx = build(&crate_dir, *arch)?;
        if args.json {
            reports.push(report(&ptx));
        } else {
            say!(
                "{}  {:.1} s",
                ptx.path.display(),
                start.elapsed().as_secs_f64()
            );
            match &ptx.resources {
                Some(kernels) => say!(
                    "{}\n",
                    describe(kernels.iter().map(|(name, kernel)| (name.as_str(), kernel)))
                ),
                None => {
                    say!(
                        "(no resource usage: ptxas is missing; use `{}`)\n",
                        typed("setup --cuda")
                    )
                }
            }
        }
    }
    if args.json {
        say!("{}", serde_json::to_string_pretty(&reports)?);
    }
    Ok(ExitCode::SUCCESS)
}

/// Builds a GPU crate and prints its warnings.
///
/// # Errors
/// The build fails.
pub fn build(crate_dir: &Path, arch: Arch) -> Result<Ptx> {
    let ptx = PtxBuilder::new(crate_dir).arch(arch).build();
    let ptx = ptx.map_err(anyhow::Error::msg)?;
    for warning in &ptx.warnings {
        complain!("warning: {warning}");
    }
    Ok(ptx)
}

/// Formats a table of the kernels' resources.
pub fn describe<'a>(kernels: impl Iterator<Item = (&'a str, &'a Resources)>) -> String {
    let head = ["kernel", "registers", "spills", "stack", "shared"].map(str::to_owned);
    let row = |(name, kernel): (&str, &Resources)| {
        let bytes = |bytes: u32| format!("{bytes} B");
        let spills = kernel.spill_store_bytes + kernel.spill_load_bytes;
        [
            name.to_owned(),
            kernel.registers.to_string(),
            bytes(spills),
            bytes(kernel.stack_bytes),
            bytes(kernel.shared_bytes),
        ]
    };
    table(
        &[head]
            .into_iter()
            .chain(kernels.map(row))
            .collect::<Vec<_>>(),
    )
}

fn report(ptx: &Ptx) -> Value {
    let kernel = |(name, kernel): (&String, &Resources)| {
        json!({
            "kernel": name,
            "registers": kernel.registers,
            "spill_store_bytes": kernel.spill_store_bytes,
            "spill_load_bytes": kernel.spill_load_bytes,
            "stack_bytes": kernel.stack_bytes,
            "shared_bytes": kernel.shared_bytes,
        })
    };
    json!({
        "arch": ptx.arch.name(),
        "path": ptx.path,
        "compiler": ptx.compiler.version.to_string(),
        "kernels": ptx.resources.as_ref().map(|kernels| kernels.iter().map(kernel).collect::<Vec<_>>()),
    })
}

fn find(crate_dir: &Path) -> Result<PathBuf> {
    ensure!(
        crate_dir.join("Cargo.toml").is_file(),
        "{} must be the folder of a GPU crate, with a Cargo.toml; pass its path",
        crate_dir.display()
    );
    crate_dir
        .canonicalize()
        .with_context(|| format!("cannot read {}", crate_dir.display()))
}

/// Returns the GPU crate of the project in the current folder: `gpu`, or else the folder itself.
pub fn of_project() -> PathBuf {
    let gpu = PathBuf::from("gpu");
    if gpu.join("Cargo.toml").is_file() {
        gpu
    } else {
        PathBuf::from(".")
    }
}

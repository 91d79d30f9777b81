//! `ptx`: builds a GPU crate and shows the resources of its kernels.

use std::{
    path::{Path, PathBuf},
    process::ExitCode,
    time::Instant,
};

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tma_build::{Arch, Ptx, PtxBuilder, Resources};

use crate::{output::table, paths::root, setup};

/// Architectures covered by tests.
pub(crate) const TESTED: &[Arch] = &[
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
pub(crate) struct Args {
    /// Folder of the GPU crate
    #[arg(value_name = "CRATE", default_value = "kernels-gpu")]
    crate_dir: PathBuf,
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

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let crate_dir = find(&args.crate_dir)?;
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
                    say!("(no resource usage: ptxas is missing; use `cargo xtask setup --cuda`)\n")
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
pub(crate) fn build(crate_dir: &Path, arch: Arch) -> Result<Ptx> {
    let ptx = PtxBuilder::new(crate_dir).arch(arch).build();
    let ptx = ptx.map_err(anyhow::Error::msg)?;
    for warning in &ptx.warnings {
        complain!("warning: {warning}");
    }
    Ok(ptx)
}

/// Formats a table of the kernels' resources.
pub(crate) fn describe<'a>(kernels: impl Iterator<Item = (&'a str, &'a Resources)>) -> String {
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

/// Resolves a path relative to the current folder, or else to the checkout.
fn find(crate_dir: &Path) -> Result<PathBuf> {
    let folders = [crate_dir.to_owned(), root().join(crate_dir)];
    let found = folders
        .iter()
        .find(|folder| folder.join("Cargo.toml").is_file());
    let found = found.with_context(|| {
        format!(
            "there is no crate at {}: it has no Cargo.toml",
            crate_dir.display()
        )
    })?;
    found
        .canonicalize()
        .with_context(|| format!("cannot read {}", found.display()))
}

//! `run`: the kernels on a GPU or the emulator, and their results checked.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    thread,
};

use anyhow::{Context, Result, bail};
use cuda_driver::Status;
use tma_build::{Arch, Assemble, CodeGenerator, PtxBuilder};

use crate::{
    paths::{root, target_dir},
    process::{cargo, exit_code, output, run as run_command},
    setup,
};

/// The devices on which kernels can run.
pub(crate) const DEVICES: [&str; 3] = ["auto", "gpu", "emulator"];

/// Runs kernels and checks their results, a line each.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Kernels to run; all of them unless named
    #[arg(value_name = "KERNEL")]
    kernels: Vec<String>,
    /// List the kernels with a sentence each, and run none
    #[arg(long)]
    list: bool,
    /// The device to run them on
    #[arg(long, value_parser = DEVICES)]
    device: Option<String>,
    /// The code generator: `llvm`, `libnvvm` of `cargo xtask setup --cuda`, or `rust-cuda`, whose backend `TMA_RUST_CUDA`
    /// names
    #[arg(long, env = CodeGenerator::VARIABLE, default_value_t)]
    codegen: CodeGenerator,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    check(&args.kernels)?;
    if args.list {
        let status = Command::new(program()?).arg("--list").status();
        return Ok(exit_code(status.context("cannot run the program")?));
    }
    let device = args.device.iter().flat_map(|device| ["--device", device]);
    let device: Vec<&str> = device.collect();
    let is_emulated = is_emulated(args.device.as_deref());
    let is_first = !path_of_program().exists();
    if is_first {
        // An error comes before the program is built.
        setup::ensure_device_compiler()?;
    }
    let needed = thread::spawn(move || match is_first && is_emulated {
        // The crates of all kernels take as long to build as the program, and share none with it.
        true => kernels(Arch::Sm90a, &["copy_bulk"], CodeGenerator::Llvm).map(drop),
        false => setup::ensure_device_compiler().map(drop),
    });
    let program = program()?;
    let arch = match is_emulated {
        true => Arch::Sm90a,
        false => arch_of(&program, &device)?,
    };
    let mut entries = Command::new(&program);
    let entries = output(entries.arg("--entries").args(&args.kernels).args(&device))?;
    needed.join().expect("a build does not panic")?;
    say!("Compiling the kernels for {arch}");
    let entries: Vec<&str> = entries.split_whitespace().collect();
    let module = kernels(arch, &entries, args.codegen)?;
    let mut command = Command::new(program);
    command.args(&args.kernels).args(device);
    let status = command.arg("--module").arg(module).status();
    Ok(exit_code(status.context("cannot run the program")?))
}

/// The architecture that kernels are compiled for where they run here.
pub(crate) fn arch(device: Option<&str>) -> Result<Arch> {
    if is_emulated(device) {
        return Ok(Arch::Sm90a);
    }
    let device: Vec<&str> = device.into_iter().flat_map(|it| ["--device", it]).collect();
    arch_of(&program()?, &device)
}

fn is_emulated(device: Option<&str>) -> bool {
    device == Some("emulator") || matches!(cuda_driver::status(), Status::Missing { .. })
}

fn arch_of(program: &Path, device: &[&str]) -> Result<Arch> {
    let arch = output(Command::new(program).arg("--arch").args(device))?;
    arch.trim().parse().map_err(anyhow::Error::msg)
}

/// The program that runs the kernels, built.
fn program() -> Result<PathBuf> {
    run_command(cargo().args(["build", "--package=kernel-cases", "--bin=run"]))?;
    Ok(path_of_program())
}

fn path_of_program() -> PathBuf {
    let name = format!("run{}", env::consts::EXE_SUFFIX);
    target_dir().join("debug").join(name)
}

/// The finished PTX of these kernels for an architecture, or of all where none is named.
pub(crate) fn kernels(arch: Arch, names: &[&str], codegen: CodeGenerator) -> Result<PathBuf> {
    let builder = PtxBuilder::new(root().join("kernels-gpu"))
        .arch(arch)
        .code_generator(codegen);
    let builder = names.iter().copied().fold(builder, PtxBuilder::only);
    let ptx = builder.assemble(Assemble::Never).build();
    Ok(ptx.map_err(anyhow::Error::msg)?.path)
}

/// Refuses names that no kernel has, before anything is built: each has a file of its name.
fn check(kernels: &[String]) -> Result<()> {
    let folder = root().join("kernels-gpu").join("src");
    let entries = folder.read_dir();
    let entries = entries.with_context(|| format!("cannot read {}", folder.display()))?;
    let names = entries.flatten().filter_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        name.strip_suffix(".rs").map(str::to_owned)
    });
    let mut names: Vec<String> = names.filter(|name| name != "lib").collect();
    names.sort();
    match kernels.iter().find(|kernel| !names.contains(kernel)) {
        None => Ok(()),
        Some(kernel) => bail!(
            "there is no kernel `{kernel}`; {}",
            tma_launch::suggestion(kernel, names.iter().map(String::as_str))
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        let check = |name: &str| check(&[name.to_owned()]).map_err(|error| error.to_string());
        assert_eq!(check("tile_2d"), Ok(()));
        let message = "there is no kernel `tile2d`; did you mean `tile_2d`?";
        assert_eq!(check("tile2d"), Err(message.to_owned()));
        assert!(check("lib").is_err());
    }
}

//! `inspect`: shows the compiled code of one kernel.

use std::{
    collections::{BTreeMap, HashMap},
    fs,
    path::Path,
    process::{Command, ExitCode},
};

use anyhow::{Context, Result};
use ptx::{Item, Module};
use tma_build::{Arch, Ptx};

use crate::{process, ptx as ptx_verb, setup, typed};

/// Shows the finished PTX of one kernel, its resources if ptxas is installed, and its machine code if nvdisasm is
/// too
#[derive(clap::Args)]
pub struct Args {
    /// Kernel to show
    kernel: String,
    #[command(flatten)]
    options: Options,
}

/// Options for the display of a kernel.
#[derive(clap::Args)]
pub struct Options {
    /// Target architecture
    #[arg(long, default_value = "sm_90a")]
    arch: Arch,
    /// Omit the machine code
    #[arg(long)]
    no_sass: bool,
    /// Print only the PTX, exactly as passed to ptxas
    #[arg(long)]
    raw: bool,
}

/// Runs the verb for a kernel of the crate `gpu`.
///
/// # Errors
/// There is no such kernel, no device compiler, or the build fails.
pub fn run(args: &Args, gpu: &Path) -> Result<ExitCode> {
    show(&args.kernel, &args.options, gpu)
}

/// Shows a kernel of the crate `gpu`.
///
/// # Errors
/// There is no such kernel, no device compiler, or the build fails.
pub fn show(kernel: &str, options: &Options, gpu: &Path) -> Result<ExitCode> {
    setup::ensure_device_compiler()?;
    let built = ptx_verb::build(gpu, options.arch)?;
    let text = fs::read_to_string(&built.path)
        .with_context(|| format!("cannot read {}", built.path.display()))?;
    let module = ptx::parse_named(&built.path.display().to_string(), &text)?;
    let (name, others) = find(&module, kernel)?;
    if !others.is_empty() {
        complain!("showing {name}; further instances: {}\n", others.join(", "));
    }
    let kernel = module.extract(name);
    let kernel = kernel.with_context(|| format!("there is no kernel `{name}`"))?;
    if options.raw {
        say!("{kernel}");
        return Ok(ExitCode::SUCCESS);
    }
    say!("{}\n", readable(&kernel));
    match built
        .resources
        .as_ref()
        .and_then(|kernels| kernels.get(name))
    {
        Some(resources) => say!("{}", ptx_verb::describe([(name, resources)].into_iter())),
        None => say!(
            "(no resource usage: ptxas is missing; use `{}`)",
            typed("setup --cuda")
        ),
    }
    if let (Some(ptxas), false) = (setup::tool("ptxas"), options.no_sass) {
        match setup::tool("nvdisasm") {
            Some(nvdisasm) => say!("\n{}", sass(&kernel, &built, &ptxas, &nvdisasm)?),
            None => say!(
                "(no machine code: nvdisasm is missing; use `{}`)",
                typed("setup --cuda")
            ),
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the kernel's entry, or its first instance (`kernel_1` and so on) and the others; otherwise an error with
/// the nearest names.
fn find<'m>(module: &'m Module, kernel: &str) -> Result<(&'m str, Vec<&'m str>)> {
    let names = || module.entries().map(|entry| entry.name.as_str());
    if let Some(name) = names().find(|name| *name == kernel) {
        return Ok((name, Vec::new()));
    }
    let number = |name: &str| -> Option<u64> {
        let rest = name.strip_prefix(kernel)?.strip_prefix('_')?;
        rest.parse().ok()
    };
    let instances = names().filter_map(|name| Some((number(name)?, name)));
    let instances: BTreeMap<u64, &str> = instances.collect();
    let mut instances = instances.into_values();
    let first = instances.next().with_context(|| {
        format!(
            "there is no kernel `{kernel}`; {}",
            tma_launch::suggestion(kernel, names())
        )
    })?;
    Ok((first, instances.collect()))
}

/// Returns the PTX with the Rust line of each `.loc` as a comment.
fn readable(module: &Module) -> String {
    let file = |item: &Item| match item {
        Item::File(file) => Some((file.index.to_string(), file.path.clone())),
        _ => None,
    };
    let files: HashMap<String, String> = module.items.iter().filter_map(file).collect();
    let mut lines = Vec::new();
    for line in module.to_string().lines() {
        let Some(location) = line.trim().strip_prefix(".loc") else {
            if !line.starts_with(".file") {
                lines.push(line.to_owned());
            }
            continue;
        };
        let mut words = location.split_whitespace();
        let (file, line) = (
            words.next().unwrap_or_default(),
            words.next().unwrap_or_default(),
        );
        let comment = match files.get(file) {
            Some(file) if line != "0" => format!("\t// {file}:{line}"),
            _ => continue,
        };
        // Consecutive locations often refer to the same line.
        if lines
            .iter()
            .rev()
            .find(|line| line.trim_start().starts_with("//"))
            != Some(&comment)
        {
            lines.push(comment);
        }
    }
    lines.join("\n")
}

fn sass(kernel: &Module, built: &Ptx, ptxas: &Path, nvdisasm: &Path) -> Result<String> {
    let folder = built.path.with_extension("inspect");
    fs::create_dir_all(&folder).with_context(|| format!("cannot create {}", folder.display()))?;
    let path = |name: &str| folder.join(name);
    write(&path("kernel.ptx"), &kernel.to_string())?;
    let mut assemble = Command::new(ptxas);
    assemble.args([
        "--gpu-name",
        built.arch.name(),
        "--output-file",
        "kernel.cubin",
        "kernel.ptx",
    ]);
    process::output(assemble.current_dir(&folder))?;
    process::output(
        Command::new(nvdisasm)
            .arg("--print-code")
            .arg(path("kernel.cubin")),
    )
}

fn write(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = ".version 8.0\n.target sm_90a\n.address_size 64\n.visible .entry scale()\n{\n\
        .loc 1 7 3\nret;\n.loc 1 7 9\nret;\n}\n.file 1 \"src/scale.rs\"\n";

    #[test]
    fn rust_lines_are_comments() {
        let text = readable(&ptx::parse(TEXT).unwrap().extract("scale").unwrap());
        assert!(
            text.ends_with("{\n\t// src/scale.rs:7\n\tret;\n\tret;\n}"),
            "{text}"
        );
    }

    #[test]
    fn an_unknown_kernel_is_answered_with_the_nearest() {
        let error = find(&ptx::parse(TEXT).unwrap(), "scales").unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no kernel `scales`; did you mean `scale`?"
        );
    }

    #[test]
    fn the_first_instance_stands_for_all() {
        let head = ".version 8.0 .target sm_90a .address_size 64";
        let entries = ["ring_10", "ring_2", "ring_2d", "tile"];
        let entries = entries.map(|name| format!(".visible .entry {name}() {{ ret; }}"));
        let module = ptx::parse(&format!("{head} {}", entries.join("\n"))).unwrap();
        assert_eq!(find(&module, "ring").unwrap(), ("ring_2", vec!["ring_10"]));
        assert_eq!(find(&module, "ring_10").unwrap(), ("ring_10", vec![]));
        assert!(find(&module, "tile_2").is_err());
    }
}

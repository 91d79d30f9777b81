//! Compilers, tools and folders.

use std::{fs, path::Path, process::Command};

use tma_build::{DeviceCompiler, RustCuda};

use super::Diagnostic;
use crate::{
    output::Mark,
    process::{first_line, output},
    setup, typed,
};

/// A build takes a few of them.
const GIB_NEEDED: f64 = 5.0;

pub(crate) fn diagnostics(target: &Path) -> Vec<Diagnostic> {
    let mut diagnostics = vec![host_toolchain()];
    diagnostics.extend(["rustfmt", "clippy"].into_iter().filter_map(component));
    diagnostics.push(device_compiler());
    diagnostics.extend(cuda_tools());
    diagnostics.push(rust_cuda());
    diagnostics.extend([target_folder(target), free_space(target)]);
    diagnostics
}

fn host_toolchain() -> Diagnostic {
    match (
        first_line("rustc", &["--version"]),
        first_line("cargo", &["--version"]),
    ) {
        (Some(rustc), Some(cargo)) => {
            Diagnostic::new(Mark::Ok, "host toolchain", format!("{rustc}\n{cargo}"))
        }
        _ => Diagnostic::new(
            Mark::Fatal,
            "host toolchain",
            "rustc or cargo does not run: is it on PATH?",
        )
        .remedy(match first_line("rustup", &["--version"]) {
            Some(_) => "rustup toolchain install stable",
            None => "curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh",
        }),
    }
}

/// Empty if the component is installed.
fn component(name: &'static str) -> Option<Diagnostic> {
    let program = if name == "rustfmt" {
        "rustfmt"
    } else {
        "cargo-clippy"
    };
    if first_line(program, &["--version"]).is_some() {
        return None;
    }
    let text = "missing; optional, to format and lint";
    Some(Diagnostic::new(Mark::Info, name, text).remedy("rustup component add rustfmt clippy"))
}

fn device_compiler() -> Diagnostic {
    match DeviceCompiler::find() {
        Ok(compiler) => {
            let tried = if compiler.is_tried() {
                ""
            } else {
                "\nnot tried yet: each build begins with a self-test"
            };
            let text = format!(
                "rustc {}: {}{tried}",
                compiler.version,
                compiler.rustc.display()
            );
            Diagnostic::new(Mark::Ok, "device compiler", text)
        }
        Err(tma_build::Error::NoCompiler { looked_at, .. }) => {
            let text = format!(
                "missing: rustc 1.96.0 or later with the source of `core`. Looked at:\n{looked_at}"
            );
            Diagnostic::new(Mark::Fatal, "device compiler", text).remedy(typed("setup"))
        }
        Err(error) => Diagnostic::new(
            Mark::Fatal,
            "device compiler",
            format!(
                "{error}\n{} names it; unset it or name another",
                DeviceCompiler::VARIABLE
            ),
        ),
    }
}

/// One line for each component that is installed, and one for all that are missing.
fn cuda_tools() -> Vec<Diagnostic> {
    let tools = ["ptxas", "nvdisasm", "nvcc"].map(|name| (name, setup::tool(name)));
    let there = tools
        .iter()
        .filter_map(|(name, path)| Some(cuda_tool(name, path.as_ref()?)));
    let library = setup::libnvvm();
    let there = there.chain(library.as_ref().map(|path| {
        let text = format!("reads the device compiler's IR: {}", path.display());
        Diagnostic::new(Mark::Ok, "libnvvm", text)
    }));
    let mut diagnostics: Vec<Diagnostic> = there.collect();
    let misnamed = setup::misnamed_ptxas();
    let missing: Vec<&str> = tools
        .iter()
        .filter(|(name, path)| path.is_none() && (*name != "ptxas" || misnamed.is_none()))
        .map(|(name, _)| *name)
        .chain(library.is_none().then_some("libnvvm"))
        .collect();
    if let Some(text) = misnamed {
        diagnostics.push(Diagnostic::new(Mark::Fatal, "ptxas", text).remedy(setup::UNSET_PTXAS));
    }
    if !missing.is_empty() {
        let text = format!(
            "no {}; optional, to check PTX or make it",
            missing.join(", ")
        );
        diagnostics
            .push(Diagnostic::new(Mark::Info, "CUDA's tools", text).remedy(typed("setup --cuda")));
    }
    diagnostics
}

/// The backend of rust-cuda, which is optional unless a variable requests it.
fn rust_cuda() -> Diagnostic {
    let is_named = std::env::var_os(RustCuda::VARIABLE).is_some();
    match RustCuda::find(None) {
        Ok(found) => {
            let (backend, compiler) = (found.path().display(), found.compiler().rustc.display());
            let text = format!("{compiler} loads {backend}");
            Diagnostic::new(Mark::Ok, "rust-cuda", text)
        }
        Err(_) if !is_named => {
            let text = "no backend; optional, a third code generator (docs/code-generators.md)";
            Diagnostic::new(Mark::Info, "rust-cuda", text)
                .remedy("export TMA_RUST_CUDA=…/librustc_codegen_nvvm.so")
        }
        Err(error) => Diagnostic::new(Mark::Fatal, "rust-cuda", error.to_string())
            .remedy("unset TMA_RUST_CUDA"),
    }
}

fn cuda_tool(name: &'static str, path: &Path) -> Diagnostic {
    let version = output(Command::new(path).arg("--version")).map_err(|error| error.to_string());
    match version.as_deref().map(release) {
        Ok(release) => Diagnostic::new(Mark::Ok, name, format!("{release}: {}", path.display())),
        // A ptxas that is found is used, so it must run.
        Err(error) => {
            let (mark, remedy) = match name {
                "ptxas" if setup::names_ptxas() => (Mark::Fatal, setup::UNSET_PTXAS.to_owned()),
                "ptxas" => (Mark::Fatal, typed("setup --cuda")),
                _ => (Mark::Info, typed("setup --cuda")),
            };
            Diagnostic::new(mark, name, error).remedy(remedy)
        }
    }
}

/// `13.0` of `Cuda compilation tools, release 13.0, V13.0.88`.
fn release(version: &str) -> &str {
    let after = version.split_once("release ").map(|(_, rest)| rest);
    after
        .and_then(|rest| rest.split(',').next())
        .unwrap_or("of unknown version")
}

fn target_folder(target: &Path) -> Diagnostic {
    let folder = existing(target);
    let file = folder.join("doctor");
    match fs::write(&file, "").and_then(|()| fs::remove_file(&file)) {
        Ok(()) => Diagnostic::new(Mark::Ok, "target folder", folder.display().to_string()),
        Err(error) => Diagnostic::new(
            Mark::Fatal,
            "target folder",
            format!("cannot be written: {}: {error}", folder.display()),
        ),
    }
}

fn free_space(target: &Path) -> Diagnostic {
    let folder = existing(target);
    let free = output(Command::new("df").arg("-Pk").arg(folder)).ok();
    let Some(gib) = free.as_deref().and_then(free_gib) else {
        return Diagnostic::new(Mark::Info, "free space", "unknown");
    };
    let (mark, more) = if gib < GIB_NEEDED {
        (
            Mark::Info,
            format!("; a build takes up to {GIB_NEEDED} GiB"),
        )
    } else {
        (Mark::Ok, String::new())
    };
    Diagnostic::new(mark, "free space", format!("{gib:.0} GiB{more}"))
}

/// Returns the folder, or the nearest one above it that exists.
fn existing(folder: &Path) -> &Path {
    let mut above = folder
        .ancestors()
        .filter(|folder| !folder.as_os_str().is_empty());
    above
        .find(|folder| folder.is_dir())
        .unwrap_or(Path::new("."))
}

/// The fourth column of the second line of `df -Pk`.
fn free_gib(text: &str) -> Option<f64> {
    let kib: f64 = text
        .lines()
        .nth(1)?
        .split_whitespace()
        .nth(3)?
        .parse()
        .ok()?;
    Some(kib / f64::from(1 << 20))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn free_space_is_read() {
        let text = "Filesystem 1024-blocks Used Available Capacity Mounted on\noverlay 100 40 3145728 41% /\n";
        assert_eq!(free_gib(text), Some(3.0));
        assert_eq!(free_gib(""), None);
    }

    #[test]
    fn releases_are_read() {
        assert_eq!(
            release("ptxas\nCuda compilation tools, release 13.0, V13.0.88\n"),
            "13.0"
        );
        assert_eq!(release("ptxas"), "of unknown version");
    }

    #[test]
    fn a_target_folder_that_cargo_has_not_made_yet_is_that_of_its_parent() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(existing(&folder.path().join("target/debug")), folder.path());
        assert_eq!(existing(Path::new("no-such-folder")), Path::new("."));
    }
}

//! `doctor`: checks this machine, and what this repository needs beside a project's tools.

use std::{path::Path, process::ExitCode};

use anyhow::Result;
use tma_project::{
    Mark,
    doctor::{self, Args, Diagnostic},
};

use crate::{
    mutate_code,
    paths::{relative, root, target_dir},
    process::first_line,
};

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    doctor::run(args, &target_dir(), vec![mutants(), golden_files()])
}

fn mutants() -> Diagnostic {
    const WHAT: &str = "cargo-mutants";
    match first_line("cargo", &["mutants", "--version"]) {
        Some(version) => Diagnostic::new(Mark::Ok, WHAT, version),
        None => {
            let text = "missing; optional, for `cargo xtask mutate-code`";
            Diagnostic::new(Mark::Info, WHAT, text).remedy(mutate_code::INSTALL)
        }
    }
}

fn golden_files() -> Diagnostic {
    let folder = root().join("tests").join("golden");
    match count_ptx(&folder) {
        0 => Diagnostic::new(
            Mark::Info,
            "golden PTX",
            format!("none under {}", relative(&folder).display()),
        )
        .remedy("cargo xtask bless"),
        count => Diagnostic::new(
            Mark::Ok,
            "golden PTX",
            format!("{count} files under {}", relative(&folder).display()),
        ),
    }
}

fn count_ptx(folder: &Path) -> usize {
    let entries = folder.read_dir().into_iter().flatten().flatten();
    let of = |path: &Path| match path.is_dir() {
        true => count_ptx(path),
        false => usize::from(path.extension().is_some_and(|extension| extension == "ptx")),
    };
    entries.map(|entry| of(&entry.path())).sum()
}

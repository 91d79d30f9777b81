//! Checkouts of public sources, and their compilation with nvcc.

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use anyhow::{Context, Result};

use super::list::{CODE_BASES, CodeBase, LIBRARIES};
use crate::{
    paths::{root, target_dir},
    process::run as run_command,
};

/// The flags that `docs/exec.md` requires.
const FLAGS: &str = "-cudart shared -gencode arch=compute_90a,code=compute_90a";

/// Headers missing from the packages of `setup --cuda` and from the sources.
const HEADERS: [(&str, &str); 4] = [
    // CMake would generate this header.
    (
        "catch2/catch_user_config.hpp",
        "#define CATCH_CONFIG_DEFAULT_REPORTER \"console\"\n#define CATCH_CONFIG_CONSOLE_WIDTH 80\n",
    ),
    ("cublas_v2.h", include_str!("cublas.h")),
    ("cublasLt.h", include_str!("cublas.h")),
    ("cuda_profiler_api.h", include_str!("cuda_profiler_api.h")),
];

/// Returns the output folder of this verb.
pub(super) fn folder() -> PathBuf {
    target_dir().join("programs")
}

/// Returns the name of a repository.
fn repository(url: &'static str) -> &'static str {
    url.rsplit('/').next().unwrap_or(url)
}

/// Checkouts by repository name.
pub(super) struct Sources {
    given: Vec<(String, PathBuf)>,
}

impl Sources {
    /// Parses arguments `NAME=FOLDER`.
    pub(super) fn new(given: &[String]) -> Result<Self> {
        let given = given.iter().map(|text| {
            let (name, path) = text
                .split_once('=')
                .with_context(|| format!("`{text}` must have the form NAME=FOLDER"))?;
            let folder =
                fs::canonicalize(path).with_context(|| format!("there is no folder {path}"))?;
            Ok((name.to_owned(), folder))
        });
        let given = given.collect::<Result<_>>()?;
        Ok(Self { given })
    }

    /// Returns the checkout of a code base.
    pub(super) fn of(&self, base: &CodeBase) -> Result<PathBuf> {
        self.checkout(base.url, base.commit)
    }

    /// Returns the checkout of a commit; fetches it unless the user provides one.
    fn checkout(&self, url: &'static str, commit: &str) -> Result<PathBuf> {
        let name = repository(url);
        if let Some((_, path)) = self.given.iter().find(|(given, _)| given == name) {
            return Ok(path.clone());
        }
        let source = folder().join(name).join("source");
        if !source.is_dir() {
            let git = || Command::new("git");
            run_command(git().args(["init", "--quiet"]).arg(&source))?;
            let fetch = ["fetch", "--quiet", "--depth=1", url, commit];
            run_command(git().args(fetch).current_dir(&source))?;
            let checkout = ["checkout", "--quiet", commit];
            run_command(git().args(checkout).current_dir(&source))?;
        }
        Ok(source)
    }

    /// Expands a flag or path: `{NAME}` is the checkout of a repository, and `{here}` the folder of this verb's
    /// sources.
    pub(super) fn expanded(&self, text: &str) -> Result<String> {
        let Some((before, rest)) = text.split_once('{') else {
            return Ok(text.to_owned());
        };
        let (name, after) = rest.split_once('}').context("a brace must be closed")?;
        let folder = if name == "here" {
            root().join("xtask/src/programs")
        } else {
            let bases = CODE_BASES.iter().map(|base| (base.url, base.commit));
            let found = bases
                .chain(LIBRARIES)
                .find(|(url, _)| repository(url) == name);
            let (url, commit) =
                found.with_context(|| format!("there is no repository `{name}`"))?;
            self.checkout(url, commit)?
        };
        Ok(format!("{before}{}{after}", folder.display()))
    }
}

/// nvcc for the sources of a code base.
pub(super) struct Compiler<'a> {
    pub(super) nvcc: &'a Path,
    pub(super) sources: &'a Sources,
}

impl Compiler<'_> {
    /// Compiles the objects linked with each program of a code base, unless done before.
    pub(super) fn objects(&self, base: &CodeBase) -> Result<Vec<PathBuf>> {
        let objects = folder().join(base.name).join("objects");
        fs::create_dir_all(&objects)?;
        let object = |source: &&str| {
            let source = self.sources.of(base)?.join(self.sources.expanded(source)?);
            let stem = source.file_stem().unwrap_or_default();
            let object = objects.join(stem).with_extension("o");
            if !object.is_file() {
                let mut nvcc = self.nvcc(base, &objects)?;
                nvcc.arg("-c").arg(&source).arg("-o").arg(&object);
                run_command(nvcc.env("NVCC_APPEND_FLAGS", FLAGS))?;
            }
            Ok(object)
        };
        base.with.iter().map(object).collect()
    }

    /// Builds a program, and keeps the PTX of its sources in a folder.
    pub(super) fn program(
        &self,
        base: &CodeBase,
        sources: &[PathBuf],
        program: &Path,
        kept: &Path,
    ) -> Result<Output> {
        let folder = program
            .parent()
            .context("the path of a program has no parent folder")?;
        fs::create_dir_all(kept)?;
        let mut command = self.nvcc(base, folder)?;
        command
            .arg("-o")
            .arg(program)
            .arg("-L")
            .arg(folder)
            .args(["--keep".as_ref(), "--keep-dir".as_ref(), kept])
            .args(sources)
            .args(self.objects(base)?)
            .env("NVCC_APPEND_FLAGS", FLAGS);
        command.output().context("cannot run nvcc")
    }

    /// Compiles a source to PTX.
    pub(super) fn ptx(&self, base: &CodeBase, source: &Path, ptx: &Path) -> Result<Output> {
        let folder = ptx
            .parent()
            .context("the path of a PTX file has no parent folder")?;
        let mut command = self.nvcc(base, folder)?;
        command
            .args(["-ptx", "-arch=sm_90a", "-o"])
            .arg(ptx)
            .arg(source);
        command.output().context("cannot run nvcc")
    }

    /// Returns an nvcc command with the flags of the code base, and writes the missing headers to a folder.
    fn nvcc(&self, base: &CodeBase, folder: &Path) -> Result<Command> {
        for (header, text) in HEADERS {
            let header = folder.join(header);
            // Rewriting an unchanged header could disturb another compiler that reads it.
            if fs::read(&header).ok().as_deref() != Some(text.as_bytes()) {
                fs::create_dir_all(header.parent().unwrap_or(folder))?;
                fs::write(header, text)?;
            }
        }
        let flags = base.flags.iter().map(|flag| self.sources.expanded(flag));
        let mut command = Command::new(self.nvcc);
        command
            .args(["-lineinfo", "-I"])
            .arg(folder)
            .args(flags.collect::<Result<Vec<_>>>()?)
            .current_dir(self.sources.of(base)?);
        Ok(command)
    }
}

/// Returns nvcc's first error, shortened.
pub(super) fn first_error(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr) + String::from_utf8_lossy(&output.stdout);
    let first = said.lines().find(|line| line.contains("error"));
    let why = first.map_or("nvcc fails", |line| {
        line.split_once("error: ").map_or(line, |(_, why)| why)
    });
    why.replace('|', "/")
}

/// Returns a single source, or all sources of a folder.
pub(super) fn sources(path: &Path) -> Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let entries = fs::read_dir(path).with_context(|| format!("cannot read {}", path.display()))?;
    let mut sources: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    sources.retain(|path| {
        let extension = path.extension().and_then(|extension| extension.to_str());
        extension.is_some_and(|extension| ["cu", "cpp", "c"].contains(&extension))
    });
    sources.sort();
    Ok(sources)
}

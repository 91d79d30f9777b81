//! `programs`: public CUDA programs under `tma exec`, and the page that says what came of each.

mod build;
mod entries;
mod list;
mod page;

use std::{
    collections::BTreeMap,
    env,
    fs::{self, File},
    os::unix::process::ExitStatusExt,
    path::PathBuf,
    process::{Command, ExitCode, Stdio},
};

use anyhow::{Context, Result};

use crate::{
    paths::target_dir,
    process::{cargo, output, run as run_command},
    setup::tool,
};
use build::{Compiler, Sources, first_error, folder, sources};
use entries::{Entries, ptx_files};
use list::{CODE_BASES, CodeBase};

/// Fetches public CUDA programs, builds each with nvcc, runs it with `tma exec`, and writes what came of it into
/// docs/real-programs.md, with how many entries of these and other sources the emulator can run.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only those whose names contain one of these; the rows of others stay
    #[arg(value_name = "PROGRAM")]
    names: Vec<String>,
    /// Only those of this code base
    #[arg(long, value_name = "NAME")]
    code_base: Option<String>,
    /// Only count entries, and run no program
    #[arg(long)]
    entries: bool,
    /// Seconds after which a program is ended
    #[arg(long, default_value_t = 60)]
    limit_s: u32,
    /// A checkout of a repository to be used as it is, in place of fetching the commit
    #[arg(long, value_name = "NAME=FOLDER")]
    from: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let nvcc = tool("nvcc").context("there is no nvcc: cargo xtask setup --cuda")?;
    run_command(cargo().args(["build", "--release", "--quiet", "-p", "tma-cli"]))?;
    let sources = Sources::new(&args.from)?;
    let compiler = Compiler {
        nvcc: &nvcc,
        sources: &sources,
    };
    let is_wanted = |base: &&CodeBase| args.code_base.as_deref().is_none_or(|it| it == base.name);
    for base in CODE_BASES.iter().filter(is_wanted) {
        let mut entries = Entries::of(base.name)?;
        entries.retain(|source| {
            base.programs
                .iter()
                .chain(base.kernels)
                .any(|it| *it == source)
        });
        let is_named = |name: &&&str| {
            args.names.is_empty() || args.names.iter().any(|part| name.contains(part.as_str()))
        };
        for name in base.programs.iter().filter(is_named) {
            if args.entries {
                count_program(&compiler, base, name, &mut entries)?;
            } else {
                let came = try_program(&compiler, base, name, args.limit_s, &mut entries)?;
                say!("{} {name}: {}", base.name, came.replace(" |", ","));
                page::put_program(base.name, name, came)?;
            }
            page::put_entries(base.name, entries.row())?;
        }
        for name in base.kernels.iter().filter(is_named) {
            count_kernels(&compiler, base, name, &mut entries)?;
            page::put_entries(base.name, entries.row())?;
        }
        say!("{}: {}", base.name, entries.row().replace(" |", ","));
    }
    Ok(ExitCode::SUCCESS)
}

/// Counts the entries of a program that is not run.
fn count_program(
    compiler: &Compiler,
    base: &CodeBase,
    name: &str,
    entries: &mut Entries,
) -> Result<()> {
    let path = name.split(' ').next().unwrap_or(name);
    let mut all = sources(&compiler.sources.of(base)?.join(base.folder).join(path))?;
    if all.len() > 1 {
        all.retain(|source| {
            source
                .extension()
                .is_some_and(|extension| extension == "cu")
        });
    }
    count(compiler, base, name, &all, entries)
}

/// Counts the entries of a source, or of all PTX that a script makes.
fn count_kernels(
    compiler: &Compiler,
    base: &CodeBase,
    name: &str,
    entries: &mut Entries,
) -> Result<()> {
    let source = compiler.sources.expanded(name)?;
    let folder = compiler.sources.of(base)?.join(base.folder);
    let source = folder.join(source);
    if source.extension().is_none_or(|extension| extension != "py") {
        return count(compiler, base, name, &[source], entries);
    }
    let kept = build::folder().join(base.name).join("ptx");
    fs::create_dir_all(&kept)?;
    let python = env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
    let mut script = Command::new(python);
    script.arg(&source).args([&folder, &kept]);
    match output(&mut script) {
        Ok(said) => {
            complain!("{said}");
            entries.add(name, &ptx_files(&kept))
        }
        Err(error) => entries.add_failed(name, &error.to_string()),
    }
}

/// Compiles sources to PTX and counts their entries.
fn count(
    compiler: &Compiler,
    base: &CodeBase,
    name: &str,
    sources: &[PathBuf],
    entries: &mut Entries,
) -> Result<()> {
    let folder = build::folder().join(base.name).join("ptx");
    fs::create_dir_all(&folder)?;
    let mut files = Vec::new();
    for source in sources {
        let stem = source.file_stem().unwrap_or_default();
        let ptx = folder.join(stem).with_extension("ptx");
        let built = compiler.ptx(base, source, &ptx)?;
        if !built.status.success() {
            return entries.add_failed(name, &first_error(&built));
        }
        files.push(ptx);
    }
    entries.add(name, &files)
}

/// Builds and runs a program; gives the columns of its row.
fn try_program(
    compiler: &Compiler,
    base: &CodeBase,
    name: &str,
    limit_s: u32,
    entries: &mut Entries,
) -> Result<String> {
    let (path, arguments) = name.split_once(' ').unwrap_or((name, ""));
    let path = compiler.sources.of(base)?.join(base.folder).join(path);
    let at = if path.is_dir() {
        &path
    } else {
        path.parent().unwrap_or(&path)
    };
    let log = folder()
        .join(base.name)
        .join("logs")
        .join(name.replace(['/', ' '], "-"));
    fs::create_dir_all(&log)?;
    let (program, kept) = (log.join("program"), log.join("kept"));
    let built = compiler.program(base, &sources(&path)?, &program, &kept)?;
    if !built.status.success() {
        let why = first_error(&built);
        entries.add_failed(name, &why)?;
        fs::remove_dir_all(&kept)?;
        return Ok(format!("not built: {why} | 0 | "));
    }
    entries.add(name, &ptx_files(&kept))?;
    fs::remove_dir_all(&kept)?;
    let streams = ["out", "err"].map(|stream| log.join(stream));
    let mut exec = Command::new("timeout");
    exec.args(["--signal=INT", "--kill-after=5", &limit_s.to_string()])
        .arg(target_dir().join("release").join("tma"))
        .arg("exec")
        .arg(&program)
        .args(arguments.split_whitespace())
        .current_dir(at)
        .stdin(Stdio::null())
        .stdout(File::create(&streams[0])?)
        .stderr(File::create(&streams[1])?);
    let status = exec.status().context("cannot run timeout")?;
    let said = String::from_utf8_lossy(&fs::read(&streams[1])?).into_owned();
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    Ok(came(&said, code.unwrap_or_default(), limit_s))
}

/// The columns of a row, from what `tma exec` has said.
fn came(said: &str, code: i32, limit_s: u32) -> String {
    let kinds = |severity: &str| {
        let mut kinds = BTreeMap::<&str, u32>::new();
        let prefix = format!("{severity}[");
        let heads = said.lines().filter_map(|line| line.strip_prefix(&prefix));
        for kind in heads.filter_map(|head| head.split(']').next()) {
            *kinds.entry(kind).or_default() += 1;
        }
        kinds.remove("unsupported");
        kinds
    };
    let counted = |(kind, count): (&str, u32)| match count {
        1 => format!("`{kind}`"),
        count => format!("{count} `{kind}`"),
    };
    let all = kinds("error").into_iter().chain(kinds("warning"));
    let findings: Vec<String> = all.map(counted).collect();
    let closing = said
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("tma exec: "));
    let launches = closing.and_then(|line| line.split(' ').next()?.parse::<u64>().ok());
    let unsupported = said
        .lines()
        .find_map(|line| line.strip_prefix("error[unsupported]: "));
    let end = match (code, unsupported) {
        (124 | 137, _) => format!("cut off after {limit_s} s"),
        (_, Some(what)) => {
            let name = what.split(" is not there").next().unwrap_or(what);
            format!("stopped: {}", name.replace('|', "/"))
        }
        (code, None) => format!("exit code {code}"),
    };
    format!(
        "{end} | {} | {}",
        launches.unwrap_or(0),
        findings.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_is_what_was_said() {
        let said = "error[data-race]: a\n  --> x\n\nerror[data-race]: b\nwarning[same-value-race]: c\n\
            tma exec: 12 launches checked under seed 0: 2 errors, 1 warning\n";
        let found = "12 | 2 `data-race`, `same-value-race`";
        assert_eq!(came(said, 0, 60), format!("exit code 0 | {found}"));
        assert_eq!(came(said, 124, 60), format!("cut off after 60 s | {found}"));
        let said = "error[unsupported]: cudaX is not there\ntma exec: 1 launch checked: 0 errors\n";
        assert_eq!(came(said, 1, 60), "stopped: cudaX | 1 | ");
        assert_eq!(came("", 139, 60), "exit code 139 | 0 | ");
    }
}

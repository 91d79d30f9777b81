//! `programs`: public CUDA programs under `tma exec`, and the page that says what came of each.

mod build;
mod entries;
mod list;
mod page;

use std::{
    collections::BTreeMap,
    fs::{self, File},
    os::unix::process::ExitStatusExt,
    process::{Command, ExitCode, Stdio},
};

use anyhow::{Context, Result};

use crate::{
    paths::target_dir,
    process::{cargo, run as run_command},
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
        let mut entries = Entries::default();
        for name in base.programs {
            let mut parts = args.names.iter();
            if !args.names.is_empty() && !parts.any(|part| name.contains(part.as_str())) {
                continue;
            }
            let Some(came) = try_program(&compiler, base, name, args, &mut entries)? else {
                continue;
            };
            say!("{} {name}: {}", base.name, came.replace(" |", ","));
            page::put_program(base.name, name, came)?;
        }
        if args.names.is_empty() {
            for name in base.kernels {
                count(&compiler, base, name, &mut entries)?;
            }
            say!("{}: {}", base.name, entries.row());
            page::put_entries(base.name, entries.row())?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Counts the entries of a source that is no program.
fn count(compiler: &Compiler, base: &CodeBase, name: &str, entries: &mut Entries) -> Result<()> {
    let source = compiler.sources.expanded(name)?;
    let source = compiler.sources.of(base)?.join(base.folder).join(source);
    let folder = folder().join(base.name).join("ptx");
    fs::create_dir_all(&folder)?;
    let ptx = folder.join(format!("{}.ptx", name.replace(['/', ' '], "-")));
    let built = compiler.ptx(base, &source, &ptx)?;
    if built.status.success() {
        entries.add(&[ptx])
    } else {
        entries.add_failed(name, &first_error(&built));
        Ok(())
    }
}

/// Builds and runs a program; gives the columns of its row.
fn try_program(
    compiler: &Compiler,
    base: &CodeBase,
    name: &str,
    args: &Args,
    entries: &mut Entries,
) -> Result<Option<String>> {
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
        entries.add_failed(name, &why);
        fs::remove_dir_all(&kept)?;
        return Ok(Some(format!("not built: {why} | 0 | ")));
    }
    entries.add(&ptx_files(&kept))?;
    fs::remove_dir_all(&kept)?;
    if args.entries {
        return Ok(None);
    }
    let streams = ["out", "err"].map(|stream| log.join(stream));
    let mut exec = Command::new("timeout");
    exec.args(["--signal=INT", "--kill-after=5", &args.limit_s.to_string()])
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
    Ok(Some(came(&said, code.unwrap_or_default(), args.limit_s)))
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

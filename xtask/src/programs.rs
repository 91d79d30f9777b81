//! `programs`: public CUDA programs under `tma exec`, and the page that says what came of each.

mod list;

use std::{
    collections::BTreeMap,
    fs::{self, File},
    os::unix::{fs::symlink, process::ExitStatusExt},
    path::{Path, PathBuf},
    process::{Command, ExitCode, Output, Stdio},
};

use anyhow::{Context, Result};

use crate::{
    paths::{root, target_dir},
    process::{cargo, run as run_command},
    setup::tool,
};
use list::{CODE_BASES, CodeBase};

/// Fetches public CUDA programs, builds each with nvcc, runs it with `tma exec`, and writes what came of it into
/// docs/real-programs.md.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only those whose names contain one of these; the rows of others stay
    #[arg(value_name = "PROGRAM")]
    names: Vec<String>,
    /// Seconds after which a program is ended
    #[arg(long, default_value_t = 60)]
    limit_s: u32,
    /// A checkout of a code base to be used as it is, in place of fetching the commit
    #[arg(long, value_name = "NAME=FOLDER")]
    from: Vec<String>,
}

const PAGE: &str = "docs/real-programs.md";
const BEGIN: &str = "<!-- programs -->\n";
const END: &str = "<!-- end of programs -->\n";

/// The flags that `docs/exec.md` asks for.
const FLAGS: &str = "-cudart shared -gencode arch=compute_90a,code=compute_90a";

/// Headers that the packages of `setup --cuda` lack.
const HEADERS: [(&str, &str); 3] = [
    ("cublas_v2.h", include_str!("programs/cublas.h")),
    ("cublasLt.h", include_str!("programs/cublas.h")),
    (
        "cuda_profiler_api.h",
        include_str!("programs/cuda_profiler_api.h"),
    ),
];

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let nvcc = tool("nvcc").context("there is no nvcc: cargo xtask setup --cuda")?;
    run_command(cargo().args(["build", "--release", "--quiet", "-p", "tma-cli"]))?;
    let page = root().join(PAGE);
    let text = fs::read_to_string(&page).with_context(|| format!("cannot read {PAGE}"))?;
    let (before, rest) = text.split_once(BEGIN).context("the page has no block")?;
    let (block, after) = rest.split_once(END).context("the block has no end")?;
    let mut rows = read_rows(block);
    let is_listed = |base: &CodeBase, (of, name): &(String, String)| {
        base.name == *of && base.programs.contains(&name.as_str())
    };
    rows.retain(|row, _| CODE_BASES.iter().any(|base| is_listed(base, row)));
    for base in CODE_BASES {
        let folder = target_dir().join("programs").join(base.name);
        let wanted = |name: &&&str| {
            args.names.is_empty() || args.names.iter().any(|part| name.contains(part.as_str()))
        };
        let programs: Vec<_> = base.programs.iter().filter(wanted).collect();
        if programs.is_empty() {
            continue;
        }
        let source = source(base, &folder, &args.from)?;
        for name in programs {
            let came = try_program(base, name, &source, &folder, &nvcc, args.limit_s)?;
            say!("{} {name}: {}", base.name, came.replace(" |", ","));
            rows.insert((base.name.to_owned(), (*name).to_owned()), came);
            // What was measured stays when this is ended.
            fs::write(
                &page,
                format!("{before}{BEGIN}{}{END}{after}", block_of(&rows)),
            )?;
        }
    }
    Ok(ExitCode::SUCCESS)
}

type Rows = BTreeMap<(String, String), String>;

/// Reads `| code base | program | came |`, of which the last part may have several columns.
fn read_rows(block: &str) -> Rows {
    let rows = block.lines().filter_map(|line| {
        let (base, rest) = line.strip_prefix("| ")?.split_once(" | `")?;
        let (name, came) = rest.split_once("` | ")?;
        let came = came.strip_suffix(" |")?;
        Some(((base.to_owned(), name.to_owned()), came.to_owned()))
    });
    rows.collect()
}

fn block_of(rows: &Rows) -> String {
    let mut text = String::from(
        "| code base | program | end | launches | findings |\n| --- | --- | --- | ---: | --- |\n",
    );
    for ((base, name), came) in rows {
        text += &format!("| {base} | `{name}` | {came} |\n");
    }
    let mut ends = BTreeMap::<&str, u32>::new();
    for end in rows
        .values()
        .filter_map(|came| came.split([':', '|']).next())
    {
        *ends.entry(end.trim_end()).or_default() += 1;
    }
    let ends: Vec<_> = ends
        .iter()
        .map(|(end, count)| format!("{count} {end}"))
        .collect();
    text += &format!("\n{} programs: {}.\n", rows.len(), ends.join(", "));
    for CodeBase {
        name,
        url,
        commit,
        left_out,
        ..
    } in CODE_BASES
    {
        text += &format!("\n[{name}]({url}) is at commit `{commit}`. Left out are {left_out}.\n");
    }
    text
}

/// The checkout of a code base, which is fetched where the user has none.
fn source(base: &CodeBase, folder: &Path, from: &[String]) -> Result<PathBuf> {
    let mut given = from.iter().filter_map(|text| text.split_once('='));
    if let Some((_, path)) = given.find(|(name, _)| *name == base.name) {
        return fs::canonicalize(path).with_context(|| format!("there is no folder {path}"));
    }
    let source = folder.join("source");
    if !source.is_dir() {
        let git = || Command::new("git");
        run_command(git().args(["init", "--quiet"]).arg(&source))?;
        let fetch = ["fetch", "--quiet", "--depth=1", base.url, base.commit];
        run_command(git().args(fetch).current_dir(&source))?;
        let checkout = ["checkout", "--quiet", base.commit];
        run_command(git().args(checkout).current_dir(&source))?;
    }
    Ok(source)
}

/// Builds and runs a program; gives the columns of its row.
fn try_program(
    base: &CodeBase,
    name: &str,
    source: &Path,
    folder: &Path,
    nvcc: &Path,
    limit_s: u32,
) -> Result<String> {
    let (path, arguments) = name.split_once(' ').unwrap_or((name, ""));
    let path = source.join(base.folder).join(path);
    let at = if path.is_dir() {
        &path
    } else {
        path.parent().unwrap_or(&path)
    };
    let log = folder.join("logs").join(name.replace(['/', ' '], "-"));
    fs::create_dir_all(&log)?;
    let program = log.join("program");
    let built = build(base, &sources(&path)?, source, nvcc, &program)?;
    if !built.status.success() {
        let said = String::from_utf8_lossy(&built.stderr) + String::from_utf8_lossy(&built.stdout);
        let first = said.lines().find(|line| line.contains("error"));
        let why = first.map_or("nvcc fails", |line| {
            line.split_once("error: ").map_or(line, |(_, why)| why)
        });
        return Ok(format!("not built: {} | 0 | ", why.replace('|', "/")));
    }
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

/// All sources of a folder, or one.
fn sources(path: &Path) -> Result<Vec<PathBuf>> {
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

fn build(
    base: &CodeBase,
    sources: &[PathBuf],
    source: &Path,
    nvcc: &Path,
    program: &Path,
) -> Result<Output> {
    let toolkit = nvcc.ancestors().nth(2).context("nvcc lies nowhere")?;
    let folder = program.parent().context("a program lies nowhere")?;
    // The package of the runtime lacks the name that linkers look for.
    let library = folder.join("libcudart.so");
    if !library.exists() {
        symlink(toolkit.join("lib/libcudart.so.13"), library)?;
    }
    for (header, text) in HEADERS {
        fs::write(folder.join(header), text)?;
    }
    let mut command = Command::new(nvcc);
    command
        .args(["-std=c++17", "-lineinfo", "-o"])
        .arg(program)
        .arg("-L")
        .arg(folder)
        .arg("-L")
        .arg(toolkit.join("lib"))
        .arg("-I")
        .arg(folder)
        .args(base.flags)
        .args(sources)
        .current_dir(source)
        .env("NVCC_APPEND_FLAGS", FLAGS);
    command.output().context("cannot run nvcc")
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
    fn rows_are_read_as_they_were_written() {
        let mut rows = Rows::new();
        let name = |base: &str, name: &str| (base.to_owned(), name.to_owned());
        rows.insert(name("b", "x 4"), "exit code 0 | 7 | ".to_owned());
        rows.insert(name("a", "y/z"), "not built: no | 0 | `k`".to_owned());
        assert_eq!(read_rows(&block_of(&rows)), rows);
    }

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

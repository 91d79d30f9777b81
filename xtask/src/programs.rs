//! `programs`: runs public CUDA programs under `tma exec`, and updates the page with the results.

mod build;
mod entries;
mod list;
mod page;

use std::{
    collections::{BTreeMap, VecDeque},
    env,
    fs::{self, File},
    os::unix::process::ExitStatusExt,
    process::{Command, ExitCode, Stdio},
    sync::Mutex,
    thread,
};

use anyhow::{Context, Result, anyhow};

use crate::{
    paths::target_dir,
    process::{cargo, output, run as run_command},
    setup::tool,
};
use build::{Compiler, Sources, first_error, folder, sources};
use entries::{Entries, Found, ptx_files};
use list::{CODE_BASES, CodeBase};

/// Default limit of a program in seconds of core time.
const LIMIT_S: u32 = 120;

/// Wall-clock seconds per second of core time, since programs share the machine.
const CLOCK: u32 = 4;

/// Fetches public CUDA programs, builds each with nvcc, runs it with `tma exec`, and writes the results to
/// docs/real-programs.md. Also counts how many entries of these and other sources the emulator can run
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Only programs whose names contain one of these; other rows are kept
    #[arg(value_name = "PROGRAM")]
    names: Vec<String>,
    /// Only programs of this code base
    #[arg(long, value_name = "NAME")]
    code_base: Option<String>,
    /// Only count entries, without running programs
    #[arg(long)]
    entries: bool,
    /// Limit of a program in seconds of core time
    #[arg(long, default_value_t = LIMIT_S)]
    limit_s: u32,
    /// Run programs built before, without rebuilding
    #[arg(long)]
    built: bool,
    /// Number of programs to build and run in parallel
    #[arg(long, default_value_t = 2)]
    jobs: usize,
    /// Use this checkout of a repository instead of fetching the commit
    #[arg(long, value_name = "NAME=FOLDER")]
    from: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<ExitCode> {
    let nvcc = tool("nvcc").context("nvcc is missing; use `cargo xtask setup --cuda`")?;
    run_command(cargo().args(["build", "--release", "--quiet", "-p", "tma-cli"]))?;
    let sources = Sources::new(&args.from)?;
    let compiler = Compiler {
        nvcc: &nvcc,
        sources: &sources,
    };
    let is_wanted = |base: &&CodeBase| args.code_base.as_deref().is_none_or(|it| it == base.name);
    let bases: Vec<&CodeBase> = CODE_BASES.iter().filter(is_wanted).collect();
    let mut entries = BTreeMap::new();
    let mut tries = VecDeque::new();
    for base in bases {
        let mut known = Entries::of(base.name)?;
        known.retain(|source| base.sources().any(|it| it == source));
        entries.insert(base.name, known);
        // Done in advance, since threads must not fetch or compile the same sources.
        compiler.sources.of(base)?;
        compiler.objects(base)?;
        let is_named = |name: &&str| {
            args.names.is_empty() || args.names.iter().any(|part| name.contains(part.as_str()))
        };
        for name in base.sources().filter(is_named) {
            let runs = !args.entries && base.programs.contains(&name);
            tries.push_back((base, name, runs));
        }
    }
    let (tries, entries) = (Mutex::new(tries), Mutex::new(entries));
    let lock_failed = || anyhow!("another thread has panicked");
    let work = || -> Result<()> {
        loop {
            let next = tries.lock().map_err(|_| lock_failed())?.pop_front();
            let Some((base, name, runs)) = next else {
                return Ok(());
            };
            let (found, came) = match runs {
                true => try_program(&compiler, base, name, args)?,
                false => (Some(count(&compiler, base, name)?), String::new()),
            };
            // Only one thread at a time may write the page.
            let mut entries = entries.lock().map_err(|_| lock_failed())?;
            let known = entries.get_mut(base.name).ok_or_else(lock_failed)?;
            if let Some(found) = found {
                known.put(name, found)?;
            }
            if runs {
                say!("{} {name}: {}", base.name, came.replace(" |", ","));
                page::put_program(base.name, name, came)?;
            }
            page::put_entries(base.name, known.row())?;
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..args.jobs.max(1)).map(|_| scope.spawn(work)).collect();
        let mut ended = workers.into_iter().map(|worker| match worker.join() {
            Ok(done) => done,
            Err(_) => Err(lock_failed()),
        });
        ended.try_for_each(|done| done)
    })?;
    for (base, known) in &*entries.lock().map_err(|_| lock_failed())? {
        say!("{base}: {}", known.row().replace(" |", ","));
    }
    Ok(ExitCode::SUCCESS)
}

/// Compiles a source to PTX, or runs a script that makes PTX, and inspects its entries.
fn count(compiler: &Compiler, base: &CodeBase, name: &str) -> Result<Found> {
    let folder = compiler.sources.of(base)?.join(base.folder);
    let is_program = base.programs.contains(&name);
    let path = match is_program {
        true => name.split(' ').next().unwrap_or(name).to_owned(),
        false => compiler.sources.expanded(name)?,
    };
    let source = folder.join(path);
    let kept = build::folder().join(base.name).join("ptx");
    fs::create_dir_all(&kept)?;
    if source
        .extension()
        .is_some_and(|extension| extension == "py")
    {
        // The emulated device is needed, since some compilers query its properties.
        let python = env::var_os("PYTHON").unwrap_or_else(|| "python3".into());
        let mut script = Command::new(target_dir().join("release").join("tma"));
        script
            .arg("exec")
            .arg(python)
            .arg(&source)
            .args([&folder, &kept]);
        return match output(&mut script) {
            Ok(said) => {
                complain!("{said}");
                Found::of(&ptx_files(&kept))
            }
            Err(error) => Ok(Found::failed(&error.to_string())),
        };
    }
    let mut sources = sources(&source)?;
    if sources.len() > 1 {
        sources.retain(|source| {
            source
                .extension()
                .is_some_and(|extension| extension == "cu")
        });
    }
    let mut files = Vec::new();
    for source in sources {
        let stem = source.file_stem().unwrap_or_default();
        let ptx = kept.join(stem).with_extension("ptx");
        let built = compiler.ptx(base, &source, &ptx)?;
        if !built.status.success() {
            return Ok(Found::failed(&first_error(&built)));
        }
        files.push(ptx);
    }
    Found::of(&files)
}

/// Builds a program unless it is already built, and runs it. Returns the entries of its PTX and the columns of its
/// row.
fn try_program(
    compiler: &Compiler,
    base: &CodeBase,
    name: &str,
    Args { limit_s, built, .. }: &Args,
) -> Result<(Option<Found>, String)> {
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
    let mut found = None;
    if !(*built && program.is_file()) {
        let built = compiler.program(base, &sources(&path)?, &program, &kept)?;
        if !built.status.success() {
            let why = first_error(&built);
            fs::remove_dir_all(&kept)?;
            return Ok((
                Some(Found::failed(&why)),
                format!("not built: {why} | 0 | "),
            ));
        }
        found = Some(Found::of(&ptx_files(&kept))?);
        fs::remove_dir_all(&kept)?;
    }
    let streams = ["out", "err"].map(|stream| log.join(stream));
    // The limit counts core time, not waiting, except for endless waits. Output is line-buffered.
    let mut exec = Command::new("timeout");
    let clock_s = CLOCK * limit_s;
    exec.args(["--signal=INT", "--kill-after=5", &clock_s.to_string()])
        .args([
            "sh",
            "-c",
            r#"ulimit -S -t "$0"; exec "$@""#,
            &limit_s.to_string(),
        ])
        .args(["stdbuf", "-oL"])
        .arg(target_dir().join("release").join("tma"))
        .arg("exec")
        .arg(&program)
        .args(arguments.split_whitespace())
        .current_dir(at)
        .stdin(Stdio::null())
        .stdout(File::create(&streams[0])?)
        .stderr(File::create(&streams[1])?);
    let status = exec.status().context("cannot run timeout")?;
    let [out, said] = streams.map(|stream| fs::read(stream).unwrap_or_default());
    let said = String::from_utf8_lossy(&said).into_owned();
    let code = status.code().or(status.signal().map(|signal| 128 + signal));
    let (out, checked) = (String::from_utf8_lossy(&out), base.checked);
    let is_right = checked.is_some_and(|line| out.lines().any(|it| it.contains(line)));
    let came = came(&said, code.unwrap_or_default(), *limit_s, is_right);
    Ok((found, came))
}

/// Exit codes of `timeout`, and of a program that exceeded its core time (SIGXCPU).
const CUT_OFF: [i32; 3] = [124, 137, 128 + 24];

/// Returns the columns of a row from the output of `tma exec` and whether the program reported correct results.
fn came(said: &str, code: i32, limit_s: u32, is_right: bool) -> String {
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
        (code, _) if CUT_OFF.contains(&code) && is_right => {
            format!("results right, cut off after {limit_s} s")
        }
        (code, _) if CUT_OFF.contains(&code) => format!("cut off after {limit_s} s"),
        (_, Some(what)) => {
            let name = what.split(" is not supported").next().unwrap_or(what);
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
    use crate::paths::root;

    #[test]
    fn the_page_has_the_limits_of_time() {
        let page = fs::read_to_string(root().join("docs/real-programs.md")).unwrap();
        let clock_s = CLOCK * LIMIT_S;
        let limits = format!("at most {LIMIT_S} seconds of a core or {clock_s} of the clock");
        assert!(page.contains(&limits), "{limits}");
    }

    #[test]
    fn what_came_is_what_was_said() {
        let said = "error[data-race]: a\n  --> x\n\nerror[data-race]: b\nwarning[same-value-race]: c\n\
            tma exec: 12 launches checked under seed 0: 2 errors, 1 warning\n";
        let found = "12 | 2 `data-race`, `same-value-race`";
        let of = |code| came(said, code, 60, false);
        assert_eq!(of(0), format!("exit code 0 | {found}"));
        assert_eq!(of(124), format!("cut off after 60 s | {found}"));
        let right = format!("results right, cut off after 60 s | {found}");
        assert_eq!(came(said, 152, 60, true), right);
        let said = "error[unsupported]: cudaX is not supported; it returns cudaErrorNotSupported\ntma exec: 1 launch checked: 0 errors\n";
        assert_eq!(came(said, 1, 60, false), "stopped: cudaX | 1 | ");
        assert_eq!(came("", 139, 60, true), "exit code 139 | 0 | ");
    }
}

//! NVIDIA's assembler, if it is installed: it checks the PTX and reports the resources of a kernel.

use std::{
    collections::BTreeMap,
    env, fs,
    hash::{DefaultHasher, Hash, Hasher},
    io::Read,
    path::{Path, PathBuf},
    process::{self, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use crate::{Arch, Error, user_cache};

/// The resources of a multiprocessor that a kernel uses, as ptxas reports them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Resources {
    /// The number of registers of each thread.
    pub registers: u32,
    /// The number of barriers of each block: all 16 if a register has the number of one.
    pub barriers: u32,
    /// Bytes of local memory that are not spills.
    pub stack_bytes: u32,
    /// Bytes stored because registers ran out.
    pub spill_store_bytes: u32,
    /// Bytes loaded because registers ran out.
    pub spill_load_bytes: u32,
    /// Bytes of static shared memory.
    pub shared_bytes: u32,
}

/// The assembler `ptxas` of a CUDA toolkit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ptxas {
    path: PathBuf,
}

impl Ptxas {
    /// The environment variable that names a ptxas to use.
    pub const VARIABLE: &str = "TMA_PTXAS";

    /// Finds any: the one that `TMA_PTXAS` names, or else the first of the [`tool_dirs`].
    pub fn find() -> Option<Self> {
        candidates().next()
    }

    /// Finds one that knows an architecture. A toolkit that is older than the architecture is passed
    /// over, unless `TMA_PTXAS` names it.
    ///
    /// # Errors
    /// [`Error::NoPtxas`], which lists the assemblers that do not know it.
    pub fn find_for(arch: Arch) -> Result<Self, Error> {
        let mut passed_over = Vec::new();
        for ptxas in candidates() {
            match ptxas.knows(arch) {
                Ok(true) => return Ok(ptxas),
                Ok(false) => {
                    passed_over.push(format!("{} does not know {arch}", ptxas.path.display()))
                }
                Err(reason) => passed_over.push(reason),
            }
        }
        Err(Error::NoPtxas {
            arch,
            cache: cuda_cache(),
            passed_over,
        })
    }

    /// Returns whether the output of `--help` names the architecture.
    fn knows(&self, arch: Arch) -> Result<bool, String> {
        let named = env::var_os(Self::VARIABLE).map_or("", |_| ", which TMA_PTXAS names,");
        let output = Command::new(&self.path).arg("--help").output();
        let output = output
            .map_err(|error| format!("{}{named} does not run: {error}", self.path.display()))?;
        let help = String::from_utf8_lossy(&output.stdout);
        Ok(help.contains(&format!("'{arch}'")))
    }

    /// Returns the path of the assembler.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Assembles a finished module and reports what each kernel takes.
    ///
    /// # Errors
    /// [`Error::Assemble`] with the Rust line of each complaint, [`Error::Io`] when ptxas does not
    /// run.
    pub fn assemble(
        &self,
        ptx: &Path,
        arch: Arch,
        cubin: &Path,
    ) -> Result<BTreeMap<String, Resources>, Error> {
        self.messages(ptx, arch, cubin)
            .map(|messages| resources(&messages))
    }

    /// Like [`messages`](Self::messages), unless this ptxas accepted the same text for this architecture before:
    /// its messages are kept in the folder. Returns none if ptxas exceeds the time limit.
    pub(crate) fn messages_once(
        &self,
        ptx: &Path,
        arch: Arch,
        folder: &Path,
        limit: Option<Duration>,
    ) -> Result<Option<String>, Error> {
        let io = |error| {
            Error::io(format!(
                "cannot write the output of ptxas to {}",
                folder.display()
            ))(error)
        };
        let text = fs::read(ptx).map_err(Error::io(format!("cannot read {}", ptx.display())))?;
        let program =
            fs::metadata(&self.path).and_then(|program| Ok((program.len(), program.modified()?)));
        let mut hasher = DefaultHasher::new();
        (text, arch.name(), &self.path, program.ok()).hash(&mut hasher);
        let kept = folder.join(format!("{:016x}.txt", hasher.finish()));
        if let Ok(messages) = fs::read_to_string(&kept) {
            return Ok(Some(messages));
        }
        fs::create_dir_all(folder).map_err(io)?;
        // No other thread writes this file: ptxas its cubin, then this one the complete messages.
        let thread = thread::current().id();
        let own = kept.with_extension(format!("{}-{thread:?}", process::id()));
        let Some(messages) = self.messages_within(ptx, arch, &own, limit)? else {
            return Ok(None);
        };
        fs::write(&own, &messages)
            .and_then(|()| fs::rename(&own, &kept))
            .map_err(io)?;
        Ok(Some(messages))
    }

    /// Assembles a finished module and returns the output of ptxas.
    ///
    /// # Errors
    /// The errors of [`assemble`](Self::assemble).
    pub fn messages(&self, ptx: &Path, arch: Arch, cubin: &Path) -> Result<String, Error> {
        let messages = self.messages_within(ptx, arch, cubin, None)?;
        Ok(messages.unwrap_or_default())
    }

    /// Like [`messages`](Self::messages), but returns `None` if ptxas exceeds the time limit.
    fn messages_within(
        &self,
        ptx: &Path,
        arch: Arch,
        cubin: &Path,
        limit: Option<Duration>,
    ) -> Result<Option<String>, Error> {
        let io = |error| Error::io(format!("cannot run {}", self.path.display()))(error);
        let mut child = Command::new(&self.path)
            .args(["--verbose", "--gpu-name", arch.name(), "--output-file"])
            .arg(cubin)
            .arg(ptx)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(io)?;
        let mut stderr = child.stderr.take();
        let reader = thread::spawn(move || {
            let mut output = Vec::new();
            let read = stderr
                .as_mut()
                .map(|stderr| stderr.read_to_end(&mut output));
            read.transpose().map(|_| output)
        });
        let start = Instant::now();
        let status = loop {
            let is_over = limit.is_some_and(|limit| start.elapsed() >= limit);
            match (limit, child.try_wait().map_err(io)?) {
                (_, Some(status)) => break status,
                (None, None) => break child.wait().map_err(io)?,
                (Some(_), None) if is_over => {
                    child.kill().and_then(|()| child.wait()).map_err(io)?;
                    return Ok(None);
                }
                (Some(_), None) => thread::sleep(Duration::from_millis(20)),
            }
        };
        let output = reader.join().unwrap_or_else(|_| Ok(Vec::new()));
        let output = output.map_err(io)?;
        let messages = String::from_utf8_lossy(&output);
        if status.success() {
            return Ok(Some(messages.into_owned()));
        }
        let mut messages = messages.into_owned();
        if messages.is_empty() || status.code().is_none() {
            messages += &format!("{} ended with {status}\n", self.path.display());
        }
        let text = std::fs::read_to_string(ptx).unwrap_or_default();
        Err(Error::Assemble {
            arch,
            diagnostics: with_rust_lines(&messages, &text),
        })
    }
}

fn candidates() -> Box<dyn Iterator<Item = Ptxas>> {
    match env::var_os(Ptxas::VARIABLE) {
        Some(path) => Box::new(std::iter::once(Ptxas { path: path.into() })),
        None => {
            let paths = tool_dirs()
                .map(|folder| folder.join("ptxas"))
                .filter(|path| path.is_file());
            Box::new(paths.map(|path| Ptxas { path }))
        }
    }
}

/// Folders with CUDA's programs, those that are likely not there included: `PATH`, `CUDA_PATH`,
/// `/usr/local/cuda`, and what `cargo xtask setup --cuda` installs.
pub fn tool_dirs() -> impl Iterator<Item = PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    let path: Vec<PathBuf> = env::split_paths(&path).collect();
    let toolkit = env::var_os("CUDA_PATH").map(|root| PathBuf::from(root).join("bin"));
    path.into_iter().chain(toolkit).chain([
        PathBuf::from("/usr/local/cuda/bin"),
        cuda_cache().join("nvidia/cu13/bin"),
    ])
}

/// Returns the folder in which `cargo xtask setup --cuda` installs NVIDIA's compiler, shared by all projects of a user:
/// `cuda-13.0` in the [`user_cache`].
pub fn cuda_cache() -> PathBuf {
    user_cache().join("cuda-13.0")
}

/// Reads the lines that `--verbose` prints for each kernel.
pub(crate) fn resources(messages: &str) -> BTreeMap<String, Resources> {
    let mut kernels: BTreeMap<String, Resources> = BTreeMap::new();
    let mut current = None;
    for line in messages.lines() {
        if let Some((_, rest)) = line.split_once("Compiling entry function '") {
            current = rest.split('\'').next().map(str::to_owned);
        } else if line.contains("Function properties for ") {
            // Functions that are not kernels follow with properties of their own.
            let name = line.rsplit(' ').next();
            current = current.filter(|kernel| name == Some(kernel));
        }
        let Some(kernel) = &current else { continue };
        let resources = kernels.entry(kernel.clone()).or_default();
        let number = |before: &str| number_before(line, before);
        if line.contains("bytes stack frame") {
            resources.stack_bytes = number(" bytes stack frame");
            resources.spill_store_bytes = number(" bytes spill stores");
            resources.spill_load_bytes = number(" bytes spill loads");
        } else if line.contains(" registers") {
            resources.registers = number(" registers");
            resources.barriers = number(" barriers");
            resources.shared_bytes = number(" bytes smem");
        }
    }
    kernels
}

/// The number that ends where `unit` begins, or 0.
fn number_before(line: &str, unit: &str) -> u32 {
    let Some((before, _)) = line.split_once(unit) else {
        return 0;
    };
    let digits = before
        .rsplit(|character: char| !character.is_ascii_digit())
        .next();
    digits.and_then(|digits| digits.parse().ok()).unwrap_or(0)
}

/// Adds to each complaint about a line of the PTX the Rust line that it comes from.
fn with_rust_lines(messages: &str, ptx: &str) -> String {
    let mut lines = Vec::new();
    for line in messages.lines() {
        lines.push(line.to_owned());
        let number = line.split_once(", line ").map(|(_, rest)| rest);
        let number = number.and_then(|rest| rest.split(';').next()?.trim().parse::<usize>().ok());
        let Some(number) = number else { continue };
        if let Some(text) = ptx.lines().nth(number.saturating_sub(1)) {
            lines.push(format!("    {}", text.trim()));
        }
        if let Some(location) = rust_location(ptx, number) {
            lines.push(format!("    from {location}"));
        }
    }
    lines.join("\n")
}

/// The Rust file and line that the last `.loc` up to a line of the PTX names.
///
/// Works on the text, since what ptxas refuses may not parse.
pub(crate) fn rust_location(ptx: &str, line: usize) -> Option<String> {
    let before: Vec<&str> = ptx.lines().take(line).collect();
    let loc = before
        .iter()
        .rev()
        .find_map(|line| line.trim().strip_prefix(".loc"))?;
    let mut numbers = loc.split_whitespace();
    let (file, line) = (numbers.next()?, numbers.next()?);
    let path = ptx.lines().find_map(|line| {
        let rest = line
            .trim()
            .strip_prefix(".file")?
            .trim()
            .strip_prefix(file)?;
        rest.trim().strip_prefix('"')?.split('"').next()
    })?;
    Some(format!("{path}:{line}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tools_are_looked_for_in_the_toolkits_usual_folder() {
        assert!(tool_dirs().any(|folder| folder == Path::new("/usr/local/cuda/bin")));
    }

    const MESSAGES: &str = "\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'tile_2d' for 'sm_90a'
ptxas info    : Function properties for tile_2d
    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 10 registers, used 1 barriers, 5120 bytes smem, 400 bytes cmem[0]
ptxas info    : Compiling entry function 'plain' for 'sm_90a'
ptxas info    : Function properties for plain
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 32 registers, 368 bytes cmem[0]
ptxas info    : Function properties for helper
    64 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
";

    #[test]
    fn the_report_is_read_for_each_kernel_and_for_kernels_alone() {
        let kernels = resources(MESSAGES);
        assert_eq!(kernels.len(), 2);
        let tile = Resources {
            registers: 10,
            barriers: 1,
            stack_bytes: 8,
            spill_store_bytes: 4,
            spill_load_bytes: 12,
            shared_bytes: 5120,
        };
        assert_eq!(kernels["tile_2d"], tile);
        assert_eq!(
            kernels["plain"],
            Resources {
                registers: 32,
                ..Resources::default()
            }
        );
    }

    #[test]
    fn complaints_get_the_rust_line() {
        let ptx =
            ".version 8.0\n.loc 2 70 5\n\tfrob %r1;\n.file 1 \"a.rs\"\n.file 2 \"src/tile.rs\"\n";
        let message = "ptxas module.ptx, line 3; error   : Unknown instruction";
        let text = with_rust_lines(message, ptx);
        assert!(
            text.ends_with("    frob %r1;\n    from src/tile.rs:70"),
            "{text}"
        );
    }

    /// A stand-in for ptxas, which prints a text and then runs a command.
    #[cfg(unix)]
    fn program(folder: &Path, does: &str) -> Ptxas {
        let path = folder.join("ptxas");
        let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/stand_in");
        fs::write(
            path.with_extension("sh"),
            format!("echo said >&2\n{does}\n"),
        )
        .unwrap();
        if !path.exists() {
            std::os::unix::fs::symlink(script, &path).unwrap();
        }
        Ptxas { path }
    }

    #[cfg(unix)]
    #[test]
    fn what_does_not_end_is_ended() {
        let folder = tempfile::tempdir().unwrap();
        let (ptx, cubin) = (folder.path().join("k.ptx"), folder.path().join("k.cubin"));
        let messages = |does, limit| {
            let ptxas = program(folder.path(), does);
            ptxas.messages_within(&ptx, Arch::Sm90a, &cubin, limit)
        };
        let limit = Some(Duration::from_millis(200));
        assert_eq!(messages("exec sleep 1000", limit).unwrap(), None);
        let printed = Some("said\n".to_owned());
        let limit = Some(Duration::from_secs(1000));
        assert_eq!(messages("exit 0", limit).unwrap(), printed);
        assert_eq!(messages("exit 0", None).unwrap(), printed);
        let refused = |does| messages(does, limit).unwrap_err().to_string();
        assert!(refused("exit 1").ends_with("\nsaid"));
        assert!(refused("kill -SEGV $$").contains("ptxas ended with signal: 11"));
    }
}

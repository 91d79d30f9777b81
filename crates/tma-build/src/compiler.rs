//! The compiler of device code.

use std::{
    env, fmt,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

use crate::{Error, self_test, target_dir};

/// The version of rustc that device code is tried with. Later ones must pass a self-test first.
pub const TRIED_VERSION: Version = Version {
    major: 1,
    minor: 96,
    patch: 0,
};

/// A version of rustc, as in `1.96.0`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// The major number, which is 1.
    pub major: u32,
    /// The minor number, which grows every six weeks.
    pub minor: u32,
    /// The patch number, for releases that only fix errors.
    pub patch: u32,
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl Version {
    /// Reads the line `release: 1.96.0` of `rustc -vV`; a channel such as `-nightly` is left out.
    fn from_verbose(text: &str) -> Option<Self> {
        let release = text
            .lines()
            .find_map(|line| line.strip_prefix("release: "))?;
        let mut numbers = release.split('-').next()?.split('.').map(str::parse);
        let mut next = || numbers.next()?.ok();
        Some(Self {
            major: next()?,
            minor: next()?,
            patch: next()?,
        })
    }
}

/// The place where a compiler was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// Named by the caller or by `TMA_DEVICE_RUSTC`.
    Explicit,
    /// A toolchain that rustup has installed.
    Rustup,
    /// `/usr/bin/rustc`, as Debian's packages install it.
    System,
}

/// A rustc with its cargo and the source of `core`, which together build device code.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DeviceCompiler {
    /// The path of the compiler.
    pub rustc: PathBuf,
    /// The path of the cargo next to it.
    pub cargo: PathBuf,
    /// The folder with `lib/rustlib`.
    pub sysroot: PathBuf,
    /// The compiler's version, without the channel.
    pub version: Version,
    /// The complete output of `rustc -vV`.
    pub verbose: String,
    /// The place where the compiler was found.
    pub origin: Origin,
}

impl DeviceCompiler {
    /// The environment variable that names a rustc to use.
    pub const VARIABLE: &str = "TMA_DEVICE_RUSTC";

    /// Returns the rustc that `TMA_DEVICE_RUSTC` names. Without the variable, returns 1.96.0 or the latest later
    /// version, among rustup's toolchains and `/usr/bin/rustc`.
    ///
    /// # Errors
    /// [`Error::NoCompiler`], which lists the places that were searched and the command to type, and
    /// [`Error::UnusableCompiler`] for the one that the variable names.
    pub fn find() -> Result<Self, Error> {
        if let Some(rustc) = env::var_os(Self::VARIABLE) {
            return Self::at(Path::new(&rustc)).map_err(|error| match error {
                Error::UnusableCompiler { rustc, reason } => Error::UnusableCompiler {
                    rustc,
                    reason: format!(
                        "{reason}; {} names it, unset it to have one looked for",
                        Self::VARIABLE
                    ),
                },
                other => other,
            });
        }
        // Each candidate is asked for its version: a tenth of a second.
        static FOUND: OnceLock<DeviceCompiler> = OnceLock::new();
        if let Some(found) = FOUND.get() {
            return Ok(found.clone());
        }
        let mut usable = Vec::new();
        let mut looked_at = Vec::new();
        for (rustc, origin) in candidates() {
            match inspect(&rustc, origin) {
                Ok(compiler) => usable.push(compiler),
                Err(reason) => looked_at.push(format!("  {}: {reason}", rustc.display())),
            }
        }
        let best = usable
            .into_iter()
            .max_by_key(|compiler| (compiler.is_tried(), compiler.version));
        let best = best.ok_or_else(|| {
            if looked_at.is_empty() {
                looked_at
                    .push("  nothing: neither rustup's toolchains nor /usr/bin/rustc exist".into());
            }
            Error::NoCompiler {
                looked_at: looked_at.join("\n"),
                command: install_command().into(),
            }
        })?;
        Ok(FOUND.get_or_init(|| best).clone())
    }

    /// Uses this rustc, with the cargo beside it.
    ///
    /// # Errors
    /// [`Error::UnusableCompiler`] when it does not run, is older than 1.96.0, or has no cargo
    /// beside it or no source of `core`.
    pub fn at(rustc: &Path) -> Result<Self, Error> {
        inspect(rustc, Origin::Explicit).map_err(|reason| Error::UnusableCompiler {
            rustc: rustc.to_owned(),
            reason,
        })
    }

    /// The rustc of a rustup toolchain with this name or this beginning of one, such as `nightly-2026-04-02`.
    pub(crate) fn toolchain(name: &str) -> Option<PathBuf> {
        let is_named = |rustc: &PathBuf| {
            let folder = rustc.parent().and_then(Path::parent);
            let folder = folder.and_then(Path::file_name).unwrap_or_default();
            folder.to_string_lossy().starts_with(name)
        };
        let mut rustcs = candidates().into_iter().map(|(rustc, _)| rustc);
        rustcs.find(is_named)
    }

    /// Returns the major version of its LLVM.
    pub(crate) fn llvm_major(&self) -> u32 {
        let line = self.verbose.lines();
        let version = line.filter_map(|line| line.strip_prefix("LLVM version: "));
        let mut majors = version.filter_map(|version| version.split('.').next()?.parse().ok());
        majors.next().unwrap_or(0)
    }

    /// Compiles a small kernel and looks at its PTX, once for each compiler.
    ///
    /// [`PtxBuilder::build`](crate::PtxBuilder::build) does so by itself for versions that were
    /// not tried.
    ///
    /// # Errors
    /// [`Error::SelfTest`], which names the property that the PTX lacks.
    pub fn self_test(&self) -> Result<(), Error> {
        self_test::run(self, &target_dir::find().join("tma-build"))
    }

    /// Returns whether this very version was tried with device code. Betas and nightlies of it were not.
    pub fn is_tried(&self) -> bool {
        let release = format!("release: {TRIED_VERSION}");
        self.verbose.lines().any(|line| line == release)
    }
}

/// The command that installs a device compiler on this machine.
pub(crate) fn install_command() -> &'static str {
    let debian = Path::new("/usr/bin/apt-get").exists();
    if !has_rustup() && debian {
        "apt-get install rustc-web cargo-web rust-web-src"
    } else {
        "rustup toolchain install 1.96.0 --profile minimal --component rust-src"
    }
}

fn has_rustup() -> bool {
    rustup_home().is_some_and(|home| home.join("toolchains").is_dir())
}

fn rustup_home() -> Option<PathBuf> {
    let home = || env::home_dir().map(|home| home.join(".rustup"));
    env::var_os("RUSTUP_HOME").map(PathBuf::from).or_else(home)
}

fn candidates() -> Vec<(PathBuf, Origin)> {
    let mut candidates = Vec::new();
    let toolchains = rustup_home().map(|home| home.join("toolchains"));
    if let Some(entries) = toolchains.and_then(|folder| folder.read_dir().ok()) {
        let rustc = |toolchain: PathBuf| {
            toolchain
                .join("bin")
                .join(format!("rustc{}", env::consts::EXE_SUFFIX))
        };
        candidates.extend(
            entries
                .flatten()
                .map(|entry| (rustc(entry.path()), Origin::Rustup)),
        );
    }
    candidates.push((PathBuf::from("/usr/bin/rustc"), Origin::System));
    candidates.retain(|(rustc, _)| rustc.is_file());
    candidates.sort_by(|left, right| left.0.cmp(&right.0));
    candidates
}

/// Examines the compiler, and returns the reason if it cannot build device code.
fn inspect(rustc: &Path, origin: Origin) -> Result<DeviceCompiler, String> {
    let ask = |argument: &[&str]| -> Result<String, String> {
        let output = Command::new(rustc)
            .args(argument)
            .env_remove("RUSTUP_TOOLCHAIN")
            .output()
            .map_err(|error| format!("does not run ({error})"))?;
        match output.status.success() {
            true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
            false => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
        }
    };
    let verbose = ask(&["-vV"])?;
    let version = Version::from_verbose(&verbose).ok_or("does not report its version")?;
    if version < TRIED_VERSION {
        return Err(format!("is version {version}, older than {TRIED_VERSION}"));
    }
    let sysroot = PathBuf::from(ask(&["--print", "sysroot"])?.trim());
    let core = sysroot.join("lib/rustlib/src/rust/library/core");
    if !core.is_dir() {
        return Err(format!(
            "version {version}, has no source of `core` (rustup's component rust-src, Debian's package rust-web-src)"
        ));
    }
    let cargo = rustc.with_file_name(format!("cargo{}", env::consts::EXE_SUFFIX));
    if !cargo.is_file() {
        return Err(format!("version {version}, has no cargo beside it"));
    }
    Ok(DeviceCompiler {
        rustc: rustc.to_owned(),
        cargo,
        sysroot,
        version,
        verbose,
        origin,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_read_and_ordered() {
        let version = |text| Version::from_verbose(text).unwrap();
        assert_eq!(version("rustc 1.96.0\nrelease: 1.96.0\n"), TRIED_VERSION);
        assert!(version("release: 1.97.0-nightly") > TRIED_VERSION);
        assert!(version("release: 1.95.3") < TRIED_VERSION);
        assert_eq!(Version::from_verbose("release: new"), None);
    }

    #[test]
    fn the_toolchain_that_runs_the_tests_is_a_candidate() {
        // Rustup sets the variable.
        let toolchain = env::var_os("RUSTUP_TOOLCHAIN").zip(rustup_home());
        let rustc = toolchain.map(|(name, home)| {
            let file = format!("rustc{}", env::consts::EXE_SUFFIX);
            home.join("toolchains").join(name).join("bin").join(file)
        });
        if let Some(rustc) = rustc.filter(|rustc| rustc.is_file()) {
            let is_it = |(path, origin): &(PathBuf, Origin)| {
                *path == rustc && matches!(origin, Origin::Rustup)
            };
            assert!(candidates().iter().any(is_it), "{}", rustc.display());
        }
    }

    #[test]
    fn a_path_without_a_compiler_is_refused_by_name() {
        let error = DeviceCompiler::at(Path::new("/nowhere/rustc"))
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("/nowhere/rustc cannot compile device code: does not run"),
            "{error}"
        );
    }
}

//! Calls cargo for the device.

use std::{
    env,
    ffi::OsString,
    fs::{self, File},
    hash::{DefaultHasher, Hash, Hasher},
    io::ErrorKind,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    Arch, DeviceCompiler, Error, PtxIsa,
    core_cache::{COMMON_RUSTFLAGS, PROFILE},
    locations::OwnFiles,
};

/// The triple of device code.
pub(crate) const TARGET: &str = "nvptx64-nvidia-cuda";

/// The roles of a kernel are closures, whose captures would be in local memory if the closures were called.
const INLINE_THRESHOLD: &str = "-Cllvm-args=-inline-threshold=4000";

/// Dependencies leave all functions to the kernel's crate, which compiles only those that it calls.
const COMPILED_WHERE_CALLED: &str = "-Zcross-crate-inline-threshold=always";

/// One call of cargo.
pub(crate) struct Compilation<'a> {
    pub(crate) compiler: &'a DeviceCompiler,
    pub(crate) crate_dir: &'a Path,
    /// Below it cargo builds; not the folder that the calling cargo has locked.
    pub(crate) target_dir: &'a Path,
    pub(crate) arch: Arch,
    pub(crate) isa: PtxIsa,
    pub(crate) features: &'a [String],
    pub(crate) default_features: bool,
    pub(crate) rustflags: &'a [String],
    /// The names of the kernels to compile, or of their files; all where there is none.
    pub(crate) only: &'a [String],
    pub(crate) debug_assertions: bool,
    pub(crate) overflow_checks: bool,
}

/// The output of a successful compilation.
pub(crate) struct Output {
    /// The module's PTX, not finished yet.
    pub(crate) ptx: String,
    /// The module's LLVM IR after optimisation, which knows the source location of every barrier. rust-cuda's backend
    /// writes none.
    pub(crate) llvm_ir: Option<String>,
    /// Every source file that went in.
    pub(crate) sources: Vec<PathBuf>,
    /// Folders that the line tables name, and what to call them.
    pub(crate) named_folders: Vec<(String, String)>,
    /// The crate's own files.
    pub(crate) own_files: OwnFiles,
}

impl Compilation<'_> {
    pub(crate) fn run(&self) -> Result<Output, Error> {
        let manifest = self.crate_dir.join("Cargo.toml");
        if !manifest.is_file() {
            return Err(Error::NoCrate {
                path: self.crate_dir.to_owned(),
            });
        }
        let sysroot = self.compiler.core()?;
        let emitted = self.target_dir.join("emitted").join(self.emitted_name());
        fs::create_dir_all(&emitted)
            .map_err(Error::io(format!("cannot create {}", emitted.display())))?;
        let ptx = emitted.join("module.ptx");
        let llvm_ir = emitted.join("module.ll");
        let _locked = self.stand_in_for_the_library(&ptx, &llvm_ir)?;
        let kept = emitted.join("fingerprint");
        self.bring_fingerprints(&kept)?;

        let mut command = Command::new(&self.compiler.cargo);
        clean_environment(&mut command);
        command
            .env("RUSTC", &self.compiler.rustc)
            // This variable lets stable compilers accept unstable options.
            .env("RUSTC_BOOTSTRAP", "1")
            .env("CARGO_TARGET_DIR", self.target_dir)
            // For the target's crates alone.
            .env("CARGO_ENCODED_RUSTFLAGS", joined("--sysroot=", &sysroot))
            .envs(PROFILE)
            .envs(self.check_profile())
            .args([
                "rustc",
                "--release",
                "--quiet",
                "--lib",
                "--crate-type=cdylib",
            ])
            // Flags of the profile are part of what cargo calls a library, so that builds for several
            // architectures are side by side; procedural macros, which are built for the host, do
            // without them and are built once.
            .arg("-Zprofile-rustflags")
            // A library's metadata is a file beside it, and not repeated inside it.
            .arg("-Zno-embed-metadata")
            .args(["--config", &self.profile_rustflags()])
            .args(["--config", "profile.release.build-override.rustflags=[]"])
            .args(["--target", TARGET])
            .arg("--manifest-path")
            .arg(&manifest);
        command
            .args(self.feature_arguments())
            // Comments contain the call sites of inlined code.
            .args(["--", "-Zverbose-asm"])
            .arg(joined("--emit=asm=", &ptx))
            .arg(joined("--emit=llvm-ir=", &llvm_ir))
            // For this crate alone: `tma` is the same for all kernels.
            .args(self.kernel_cfgs());

        let output = command.output().map_err(Error::io(format!(
            "cannot run {}",
            self.compiler.cargo.display()
        )))?;
        if !output.status.success() {
            return Err(Error::Compile {
                arch: self.arch,
                diagnostics: readable(&String::from_utf8_lossy(&output.stderr)),
            });
        }
        self.keep_fingerprints(&kept)?;
        Ok(self.output(
            read(&ptx)?,
            Some(read(&llvm_ir)?),
            &self.target_dir.join(TARGET).join("release"),
        ))
    }

    /// The output of a build whose backend wrote PTX where cargo wants the library.
    pub(crate) fn output_of(&self, target_dir: &Path) -> Result<Output, Error> {
        let folder = target_dir.join(TARGET).join("release");
        let ptx = folder.join(format!("{}.ptx", library_name(self.crate_dir)));
        Ok(self.output(read(&ptx)?, None, &folder))
    }

    fn output(&self, ptx: String, llvm_ir: Option<String>, folder: &Path) -> Output {
        Output {
            ptx,
            llvm_ir,
            sources: self.sources(folder),
            named_folders: self.named_folders(),
            own_files: OwnFiles {
                crate_dir: absolute(self.crate_dir),
                workspace: workspace_root(self.crate_dir),
            },
        }
    }

    /// The GPU crate's features, as cargo takes them.
    pub(crate) fn feature_arguments(&self) -> Vec<String> {
        let mut arguments = Vec::new();
        if !self.default_features {
            arguments.push("--no-default-features".to_owned());
        }
        if !self.features.is_empty() {
            arguments.extend(["--features".to_owned(), self.features.join(",")]);
        }
        arguments
    }

    /// The checks of the profile `release`, as cargo takes them.
    pub(crate) fn check_profile(&self) -> [(&'static str, String); 2] {
        [
            (
                "CARGO_PROFILE_RELEASE_DEBUG_ASSERTIONS",
                self.debug_assertions.to_string(),
            ),
            (
                "CARGO_PROFILE_RELEASE_OVERFLOW_CHECKS",
                self.overflow_checks.to_string(),
            ),
        ]
    }

    /// Cargo builds anew a library whose file is not there, and no linker makes one: the PTX of the last such
    /// build takes its place, since it is as old. Builds for other architectures call the file the same,
    /// so no other process may build until the returned file is dropped.
    fn stand_in_for_the_library(&self, ptx: &Path, llvm_ir: &Path) -> Result<File, Error> {
        let lock = self.target_dir.join(".device-build-lock");
        let locked = File::create(&lock).and_then(|file| file.lock().map(|()| file));
        let locked = locked.map_err(Error::io(format!("cannot lock {}", lock.display())))?;
        let folder = self.target_dir.join(TARGET).join("release/deps");
        let library = folder.join(format!("{}.ptx", library_name(self.crate_dir)));
        let stand_in = || match ptx.is_file() && llvm_ir.is_file() && folder.is_dir() {
            true => fs::hard_link(ptx, &library),
            false => Ok(()),
        };
        let removed = fs::remove_file(&library).or_else(|error| match error.kind() {
            ErrorKind::NotFound => Ok(()),
            _ => Err(error),
        });
        removed
            .and_then(|()| stand_in())
            .map_err(Error::io(format!("cannot make {}", library.display())))?;
        Ok(locked)
    }

    /// Cargo has one record for a library whose file has no hash in its name: its last build.
    /// Built with other flags in between, it would be built anew. So each build takes its own away, and brings it back.
    fn keep_fingerprints(&self, kept: &Path) -> Result<(), Error> {
        let io = |error| Error::io(format!("cannot keep {}", kept.display()))(error);
        fs::create_dir_all(kept).map_err(io)?;
        for folder in self.fingerprints() {
            let name = folder.file_name().unwrap_or_default();
            fs::rename(&folder, kept.join(name)).map_err(io)?;
        }
        Ok(())
    }

    /// A build that failed has left some, which go.
    fn bring_fingerprints(&self, kept: &Path) -> Result<(), Error> {
        let io = |error| Error::io(format!("cannot take {}", kept.display()))(error);
        for folder in self.fingerprints() {
            fs::remove_dir_all(folder).map_err(io)?;
        }
        for folder in entries(kept) {
            let name = folder.file_name().unwrap_or_default();
            let place = self.fingerprint_dir().join(name);
            // The output of a first build that failed.
            if place.exists() {
                fs::remove_dir_all(&place).map_err(io)?;
            }
            fs::rename(&folder, place).map_err(io)?;
        }
        Ok(())
    }

    fn fingerprint_dir(&self) -> PathBuf {
        self.target_dir.join(TARGET).join("release/.fingerprint")
    }

    /// The folders of the library's fingerprints; its build script has others.
    fn fingerprints(&self) -> Vec<PathBuf> {
        let file = format!("lib-{}", library_name(self.crate_dir));
        let mut folders = entries(&self.fingerprint_dir());
        folders.retain(|folder| folder.join(&file).exists());
        folders
    }

    /// A folder for each build whose output differs.
    fn emitted_name(&self) -> String {
        let mut hasher = DefaultHasher::new();
        (
            absolute(self.crate_dir),
            self.features,
            self.default_features,
            self.debug_assertions,
            self.overflow_checks,
            self.only,
        )
            .hash(&mut hasher);
        self.rustflags().hash(&mut hasher);
        let package = package_name(self.crate_dir);
        format!("{package}-{}-{:016x}", self.arch, hasher.finish())
    }

    fn rustflags(&self) -> Vec<String> {
        let mut flags = vec![
            format!("-Ctarget-cpu={}", self.arch.cpu()),
            format!("-Ctarget-feature={}", self.isa.target_feature()),
            // Wrappers of instructions that this architecture lacks do not compile.
            format!("--cfg=tma_arch=\"{}\"", self.arch),
        ];
        flags.extend(COMMON_RUSTFLAGS.map(str::to_owned));
        flags.extend([INLINE_THRESHOLD, COMPILED_WHERE_CALLED].map(str::to_owned));
        if self.debug_assertions {
            // The calls inside `core` keep arrays in local memory, for their addresses.
            flags.push("-Zub-checks=no".to_owned());
        }
        flags.extend(self.rustflags.iter().cloned());
        flags
    }

    /// The names that the attribute `#[kernel]` compares.
    pub(crate) fn kernel_cfgs(&self) -> Vec<String> {
        let names = self
            .only
            .iter()
            .map(|name| format!("--cfg=tma_only={name:?}"));
        let any = (!self.only.is_empty()).then(|| "--cfg=tma_only".to_owned());
        let known = "--check-cfg=cfg(tma_only, values(any()))".to_owned();
        names.chain(any).chain([known]).collect()
    }

    /// Returns the settings as arguments of cargo's `--config`.
    fn profile_rustflags(&self) -> String {
        let flags = self.rustflags();
        let quoted: Vec<String> = flags.iter().map(|flag| format!("{flag:?}")).collect();
        format!("profile.release.rustflags=[{}]", quoted.join(","))
    }

    /// The folders that line tables name, each with its new name, so that PTX does not depend on
    /// where it was built. The path is not a compiler flag, because the shared `core` would lack it.
    fn named_folders(&self) -> Vec<(String, String)> {
        let rust_src = self.compiler.sysroot.join("lib/rustlib/src/rust");
        let workspace = workspace_root(self.crate_dir);
        vec![
            (format!("{}/", rust_src.display()), "rust/".to_owned()),
            (format!("{}/", workspace.display()), String::new()),
        ]
    }

    /// Reads the dependency file that cargo writes: the files of the crate and of its local dependencies,
    /// packages from registries and the source of `core` left out.
    fn sources(&self, folder: &Path) -> Vec<PathBuf> {
        let name = format!("{}.d", library_name(self.crate_dir));
        let text = fs::read_to_string(folder.join(name)).unwrap_or_default();
        let mut sources: Vec<PathBuf> = dependencies(&text).collect();
        sources.retain(|path| path.is_file() && !path.starts_with(&self.compiler.sysroot));
        sources.push(self.crate_dir.join("Cargo.toml"));
        sources.sort();
        sources.dedup();
        sources
    }
}

/// Returns the package's name from its manifest, or else the folder's name.
pub(crate) fn package_name(crate_dir: &Path) -> String {
    let manifest = fs::read_to_string(crate_dir.join("Cargo.toml")).unwrap_or_default();
    let package = manifest
        .lines()
        .skip_while(|line| line.trim() != "[package]")
        .skip(1);
    let mut fields = package.take_while(|line| !line.starts_with('['));
    let quoted = |line: &str| -> Option<String> {
        let value = line.strip_prefix("name")?.trim().strip_prefix('=')?.trim();
        let rest = value.strip_prefix(['"', '\''])?;
        Some(rest.split(['"', '\'']).next()?.to_owned())
    };
    let folder = || {
        crate_dir
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    fields.find_map(quoted).unwrap_or_else(folder)
}

/// The library as cargo calls it.
fn library_name(crate_dir: &Path) -> String {
    package_name(crate_dir).replace('-', "_")
}

/// The prerequisites in a Makefile rule as cargo writes it, in which `\ ` is a space.
fn dependencies(text: &str) -> impl Iterator<Item = PathBuf> {
    let rules = text.lines().filter_map(|line| line.split_once(": "));
    rules.flat_map(|(_, prerequisites)| {
        let escaped = prerequisites.replace("\\ ", "\0");
        let paths: Vec<PathBuf> = escaped
            .split_whitespace()
            .map(|path| PathBuf::from(path.replace('\0', " ")))
            .collect();
        paths
    })
}

/// The paths in a folder; none where it is not there.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|entry| entry.path()).collect()
}

pub(crate) fn absolute(folder: &Path) -> PathBuf {
    folder.canonicalize().unwrap_or_else(|_| folder.to_owned())
}

/// The nearest folder above the crate whose manifest has a `[workspace]`, or the crate's own.
fn workspace_root(crate_dir: &Path) -> PathBuf {
    let absolute = absolute(crate_dir);
    let is_root = |folder: &&Path| {
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        manifest.lines().any(|line| line.trim() == "[workspace]")
    };
    absolute
        .ancestors()
        .find(is_root)
        .unwrap_or(&absolute)
        .to_owned()
}

/// Removes the variables that the calling cargo set for the build script, and those for host code.
pub(crate) fn clean_environment(command: &mut Command) {
    const KEPT: &[&str] = &[
        "CARGO_HOME",
        "CARGO_NET_",
        "CARGO_HTTP_",
        "CARGO_REGISTR",
        "CARGO_SOURCE_",
    ];
    const REMOVED: &[&str] = &[
        "RUSTC",
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
        "RUSTC_LINKER",
        "RUSTDOC",
        "RUSTFLAGS",
        "RUSTUP_TOOLCHAIN",
        "RUST_RECURSION_COUNT",
        "TARGET",
        "HOST",
        "PROFILE",
        "OUT_DIR",
        "OPT_LEVEL",
        "DEBUG",
        "NUM_JOBS",
        "MAKEFLAGS",
        "MFLAGS",
        "CLIPPY_ARGS",
        "CLIPPY_CONF_DIR",
        "__CARGO_FIX_PLZ",
    ];
    for (name, _) in env::vars_os() {
        let text = name.to_string_lossy();
        let set_by_cargo =
            text.starts_with("CARGO") && !KEPT.iter().any(|kept| text.starts_with(kept));
        if set_by_cargo || REMOVED.contains(&&*text) {
            command.env_remove(&name);
        }
    }
    // Cargo puts the host compiler's libraries here; another rustc must not find them.
    for name in ["LD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH"] {
        if let Some(paths) = env::var_os(name) {
            let foreign = env::split_paths(&paths).filter(|path| is_foreign(path));
            command.env(name, env::join_paths(foreign).unwrap_or_default());
        }
    }
}

/// Returns whether a folder of libraries is neither a compiler's nor in cargo's target folder.
fn is_foreign(path: &Path) -> bool {
    let is_rusts = path
        .components()
        .any(|part| part.as_os_str() == "toolchains" || part.as_os_str() == "rustlib");
    let mut above = path.ancestors();
    !is_rusts && !above.any(|above| above.join("CACHEDIR.TAG").is_file())
}

/// Returns the compiler's messages without warnings: they are about our own flags, or about code that only the host uses,
/// and cargo writes those of the host.
pub(crate) fn readable(diagnostics: &str) -> String {
    let paragraphs = diagnostics.split("\n\n");
    let kept: Vec<&str> = paragraphs
        .filter(|paragraph| !paragraph.starts_with("warning"))
        // The last line of cargo counts them.
        .map(
            |paragraph| match paragraph.starts_with("error: could not compile") {
                true => paragraph.split("; ").next().unwrap_or(paragraph),
                false => paragraph,
            },
        )
        .collect();
    kept.join("\n\n").trim().to_owned()
}

fn joined(option: &str, path: &Path) -> OsString {
    let mut argument = OsString::from(option);
    argument.push(path);
    argument
}

fn read(path: &Path) -> Result<String, Error> {
    fs::read_to_string(path).map_err(Error::io(format!(
        "the compiler left no {}",
        path.display()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dependency_files_are_read_with_escaped_spaces() {
        let text = "/t/libk.so: /w/a.rs /w/with\\ space.rs\n\n/t/other.d: /w/b.rs\n";
        let paths: Vec<PathBuf> = dependencies(text).collect();
        assert_eq!(
            paths,
            ["/w/a.rs", "/w/with space.rs", "/w/b.rs"].map(PathBuf::from)
        );
    }

    #[test]
    fn libraries_of_a_compiler_are_not_foreign() {
        let foreign = |path| is_foreign(Path::new(path));
        assert!(foreign("/nowhere/cuda/lib64"));
        assert!(!foreign("/nowhere/toolchains/nightly/lib"));
        assert!(!foreign(
            "/nowhere/lib/rustlib/x86_64-unknown-linux-gnu/lib"
        ));
    }

    #[test]
    fn variables_that_cargo_sets_for_a_test_are_removed() {
        let mut command = Command::new("rustc");
        clean_environment(&mut command);
        let mut variables = command.get_envs();
        let is_removed = |(name, value): (&std::ffi::OsStr, Option<&std::ffi::OsStr>)| {
            name == "CARGO_MANIFEST_DIR" && value.is_none()
        };
        assert!(variables.any(is_removed));
    }

    #[test]
    fn warnings_are_left_out() {
        let text = "warning: unstable feature specified for `-Ctarget-feature`: `ptx80`\n  |\n\n\
                    warning: unused import: `pipeline`\n --> gpu/src/lib.rs:5:41\n\n\
                    error: a; b\n --> gpu/src/lib.rs:6:1\n\n\
                    error: could not compile `k` (lib) due to 1 previous error; 2 warnings emitted\n";
        assert_eq!(
            readable(text),
            "error: a; b\n --> gpu/src/lib.rs:6:1\n\n\
             error: could not compile `k` (lib) due to 1 previous error"
        );
    }
}

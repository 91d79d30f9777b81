use std::{
    collections::BTreeMap,
    env, fs,
    path::{Path, PathBuf},
    time::Duration,
};

use ptx::Module;

use crate::{
    Arch, CodeGenerator, DeviceCompiler, Error, LibNvvm, PtxIsa, Ptxas, Resources, RustCuda,
    compile::{Compilation, Output, package_name},
    finish::{Marker, drop_debug_sections, finish, name_target, rename_folders},
    formatters::replace_formatters,
    lint::{Diagnostic, Lint, Source, duplicated_barriers, lint, lost_speed, raise_version},
    locations::name_own_lines,
    on_host::depends_on,
    ptxas::resources,
    target_dir,
};

/// The time limit of ptxas for a module with calls beside `wgmma`.
const LIMIT: Duration = Duration::from_secs(60);

/// Builds a GPU crate to PTX.
///
/// The shape is that of `cuda_builder::CudaBuilder`.
#[doc(alias = "CudaBuilder")]
#[derive(Clone, Debug)]
pub struct PtxBuilder {
    crate_dir: PathBuf,
    arch: Arch,
    isa: Option<PtxIsa>,
    features: Vec<String>,
    default_features: bool,
    rustflags: Vec<String>,
    only: Vec<String>,
    debug_assertions: Option<bool>,
    overflow_checks: Option<bool>,
    copy_to: Option<PathBuf>,
    compiler: Option<PathBuf>,
    code_generator: Option<CodeGenerator>,
    assemble: Assemble,
}

/// The condition on which `ptxas` checks the PTX.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Assemble {
    /// `ptxas` checks the PTX if one is found.
    #[default]
    IfFound,
    /// Always; not finding one is an error.
    Always,
    /// `ptxas` does not run.
    Never,
}

/// The finished PTX of a GPU crate, as a file.
#[derive(Clone, Debug)]
pub struct Ptx {
    /// The path of the PTX file.
    pub path: PathBuf,
    /// The architecture in the text's `.target`.
    pub arch: Arch,
    /// The compiler that produced the PTX.
    pub compiler: DeviceCompiler,
    /// The resources of each kernel, by name; `None` where no ptxas was found.
    pub resources: Option<BTreeMap<String, Resources>>,
    /// The warnings of a build that went well.
    pub warnings: Vec<String>,
}

impl PtxBuilder {
    /// A builder of the crate in this folder, relative to the caller's package, for `sm_90a`.
    pub fn new(crate_dir: impl AsRef<Path>) -> Self {
        let base = env::var_os("CARGO_MANIFEST_DIR")
            .map(PathBuf::from)
            .unwrap_or_default();
        Self {
            crate_dir: base.join(crate_dir),
            arch: Arch::Sm90a,
            isa: None,
            features: Vec::new(),
            default_features: true,
            rustflags: Vec::new(),
            only: Vec::new(),
            debug_assertions: None,
            overflow_checks: None,
            copy_to: None,
            compiler: None,
            code_generator: None,
            assemble: Assemble::default(),
        }
    }

    /// The architecture to build for.
    #[must_use]
    pub fn arch(mut self, arch: Arch) -> Self {
        self.arch = arch;
        self
    }

    /// The PTX ISA version. Without it, the module has that of [`Arch::default_isa`], or a higher one
    /// where some instruction needs it. A higher one needs a newer driver; with this, an instruction
    /// that is newer is an error.
    #[must_use]
    pub fn ptx_isa(mut self, isa: PtxIsa) -> Self {
        self.isa = Some(isa);
        self
    }

    /// Turns on a feature of the GPU crate.
    #[must_use]
    pub fn feature(mut self, feature: impl Into<String>) -> Self {
        self.features.push(feature.into());
        self
    }

    /// Leaves out the GPU crate's default features.
    #[must_use]
    pub fn no_default_features(mut self) -> Self {
        self.default_features = false;
        self
    }

    /// Compiles of the crate's kernels only those whose entry or function has this name, or that are in the
    /// file `NAME.rs` or in a file of the folder `NAME`. With several calls, several.
    #[must_use]
    pub fn only(mut self, name: impl Into<String>) -> Self {
        self.only.push(name.into());
        self
    }

    /// Makes the pipelines of `tma` write time stamps, which `tma_host::Timeline` reads: when copies were issued,
    /// when phases were complete, and the waits for them.
    #[must_use]
    pub fn trace(self) -> Self {
        self.rustflag("--cfg=tma_trace")
    }

    /// Passes a further flag to the device compiler.
    #[must_use]
    pub fn rustflag(mut self, flag: impl Into<String>) -> Self {
        self.rustflags.push(flag.into());
        self
    }

    /// Sets whether `debug_assert!` is checked on the device, and with it the conditions of the
    /// crate `tma`: alignment, sizes, counts. A kernel that breaks one panics. The preconditions of
    /// the unsafe functions of `core` are not checked.
    ///
    /// By default, the checks are on if the calling build script belongs to a build of the profile `dev`.
    #[must_use]
    pub fn debug_assertions(mut self, checked: bool) -> Self {
        self.debug_assertions = Some(checked);
        self
    }

    /// Sets whether arithmetic that overflows panics on the device, or wraps.
    ///
    /// Without this, it does where the calling build script belongs to a build of the profile `dev`.
    #[must_use]
    pub fn overflow_checks(mut self, checked: bool) -> Self {
        self.overflow_checks = Some(checked);
        self
    }

    /// Copies the finished PTX to this file, too.
    #[must_use]
    pub fn copy_to(mut self, path: impl Into<PathBuf>) -> Self {
        self.copy_to = Some(path.into());
        self
    }

    /// Takes this rustc in place of the one that [`DeviceCompiler::find`] finds.
    #[must_use]
    pub fn compiler(mut self, rustc: impl Into<PathBuf>) -> Self {
        self.compiler = Some(rustc.into());
        self
    }

    /// Sets the code generator. The default is [`CodeGenerator::of_environment`].
    #[must_use]
    pub fn code_generator(mut self, generator: CodeGenerator) -> Self {
        self.code_generator = Some(generator);
        self
    }

    /// Sets whether ptxas checks the PTX.
    #[must_use]
    pub fn assemble(mut self, assemble: Assemble) -> Self {
        self.assemble = assemble;
        self
    }

    /// Builds the crate. In a build script, also prints the files that the result depends on, for cargo.
    ///
    /// # Errors
    /// Every [`Error`], with the complete output of rustc and ptxas.
    pub fn build(&self) -> Result<Ptx, Error> {
        // Cargo also sets `OUT_DIR` for programs that it runs, and that folder is not theirs.
        let is_build_script = env::var_os("CARGO_CFG_TARGET_ARCH").is_some();
        let out_dir = env::var_os("OUT_DIR").filter(|_| is_build_script);
        let in_build_script = out_dir.map(PathBuf::from);
        let target_dir = target_dir::find().join("tma-build");
        let mut warnings = Vec::new();
        let generator = match self.code_generator {
            Some(generator) => generator,
            None => CodeGenerator::of_environment()?,
        };
        let rust_cuda = match generator {
            CodeGenerator::RustCuda => Some(RustCuda::find(self.compiler.as_deref())?),
            CodeGenerator::Llvm | CodeGenerator::LibNvvm => None,
        };
        let compiler = match &rust_cuda {
            Some(backend) => backend.compiler().clone(),
            None => self.find_compiler(&mut warnings)?,
        };
        // Before what takes long.
        let nvvm = match generator {
            CodeGenerator::Llvm | CodeGenerator::RustCuda => None,
            CodeGenerator::LibNvvm => Some(LibNvvm::find_for(&compiler)?),
        };
        // Builds in one folder wait for each other; crates for the host are compiled in each.
        let compiled = target_dir.join(self.arch.major());
        let compilation = self.compilation(&compiler, &compiled);
        let mut output = match &rust_cuda {
            Some(backend) => backend.compile(&compilation)?,
            None => compilation.run()?,
        };
        if let (Some(nvvm), Some(llvm_ir)) = (nvvm, &output.llvm_ir) {
            output.ptx = nvvm.compile(llvm_ir, self.arch)?;
        }
        let folder = in_build_script
            .clone()
            .unwrap_or_else(|| target_dir.join("ptx"))
            .join(self.arch.name());
        fs::create_dir_all(&folder)
            .map_err(Error::io(format!("cannot create {}", folder.display())))?;
        let path = folder.join(format!("{}.ptx", package_name(&self.crate_dir)));
        let (module, markers, is_costly) = self.finish_and_lint(&output, &path, &mut warnings)?;
        if let Some(copy) = &self.copy_to {
            fs::copy(&path, copy).map_err(Error::io(format!("cannot write {}", copy.display())))?;
        }
        let limit = is_costly.then_some(LIMIT);
        let resources = self.run_ptxas(
            &path,
            &target_dir,
            (&module, &markers),
            limit,
            &mut warnings,
        )?;
        if in_build_script.is_some() {
            self.tell_cargo(&output.sources);
        }
        Ok(Ptx {
            path,
            arch: self.arch,
            compiler,
            resources,
            warnings,
        })
    }

    /// Prints the inputs for cargo to watch, once the build has succeeded: cargo runs a failed script again in any
    /// case, and shows its output with the error.
    fn tell_cargo(&self, sources: &[PathBuf]) {
        println!("cargo::rerun-if-env-changed={}", DeviceCompiler::VARIABLE);
        println!("cargo::rerun-if-env-changed={}", Ptxas::VARIABLE);
        println!("cargo::rerun-if-env-changed={}", CodeGenerator::VARIABLE);
        println!("cargo::rerun-if-env-changed={}", LibNvvm::VARIABLE);
        println!("cargo::rerun-if-env-changed={}", RustCuda::VARIABLE);
        println!("cargo::rerun-if-changed={}", self.crate_dir.display());
        for source in sources {
            println!("cargo::rerun-if-changed={}", source.display());
        }
    }

    /// Builds from a build script: warnings become cargo's, an error is written as the compiler writes it, and ends
    /// the script.
    ///
    /// If the calling package depends on the GPU crate, cargo compiles the crate for the host, too. A crate that compiles
    /// for neither has its errors written by cargo alone: the script then ends without them, and without PTX.
    pub fn build_or_exit(&self) -> Ptx {
        match self.build() {
            Ok(ptx) => {
                for warning in &ptx.warnings {
                    println!("cargo::warning={warning}");
                }
                ptx
            }
            Err(error) => {
                if matches!(error, Error::Compile { .. }) && self.is_reported_by_cargo() {
                    println!(
                        "cargo::warning=the kernels have no PTX: their crate compiles neither for {} nor for the host; \
                         its errors are those of the host",
                        self.arch
                    );
                    // A file that is never there makes cargo run the script again.
                    println!("cargo::rerun-if-changed=no-ptx");
                    std::process::exit(0);
                }
                eprintln!("{error}");
                std::process::exit(1);
            }
        }
    }

    /// Returns whether cargo reports errors of the GPU crate when it compiles the crate for the host.
    fn is_reported_by_cargo(&self) -> bool {
        let package = env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
        if !package.is_some_and(|package| depends_on(&package, &self.crate_dir)) {
            return false;
        }
        let compiled = target_dir::find().join("tma-build").join(self.arch.major());
        let compiler = self.find_compiler(&mut Vec::new());
        compiler.is_ok_and(|compiler| self.compilation(&compiler, &compiled).fails_on_host())
    }

    fn find_compiler(&self, warnings: &mut Vec<String>) -> Result<DeviceCompiler, Error> {
        let compiler = match &self.compiler {
            Some(rustc) => DeviceCompiler::at(rustc)?,
            None => DeviceCompiler::find()?,
        };
        if !compiler.is_tried() {
            warnings.push(format!(
                "device code is compiled by rustc {}, which was not tried; it passed the self-test",
                compiler.version
            ));
            compiler.self_test()?;
        }
        Ok(compiler)
    }

    fn compilation<'a>(
        &'a self,
        compiler: &'a DeviceCompiler,
        target_dir: &'a Path,
    ) -> Compilation<'a> {
        let [debug_assertions, overflow_checks] = self.checks();
        Compilation {
            compiler,
            crate_dir: &self.crate_dir,
            target_dir,
            arch: self.arch,
            isa: self.isa.unwrap_or(self.arch.default_isa()),
            features: &self.features,
            default_features: self.default_features,
            rustflags: &self.rustflags,
            only: &self.only,
            debug_assertions,
            overflow_checks,
        }
    }

    /// Debug assertions, and checks of overflow.
    fn checks(&self) -> [bool; 2] {
        let is_dev = env::var_os("PROFILE").is_some_and(|profile| profile == "debug");
        [self.debug_assertions, self.overflow_checks].map(|checks| checks.unwrap_or(is_dev))
    }

    /// The module, and whether ptxas may take gigabytes and no end for it.
    fn finish_and_lint(
        &self,
        output: &Output,
        path: &Path,
        warnings: &mut Vec<String>,
    ) -> Result<(Module, Vec<Marker>, bool), Error> {
        let unfinished = |reason: String| Error::Finish {
            path: path.to_owned(),
            reason,
        };
        let write = |text: &str| {
            fs::write(path, text).map_err(Error::io(format!("cannot write {}", path.display())))
        };
        // Kept for the reader of the error.
        write(&output.ptx)?;
        let mut module = ptx::parse_named(&path.display().to_string(), &output.ptx)
            .map_err(|errors| unfinished(errors.to_string()))?;
        if module.entries().next().is_none() && !self.only.is_empty() {
            let names = self.only.join("`, `");
            return Err(unfinished(format!(
                "no kernel and no file of kernels is called `{names}`"
            )));
        }
        let isa = self.isa.unwrap_or(self.arch.default_isa());
        name_target(&mut module, self.arch, isa);
        let markers = finish(&mut module).map_err(|error| unfinished(error.reason))?;
        replace_formatters(&mut module);
        rename_folders(&mut module, &output.named_folders);
        if self.isa.is_none() {
            raise_version(&mut module);
        }
        let own_files = &output.own_files;
        let llvm_ir = output.llvm_ir.as_deref();
        let source = llvm_ir.map(|text| Source::from_llvm_ir(text, &|path| own_files.name(path)));
        let mut diagnostics = match &source {
            Some(source) => duplicated_barriers(&module, source),
            None => Vec::new(),
        };
        name_own_lines(&mut module, &output.ptx, own_files);
        // No line contains `inlined_at` any more.
        drop_debug_sections(&mut module);
        diagnostics.extend(lint(&module, &markers, source.as_ref()));
        write(&module.to_string())?;
        // rust-cuda's backend has local memory where LLVM has none, and no attribute is about that.
        // Checks are panics, panics are calls, and loops with them are not unrolled: a build with checks is not one
        // for speed.
        let is_checked = self.checks().contains(&true);
        let is_beside = |found: &Diagnostic| matches!(found.lint, Lint::CallBesideWgmma { .. });
        let is_slow =
            |found: &Diagnostic| is_beside(found) || matches!(found.lint, Lint::LocalMemory { .. });
        let is_costly = diagnostics.iter().any(is_beside);
        let (slow, diagnostics): (Vec<_>, Vec<_>) = diagnostics.into_iter().partition(|found| {
            found.lint.is_warning() || (is_checked || source.is_none()) && is_slow(found)
        });
        warnings.extend(slow.iter().map(ToString::to_string));
        self.refuse(diagnostics)?;
        Ok((module, markers, is_costly))
    }

    fn refuse(&self, diagnostics: Vec<Diagnostic>) -> Result<(), Error> {
        if diagnostics.is_empty() {
            return Ok(());
        }
        Err(Error::Lint {
            arch: self.arch,
            diagnostics,
        })
    }

    fn run_ptxas(
        &self,
        path: &Path,
        target_dir: &Path,
        (module, markers): (&Module, &[Marker]),
        limit: Option<Duration>,
        warnings: &mut Vec<String>,
    ) -> Result<Option<BTreeMap<String, Resources>>, Error> {
        let ptxas = match (self.assemble, Ptxas::find_for(self.arch)) {
            (Assemble::Never, _) => return Ok(None),
            (_, Ok(ptxas)) => ptxas,
            (Assemble::IfFound, Err(Error::NoPtxas { passed_over, .. })) => {
                warnings.extend(
                    passed_over
                        .iter()
                        .map(|reason| format!("not assembled: {reason}")),
                );
                return Ok(None);
            }
            (_, Err(error)) => return Err(error),
        };
        let kept = target_dir.join("assembled");
        let Some(messages) = ptxas.messages_once(path, self.arch, &kept, limit)? else {
            warnings.push(format!(
                "not assembled: with calls beside `wgmma`, ptxas has not ended after {} s",
                LIMIT.as_secs()
            ));
            return Ok(None);
        };
        let slow = lost_speed(&messages, module, markers);
        if self.checks().contains(&true) {
            warnings.extend(slow.iter().map(ToString::to_string));
        } else {
            self.refuse(slow)?;
        }
        Ok(Some(resources(&messages)))
    }
}

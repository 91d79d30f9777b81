//! PTX that another compiler wrote.

use std::{collections::BTreeMap, env, fs, process, thread};

use ptx::{At, LineIndex};

use crate::{
    Arch, Assemble, Error, PtxIsa, Ptxas, Resources,
    finish::{Marker, finish, name_target},
    formatters::{has_panic_record, replace_formatters},
    lint::{Diagnostic, Lint, lint, lost_speed, raise_version},
    ptxas::resources,
};

/// The options of [`finish_ptx`].
#[derive(Clone, Copy, Debug)]
pub struct FinishOptions {
    arch: Arch,
    isa: Option<PtxIsa>,
    assemble: Assemble,
}

impl FinishOptions {
    /// The architecture, which may differ from the text's `.target`.
    pub const fn new(arch: Arch) -> Self {
        Self {
            arch,
            isa: None,
            assemble: Assemble::IfFound,
        }
    }

    /// The PTX ISA version. Without it, the module has that of [`Arch::default_isa`], or a higher one where an
    /// instruction needs it; with it, a newer instruction is an error.
    #[must_use]
    pub const fn ptx_isa(mut self, isa: PtxIsa) -> Self {
        self.isa = Some(isa);
        self
    }

    /// Sets whether ptxas checks the finished PTX.
    #[must_use]
    pub const fn assemble(mut self, assemble: Assemble) -> Self {
        self.assemble = assemble;
        self
    }
}

/// PTX of another compiler, finished.
#[derive(Clone, Debug)]
pub struct FinishedPtx {
    /// The text of the finished PTX.
    pub text: String,
    /// The kernels with markers, which became directives.
    pub markers: Vec<Marker>,
    /// The resources of each kernel, by name; `None` where ptxas did not run.
    pub resources: Option<BTreeMap<String, Resources>>,
    /// Diagnostics that do not make the PTX wrong.
    pub warnings: Vec<String>,
}

/// Finishes PTX text of any compiler, such as rust-cuda or nvcc, as [`PtxBuilder`](crate::PtxBuilder) finishes its own.
/// `file` is the name of the text in messages.
///
/// 1. The markers of `#[tma::kernel]` become directives, and tensor map parameters are aligned to 64 bytes.
/// 2. `.target` and `.version` name the architecture. Text for `compute_100` becomes text for `sm_90a`.
/// 3. Debug sections are dropped and line tables stay.
/// 4. The lints run. [`duplicated_barriers`](crate::lint::duplicated_barriers) needs the compiler's LLVM IR and does not.
///    A kernel without a marker has no attribute that allows local memory or lost speed, so both are warnings there.
/// 5. ptxas assembles the text where there is one.
///
/// # Errors
/// [`Error::Finish`], [`Error::Lint`], [`Error::NoPtxas`] and [`Error::Assemble`]. Each names the entry and the line: that
/// of the Rust source where the line table has it, else that of the text.
pub fn finish_ptx(file: &str, text: &str, options: FinishOptions) -> Result<FinishedPtx, Error> {
    let FinishOptions {
        arch,
        isa,
        assemble,
    } = options;
    let unfinished = |reason: String| Error::Finish {
        path: file.into(),
        reason,
    };
    let mut module =
        ptx::parse_named(file, text).map_err(|errors| unfinished(errors.to_string()))?;
    let lines = LineIndex::new(text);
    let at = |span: At| {
        let line = span
            .is_known()
            .then(|| lines.line_column(span.start()).line);
        line.map(|line| format!("{file}:{line}"))
    };
    name_target(&mut module, arch, isa.unwrap_or(arch.default_isa()));
    let markers = finish(&mut module).map_err(|error| {
        let place = at(error.span).map(|place| format!("{place}: "));
        unfinished(place.unwrap_or_default() + &error.reason)
    })?;
    if has_panic_record(&module) {
        replace_formatters(&mut module);
    }
    if isa.is_none() {
        raise_version(&mut module);
    }
    let mut warnings = Vec::new();
    let mut refuse = |found: Vec<Diagnostic>| {
        let (allowed, mut refused): (Vec<_>, Vec<_>) = found
            .into_iter()
            .map(|mut diagnostic| {
                diagnostic.location = diagnostic.location.take().or_else(|| at(diagnostic.span));
                diagnostic
            })
            .partition(|found| is_warning(found, &markers));
        warnings.extend(allowed.iter().map(ToString::to_string));
        refused.dedup();
        match refused.is_empty() {
            true => Ok(()),
            false => Err(Error::Lint {
                arch,
                diagnostics: refused,
            }),
        }
    };
    refuse(lint(&module, &markers, None))?;
    let text = module.to_string();
    let resources = match (assemble, Ptxas::find_for(arch)) {
        (Assemble::Never, _) | (Assemble::IfFound, Err(Error::NoPtxas { .. })) => None,
        (_, Err(error)) => return Err(error),
        (_, Ok(ptxas)) => {
            let messages = messages(&ptxas, &text, arch)?;
            refuse(lost_speed(&messages, &module, &markers))?;
            Some(resources(&messages))
        }
    };
    Ok(FinishedPtx {
        text,
        markers,
        resources,
        warnings,
    })
}

/// Returns whether a diagnostic is slow rather than wrong, and its kernel has no attribute that could allow it.
fn is_warning(found: &Diagnostic, markers: &[Marker]) -> bool {
    let has_marker = markers.iter().any(|marker| marker.kernel == found.function);
    let is_slow = matches!(
        found.lint,
        Lint::LocalMemory { .. }
            | Lint::Recursion { .. }
            | Lint::CallBesideWgmma { .. }
            | Lint::LostSpeed { .. }
    );
    found.lint.is_warning() || is_slow && !has_marker
}

/// Returns the messages of ptxas for a text, which it reads from a file.
fn messages(ptxas: &Ptxas, text: &str, arch: Arch) -> Result<String, Error> {
    let name = format!("tma-finish-{}-{:?}", process::id(), thread::current().id());
    let folder = env::temp_dir().join(name);
    fs::create_dir(&folder).map_err(Error::io(format!("cannot create {}", folder.display())))?;
    let path = folder.join("module.ptx");
    let messages = fs::write(&path, text)
        .map_err(Error::io(format!("cannot write {}", path.display())))
        .and_then(|()| ptxas.messages(&path, arch, &folder.join("module.cubin")));
    let _ = fs::remove_dir_all(&folder);
    messages
}

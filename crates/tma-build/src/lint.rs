//! Lints of a module that parses.

mod barriers;
mod calls;
mod debug_info;
mod isa;
mod local_memory;
mod lost_speed;

use std::fmt;

use ptx::{At, Module};

pub(crate) use isa::raise_version;
pub use isa::required_isa;

pub use lost_speed::lost_speed;

use barriers::SourceBarriers;
use debug_info::DebugInfo;
use local_memory::SourceLocals;

use crate::{PtxIsa, finish::Marker};

/// A finding of a lint at one place of the PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The violation, with its details.
    pub lint: Lint,
    /// The kernel or function that contains the place.
    pub function: String,
    /// `file:line` in the Rust source where the line table has it. In a module of [`finish_ptx`](crate::finish_ptx)
    /// without a line table, `file:line` in the PTX.
    pub location: Option<String>,
    /// The instruction, call or function in the parsed text.
    pub span: At,
}

/// The subject of a [`Diagnostic`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lint {
    /// The compiler copied a barrier, or another instruction that all threads of a warp reach together,
    /// into divergent arms of a branch, where the threads that take different arms wait for each other
    /// for ever.
    DuplicatedBarrier {
        /// The duplicated instruction.
        instruction: String,
        /// The number of occurrences in the source at this location.
        in_source: usize,
        /// The number of copies in the PTX.
        in_ptx: usize,
        /// True if the source has it as `asm!`, though LLVM has an intrinsic for it.
        is_asm: bool,
    },
    /// An instruction is newer than the module's `.version`.
    NewerInstruction {
        /// The instruction that is too new.
        instruction: String,
        /// The first version that has the instruction.
        needed: PtxIsa,
        /// The version in the module's `.version`.
        module: PtxIsa,
    },
    /// The kernel keeps values in local memory without the option that allows it.
    LocalMemory {
        /// The variable, or none if its name is unknown.
        variable: String,
        /// The bytes of local memory of each thread.
        bytes: u64,
    },
    /// A function calls itself, by itself or through others.
    Recursion {
        /// The called function.
        callee: String,
    },
    /// A function is called through a pointer, as by `dyn`.
    IndirectCall,
    /// A kernel with `wgmma.mma_async` calls a function, even if only to panic: ptxas then makes each
    /// product wait for the one before (its message C7509), and can take gigabytes of memory and no end. A kernel that
    /// allows C7509 may.
    CallBesideWgmma {
        /// The called function.
        callee: String,
    },
    /// ptxas reports that it serialises products of a warpgroup, adds fences or waits for them, or
    /// leaves out a `setmaxnreg`.
    LostSpeed {
        /// The code of the message of ptxas.
        code: &'static str,
        /// The message of ptxas.
        message: String,
    },
    /// A function is called that the module only declares.
    UnresolvedFunction {
        /// The called function.
        callee: String,
    },
}

impl Lint {
    /// Returns the name that begins a message, such as `local-memory`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::DuplicatedBarrier { .. } => "duplicated-barrier",
            Self::NewerInstruction { .. } => "newer-instruction",
            Self::LocalMemory { .. } => "local-memory",
            Self::Recursion { .. } => "recursion",
            Self::IndirectCall => "indirect-call",
            Self::CallBesideWgmma { .. } => "call-beside-wgmma",
            Self::LostSpeed { code, .. } => code,
            Self::UnresolvedFunction { .. } => "unresolved-function",
        }
    }

    /// Returns whether it is slow rather than wrong.
    pub const fn is_warning(&self) -> bool {
        matches!(self, Self::IndirectCall)
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: in `{}`", self.lint.name(), self.function)?;
        if let Some(location) = &self.location {
            write!(f, " ({location})")?;
        }
        match &self.lint {
            Lint::DuplicatedBarrier {
                instruction,
                in_source,
                in_ptx,
                is_asm,
            } => {
                let times = if *in_source == 1 {
                    "once".to_owned()
                } else {
                    format!("{in_source} times")
                };
                let advice = if *is_asm {
                    "LLVM copies `asm!`: reach barriers through the crate `tma`"
                } else {
                    "move it out of the branches around it"
                };
                write!(
                    f,
                    ": `{instruction}` is {times} in the source and {in_ptx} times in the PTX, in arms \
                     that exclude each other; {advice}"
                )
            }
            Lint::NewerInstruction {
                instruction,
                needed,
                module,
            } => write!(
                f,
                ": `{instruction}` needs PTX ISA {needed}, the module has {module}; build with \
                 `.ptx_isa(PtxIsa::new({}, {}))`",
                needed.major, needed.minor
            ),
            Lint::LocalMemory { variable, bytes } => {
                write!(f, ": {bytes} bytes of local memory for each thread")?;
                if !variable.is_empty() {
                    write!(f, ", for `{variable}`")?;
                }
                f.write_str(
                    "; builds without debug assertions refuse this. Index arrays by constants, as in \
                     `let mut i = 0; while i < N { sums[i] += 1; i += 1; }` with a constant `N`, put large arrays \
                     into `tma::shared!`, or write `#[kernel(local_memory)]`",
                )
            }
            Lint::Recursion { callee } => write!(
                f,
                ": `{callee}` calls itself, so that the stack of a thread has no known size; write a loop, \
                 or write `#[kernel(local_memory)]`"
            ),
            Lint::IndirectCall => write!(
                f,
                ": a call through a pointer, as by `dyn`, which is slow and keeps registers for every \
                 function that it may reach; take a generic parameter or an enum"
            ),
            Lint::CallBesideWgmma { callee } => write!(
                f,
                ": `{callee}` is called in a kernel with `wgmma`, which makes ptxas wait for each product; \
                 inline it, exclude panics by `core::hint::assert_unchecked`, or write \
                 `#[kernel(allow(C7509))]`"
            ),
            Lint::LostSpeed { code, message } => write!(
                f,
                ": ptxas reports: {message}; {}, or write `#[kernel(allow({code}))]`",
                lost_speed::advice(code)
            ),
            Lint::UnresolvedFunction { callee } => write!(
                f,
                ": `{callee}` is called but not defined: modules are not linked; write it in Rust, or \
                 depend on the crate that has it"
            ),
        }
    }
}

/// Facts about the source that PTX lacks, from the compiler's LLVM IR.
#[derive(Clone, Debug, Default)]
pub struct Source {
    barriers: SourceBarriers,
    locals: SourceLocals,
}

impl Source {
    /// Reads a module's LLVM IR as text, after optimisation. `own` returns the files whose lines
    /// diagnostics are to name a name.
    pub fn from_llvm_ir(text: &str, own: &dyn Fn(&str) -> Option<String>) -> Self {
        let debug = DebugInfo::from_llvm_ir(text);
        Self {
            barriers: SourceBarriers::from_llvm_ir(text, &debug),
            locals: SourceLocals::from_llvm_ir(text, &debug, own),
        }
    }
}

/// Barriers that the compiler copied. The lines of the module are still those of the compiler, which
/// the LLVM IR has, too.
pub fn duplicated_barriers(module: &Module, source: &Source) -> Vec<Diagnostic> {
    let bodies = module
        .functions()
        .filter_map(|function| Some((function.name.as_str(), function.body.as_ref()?)));
    bodies
        .flat_map(|(name, body)| barriers::duplicated(module, name, body, &source.barriers))
        .collect()
}

/// Runs every other lint over a finished module.
///
/// Without `source`, local memory that only a panic reads is found, too.
pub fn lint(module: &Module, markers: &[Marker], source: Option<&Source>) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    for function in module.functions() {
        let Some(body) = &function.body else { continue };
        let name = function.name.as_str();
        diagnostics.extend(isa::newer(module, name, body));
    }
    for kernel in module.entries() {
        let marker = markers.iter().find(|marker| kernel.name == *marker.kernel);
        let local_memory = marker.is_some_and(|marker| marker.local_memory);
        let may_call = |marker: &Marker| marker.allowed.iter().any(|code| code == "C7509");
        let mut of_calls = calls::of_kernel(module, kernel, local_memory);
        if marker.is_some_and(may_call) {
            of_calls.retain(|found| !matches!(found.lint, Lint::CallBesideWgmma { .. }));
        }
        diagnostics.extend(of_calls);
        if !local_memory {
            let locals = source.map(|source| &source.locals);
            diagnostics.extend(local_memory::of_kernel(module, kernel, locals));
        }
    }
    diagnostics
}

/// `file:line` of a `.loc`.
fn rust_location(module: &Module, location: Option<&ptx::Location>) -> Option<String> {
    let location = location?;
    let file = module.file(location.file)?;
    Some(format!("{file}:{}", location.line))
}

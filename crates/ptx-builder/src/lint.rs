//! What is wrong with a module though it parses.

mod barriers;
mod isa;
mod local_memory;

use std::fmt;

use ptx::Module;

pub use barriers::SourceBarriers;
pub(crate) use isa::raise_version;
pub use isa::required_isa;

use crate::{PtxIsa, finish::Marker};

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What it is.
    pub kind: Kind,
    /// The kernel or function.
    pub function: String,
    /// `file:line` in the Rust source, where the line table has it.
    pub rust: Option<String>,
}

/// What a [`Finding`] is about.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kind {
    /// The compiler copied a barrier, or another instruction that all threads of a warp reach together,
    /// into divergent arms of a branch, where the threads that take different arms wait for each other
    /// for ever.
    DuplicatedBarrier {
        /// The instruction.
        instruction: String,
        /// How often the source has it at this place.
        in_source: usize,
        /// How often the PTX has it.
        in_ptx: usize,
        /// Does the source have it as `asm!`, though LLVM has an intrinsic for it?
        is_asm: bool,
    },
    /// An instruction is newer than the module's `.version`.
    NewerInstruction {
        /// The instruction.
        instruction: String,
        /// The version that has it.
        needed: PtxIsa,
        /// The module's version.
        module: PtxIsa,
    },
    /// The kernel keeps values in local memory and did not ask for it.
    LocalMemory {
        /// How much, for each thread.
        bytes: u64,
    },
}

impl Kind {
    /// A short name.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::DuplicatedBarrier { .. } => "duplicated-barrier",
            Self::NewerInstruction { .. } => "newer-instruction",
            Self::LocalMemory { .. } => "local-memory",
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: in `{}`", self.kind.name(), self.function)?;
        if let Some(rust) = &self.rust {
            write!(f, " ({rust})")?;
        }
        match &self.kind {
            Kind::DuplicatedBarrier {
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
                    ": `{instruction}` stands {times} in the source and {in_ptx} times in the PTX, in arms \
                     that exclude each other; {advice}"
                )
            }
            Kind::NewerInstruction {
                instruction,
                needed,
                module,
            } => write!(
                f,
                ": `{instruction}` needs PTX ISA {needed}, the module has {module}; build with \
                 `.ptx_isa(PtxIsa::new({}, {}))`",
                needed.major, needed.minor
            ),
            Kind::LocalMemory { bytes } => write!(
                f,
                ": {bytes} bytes of local memory for each thread; index arrays by constants and do not \
                 take the address of locals, or say `#[kernel(local_memory)]`"
            ),
        }
    }
}

/// Runs every lint over a finished module.
///
/// Without `source`, which comes from the compiler's LLVM IR, duplicated barriers are not looked
/// for.
pub fn lint(module: &Module, markers: &[Marker], source: Option<&SourceBarriers>) -> Vec<Finding> {
    let mut findings = Vec::new();
    for function in module.functions() {
        let Some(body) = &function.body else { continue };
        let name = function.name.as_str();
        if let Some(source) = source {
            findings.extend(barriers::duplicated(module, name, body, source));
        }
        findings.extend(isa::newer(module, name, body));
        let marker = markers.iter().find(|marker| marker.kernel == name);
        if function.is_entry() && !marker.is_some_and(|marker| marker.local_memory) {
            findings.extend(local_memory::depot(name, body));
        }
    }
    findings
}

/// `file:line` of a `.loc`.
fn rust_place(module: &Module, location: Option<&ptx::Location>) -> Option<String> {
    let location = location?;
    let file = module.file(location.file)?;
    Some(format!("{file}:{}", location.line))
}

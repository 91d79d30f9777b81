//! From the syntax tree to a flat list of operations.
//!
//! Registers become slots, symbols and constants become slots that are filled when a function is
//! entered, branches become indices. [`table`] says which family decodes which opcode; a family's
//! file has both its decoding and its execution. What no family knows is collected, so that all of
//! it is named before anything runs.

mod body;
mod image;
mod lines;
mod operands;
mod scope;
pub(crate) mod table;
mod words;

use std::collections::HashMap;

use ptx::{LineIndex, Module, Span};

pub(crate) use body::Decoder;
pub(crate) use image::Image;
pub(crate) use operands::Address;
pub(crate) use scope::{Register, Symbol};
pub(crate) use words::Words;

use crate::{Place, Unsupported, action::Action, sreg::Special};

/// Why an instruction is not supported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Refusal(pub(crate) String);

impl From<&str> for Refusal {
    fn from(reason: &str) -> Self {
        Self(reason.to_owned())
    }
}

impl From<String> for Refusal {
    fn from(reason: String) -> Self {
        Self(reason)
    }
}

/// A register of the current function: an index into its frame.
pub(crate) type Slot = usize;

/// State spaces as instructions see them, once names are resolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Space {
    Generic,
    Global,
    SharedCta,
    SharedCluster,
    Local,
    Const,
    Param,
}

/// Executed for a whole warp, or the part of it that is here.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) action: Action,
    /// The predicate, and whether it is negated.
    pub(crate) guard: Option<(Slot, bool)>,
    /// Index into [`Program::sites`].
    pub(crate) site: u32,
    /// 1, or 0 for what is part of an instruction that several operations make up.
    pub(crate) counts: u8,
}

/// What a slot holds when its function is entered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Constant {
    /// A number, or an address that is the same for all.
    Value(u64),
    /// A place in the block's shared memory; generic when the flag is set.
    Shared(u64, bool),
    /// An offset in dynamic shared memory; generic when the flag is set.
    DynamicShared(u64, bool),
    /// A place in the function's frame in local memory; generic when the flag is set.
    Local(u64, bool),
    /// A special register that does not change while a thread runs.
    Special(Special),
}

/// A kernel or function, decoded.
#[derive(Clone, Debug, Default)]
pub(crate) struct Function {
    pub(crate) name: String,
    /// Index of its first operation.
    pub(crate) start: usize,
    /// Size of its frame.
    pub(crate) slots: usize,
    pub(crate) constants: Vec<(Slot, Constant)>,
    /// Bytes of its frame in local memory.
    pub(crate) local_bytes: u64,
    pub(crate) parameters: Vec<Passed>,
    pub(crate) returns: Vec<Passed>,
}

/// Where a parameter of a function lies in its frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passed {
    Register(Slot),
    Local { offset: u64, bytes: u64 },
}

/// An instruction in the text.
#[derive(Clone, Debug)]
struct Site {
    span: Span,
    opcode: String,
    /// File number and line, of the last `.loc`.
    source: Option<(u32, u32)>,
}

/// A kernel with all it calls, ready to run.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) operations: Vec<Operation>,
    pub(crate) functions: Vec<Function>,
    /// Static shared memory in bytes, from [`crate::machine::SHARED_START`] on.
    pub(crate) static_shared_bytes: u64,
    /// Alignment of the dynamic shared memory behind it.
    pub(crate) dynamic_shared_align: u64,
    sites: Vec<Site>,
    files: HashMap<u32, String>,
    lines: LineIndex,
    name: String,
    /// Indices of functions by their addresses.
    pub(crate) addresses: HashMap<u64, usize>,
}

impl Program {
    /// Decodes the kernel `entry` and every function that it may call.
    pub(crate) fn decode(
        module: &Module,
        image: &Image,
        name: &str,
        text: &str,
        entry: &str,
    ) -> Result<Self, Vec<Unsupported>> {
        body::decode(module, image, name, text, entry)
    }

    /// How many instructions there are; their indices count from 0.
    pub fn instructions(&self) -> usize {
        self.operations.len()
    }

    /// Where an instruction stands.
    pub fn place(&self, instruction: usize) -> Place {
        let Some(site) = self.site(instruction) else {
            return Place {
                file: self.name.clone(),
                ..Place::default()
            };
        };
        self.place_of(site.span, site.source)
    }

    /// The opcode of an instruction; empty when there is none of this index.
    pub fn opcode(&self, instruction: usize) -> &str {
        self.site(instruction).map_or("", |site| &site.opcode)
    }

    fn site(&self, instruction: usize) -> Option<&Site> {
        self.sites
            .get(self.operations.get(instruction)?.site as usize)
    }

    fn place_of(&self, span: Span, source: Option<(u32, u32)>) -> Place {
        let at = self.lines.place(span.start);
        let source = source.and_then(|(file, line)| Some((self.files.get(&file)?.clone(), line)));
        Place {
            file: self.name.clone(),
            line: at.line,
            column: at.column,
            source,
        }
    }
}

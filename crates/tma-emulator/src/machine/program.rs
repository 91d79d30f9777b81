//! The program that the machine runs: locations in the text, functions, slots.

use std::{
    collections::HashMap,
    sync::{Arc, OnceLock},
};

use ptx::{LineIndex, Span, Type};

use super::{Cta, Location, MbarrierInit, Names, Rings, SHARED_START, Special, is_of_library};

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

/// An action `A` that is executed for a whole warp, or the part of it that is here.
#[derive(Clone, Debug)]
pub(crate) struct Operation<A> {
    pub(crate) action: A,
    /// The predicate, and whether it is negated.
    pub(crate) guard: Option<(Slot, bool)>,
    /// 1, or 0 for all but one of the operations that form an instruction.
    pub(crate) counts: u8,
}

/// The value of a slot when its function is entered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Constant {
    /// A number, or an address that is the same for all.
    Value(u64),
    /// A location in the block's shared memory; generic when the flag is set.
    Shared(u64, bool),
    /// An offset in dynamic shared memory; generic when the flag is set.
    DynamicShared(u64, bool),
    /// A location in the function's frame in local memory; generic when the flag is set.
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
    /// Number of slots in its frame.
    pub(crate) slots: usize,
    pub(crate) constants: Vec<(Slot, Constant)>,
    /// Bytes of its frame in local memory.
    pub(crate) local_bytes: u64,
    pub(crate) parameters: Vec<Passed>,
    pub(crate) returns: Vec<Passed>,
    /// The registers with a name.
    pub(crate) registers: Vec<(String, Slot, Type)>,
}

/// Location of a function's parameter in its frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Passed {
    Register(Slot),
    Local { offset: u64, bytes: u64 },
}

/// `[base + offset]` in a space.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) base: Slot,
    pub(crate) offset: u64,
    pub(crate) space: Space,
}

/// A kernel with its callees, ready to run.
#[derive(Clone, Debug)]
pub(crate) struct Code<A> {
    pub(crate) program: Program,
    pub(crate) operations: Vec<Operation<A>>,
}

/// A kernel with its callees: the locations of its instructions, its functions and its shared memory.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) functions: Vec<Function>,
    /// Static shared memory in bytes, from [`SHARED_START`](super::SHARED_START) on.
    pub(crate) static_shared_bytes: u64,
    /// Names of the variables in shared memory.
    pub(crate) shared_names: Names,
    /// Alignment of the dynamic shared memory after it.
    pub(crate) dynamic_shared_align: u64,
    /// True if it reads the address of the workspace of a cooperative launch.
    pub(crate) reads_workspace: bool,
    /// True if a kernel reads pending arrivals from the states that arrivals return.
    pub(crate) reads_pending_counts: bool,
    /// First byte of shared memory that it may access: less than [`SHARED_START`](super::SHARED_START) if it
    /// reads an offset in the reserved part.
    pub(crate) first_shared: u64,
    /// Registers of each thread at entry, if the kernel declares them.
    pub(crate) registers_at_entry: Option<u32>,
    /// Indices of functions by their addresses.
    pub(crate) addresses: HashMap<u64, usize>,
    sites: Vec<Site>,
    /// The index of the site of each operation.
    operations: Vec<u32>,
    /// The registers of products that an instruction names.
    products: HashMap<u32, Vec<Slot>>,
    files: HashMap<u32, String>,
    frames: Vec<Inlined>,
    name: String,
    /// The text of the module, which other kernels share. Finding its lines takes longer than many launches do.
    text: Arc<str>,
    lines: OnceLock<LineIndex>,
}

/// An instruction in the text.
#[derive(Clone, Debug)]
struct Site {
    span: Span,
    opcode: String,
    /// Position of the last `.loc`.
    source: Option<Line>,
}

/// The number of a line of the source, with the lines that it was inlined into.
pub(crate) type Line = u32;

/// A line of the source, by the number of its file, and the line that calls it where it was inlined.
#[derive(Clone, Copy, Debug)]
struct Inlined {
    file: u32,
    line: u32,
    caller: Option<Line>,
}

impl Program {
    /// Returns an empty program for a text; `files` are the sources numbered by its `.loc`.
    pub(crate) fn new(name: &str, text: Arc<str>, files: HashMap<u32, String>) -> Self {
        Self {
            functions: Vec::new(),
            static_shared_bytes: 0,
            shared_names: Names::default(),
            dynamic_shared_align: 16,
            reads_workspace: false,
            reads_pending_counts: false,
            first_shared: SHARED_START,
            registers_at_entry: None,
            addresses: HashMap::new(),
            sites: Vec::new(),
            operations: Vec::new(),
            products: HashMap::new(),
            files,
            frames: Vec::new(),
            name: name.to_owned(),
            text,
            lines: OnceLock::new(),
        }
    }

    /// Returns the name of the module.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Returns the name of the kernel.
    pub(crate) fn kernel(&self) -> &str {
        self.functions
            .first()
            .map_or("", |kernel| kernel.name.as_str())
    }

    /// Adds a line of a source file, which is given by its number.
    pub(crate) fn add_line(&mut self, file: u32, line: u32, caller: Option<Line>) -> Line {
        self.frames.push(Inlined { file, line, caller });
        self.frames.len() as Line - 1
    }

    /// Adds the next instruction of the text; `source` is the position of the last `.loc`.
    pub(crate) fn add_site(&mut self, opcode: &str, span: Span, source: Option<Line>) {
        self.sites.push(Site {
            span,
            opcode: opcode.to_owned(),
            source,
        });
    }

    /// Adds an operation of the last added instruction.
    pub(crate) fn add_operation(&mut self) {
        let site = self.sites.len().saturating_sub(1) as u32;
        self.operations.push(site);
    }

    /// Returns the number of the instruction added last.
    pub(crate) fn last_site(&self) -> u32 {
        self.sites.len().saturating_sub(1) as u32
    }

    /// Records that an instruction names these registers, which are accumulators or A of a `wgmma`.
    pub(crate) fn add_products(&mut self, site: u32, registers: Vec<Slot>) {
        self.products.insert(site, registers);
    }

    /// Returns the registers of products that the instruction of an operation names.
    pub(crate) fn products(&self, operation: usize) -> &[Slot] {
        if self.products.is_empty() {
            return &[];
        }
        let site = self.operations.get(operation);
        let found = site.and_then(|site| self.products.get(site));
        found.map_or(&[], |registers| registers)
    }

    /// Completes the program once all instructions are added, and static shared memory up to `shared_end`:
    /// finds the lines that make pipelines.
    pub(crate) fn complete(&mut self, shared_end: u64) {
        self.static_shared_bytes = shared_end - SHARED_START;
        self.shared_names.rings = Rings::of(self);
    }

    /// Returns the names in a block's shared memory, including its rings.
    pub(crate) fn names_in(&self, cta: &Cta) -> Names {
        let mut names = self.shared_names.clone();
        let mut made: Vec<_> = cta.mbarriers.iter().collect();
        made.sort_by_key(|(_, mbarrier)| mbarrier.made_at);
        for (offset, mbarrier) in made {
            names.rings.add(MbarrierInit {
                block: 0,
                address: *offset as u64,
                instruction: mbarrier.made_by,
                count: mbarrier.initial,
            });
        }
        names
    }

    /// Returns the text of the module.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the number of instructions; their indices start at 0.
    pub fn instructions(&self) -> usize {
        self.operations.len()
    }

    /// Returns the location of an instruction.
    pub fn location(&self, instruction: usize) -> Location {
        let Some(site) = self.site(instruction) else {
            return Location {
                file: self.name.clone(),
                ..Location::default()
            };
        };
        self.location_of(site.span, site.source)
    }

    /// Returns the name of the function that contains an instruction.
    pub(crate) fn function(&self, instruction: usize) -> &str {
        let before = self.functions.iter().filter(|it| it.start <= instruction);
        before.max_by_key(|it| it.start).map_or("", |it| &it.name)
    }

    /// Returns the opcode of an instruction; empty for an unknown index.
    pub fn opcode(&self, instruction: usize) -> &str {
        self.site(instruction).map_or("", |site| &site.opcode)
    }

    fn frame(&self, frame: Option<Line>) -> Option<Inlined> {
        self.frames.get(frame? as usize).copied()
    }

    fn site(&self, instruction: usize) -> Option<&Site> {
        self.sites.get(*self.operations.get(instruction)? as usize)
    }

    /// Returns file and line of an instruction in the source, as [`Location::source`] does.
    pub(crate) fn source(&self, instruction: usize) -> Option<(&str, u32)> {
        users_line(&self.lines_of_source(self.site(instruction)?.source))
    }

    /// Returns a line of the source, then the lines that it was inlined into; none if a file has no name.
    fn lines_of_source(&self, source: Option<Line>) -> Vec<(&str, u32)> {
        let next = |frame: &Inlined| self.frame(frame.caller);
        let frames = std::iter::successors(self.frame(source), next);
        let lines = frames.map(|frame| Some((self.files.get(&frame.file)?.as_str(), frame.line)));
        lines.collect::<Option<_>>().unwrap_or_default()
    }

    /// Returns the location of a span of the text.
    pub(crate) fn location_of(&self, span: Span, source: Option<Line>) -> Location {
        let lines = self.lines.get_or_init(|| LineIndex::new(&self.text));
        let at = lines.line_column(span.start());
        let owned = |(file, line): (&str, u32)| (file.to_owned(), line);
        let frames = self.lines_of_source(source);
        let source = users_line(&frames).map(owned);
        let mut frames: Vec<_> = frames.into_iter().map(owned).collect();
        if frames.len() < 2 {
            frames.clear();
        }
        Location {
            file: self.name.clone(),
            line: at.line,
            column: at.column,
            source,
            inlined: frames,
            calls: Vec::new(),
        }
    }
}

/// Returns the innermost line outside of libraries, or else the outermost one.
fn users_line<'a>(lines: &[(&'a str, u32)]) -> Option<(&'a str, u32)> {
    let users = lines.iter().find(|(file, _)| !is_of_library(file));
    users.or(lines.last()).copied()
}

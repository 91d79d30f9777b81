//! Modules and kernels of the program, by the driver's handles.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, PoisonError},
};

use launch_archive::MemoryKind;
use ptx::{Block, Item, Linkage, Space, Type};

use crate::{driver, host::Image, triton};

/// A module or a library, which contains kernels and variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Handle {
    Module(u64),
    Library(u64),
}

/// A parsed PTX text.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) text: String,
    module: ptx::Module,
    /// The needs of kernels that were computed before.
    needs: Mutex<HashMap<String, Arc<Needs>>>,
}

/// The parameters and resources of a kernel and of all functions that it calls.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Needs {
    /// Offset and size in bytes of each parameter.
    pub(crate) parameters: Vec<(usize, usize)>,
    /// The variables in global and constant memory.
    pub(crate) variables: Vec<Variable>,
    /// True if it fetches from textures or uses surfaces.
    pub(crate) objects: bool,
    /// True if it calls `malloc` or `free`.
    pub(crate) heap: bool,
}

/// A variable that a kernel uses.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) kind: MemoryKind,
}

impl Text {
    fn parse(text: String) -> Result<Self, String> {
        match ptx::parse(&text) {
            Ok(module) => Ok(Self {
                text,
                module,
                needs: Mutex::default(),
            }),
            Err(errors) => Err(format!("its PTX cannot be read: {errors}")),
        }
    }

    /// Returns the needs of a kernel.
    pub(crate) fn needs(&self, entry: &str) -> Result<Arc<Needs>, String> {
        let mut all = self.needs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(needs) = all.get(entry) {
            return Ok(needs.clone());
        }
        let needs = Arc::new(self.find_needs(entry)?);
        all.insert(entry.to_owned(), needs.clone());
        Ok(needs)
    }

    fn find_needs(&self, entry: &str) -> Result<Needs, String> {
        let mut needs = Needs {
            parameters: self.parameters(entry)?,
            ..Needs::default()
        };
        for item in self.module.definitions().reached(entry) {
            match item {
                Item::Variable(variable) => {
                    if [Type::Texref, Type::Surfref, Type::Samplerref].contains(&variable.ty) {
                        return Err("it uses a texture reference".to_owned());
                    }
                    needs.variables.extend(variables(variable));
                }
                Item::Function(function) => {
                    needs.heap |= ["malloc", "free"].contains(&function.name.as_str());
                    let mut instructions = function.body.iter().flat_map(Block::instructions);
                    needs.objects |= instructions.any(|instruction| {
                        const OF_OBJECTS: [&str; 7] =
                            ["tex", "tld4", "txq", "suld", "sust", "sured", "suq"];
                        OF_OBJECTS.contains(&instruction.opcode.stem())
                    });
                }
                _ => {}
            }
        }
        Ok(needs)
    }

    fn parameters(&self, entry: &str) -> Result<Vec<(usize, usize)>, String> {
        let function = self.module.function(entry);
        let function = function.ok_or("its PTX does not contain the kernel")?;
        let mut end = 0_usize;
        let parameter = |parameter: &ptx::Parameter| {
            let bytes = parameter.size_bytes().filter(|bytes| *bytes <= 1 << 16);
            let bytes = bytes.ok_or("the size of a parameter is unknown")? as usize;
            let start = end.next_multiple_of((parameter.align_bytes() as usize).max(1));
            end = start + bytes;
            Ok((start, bytes))
        };
        function.parameters.iter().map(parameter).collect()
    }
}

/// Returns the variables of a declaration in global or constant memory.
fn variables(declaration: &ptx::Variable) -> Vec<Variable> {
    let kind = match declaration.space {
        Space::Global => MemoryKind::Variable,
        Space::Const => MemoryKind::Constant,
        _ => return Vec::new(),
    };
    if declaration.linkage == Some(Linkage::Extern) {
        return Vec::new();
    }
    let declarators = declaration.declarators.iter();
    declarators
        .map(|declarator| Variable {
            name: declarator.name.as_str().to_owned(),
            kind,
        })
        .collect()
}

/// The code of a module, parsed when one of its kernels is first recorded.
#[derive(Debug)]
enum Code {
    Ptx(String),
    Cubin(Vec<u8>),
    /// The parsed text, or the reason why there is no PTX.
    Read(Result<Arc<Text>, String>),
}

/// A kernel of a module.
#[derive(Clone, Debug)]
pub(crate) struct ModuleKernel {
    pub(crate) of: Handle,
    pub(crate) entry: String,
    code: Option<usize>,
}

/// All code of the program.
#[derive(Debug, Default)]
pub(crate) struct Codes {
    codes: Vec<Code>,
    /// Indices of the `codes` whose text contains `malloc`.
    of_heap: HashSet<usize>,
    handles: HashMap<u64, (Handle, usize)>,
    kernels: HashMap<u64, ModuleKernel>,
}

impl Codes {
    /// Records code loaded from memory.
    pub(crate) fn load(&mut self, handle: Handle, image: &Image) {
        let code = match (image.machine_code(), image.code()) {
            (Some(code), _) => Code::Cubin(code),
            (None, fat_binary::Code::Ptx(text)) => Code::Ptx(text),
            (None, fat_binary::Code::Other(has)) => Code::Read(Err(format!(
                "there is no PTX for compute capability 9.0, but {}",
                has.join(", ")
            ))),
            (None, fat_binary::Code::Unreadable(why)) => Code::Read(Err(why)),
        };
        let index = self.codes.len();
        if matches!(&code, Code::Ptx(text) if text.contains("malloc")) {
            self.of_heap.insert(index);
        }
        self.codes.push(code);
        self.name(handle, index);
    }

    fn name(&mut self, handle: Handle, code: usize) {
        let (Handle::Module(key) | Handle::Library(key)) = handle;
        self.handles.insert(key, (handle, code));
    }

    /// Records the module that was created from a library.
    pub(crate) fn module_of_library(&mut self, module: u64, library: u64) {
        if let Some((_, code)) = self.handles.get(&library).copied()
            && module != library
        {
            self.name(Handle::Module(module), code);
        }
    }

    /// Removes unloaded code.
    pub(crate) fn unload(&mut self, handle: u64) {
        if let Some((of, code)) = self.handles.remove(&handle) {
            self.codes[code] = Code::Read(Err("its module was unloaded".to_owned()));
            self.kernels.retain(|_, kernel| kernel.of != of);
        }
    }

    /// Records a kernel of a module or a library.
    pub(crate) fn add_kernel(&mut self, kernel: u64, of: u64, entry: String) {
        let (of, code) = match self.handles.get(&of) {
            Some((of, code)) => (*of, Some(*code)),
            None => (Handle::Module(of), None),
        };
        self.kernels
            .insert(kernel, ModuleKernel { of, entry, code });
    }

    /// Records a second handle of a kernel.
    pub(crate) fn same_kernel(&mut self, function: u64, kernel: u64) {
        if let Some(kernel) = self.kernels.get(&kernel).cloned() {
            self.kernels.insert(function, kernel);
        }
    }

    /// Returns the kernel of a handle.
    pub(crate) fn kernel(&mut self, handle: u64) -> Option<ModuleKernel> {
        if !self.kernels.contains_key(&handle) {
            // The program got the handle from a function that is not intercepted.
            let found = driver::function(handle).or_else(|| driver::kernel(handle));
            let (of, entry) = found?;
            self.add_kernel(handle, of, entry);
        }
        self.kernels.get(&handle).cloned()
    }

    /// Returns whether a kernel calls `malloc` or `free`, if its text is known.
    pub(crate) fn uses_heap(&mut self, kernel: &ModuleKernel) -> bool {
        // A cheap test first, so that few texts are parsed for this.
        let names_it = |code: usize| self.of_heap.contains(&code);
        kernel.code.is_some_and(names_it) && {
            let needs = self.text(kernel).and_then(|text| text.needs(&kernel.entry));
            needs.is_ok_and(|needs| needs.heap)
        }
    }

    /// Returns the text of a kernel.
    pub(crate) fn text(&mut self, kernel: &ModuleKernel) -> Result<Arc<Text>, String> {
        let code = kernel.code.and_then(|index| self.codes.get_mut(index));
        let code = code.ok_or("the source of its code is unknown")?;
        let read = match code {
            Code::Read(read) => return read.clone(),
            Code::Ptx(text) => Text::parse(std::mem::take(text)),
            Code::Cubin(code) => triton::ptx_of(code).map_or_else(
                || Err("only its machine code is available, without PTX".to_owned()),
                Text::parse,
            ),
        };
        let read = read.map(Arc::new);
        *code = Code::Read(read.clone());
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_and_variables_are_those_of_the_kernel() {
        let text = "
            .version 8.0 .target sm_90 .address_size 64
            .visible .global .align 4 .u32 used;
            .global .u32 unused;
            .const .align 4 .b8 table[16];
            .shared .u32 own;
            .extern .global .u32 other;
            .func inner() { .reg .b32 %r<2>; ld.global.u32 %r1, [used]; ld.global.u32 %r1, [other]; ret; }
            .visible .entry k(.param .u8 a, .param .align 16 .b8 map[128], .param .u64 b)
            { .reg .b32 %r<2>; ld.const.u32 %r1, [table]; st.shared.u32 [own], %r1; call inner; ret; }
            .visible .entry none() { ret; }";
        let text = Text::parse(text.to_owned()).unwrap();
        let variable = |name: &str, kind| Variable {
            name: name.to_owned(),
            kind,
        };
        let needs = Needs {
            parameters: vec![(0, 1), (16, 128), (144, 8)],
            variables: vec![
                variable("used", MemoryKind::Variable),
                variable("table", MemoryKind::Constant),
            ],
            objects: false,
            heap: false,
        };
        assert_eq!(*text.needs("k").unwrap(), needs);
        assert_eq!(*text.needs("none").unwrap(), Needs::default());
        assert!(text.needs("missing").is_err());
        assert!(Text::parse("no PTX".to_owned()).is_err());
    }
    #[test]
    fn objects_and_the_heap_are_noticed_in_what_is_called() {
        let text = "
            .version 8.0 .target sm_90 .address_size 64
            .global .texref old;
            .extern .func (.param .b64 result) malloc (.param .b64 bytes);
            .func fetch() { .reg .b64 %t; .reg .b32 %r<5>; tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [%t, {%r4}]; ret; }
            .func allocate() { .param .b64 p; call (p), malloc, (p); ret; }
            .visible .entry both() { call fetch; call allocate; ret; }
            .visible .entry heap() { call allocate; ret; }
            .visible .entry reference() { .reg .b64 %t; mov.u64 %t, old; ret; }
            .visible .entry none() { ret; }";
        let text = Text::parse(text.to_owned()).unwrap();
        let needs = |entry: &str| text.needs(entry).map(|needs| (needs.objects, needs.heap));
        assert_eq!(needs("both"), Ok((true, true)));
        assert_eq!(needs("heap"), Ok((false, true)));
        assert_eq!(needs("none"), Ok((false, false)));
        assert!(
            needs("reference")
                .unwrap_err()
                .contains("texture reference")
        );
    }
}

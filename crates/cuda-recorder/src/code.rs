//! Modules and kernels of the program, by the handles that the driver gave.

use std::{collections::HashMap, sync::Arc};

use launch_archive::Kind;
use ptx::{Item, Linkage, Space};

use crate::{driver, host::Image, triton};

/// A module or a library: it holds kernels and variables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Handle {
    Module(u64),
    Library(u64),
}

/// A text that was read.
#[derive(Debug)]
pub(crate) struct Text {
    pub(crate) text: String,
    module: ptx::Module,
}

/// A variable that a kernel uses.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

impl Text {
    fn parse(text: String) -> Result<Self, String> {
        match ptx::parse(&text) {
            Ok(module) => Ok(Self { text, module }),
            Err(errors) => Err(format!("its PTX cannot be read: {errors}")),
        }
    }

    /// Offset and bytes of each parameter of a kernel.
    pub(crate) fn parameters(&self, entry: &str) -> Result<Vec<(usize, usize)>, String> {
        let function = self.module.function(entry);
        let function = function.ok_or("its PTX has no such kernel")?;
        let mut end = 0_usize;
        let parameter = |parameter: &ptx::Parameter| {
            let bytes = parameter.size_bytes().filter(|bytes| *bytes <= 1 << 16);
            let bytes = bytes.ok_or("the size of a parameter is not known")? as usize;
            let start = end.next_multiple_of((parameter.align_bytes() as usize).max(1));
            end = start + bytes;
            Ok((start, bytes))
        };
        function.parameters.iter().map(parameter).collect()
    }

    /// The variables that a kernel and what it calls name, in global and constant memory.
    pub(crate) fn variables(&self, entry: &str) -> Vec<Variable> {
        let mut variables = Vec::new();
        for item in self.module.definitions().reached(entry) {
            let Item::Variable(variable) = item else {
                continue;
            };
            let kind = match variable.space {
                Space::Global => Kind::Variable,
                Space::Const => Kind::Constant,
                _ => continue,
            };
            if variable.linkage != Some(Linkage::Extern) {
                variables.extend(variable.declarators.iter().map(|declarator| Variable {
                    name: declarator.name.as_str().to_owned(),
                    kind,
                }));
            }
        }
        variables
    }
}

/// The code of a module, read when a kernel of it is recorded first.
#[derive(Debug)]
enum Code {
    Ptx(String),
    Cubin(Vec<u8>),
    /// With the reason where there is no PTX.
    Read(Result<Arc<Text>, String>),
}

/// A kernel of a module.
#[derive(Clone, Debug)]
pub(crate) struct Kernel {
    pub(crate) of: Handle,
    pub(crate) entry: String,
    code: Option<usize>,
}

/// All code of the program.
#[derive(Debug, Default)]
pub(crate) struct Codes {
    codes: Vec<Code>,
    handles: HashMap<u64, (Handle, usize)>,
    kernels: HashMap<u64, Kernel>,
}

impl Codes {
    /// Takes note of code that was loaded from memory.
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
        self.codes.push(code);
        self.name(handle, self.codes.len() - 1);
    }

    fn name(&mut self, handle: Handle, code: usize) {
        let (Handle::Module(key) | Handle::Library(key)) = handle;
        self.handles.insert(key, (handle, code));
    }

    /// Takes note of the module that a library has become.
    pub(crate) fn module_of_library(&mut self, module: u64, library: u64) {
        if let Some((_, code)) = self.handles.get(&library).copied()
            && module != library
        {
            self.name(Handle::Module(module), code);
        }
    }

    /// Forgets what was unloaded.
    pub(crate) fn unload(&mut self, handle: u64) {
        if let Some((of, code)) = self.handles.remove(&handle) {
            self.codes[code] = Code::Read(Err("its module was unloaded".to_owned()));
            self.kernels.retain(|_, kernel| kernel.of != of);
        }
    }

    /// Takes note of a kernel of a module or a library.
    pub(crate) fn add_kernel(&mut self, kernel: u64, of: u64, entry: String) {
        let (of, code) = match self.handles.get(&of) {
            Some((of, code)) => (*of, Some(*code)),
            None => (Handle::Module(of), None),
        };
        self.kernels.insert(kernel, Kernel { of, entry, code });
    }

    /// Takes note of a second handle of a kernel.
    pub(crate) fn same_kernel(&mut self, function: u64, kernel: u64) {
        if let Some(kernel) = self.kernels.get(&kernel).cloned() {
            self.kernels.insert(function, kernel);
        }
    }

    /// The kernel of a handle.
    pub(crate) fn kernel(&mut self, handle: u64) -> Option<Kernel> {
        if !self.kernels.contains_key(&handle) {
            // The program has it from a function that is not looked at.
            let found = driver::function(handle).or_else(|| driver::kernel(handle));
            let (of, entry) = found?;
            self.add_kernel(handle, of, entry);
        }
        self.kernels.get(&handle).cloned()
    }

    /// The text of a kernel.
    pub(crate) fn text(&mut self, kernel: &Kernel) -> Result<Arc<Text>, String> {
        let code = kernel.code.and_then(|index| self.codes.get_mut(index));
        let code = code.ok_or("it is not known from what its code was loaded")?;
        let read = match code {
            Code::Read(read) => return read.clone(),
            Code::Ptx(text) => Text::parse(std::mem::take(text)),
            Code::Cubin(code) => triton::ptx_of(code).map_or_else(
                || Err("there is machine code alone, without its PTX".to_owned()),
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
        assert_eq!(text.parameters("k"), Ok(vec![(0, 1), (16, 128), (144, 8)]));
        assert_eq!(text.parameters("none"), Ok(vec![]));
        assert!(text.parameters("missing").is_err());
        let variable = |name: &str, kind| Variable {
            name: name.to_owned(),
            kind,
        };
        assert_eq!(
            text.variables("k"),
            [
                variable("used", Kind::Variable),
                variable("table", Kind::Constant)
            ]
        );
        assert_eq!(text.variables("none"), []);
        assert!(Text::parse("no PTX".to_owned()).is_err());
    }
}

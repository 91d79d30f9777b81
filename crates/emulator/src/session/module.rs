//! Modules of a session.

use std::{collections::HashMap, sync::Arc};

use tma_launch::{Failure, Stage, check::variable_bytes, suggestion};

use super::{Kernel, Session, panic::place_record};
use crate::{
    decode::{Image, Unsupported, check, decode},
    inst::Code,
    machine::{CONST_WINDOW, IMAGE_START},
};

/// Names a module of one [`Session`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModuleId(u64);

/// A module that was loaded. Its variables in global memory are allocations; those in constant memory
/// lie here, and in the machine's memory while a kernel of the module runs.
#[derive(Debug)]
pub(super) struct Module {
    pub(super) name: String,
    text: String,
    module: Arc<ptx::Module>,
    pub(super) image: Image,
    /// Where a panic of its kernels leaves a record.
    pub(super) panic_record: Option<u64>,
    /// The kernels that have been decoded.
    kernels: HashMap<String, Arc<Kernel>>,
}

impl Module {
    /// The kernel of this name, decoded once.
    pub(super) fn kernel(&mut self, entry: &str) -> Result<Arc<Kernel>, Failure> {
        if let Some(kernel) = self.kernels.get(entry) {
            return Ok(Arc::clone(kernel));
        }
        let found = self.entry(entry)?;
        let kernel = Kernel::decode(&self.module, &self.image, (&self.name, &self.text), found)?;
        let kernel = Arc::new(kernel);
        self.kernels.insert(entry.to_owned(), Arc::clone(&kernel));
        Ok(kernel)
    }

    fn entry(&self, entry: &str) -> Result<&ptx::Function, Failure> {
        let found = self.module.entries().find(|found| found.name == *entry);
        found.filter(|found| found.body.is_some()).ok_or_else(|| {
            let entries = self.module.entries().map(|entry| entry.name.as_str());
            let what = format!("`{}` has no kernel `{entry}`", self.name);
            Failure::new(Stage::Resolve, what).hint(suggestion(entry, entries))
        })
    }
}

impl Session {
    /// Reads a PTX text; reports call it `name`. Its variables have their initial values.
    ///
    /// # Errors
    /// The text is not PTX, or breaks a rule of PTX: the line and column of each location.
    pub fn load(&mut self, name: &str, text: &str) -> Result<ModuleId, Failure> {
        let module = ptx::parse_named(name, text)
            .map_err(|errors| Failure::new(Stage::Load, errors.to_string()))?;
        self.load_parsed(name, text, Arc::new(module))
    }

    /// As [`load`](Self::load), of a text that was read before.
    ///
    /// # Errors
    /// The text breaks a rule of PTX.
    pub fn load_parsed(
        &mut self,
        name: &str,
        text: &str,
        module: Arc<ptx::Module>,
    ) -> Result<ModuleId, Failure> {
        if self.valid.as_ptr() != Arc::as_ptr(&module) {
            check(&module, name, text)?;
            self.valid = Arc::downgrade(&module);
        }
        let mut image = Image::new(&module, self.next_image);
        self.next_image = image.end;
        for global in &mut image.globals {
            let bytes = std::mem::take(&mut global.bytes);
            self.memory.place(&global.name, bytes, global.address);
        }
        let panic_record = place_record(&mut self.memory, &image);
        let id = self.next_module;
        self.next_module.0 += 1;
        let module = Module {
            name: name.to_owned(),
            text: text.to_owned(),
            module,
            image,
            panic_record,
            kernels: HashMap::new(),
        };
        self.modules.insert(id, module);
        Ok(id)
    }

    /// The instructions of a kernel, and of what it calls, that the emulator does not support. A launch of a kernel
    /// that has any is refused.
    ///
    /// # Errors
    /// The module was unloaded, or has no such kernel.
    pub fn unsupported(
        &mut self,
        module: ModuleId,
        entry: &str,
    ) -> Result<Vec<Unsupported>, Failure> {
        let module = self.module(module)?;
        module.entry(entry)?;
        let (name, text) = (&module.name, &module.text);
        let code: Result<Code, _> = decode(&module.module, &module.image, name, text, entry);
        Ok(code.err().unwrap_or_default())
    }

    /// Frees a module's variables and forgets its kernels.
    ///
    /// # Errors
    /// The module was unloaded before.
    pub fn unload(&mut self, module: ModuleId) -> Result<(), Failure> {
        let removed = self.modules.remove(&module).ok_or_else(unloaded)?;
        let globals = removed.image.globals.iter().map(|global| global.address);
        for address in globals.chain(removed.panic_record) {
            self.free(address)?;
        }
        Ok(())
    }

    /// Generic address of a module's variable in global or constant memory, and its bytes.
    ///
    /// Every module's constants begin at the same address: that of a variable there means something to
    /// kernels of its module alone.
    ///
    /// # Errors
    /// The module has no such variable; the error suggests the nearest names.
    pub fn variable(&self, module: ModuleId, name: &str) -> Result<(u64, u64), Failure> {
        let module = self.modules.get(&module).ok_or_else(unloaded)?;
        module.image.variable(name)
    }

    /// The bytes of a module's variable in global or constant memory.
    ///
    /// # Errors
    /// The module has no such variable.
    #[doc(alias = "cudaMemcpyFromSymbol")]
    pub fn read_variable(&mut self, module: ModuleId, name: &str) -> Result<&[u8], Failure> {
        let (address, bytes) = self.variable(module, name)?;
        self.bytes_of_variable(module, address, bytes)
            .map(|bytes| &*bytes)
    }

    /// The same for the host to write: all of them count as written.
    ///
    /// # Errors
    /// The module has no such variable.
    pub fn variable_bytes(&mut self, module: ModuleId, name: &str) -> Result<&mut [u8], Failure> {
        let (address, bytes) = self.variable(module, name)?;
        self.unreleased.forget(address, address + bytes);
        self.bytes_of_variable(module, address, bytes)
    }

    /// Writes all bytes of a module's variable in global or constant memory.
    ///
    /// # Errors
    /// The module has no such variable, or it has not so many bytes.
    #[doc(alias = "cudaMemcpyToSymbol")]
    pub fn write_variable(
        &mut self,
        module: ModuleId,
        name: &str,
        content: &[u8],
    ) -> Result<(), Failure> {
        let (_, bytes) = self.variable(module, name)?;
        variable_bytes(name, bytes, content.len())?;
        self.variable_bytes(module, name)?.copy_from_slice(content);
        Ok(())
    }

    fn bytes_of_variable(
        &mut self,
        module: ModuleId,
        address: u64,
        bytes: u64,
    ) -> Result<&mut [u8], Failure> {
        if address >= IMAGE_START {
            let found = self.memory.slice(address, bytes as usize);
            return found.map_err(|what| Failure::new(Stage::Upload, what));
        }
        let start = (address - CONST_WINDOW) as usize;
        Ok(&mut self.module(module)?.image.constants[start..start + bytes as usize])
    }

    pub(super) fn module(&mut self, module: ModuleId) -> Result<&mut Module, Failure> {
        self.modules.get_mut(&module).ok_or_else(unloaded)
    }
}

fn unloaded() -> Failure {
    Failure::new(Stage::Resolve, "the module was unloaded")
}

//! Modules of a session.

use std::{collections::HashMap, sync::Arc};

use tma_launch::{Failure, Stage, check::variable_bytes, suggestion};

use super::{DecodedKernel, Session, panic::place_record};
use crate::{
    decode::{Image, Unsupported, check, decode},
    inst::Code,
    machine::{CONST_WINDOW, WINDOW_BYTES},
};

/// Names a module of one [`Session`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModuleId(u64);

/// A loaded module. Its variables in global memory are allocations. Constants are stored here, and in the
/// machine's memory while a kernel of the module runs.
#[derive(Debug)]
pub(super) struct Module {
    pub(super) name: String,
    text: Arc<str>,
    module: Arc<ptx::Module>,
    pub(super) image: Image,
    /// Address of the record for panics of its kernels.
    pub(super) panic_record: Option<u64>,
    /// The kernels that have been decoded.
    kernels: HashMap<String, Arc<DecodedKernel>>,
}

impl Module {
    /// Returns the kernel with this name, decoded once.
    pub(super) fn kernel(&mut self, entry: &str) -> Result<Arc<DecodedKernel>, Failure> {
        if let Some(kernel) = self.kernels.get(entry) {
            return Ok(Arc::clone(kernel));
        }
        let found = self.entry(entry)?;
        let kernel =
            DecodedKernel::decode(&self.module, &self.image, (&self.name, &self.text), found)?;
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
    /// Loads a PTX text, which reports call `name`. Its variables get their initial values.
    ///
    /// # Errors
    /// The text is not PTX, or breaks a rule of PTX; the error has the line and column of each mistake.
    pub fn load(&mut self, name: &str, text: &str) -> Result<ModuleId, Failure> {
        self.load_placed(name, text, |_| None)
    }

    /// Loads a text like [`load`](Self::load), with chosen addresses for variables in global memory: `placed`
    /// returns the address for a name.
    ///
    /// # Errors
    /// The errors of [`load`](Self::load), or such an address is not free. The session may then keep some of the
    /// variables, but has no module.
    pub fn load_placed(
        &mut self,
        name: &str,
        text: &str,
        placed: impl Fn(&str) -> Option<u64>,
    ) -> Result<ModuleId, Failure> {
        let module = ptx::parse_named(name, text)
            .map_err(|errors| Failure::new(Stage::Load, errors.to_string()))?;
        self.add_module(name, text, Arc::new(module), placed)
    }

    /// Loads a parsed text like [`load`](Self::load).
    ///
    /// # Errors
    /// The text breaks a rule of PTX.
    pub fn load_parsed(
        &mut self,
        name: &str,
        text: &str,
        module: Arc<ptx::Module>,
    ) -> Result<ModuleId, Failure> {
        self.add_module(name, text, module, |_| None)
    }

    fn add_module(
        &mut self,
        name: &str,
        text: &str,
        module: Arc<ptx::Module>,
        placed: impl Fn(&str) -> Option<u64>,
    ) -> Result<ModuleId, Failure> {
        if self.valid.as_ptr() != Arc::as_ptr(&module) {
            check(&module, name, text)?;
            self.valid = Arc::downgrade(&module);
        }
        let mut image = Image::new(&module, self.next_image, placed);
        self.next_image = image.end;
        for global in &mut image.globals {
            let bytes = std::mem::take(&mut global.bytes);
            self.place(&global.name, bytes, global.address)?;
        }
        let panic_record = place_record(&mut self.state.memory, &image);
        let id = self.next_module;
        self.next_module.0 += 1;
        let module = Module {
            name: name.to_owned(),
            text: text.into(),
            module,
            image,
            panic_record,
            kernels: HashMap::new(),
        };
        self.modules.insert(id, module);
        Ok(id)
    }

    /// Returns the names of a module's kernels, in the order of the text.
    ///
    /// # Errors
    /// The module was unloaded.
    pub fn entries(&mut self, module: ModuleId) -> Result<Vec<String>, Failure> {
        let entries = self.module(module)?.module.entries();
        let entries = entries.filter(|entry| entry.body.is_some());
        Ok(entries
            .map(|entry| entry.name.as_str().to_owned())
            .collect())
    }

    /// Returns the instructions of a kernel and its callees that the emulator does not support. A launch of a
    /// kernel with such instructions is refused.
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
            self.free_by(address, "the unloading of its module")?;
        }
        Ok(())
    }

    /// Returns the generic address of a module's variable in global or constant memory, and its size in bytes.
    ///
    /// The constants of every module begin at the same address, so an address there is only valid in kernels of
    /// its module.
    ///
    /// # Errors
    /// The module has no such variable; the error suggests the nearest names.
    pub fn variable(&self, module: ModuleId, name: &str) -> Result<(u64, u64), Failure> {
        let module = self.modules.get(&module).ok_or_else(unloaded)?;
        module.image.variable(name)
    }

    /// Returns the bytes of a module's variable in global or constant memory.
    ///
    /// # Errors
    /// The module has no such variable.
    #[doc(alias = "cudaMemcpyFromSymbol")]
    pub fn read_variable(&mut self, module: ModuleId, name: &str) -> Result<&[u8], Failure> {
        let (address, bytes) = self.variable(module, name)?;
        self.bytes_of_variable(module, address, bytes)
            .map(|bytes| &*bytes)
    }

    /// Returns the bytes of a variable for writing; all of them count as written by the host.
    ///
    /// # Errors
    /// The module has no such variable.
    pub fn variable_bytes(&mut self, module: ModuleId, name: &str) -> Result<&mut [u8], Failure> {
        let (address, bytes) = self.variable(module, name)?;
        self.state.unreleased.forget(address, address + bytes);
        self.bytes_of_variable(module, address, bytes)
    }

    /// Writes all bytes of a module's variable in global or constant memory.
    ///
    /// # Errors
    /// The module has no such variable, or `bytes` has another size.
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
        if !(CONST_WINDOW..CONST_WINDOW + WINDOW_BYTES).contains(&address) {
            let found = self.state.memory.slice(address, bytes as usize);
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

#[cfg(test)]
mod tests {
    use tma_launch::{Argument, Launch};

    use crate::{machine::Config, session::Session};

    /// Adds one to a variable by its address in another one.
    const COUNT: &str = "
        .version 8.0
        .target sm_90a
        .address_size 64
        .global .align 4 .u32 count = 7;
        .global .align 8 .u64 where = generic(count);
        .global .align 4 .u32 other;
        .visible .entry add(.param .u64 to)
        {
            .reg .b32 %r<2>;
            .reg .b64 %rd<3>;
            ld.param.u64 %rd1, [to];
            ld.global.u64 %rd2, [where];
            st.global.u64 [%rd1], %rd2;
            ld.u32 %r1, [%rd2];
            add.u32 %r1, %r1, 1;
            st.u32 [%rd2], %r1;
            ret;
        }";

    #[test]
    fn variables_lie_where_they_are_placed() {
        const COUNT_AT: u64 = 0x7fff_1234_0004;
        let mut session = Session::new(Config::default());
        let placed = |name: &str| (name == "count").then_some(COUNT_AT);
        let module = session.load_placed("count.ptx", COUNT, placed).unwrap();
        assert_eq!(session.variable(module, "count"), Ok((COUNT_AT, 4)));
        assert_eq!(session.entries(module), Ok(vec!["add".to_owned()]));
        let to = session.allocate("to", vec![0; 8]);
        let launch = Launch::new("add", 1, 1).argument(Argument::Address(to));
        session.launch(module, &launch).unwrap();
        assert_eq!(session.read(to, 8), Ok(&COUNT_AT.to_le_bytes()[..]));
        assert_eq!(session.read(COUNT_AT, 4), Ok(&[8, 0, 0, 0][..]));
        assert_eq!(
            session.read_variable(module, "count"),
            Ok(&[8, 0, 0, 0][..])
        );
        session
            .write_variable(module, "count", &[1, 2, 3, 4])
            .unwrap();
        assert_eq!(session.read(COUNT_AT, 4), Ok(&[1, 2, 3, 4][..]));
        // The address is no longer free, and the address of constants is not in global memory.
        assert!(session.load_placed("count.ptx", COUNT, placed).is_err());
        let in_window = |_: &str| Some(0x0500_0000_0000);
        assert!(session.load_placed("count.ptx", COUNT, in_window).is_err());
    }
}

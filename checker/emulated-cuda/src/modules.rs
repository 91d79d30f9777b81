//! Modules of a program with their kernels and variables. Each is loaded on first use.

use std::{fs, path::Path};

use tma_emulator::ModuleId;
use tma_launch::{Failure, Stage};

use crate::{
    code::{Code, Result},
    context::Context,
    ffi::{Image, Pointer},
    registered::{Binary, RegisteredKernel, Variable},
    report::FLAGS,
};

impl Context {
    /// Registers code and returns its handle.
    pub(crate) fn add_binary(&mut self, image: Image) -> u64 {
        let handle = self.handle();
        let binary = Binary {
            image,
            loaded: None,
        };
        self.modules.binaries.insert(handle, binary);
        handle
    }

    /// Removes code and its contents.
    pub(crate) fn remove_binary(&mut self, handle: u64) -> Result {
        let binary = self.modules.binaries.remove(&handle);
        let binary = binary.ok_or(Code::INVALID_HANDLE)?;
        self.modules
            .kernels
            .retain(|_, kernel| kernel.binary != handle);
        self.modules
            .variables
            .retain(|_, variable| variable.binary != handle);
        if let Some(Ok(module)) = binary.loaded {
            self.session
                .unload(module)
                .map_err(|_| Code::INVALID_HANDLE)?;
        }
        Ok(())
    }

    /// Registers a kernel; `key` is the program's function for it.
    pub(crate) fn add_kernel(&mut self, key: u64, binary: u64, entry: String) {
        let kernel = RegisteredKernel {
            binary,
            entry,
            shared_bytes: None,
            non_portable_cluster: false,
        };
        self.modules.kernels.insert(key, kernel);
    }

    /// Registers a variable; `key` is the program's variable for it.
    pub(crate) fn add_variable(&mut self, key: u64, binary: u64, name: String) {
        self.modules
            .variables
            .insert(key, Variable { binary, name });
    }

    /// Registers a variable in managed memory; after loading, the host uses it through this pointer.
    pub(crate) fn add_managed(&mut self, binary: u64, name: String, pointer: Pointer) {
        let variable = Variable { binary, name };
        self.modules.managed.push((variable, pointer));
    }

    /// Maps the managed variables of a loaded module, each at its own address.
    fn map_managed(&mut self, binary: u64, module: ModuleId) -> Result {
        let is_here = |(variable, _): &mut (Variable, Pointer)| variable.binary == binary;
        let managed: Vec<_> = self.modules.managed.extract_if(.., is_here).collect();
        managed.into_iter().try_for_each(|(variable, pointer)| {
            let found = self.session.variable(module, &variable.name);
            let (address, bytes) = found.map_err(|_| Code::INVALID_SYMBOL)?;
            self.manage(address, bytes as usize)?;
            pointer.write_host(&address.to_le_bytes())
        })
    }

    /// Returns the kernel of an address or a handle.
    pub(crate) fn kernel(&mut self, key: u64) -> Result<&mut RegisteredKernel> {
        self.modules
            .kernels
            .get_mut(&key)
            .ok_or(Code::INVALID_FUNCTION)
    }

    /// Returns the handle of a kernel in a module.
    pub(crate) fn kernel_named(&mut self, binary: u64, entry: &str) -> Result<u64> {
        let mut known = self.modules.kernels.iter();
        let is_it = |kernel: &RegisteredKernel| kernel.binary == binary && kernel.entry == entry;
        if let Some((key, _)) = known.find(|(_, kernel)| is_it(kernel)) {
            return Ok(*key);
        }
        let module = self.module(binary)?;
        let signature = self.session.signature(module, entry);
        if let Err(failure) = signature {
            // Unsupported instructions are reported when the kernel is launched.
            if failure.error_name.as_deref() != Some("UNSUPPORTED") {
                return Err(Code::NOT_FOUND);
            }
        }
        let handle = self.handle();
        self.add_kernel(handle, binary, entry.to_owned());
        Ok(handle)
    }

    /// Returns the module of a handle, after loading it if necessary.
    pub(crate) fn module(&mut self, handle: u64) -> Result<ModuleId> {
        let binary = self
            .modules
            .binaries
            .get(&handle)
            .ok_or(Code::INVALID_HANDLE)?;
        if let Some(loaded) = binary.loaded {
            return loaded;
        }
        let image = binary.image;
        let loaded = self.load(image);
        let loaded = loaded.and_then(|module| {
            self.map_managed(handle, module)?;
            Ok(module)
        });
        if let Some(binary) = self.modules.binaries.get_mut(&handle) {
            binary.loaded = Some(loaded);
        }
        loaded
    }

    fn load(&mut self, image: Image) -> Result<ModuleId> {
        self.modules.refusal.clear();
        let program = std::env::current_exe().unwrap_or_default();
        let program = program.file_stem().unwrap_or_default().to_string_lossy();
        let text = match image.code() {
            fat_binary::Code::Ptx(text) => text,
            fat_binary::Code::Other(has) => {
                let has = match has.is_empty() {
                    true => "nothing".to_owned(),
                    false => has.join(", "),
                };
                let why = format!(
                    "the program has no PTX for compute capability 9.0, but {has}; \
                     build it with {FLAGS}"
                );
                self.report.cannot_run(&program, &why);
                return Err(Code::NO_BINARY);
            }
            fat_binary::Code::Unreadable(why) => {
                self.report.cannot_run(&program, &why);
                return Err(Code::INVALID_IMAGE);
            }
        };
        let number = self.modules.binaries.values();
        let number = number.filter(|binary| binary.loaded.is_some()).count();
        let name = match number {
            0 => format!("{program}.ptx"),
            number => format!("{program}.{number}.ptx"),
        };
        if let Some(folder) = &self.options.ptx
            && let Err(error) = write(folder, &name, &text)
        {
            self.report.error(&format!(
                "cannot write {name} into {}: {error}",
                folder.display()
            ));
        }
        let target = fat_binary::target(&text).filter(|target| !fat_binary::runs(target));
        let loaded = match target {
            None => self.session.load(&name, &text),
            Some(target) => {
                let what = format!(
                    "the target `{target}` must be the device's, `sm_90a`, or an earlier one"
                );
                Err(Failure::new(Stage::Load, what))
            }
        };
        loaded.map_err(|failure| {
            self.modules.refusal = failure.to_string();
            self.report.cannot_run(&name, &self.modules.refusal);
            match text.contains(".version") {
                true => Code::INVALID_PTX,
                false => Code::INVALID_IMAGE,
            }
        })
    }

    /// Returns the address and size of a variable of the program, or of a handle.
    pub(crate) fn symbol(&mut self, key: u64) -> Result<(u64, u64)> {
        let variable = self.modules.variables.get(&key).cloned();
        let variable = variable.ok_or(Code::INVALID_SYMBOL)?;
        let module = self.module(variable.binary)?;
        let found = self.session.variable(module, &variable.name);
        let found = found.map_err(|_| Code::INVALID_SYMBOL)?;
        self.modules.constant = Some(variable);
        Ok(found)
    }

    /// Like [`symbol`](Self::symbol), by its name in a module.
    pub(crate) fn symbol_named(&mut self, binary: u64, name: &str) -> Result<(u64, u64)> {
        let module = self.module(binary)?;
        let found = self.session.variable(module, name);
        let found = found.map_err(|_| Code::NOT_FOUND)?;
        self.modules.constant = Some(Variable {
            binary,
            name: name.to_owned(),
        });
        Ok(found)
    }

    /// Returns the offset of an address in the constant variable whose address was requested last.
    pub(crate) fn constant(&mut self, pointer: Pointer) -> Result<usize> {
        let variable = self.modules.constant.clone().ok_or(Code::INVALID_VALUE)?;
        let module = self.module(variable.binary)?;
        let found = self.session.variable(module, &variable.name);
        let (start, _) = found.map_err(|_| Code::INVALID_VALUE)?;
        let offset = pointer
            .address()
            .checked_sub(start)
            .ok_or(Code::INVALID_VALUE)?;
        Ok(offset as usize)
    }

    /// Returns bytes of that variable.
    pub(crate) fn constants(&mut self, start: usize, bytes: usize) -> Result<&mut [u8]> {
        let variable = self.modules.constant.clone().ok_or(Code::INVALID_VALUE)?;
        let module = self.module(variable.binary)?;
        let all = self.session.variable_bytes(module, &variable.name);
        let all = all.map_err(|_| Code::INVALID_VALUE)?;
        let range = start..start.checked_add(bytes).ok_or(Code::INVALID_VALUE)?;
        all.get_mut(range).ok_or(Code::INVALID_VALUE)
    }
}

fn write(folder: &Path, name: &str, text: &str) -> std::io::Result<()> {
    fs::create_dir_all(folder)?;
    fs::write(folder.join(name), text)
}

//! A launch: what it can reach is taken before and after it.

use std::{
    collections::BTreeSet,
    env,
    sync::{Mutex, PoisonError},
};

use launch_archive::{Archive, Kind, Region};

use crate::{
    arguments::Arguments,
    buffers,
    code::{Handle, Kernel, Text},
    driver::{self, SUCCESS},
    state::{self, State},
    writer,
};

/// A launch as the program asks for it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Launch {
    pub(crate) function: u64,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) cluster: Option<[u32; 3]>,
    pub(crate) shared_bytes: u32,
    pub(crate) is_cooperative: bool,
}

/// Where a variable or an allocation lies.
struct Place {
    name: String,
    kind: Kind,
    address: u64,
    bytes: u64,
}

/// Launches a kernel by the driver, and records the launch if it is wanted and can be.
pub(crate) fn launch(launch: Launch, arguments: &Arguments, real: impl FnOnce() -> i32) -> i32 {
    // Nobody else launches in between, so that what is taken is before and after this launch alone.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let archive = state::with(|state| state.before(launch, arguments));
    let code = real();
    if let Some(archive) = archive {
        state::with(|state| state.after(archive, code));
    }
    code
}

impl State {
    /// Takes what a launch can reach; nothing where it is not recorded.
    fn before(&mut self, launch: Launch, arguments: &Arguments) -> Option<Archive> {
        self.launches += 1;
        let Some(kernel) = self.codes.kernel(launch.function) else {
            self.skip(
                "a kernel without a name",
                "the driver does not say what it is".to_owned(),
            );
            return None;
        };
        if !self.options.wants(self.launches, &kernel.entry) {
            return None;
        }
        let taken = self.take(launch, &kernel, arguments);
        taken.map_err(|why| self.skip(&kernel.entry, why)).ok()
    }

    fn take(
        &mut self,
        launch: Launch,
        kernel: &Kernel,
        arguments: &Arguments,
    ) -> Result<Archive, String> {
        if self.captures > 0 {
            return Err("a stream is captured, which nobody may wait for".to_owned());
        }
        let text = self.codes.text(kernel)?;
        let arguments = arguments.read(&text.parameters(&kernel.entry)?)?;
        if driver::synchronise() != SUCCESS {
            return Err("an earlier kernel has failed".to_owned());
        }
        let memory = self.reached(kernel, &text, &arguments)?;
        let header = launch_archive::Launch {
            program: program(),
            number: self.launches,
            entry: kernel.entry.clone(),
            grid: launch.grid,
            block: launch.block,
            cluster: launch.cluster,
            shared_bytes: launch.shared_bytes,
            cooperative: launch.is_cooperative,
            arguments,
            device: driver::device_name(),
            driver: driver::version(),
            error: None,
        };
        Ok(Archive {
            launch: header,
            ptx: text.text.clone(),
            memory,
        })
    }

    /// The variables of a kernel, the allocations that its arguments point to, and what in all of these does.
    fn reached(
        &mut self,
        kernel: &Kernel,
        text: &Text,
        arguments: &[Vec<u8>],
    ) -> Result<Vec<Region>, String> {
        let mut found = BTreeSet::new();
        let mut unseen = Vec::new();
        for argument in arguments {
            self.allocations.pointed_to(argument, &mut found);
            self.ask_driver(argument, &mut unseen);
        }
        found.extend(&unseen);
        let memory = self.follow(kernel, text, found);
        // When they are freed is not seen either.
        for address in unseen {
            self.allocations.remove(address);
        }
        memory
    }

    /// The variables of a kernel, these allocations, and those that all of them point to.
    fn follow(
        &mut self,
        kernel: &Kernel,
        text: &Text,
        mut found: BTreeSet<u64>,
    ) -> Result<Vec<Region>, String> {
        let mut memory = Vec::new();
        for variable in text.variables(&kernel.entry) {
            // The driver has none where nothing is left of it in the machine code.
            let place = match kernel.of {
                Handle::Module(module) => driver::module_variable(module, &variable.name),
                Handle::Library(library) => driver::library_variable(library, &variable.name),
            };
            if let Some((address, bytes)) = place {
                let region = self.region(Place {
                    name: variable.name,
                    kind: variable.kind,
                    address,
                    bytes,
                })?;
                self.allocations.pointed_to(&region.before, &mut found);
                memory.push(region);
            }
        }
        let mut done = BTreeSet::new();
        while let Some(address) = found.pop_first() {
            let Some(allocation) = self.allocations.get(address).cloned() else {
                continue;
            };
            done.insert(address);
            let overlaps = |variable: &Region| {
                let end = variable.address + variable.before.len() as u64;
                variable.kind != Kind::Allocation
                    && variable.address < address + allocation.bytes
                    && address < end
            };
            if memory.iter().any(overlaps) {
                // A pointer to a variable, which has its own name.
                continue;
            }
            let region = self.region(Place {
                name: allocation.name,
                kind: Kind::Allocation,
                address,
                bytes: allocation.bytes,
            })?;
            self.allocations.pointed_to(&region.before, &mut found);
            found.retain(|address| !done.contains(address));
            memory.push(region);
        }
        memory.sort_by_key(|region| region.address);
        Ok(memory)
    }

    /// Takes note of allocations whose calls were not seen: the driver knows them all.
    fn ask_driver(&mut self, argument: &[u8], unseen: &mut Vec<u64>) {
        /// Addresses below belong to no memory.
        const LEAST: u64 = 1 << 20;
        let (words, _) = argument.as_chunks::<8>();
        for word in words {
            let value = u64::from_le_bytes(*word);
            if value < LEAST || self.allocations.find(value).is_some() {
                continue;
            }
            if let Some((start, bytes)) = driver::allocation(value) {
                self.allocations.add(start, bytes, "allocation");
                unseen.push(start);
            }
        }
    }

    /// Copies memory from the device.
    fn region(&mut self, place: Place) -> Result<Region, String> {
        let Place {
            name,
            kind,
            address,
            bytes,
        } = place;
        self.taken = self.taken.saturating_add(bytes);
        if self.taken > self.options.most_bytes {
            self.taken -= bytes;
            return Err(format!(
                "more than the {} bytes of memory that `--max-bytes` allows in all",
                self.options.most_bytes
            ));
        }
        let mut before = buffers::take(bytes as usize);
        match driver::read(address, &mut before) {
            SUCCESS => Ok(Region {
                name,
                kind,
                address,
                before,
                after: None,
            }),
            code => Err(format!(
                "the {bytes} bytes of {name} cannot be copied: error {code}"
            )),
        }
    }

    /// Takes what the launch has left, and has the archive written.
    fn after(&mut self, mut archive: Archive, code: i32) {
        if code != SUCCESS {
            return self.skip(
                &archive.launch.entry,
                format!("the driver refused the launch: error {code}"),
            );
        }
        let code = driver::synchronise();
        archive.launch.error = Some(code).filter(|code| *code != SUCCESS);
        if code == SUCCESS {
            for region in archive
                .memory
                .iter_mut()
                .filter(|region| region.kind != Kind::Constant)
            {
                let mut after = buffers::take(region.before.len());
                let code = driver::read(region.address, &mut after);
                region.after = Some(after).filter(|_| code == SUCCESS);
            }
        }
        writer::write(archive, &self.options);
    }
}

/// The name of the program's file.
fn program() -> String {
    let path = env::current_exe().unwrap_or_default();
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

//! A launch: what it can reach is taken before and after it.

use std::{
    collections::BTreeSet,
    env, slice,
    sync::{Mutex, PoisonError},
};

use launch_archive::Kind;

use crate::{
    arguments::Arguments,
    code::{Handle, Kernel, Text},
    copies::{self, Wanted},
    driver::{self, SUCCESS},
    parts::{self, Parts},
    recording::{Recording, Region},
    state::{self, State},
    times::{Wait, waiting},
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

/// Where a variable or an allocation lies, and what was found there last.
struct Place {
    name: String,
    kind: Kind,
    address: u64,
    bytes: u64,
    known: Option<Parts>,
}

impl Place {
    fn wanted(&self) -> Wanted<'_> {
        Wanted {
            address: self.address,
            bytes: self.bytes as usize,
            known: self.known.as_ref(),
        }
    }
}

/// Launches a kernel by the driver, and records the launch if it is wanted and can be.
pub(crate) fn launch(launch: Launch, arguments: &Arguments, real: impl FnOnce() -> i32) -> i32 {
    // Nobody else launches in between, so that what is taken is before and after this launch alone.
    static ONE: Mutex<()> = Mutex::new(());
    let _one = ONE.lock().unwrap_or_else(PoisonError::into_inner);
    let recording = state::with(|state| state.before(launch, arguments));
    let code = real();
    if let Some(recording) = recording {
        state::with(|state| state.after(recording, code));
    }
    code
}

impl State {
    /// Takes what a launch can reach; nothing where it is not recorded.
    fn before(&mut self, launch: Launch, arguments: &Arguments) -> Option<Recording> {
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
    ) -> Result<Recording, String> {
        if self.captures > 0 {
            return Err("a stream is captured, which nobody may wait for".to_owned());
        }
        let text = self.codes.text(kernel)?;
        let arguments = arguments.read(&text.parameters(&kernel.entry)?)?;
        if waiting(Wait::Earlier, || (driver::synchronise(), 0)) != SUCCESS {
            return Err("an earlier kernel has failed".to_owned());
        }
        let taken = self.taken;
        let memory = self.reached(kernel, &text, &arguments);
        // What a launch has taken that is not recorded is there for others.
        let memory = memory.inspect_err(|_| self.taken = taken)?;
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
        Ok(Recording {
            launch: header,
            text,
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
                let place = Place {
                    name: variable.name,
                    kind: variable.kind,
                    address,
                    bytes,
                    known: None,
                };
                let (regions, pointed_to) = self.copy(vec![place])?;
                memory.extend(regions);
                found.extend(pointed_to);
            }
        }
        let variables = memory.len();
        let mut new: Vec<u64> = found.iter().copied().collect();
        while !new.is_empty() {
            let places = new
                .iter()
                .filter_map(|address| self.place(*address, &memory[..variables]));
            let (regions, pointed_to) = self.copy(places.collect())?;
            memory.extend(regions);
            new = pointed_to.difference(&found).copied().collect();
            found.extend(&new);
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

    /// The allocation that begins at an address. A pointer to a variable, which has its own name, is none to an allocation.
    fn place(&self, address: u64, variables: &[Region]) -> Option<Place> {
        let allocation = self.allocations.get(address)?;
        let overlaps = |variable: &Region| {
            variable.address < address + allocation.bytes
                && address < variable.address + variable.bytes
        };
        (!variables.iter().any(overlaps)).then(|| Place {
            name: allocation.name.clone(),
            kind: Kind::Allocation,
            address,
            bytes: allocation.bytes,
            known: allocation.known.clone(),
        })
    }

    /// Copies memory from the device, and finds the allocations that it points to.
    fn copy(&mut self, places: Vec<Place>) -> Result<(Vec<Region>, BTreeSet<u64>), String> {
        let bytes: u64 = places.iter().map(|place| place.bytes).sum();
        let taken = self.taken.saturating_add(bytes);
        if taken > self.options.most_bytes {
            return Err(format!(
                "more than the {} bytes of memory that `--max-bytes` allows in all",
                self.options.most_bytes
            ));
        }
        self.taken = taken;
        self.make_room(bytes);
        let found = Mutex::new(BTreeSet::new());
        let see = |bytes: &[u8]| {
            let mut pointed_to = BTreeSet::new();
            self.allocations.pointed_to(bytes, &mut pointed_to);
            if !pointed_to.is_empty() {
                let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                found.append(&mut pointed_to);
            }
        };
        let wanted: Vec<Wanted<'_>> = places.iter().map(Place::wanted).collect();
        let taken = waiting(Wait::Before, || (copies::take(&wanted, &see), bytes));
        let taken = taken.map_err(|(index, code)| {
            let Place { name, bytes, .. } = &places[index];
            format!("the {bytes} bytes of {name} cannot be copied: error {code}")
        })?;
        let regions = places.into_iter().zip(taken).map(|(place, before)| Region {
            name: place.name,
            kind: place.kind,
            address: place.address,
            bytes: place.bytes,
            before,
            after: None,
        });
        Ok((
            regions.collect(),
            found.into_inner().unwrap_or_else(PoisonError::into_inner),
        ))
    }

    /// Waits until there is room for what a launch reaches, and for as much again that it leaves.
    fn make_room(&mut self, bytes: u64) {
        let has_room = || parts::all_bytes() as u64 + 2 * bytes <= parts::most_bytes() as u64;
        if !has_room() {
            self.allocations.forget_parts();
            waiting(Wait::Room, || (writer::wait_until(has_room), 0));
        }
    }

    /// Takes what the launch has left, and has the archive written.
    fn after(&mut self, mut recording: Recording, code: i32) {
        if code != SUCCESS {
            return self.skip(
                &recording.launch.entry,
                format!("the driver refused the launch: error {code}"),
            );
        }
        let code = waiting(Wait::Kernel, || (driver::synchronise(), 0));
        recording.launch.error = Some(code).filter(|code| *code != SUCCESS);
        if code == SUCCESS {
            waiting(Wait::After, || ((), take_after(&mut recording.memory)));
            for region in &recording.memory {
                let parts = region.after.as_ref().unwrap_or(&region.before);
                self.allocations.keep_parts(region.address, parts);
            }
        }
        writer::write(recording, &self.options);
    }
}

/// Copies what a launch has left. Gives the bytes.
fn take_after(memory: &mut [Region]) -> u64 {
    let mut all: Vec<&mut Region> = memory
        .iter_mut()
        .filter(|region| region.kind != Kind::Constant)
        .collect();
    let wanted: Vec<Wanted<'_>> = all.iter().map(|region| wanted_after(region)).collect();
    let bytes = wanted.iter().map(|wanted| wanted.bytes as u64).sum();
    let taken: Vec<Option<Parts>> = match copies::take(&wanted, &|_| ()) {
        Ok(taken) => taken.into_iter().map(Some).collect(),
        // What can be read, one by one.
        Err(_) => wanted
            .iter()
            .map(|wanted| copies::take(slice::from_ref(wanted), &|_| ()).ok()?.pop())
            .collect(),
    };
    for (region, after) in all.iter_mut().zip(taken) {
        region.after = after;
    }
    bytes
}

fn wanted_after(region: &Region) -> Wanted<'_> {
    Wanted {
        address: region.address,
        bytes: region.bytes as usize,
        known: Some(&region.before),
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

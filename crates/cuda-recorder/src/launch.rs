//! A launch: what it can reach is taken before and after it.

use std::{
    collections::BTreeSet,
    env, slice,
    sync::{Mutex, PoisonError},
};

use launch_archive::{Kind, Object, Texels};

use crate::{
    arguments::Arguments,
    code::{Handle, Kernel, Needs},
    copies::{self, Wanted},
    driver::{self, SUCCESS},
    objects,
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

/// Memory and objects that a launch reaches.
#[derive(Default)]
struct Reached {
    memory: Vec<Region>,
    objects: Vec<Object>,
}

/// Allocations, by where they begin, and objects, by their handles, that something names.
#[derive(Default)]
struct Found {
    allocations: BTreeSet<u64>,
    objects: BTreeSet<u64>,
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
        let mut recording = None;
        if self.options.wants(self.launches, &kernel.entry) {
            let taken = self.take(launch, &kernel, arguments);
            recording = taken.map_err(|why| self.skip(&kernel.entry, why)).ok();
        }
        self.heap |= self.codes.uses_heap(&kernel);
        recording
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
        let needs = text.needs(&kernel.entry)?;
        let arguments = arguments.read(&needs.parameters)?;
        if waiting(Wait::Earlier, || (driver::synchronise(), 0)) != SUCCESS {
            return Err("an earlier kernel has failed".to_owned());
        }
        let taken = self.taken;
        let reached = self.reached(kernel, &needs, &arguments);
        // What a launch has taken that is not recorded is there for others.
        let Reached { memory, objects } = reached.inspect_err(|_| self.taken = taken)?;
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
            objects,
            gaps: self.gaps(&needs),
            error: None,
        };
        Ok(Recording {
            launch: header,
            text,
            memory,
        })
    }

    /// Sentences about what a kernel may reach and no copy has.
    fn gaps(&self, needs: &Needs) -> Vec<String> {
        let gap = match (needs.heap, self.heap) {
            (true, _) => {
                "it calls `malloc` or `free`, and the heap of kernels is not in the archive"
            }
            (false, true) => {
                "an earlier kernel has used `malloc`, and the heap of kernels is not in the archive"
            }
            (false, false) => return Vec::new(),
        };
        vec![gap.to_owned()]
    }

    /// The variables of a kernel, the allocations that its arguments point to, and what in all of these does.
    fn reached(
        &mut self,
        kernel: &Kernel,
        needs: &Needs,
        arguments: &[Vec<u8>],
    ) -> Result<Reached, String> {
        let mut found = Found::default();
        let mut unseen = Vec::new();
        for argument in arguments {
            self.see(argument, needs, &mut found);
            self.ask_driver(argument, &mut unseen);
        }
        found.allocations.extend(&unseen);
        let reached = self.follow(kernel, needs, found);
        // When they are freed is not seen either.
        for address in unseen {
            self.allocations.remove(address);
        }
        reached
    }

    /// The variables of a kernel, what was found, and what all of it points to.
    fn follow(
        &mut self,
        kernel: &Kernel,
        needs: &Needs,
        mut found: Found,
    ) -> Result<Reached, String> {
        let mut reached = Reached::default();
        for variable in &needs.variables {
            // The driver has none where nothing is left of it in the machine code.
            let place = match kernel.of {
                Handle::Module(module) => driver::module_variable(module, &variable.name),
                Handle::Library(library) => driver::library_variable(library, &variable.name),
            };
            if let Some((address, bytes)) = place {
                let place = Place {
                    name: variable.name.clone(),
                    kind: variable.kind,
                    address,
                    bytes,
                    known: None,
                };
                self.copy(vec![place], needs, &mut reached, &mut found)?;
            }
        }
        let variables = reached.memory.len();
        let (mut allocations, mut objects) = (BTreeSet::new(), BTreeSet::new());
        loop {
            let new: Vec<u64> = found.objects.difference(&objects).copied().collect();
            objects.extend(&new);
            for handle in new {
                self.take_object(handle, &mut reached, &mut found)?;
            }
            let new: Vec<u64> = found
                .allocations
                .difference(&allocations)
                .copied()
                .collect();
            if new.is_empty() {
                break;
            }
            allocations.extend(&new);
            let variables = &reached.memory[..variables];
            let places = new
                .iter()
                .filter_map(|address| self.place(*address, variables));
            let places = places.collect();
            self.copy(places, needs, &mut reached, &mut found)?;
        }
        if needs.objects && reached.objects.is_empty() {
            return Err("it uses a texture or surface that is not found".to_owned());
        }
        reached.memory.sort_by_key(|region| region.address);
        Ok(reached)
    }

    /// Takes a texture or a surface with its array, or finds the memory that it is of.
    fn take_object(
        &mut self,
        handle: u64,
        reached: &mut Reached,
        found: &mut Found,
    ) -> Result<(), String> {
        let object = self.objects.object(handle)?;
        match object.texels {
            Texels::Array { array, .. } => {
                let is_array =
                    |region: &Region| (region.kind, region.address) == (Kind::Array, array);
                if !reached.memory.iter().any(is_array) {
                    self.count(objects::array_bytes(array)?)?;
                    reached.memory.push(objects::region(array)?);
                }
            }
            Texels::Linear { address, .. } | Texels::Pitched { address, .. } => {
                let of = self.allocations.find(address);
                let of = of.ok_or("the memory of its texture is not known")?;
                found.allocations.insert(of);
            }
        }
        reached.objects.push(object);
        Ok(())
    }

    /// Finds the allocations and objects that bytes name.
    fn see(&self, bytes: &[u8], needs: &Needs, found: &mut Found) {
        self.allocations.pointed_to(bytes, &mut found.allocations);
        if needs.objects {
            self.objects.named_by(bytes, &mut found.objects);
        }
    }

    /// Counts memory that is copied before a launch.
    fn count(&mut self, bytes: u64) -> Result<(), String> {
        let taken = self.taken.saturating_add(bytes);
        if taken > self.options.most_bytes {
            return Err(format!(
                "more than the {} bytes of memory that `--max-bytes` allows in all",
                self.options.most_bytes
            ));
        }
        self.taken = taken;
        self.make_room(bytes);
        Ok(())
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

    /// Copies memory from the device, and finds what it points to.
    fn copy(
        &mut self,
        places: Vec<Place>,
        needs: &Needs,
        reached: &mut Reached,
        found: &mut Found,
    ) -> Result<(), String> {
        let bytes = places.iter().map(|place| place.bytes).sum();
        self.count(bytes)?;
        let all = Mutex::new(found);
        let see = |bytes: &[u8]| {
            let mut found = Found::default();
            self.see(bytes, needs, &mut found);
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            all.allocations.append(&mut found.allocations);
            all.objects.append(&mut found.objects);
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
        reached.memory.extend(regions);
        Ok(())
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
            let allocations = recording.memory.iter();
            for region in allocations.filter(|region| region.kind == Kind::Allocation) {
                let parts = region.after.as_ref().unwrap_or(&region.before);
                self.allocations.keep_parts(region.address, parts);
            }
        }
        writer::write(recording, &self.options);
    }
}

/// Copies what a launch has left. Gives the bytes.
fn take_after(memory: &mut [Region]) -> u64 {
    let (arrays, mut others): (Vec<_>, Vec<_>) = memory
        .iter_mut()
        .filter(|region| region.kind != Kind::Constant)
        .partition(|region| region.kind == Kind::Array);
    for array in arrays {
        array.after = objects::read_array(array.address).ok();
    }
    let wanted = others.iter().map(|region| wanted_after(region));
    let wanted: Vec<Wanted<'_>> = wanted.collect();
    let bytes = wanted.iter().map(|wanted| wanted.bytes as u64).sum();
    let taken: Vec<Option<Parts>> = match copies::take(&wanted, &|_| ()) {
        Ok(taken) => taken.into_iter().map(Some).collect(),
        // What can be read, one by one.
        Err(_) => wanted
            .iter()
            .map(|wanted| copies::take(slice::from_ref(wanted), &|_| ()).ok()?.pop())
            .collect(),
    };
    for (region, after) in others.iter_mut().zip(taken) {
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

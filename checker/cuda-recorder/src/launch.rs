//! Recording of a launch: copies the memory that it can reach, before and after it.

use std::{
    collections::BTreeSet,
    env, slice,
    sync::{Mutex, PoisonError},
};

use launch_archive::{MemoryKind, Texels, TextureObject};

use crate::{
    arguments::Arguments,
    code::{Handle, ModuleKernel, Needs},
    copies::{self, Wanted},
    driver::{self, SUCCESS},
    objects,
    parts::{self, Parts},
    recording::{Recording, Region},
    state::{self, State},
    times::{Wait, waiting},
    writer,
};

/// A launch as requested by the program.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Launch {
    pub(crate) function: u64,
    pub(crate) grid: [u32; 3],
    pub(crate) block: [u32; 3],
    pub(crate) cluster: Option<[u32; 3]>,
    pub(crate) shared_bytes: u32,
    pub(crate) is_cooperative: bool,
}

/// The address of a variable or allocation, and its previous contents.
struct RegionPlace {
    name: String,
    kind: MemoryKind,
    address: u64,
    bytes: u64,
    known: Option<Parts>,
}

impl RegionPlace {
    fn wanted(&self) -> Wanted<'_> {
        Wanted {
            address: self.address,
            bytes: self.bytes as usize,
            known: self.known.as_ref(),
        }
    }
}

/// Memory and objects that a launch can reach.
#[derive(Default)]
struct Reached {
    memory: Vec<Region>,
    objects: Vec<TextureObject>,
}

/// Start addresses of allocations and handles of objects that something refers to.
#[derive(Default)]
struct Reachable {
    allocations: BTreeSet<u64>,
    objects: BTreeSet<u64>,
}

/// Launches a kernel with the driver, and records the launch if it is selected and possible.
pub(crate) fn launch(launch: Launch, arguments: &Arguments, real: impl FnOnce() -> i32) -> i32 {
    // Serialises launches, so that the copies are from right before and after this launch.
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
    /// Copies the memory that a launch can reach; `None` if it is not recorded.
    fn before(&mut self, launch: Launch, arguments: &Arguments) -> Option<Recording> {
        self.launches += 1;
        let Some(kernel) = self.codes.kernel(launch.function) else {
            self.skip(
                "a kernel without a name",
                "the driver cannot identify it".to_owned(),
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
        kernel: &ModuleKernel,
        arguments: &Arguments,
    ) -> Result<Recording, String> {
        if self.captures > 0 {
            return Err("a stream is being captured and must not be waited for".to_owned());
        }
        let text = self.codes.text(kernel)?;
        let needs = text.needs(&kernel.entry)?;
        let arguments = arguments.read(&needs.parameters)?;
        if waiting(Wait::Earlier, || (driver::synchronise(), 0)) != SUCCESS {
            return Err("an earlier kernel has failed".to_owned());
        }
        let taken = self.taken;
        let reached = self.reached(kernel, &needs, &arguments);
        // Memory counted for a launch that is not recorded becomes available to others.
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

    /// Describes memory that a kernel may reach but that is not recorded.
    fn gaps(&self, needs: &Needs) -> Vec<String> {
        let gap = match (needs.heap, self.heap) {
            (true, _) => "it calls `malloc` or `free`, but the archive lacks the heap of kernels",
            (false, true) => {
                "an earlier kernel used `malloc`, but the archive lacks the heap of kernels"
            }
            (false, false) => return Vec::new(),
        };
        vec![gap.to_owned()]
    }

    /// Collects the variables of a kernel, the allocations that its arguments point to, and those that all of these
    /// point to.
    fn reached(
        &mut self,
        kernel: &ModuleKernel,
        needs: &Needs,
        arguments: &[Vec<u8>],
    ) -> Result<Reached, String> {
        let mut found = Reachable::default();
        let mut unseen = Vec::new();
        for argument in arguments {
            self.see(argument, needs, &mut found);
            self.ask_driver(argument, &mut unseen);
        }
        found.allocations.extend(&unseen);
        let reached = self.follow(kernel, needs, found);
        // Freeing these allocations is not intercepted either.
        for address in unseen {
            self.allocations.remove(address);
        }
        reached
    }

    /// Collects the variables of a kernel, the found allocations, and everything that these point to.
    fn follow(
        &mut self,
        kernel: &ModuleKernel,
        needs: &Needs,
        mut found: Reachable,
    ) -> Result<Reached, String> {
        let mut reached = Reached::default();
        for variable in &needs.variables {
            // A variable that the compiler removed from the machine code is unknown to the driver.
            let place = match kernel.of {
                Handle::Module(module) => driver::module_variable(module, &variable.name),
                Handle::Library(library) => driver::library_variable(library, &variable.name),
            };
            if let Some((address, bytes)) = place {
                let place = RegionPlace {
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
            return Err("it uses an unknown texture or surface".to_owned());
        }
        reached.memory.sort_by_key(|region| region.address);
        Ok(reached)
    }

    /// Collects a texture or surface with its array, or the memory that it refers to.
    fn take_object(
        &mut self,
        handle: u64,
        reached: &mut Reached,
        found: &mut Reachable,
    ) -> Result<(), String> {
        let object = self.objects.object(handle)?;
        match object.texels {
            Texels::Array { array, .. } => {
                let is_array =
                    |region: &Region| (region.kind, region.address) == (MemoryKind::Array, array);
                if !reached.memory.iter().any(is_array) {
                    self.count(objects::array_bytes(array)?)?;
                    reached.memory.push(objects::region(array)?);
                }
            }
            Texels::Linear { address, .. } | Texels::Pitched { address, .. } => {
                let of = self.allocations.find(address);
                let of = of.ok_or("the memory of its texture is unknown")?;
                found.allocations.insert(of);
            }
        }
        reached.objects.push(object);
        Ok(())
    }

    /// Finds the allocations and objects that bytes refer to.
    fn see(&self, bytes: &[u8], needs: &Needs, found: &mut Reachable) {
        self.allocations.pointed_to(bytes, &mut found.allocations);
        if needs.objects {
            self.objects.named_by(bytes, &mut found.objects);
        }
    }

    /// Counts memory copied before a launch.
    fn count(&mut self, bytes: u64) -> Result<(), String> {
        let taken = self.taken.saturating_add(bytes);
        if taken > self.options.most_bytes {
            return Err(format!(
                "the total exceeds the {} bytes of `--max-bytes`",
                self.options.most_bytes
            ));
        }
        self.taken = taken;
        self.make_room(bytes);
        Ok(())
    }

    /// Records allocations whose calls were not intercepted, since the driver knows all allocations.
    fn ask_driver(&mut self, argument: &[u8], unseen: &mut Vec<u64>) {
        /// Lower addresses are never memory.
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

    /// Returns the allocation that begins at an address. A pointer to a variable, which has its own name, is not
    /// one.
    fn place(&self, address: u64, variables: &[Region]) -> Option<RegionPlace> {
        let allocation = self.allocations.get(address)?;
        let overlaps = |variable: &Region| {
            variable.address < address + allocation.bytes
                && address < variable.address + variable.bytes
        };
        (!variables.iter().any(overlaps)).then(|| RegionPlace {
            name: allocation.name.clone(),
            kind: MemoryKind::Allocation,
            address,
            bytes: allocation.bytes,
            known: allocation.known.clone(),
        })
    }

    /// Copies memory from the device, and finds the memory that it points to.
    fn copy(
        &mut self,
        places: Vec<RegionPlace>,
        needs: &Needs,
        reached: &mut Reached,
        found: &mut Reachable,
    ) -> Result<(), String> {
        let bytes = places.iter().map(|place| place.bytes).sum();
        self.count(bytes)?;
        let all = Mutex::new(found);
        let see = |bytes: &[u8]| {
            let mut found = Reachable::default();
            self.see(bytes, needs, &mut found);
            let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
            all.allocations.append(&mut found.allocations);
            all.objects.append(&mut found.objects);
        };
        let wanted: Vec<Wanted<'_>> = places.iter().map(RegionPlace::wanted).collect();
        let taken = waiting(Wait::Before, || (copies::take(&wanted, &see), bytes));
        let taken = taken.map_err(|(index, code)| {
            let RegionPlace { name, bytes, .. } = &places[index];
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

    /// Waits until there is memory for the launch's contents before and after it.
    fn make_room(&mut self, bytes: u64) {
        let has_room = || parts::all_bytes() as u64 + 2 * bytes <= parts::most_bytes() as u64;
        if !has_room() {
            self.allocations.forget_parts();
            waiting(Wait::Room, || (writer::wait_until(has_room), 0));
        }
    }

    /// Copies the results of the launch, and queues the archive for writing.
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
            for region in allocations.filter(|region| region.kind == MemoryKind::Allocation) {
                let parts = region.after.as_ref().unwrap_or(&region.before);
                self.allocations.keep_parts(region.address, parts);
            }
        }
        writer::write(recording, &self.options);
    }
}

/// Copies the results of a launch, and returns the number of bytes.
fn take_after(memory: &mut [Region]) -> u64 {
    let (arrays, mut others): (Vec<_>, Vec<_>) = memory
        .iter_mut()
        .filter(|region| region.kind != MemoryKind::Constant)
        .partition(|region| region.kind == MemoryKind::Array);
    for array in arrays {
        array.after = objects::read_array(array.address).ok();
    }
    let wanted = others.iter().map(|region| wanted_after(region));
    let wanted: Vec<Wanted<'_>> = wanted.collect();
    let bytes = wanted.iter().map(|wanted| wanted.bytes as u64).sum();
    let taken: Vec<Option<Parts>> = match copies::take(&wanted, &|_| ()) {
        Ok(taken) => taken.into_iter().map(Some).collect(),
        // After an error, copies each region that can be read.
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

/// Returns the file name of the program.
fn program() -> String {
    let path = env::current_exe().unwrap_or_default();
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

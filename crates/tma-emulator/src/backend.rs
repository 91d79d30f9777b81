//! Jobs on the emulator: each is a [`Session`] of its own.

use std::time::Instant;

use tensor_map::{Params, Target, TensorMap};
use tma_launch::{
    Argument, Buffer, Failure, Job, Launch, Outcome, Patch, Stage,
    check::{self, JobMemory, check, variable_bytes},
};

use crate::{
    check::{CheckReport, Diagnostic, Suppressions},
    machine::{
        Config, IMAGE_START,
        observer::{Observer, Printer},
    },
    run::{Report, ScheduleName},
    session::{Bounds, Error, Exploration, ModuleId, Ready, Session, Verdict},
    texture::{Texture, handle},
};

/// A backend that runs jobs without a GPU.
#[derive(Clone, Debug, Default)]
pub struct EmulatorBackend {
    config: Config,
    textures: Vec<BufferTexture>,
    suppressions: Suppressions,
}

/// A texture, and a surface, of the texels in a job's buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferTexture {
    /// Index of the buffer among the buffers of the job.
    pub buffer: usize,
    /// The texels and how they are read. Their address counts from the start of the buffer.
    pub texture: Texture,
}

impl BufferTexture {
    /// Returns the handle of the texture with this index, for kernels.
    pub const fn handle(index: u64) -> u64 {
        handle(2 * index)
    }

    /// Returns the handle of the surface of the texture with this index, for kernels.
    pub const fn surface_handle(index: u64) -> u64 {
        handle(2 * index + 1)
    }
}

impl EmulatorBackend {
    /// Returns a backend with the schedule of this seed.
    pub fn new(seed: u64) -> Self {
        Self::with_config(Config {
            seed,
            ..Config::default()
        })
    }

    /// Returns a backend with these settings.
    pub fn with_config(config: Config) -> Self {
        Self {
            config,
            ..Self::default()
        }
    }

    /// Sets the findings that a job may have: searches and repeated schedules do not report them.
    #[must_use]
    pub fn with_suppressions(self, suppressions: Suppressions) -> Self {
        Self {
            suppressions,
            ..self
        }
    }

    /// Adds textures of the buffers of jobs; their handles are [`BufferTexture::handle`].
    #[must_use]
    pub fn with_textures(self, textures: Vec<BufferTexture>) -> Self {
        Self { textures, ..self }
    }

    /// Returns the display name, with the architecture.
    pub fn name(&self) -> String {
        "emulator (sm_90a)".to_owned()
    }

    /// Checks all launches, uploads the buffers, runs the launches in order, and reads the buffers back. Any
    /// text is safe to run: a kernel can only access the emulator's own memory.
    ///
    /// # Errors
    /// The job cannot be run, a kernel faulted, or the checker found something worse than a warning.
    pub fn run(&self, job: &mut Job<'_>) -> Result<Outcome, Failure> {
        let start = Instant::now();
        if self.config.checks {
            let checked = self.check(job)?;
            print!("{}", checked.printed);
            checked.failure().map_or(Ok(()), Err)?;
        } else {
            self.run_unchecked(job, &mut |text| print!("{text}"))?;
        }
        let mut outcome = Outcome::default();
        outcome.elapsed = start.elapsed();
        Ok(outcome)
    }

    /// Runs a job like [`run`](Self::run), with an observer of all launches. Returns a report for each launch.
    ///
    /// # Errors
    /// The errors of [`run`](Self::run).
    pub fn observe(
        &self,
        job: &mut Job<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Report>, Failure> {
        self.watch(job, observer)
    }

    /// Runs a job like [`run`](Self::run) without the checker. `print` receives the output of the kernels.
    /// Returns a report for each launch.
    ///
    /// # Errors
    /// The errors of [`run`](Self::run).
    pub fn run_unchecked(
        &self,
        job: &mut Job<'_>,
        print: &mut dyn FnMut(&str),
    ) -> Result<Vec<Report>, Failure> {
        self.watch(job, &mut Printer(print))
    }

    fn watch(
        &self,
        job: &mut Job<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Vec<Report>, Failure> {
        self.each(job, |session, ready| {
            let report = session.observe(ready, observer);
            report.map_err(|fault| Error::from(fault).failure())
        })
    }

    /// Runs a job like [`run`](Self::run) and returns everything that the checker finds, whether it affected
    /// the results or not. A fault of a kernel is also a diagnostic; later launches are not run then.
    ///
    /// # Errors
    /// A kernel cannot be run at all, because of the module, the arguments, or an unsupported instruction.
    pub fn check(&self, job: &mut Job<'_>) -> Result<CheckReport, Failure> {
        self.check_each(job, Session::check)
    }

    /// Runs a job like [`check`](Self::check), with a further observer of all launches.
    ///
    /// # Errors
    /// The errors of [`check`](Self::check).
    pub fn check_beside(
        &self,
        job: &mut Job<'_>,
        observer: &mut dyn Observer,
    ) -> Result<CheckReport, Failure> {
        self.check_each(job, |session, ready| session.check_beside(ready, observer))
    }

    fn check_each(
        &self,
        job: &mut Job<'_>,
        mut check: impl FnMut(&mut Session, &Ready) -> CheckReport,
    ) -> Result<CheckReport, Failure> {
        let mut checked = CheckReport::default();
        self.each(job, |session, ready| {
            if !checked.diagnostics.iter().any(Diagnostic::ends_kernel) {
                checked.extend(check(session, ready));
            }
            Ok(())
        })?;
        Ok(checked)
    }

    /// Runs each launch of a job under every schedule that can have another result. The next launch has the memory of the
    /// first schedule; after a launch that is not proved, no other runs.
    ///
    /// # Errors
    /// The errors of [`check`](Self::check).
    pub fn check_every_schedule(
        &self,
        job: &mut Job<'_>,
        bounds: Bounds,
    ) -> Result<Vec<Exploration>, Failure> {
        let mut is_proved = true;
        let explorations = self.each(job, |session, ready| {
            Ok(is_proved.then(|| {
                let exploration = session.check_every_schedule(ready, bounds);
                is_proved = exploration.verdict == Verdict::Proved;
                exploration
            }))
        })?;
        Ok(explorations.into_iter().flatten().collect())
    }

    /// Runs the launches of a job up to that of a schedule, which runs by its choices, and returns what the checker finds
    /// there.
    ///
    /// # Errors
    /// The errors of [`check`](Self::check); or the job has no such launch, the launch has another PTX, or the choices do
    /// not fit it.
    pub fn check_by_name(
        &self,
        job: &mut Job<'_>,
        name: &ScheduleName,
    ) -> Result<CheckReport, Failure> {
        let launches = job.launches.len();
        job.launches.truncate(name.launch.saturating_add(1));
        let reports = self.each(job, |session, ready| session.check_by_name(ready, name))?;
        let found = reports.into_iter().nth(name.launch);
        found.ok_or_else(|| {
            let what = format!(
                "the schedule {name} is of launch {}, but there are {launches}, numbered from 0",
                name.launch
            );
            Failure::new(Stage::Check, what)
        })
    }

    /// Runs a launch of a job by a schedule under an observer, and those before it without.
    ///
    /// # Errors
    /// The errors of [`check_by_name`](Self::check_by_name).
    pub fn observe_by_name(
        &self,
        job: &mut Job<'_>,
        name: &ScheduleName,
        observer: &mut dyn Observer,
    ) -> Result<(), Failure> {
        job.launches.truncate(name.launch.saturating_add(1));
        self.each(job, |session, ready| {
            session.observe_by_name(ready, name, observer)
        })?;
        Ok(())
    }

    /// Checks all launches, runs them one after another, and returns the buffers to the job.
    fn each<T>(
        &self,
        job: &mut Job<'_>,
        mut run: impl FnMut(&mut Session, &Ready) -> Result<T, Failure>,
    ) -> Result<Vec<T>, Failure> {
        let mut session = Session::new(self.config);
        session.suppress(self.suppressions.clone());
        let modules = job.modules();
        let modules = modules.map(|ptx| session.load(ptx.name, ptx.text));
        let modules = Modules(modules.collect::<Result<_, _>>()?);
        for launch in &job.launches {
            let kernel = session.kernel(modules.of(launch.module)?, &launch.entry)?;
            check(launch, &job.buffers, &Session::LIMITS, &kernel.signature)
                .map_err(|violations| Failure::check(&launch.entry, violations))?;
            kernel.has_room(&launch.shape)?;
        }
        // Buffers are moved, and not copied: they may be large.
        let addresses = upload(&mut session, &modules, &mut job.buffers)?;
        job.launches
            .iter()
            .try_for_each(|launch| are_readable(launch, &job.buffers, &addresses))?;
        for BufferTexture { buffer, texture } in &self.textures {
            let start = addresses.get(*buffer).copied().unwrap_or_default();
            let texture = texture.at(start.wrapping_add(texture.image().address()));
            session.add_texture(texture);
            let surface = session.add_surface(*texture.image());
            surface.map_err(|rule| Failure::new(Stage::Upload, rule.to_string()))?;
        }
        let mut patches = Vec::new();
        let mut launches = || {
            patches = place(&mut session, &modules, &job.buffers, &addresses)?;
            let launches = job.launches.iter().enumerate();
            let results = launches.map(|(index, launch)| {
                let mut memory = Uploaded {
                    session: &mut session,
                    modules: &modules,
                    buffers: &job.buffers,
                    addresses: &addresses,
                };
                let result = check::contents(launch, &job.buffers, &mut memory);
                let ready = result.and_then(|()| ready(&mut session, &modules, launch, &addresses));
                let result = ready.and_then(|ready| run(&mut session, &ready));
                result.map_err(|failure| Failure {
                    what: format!("launch {index}, `{}`: {}", launch.entry, failure.what),
                    ..failure
                })
            });
            results.collect()
        };
        let results = launches();
        let patches = patches.into_iter().chain(std::iter::repeat(Vec::new()));
        for ((buffer, address), patches) in job.buffers.iter_mut().zip(addresses).zip(patches) {
            let mut bytes = match buffer.variable() {
                Some(variable) => session
                    .read_variable(modules.of(buffer.module())?, variable)?
                    .to_vec(),
                None => session.take(address),
            };
            patches.iter().for_each(|patch| patch.undo(&mut bytes));
            buffer.set_bytes(bytes);
        }
        results
    }
}

/// The modules of a job, in the order of their numbers.
struct Modules(Vec<ModuleId>);

impl Modules {
    fn of(&self, number: usize) -> Result<ModuleId, Failure> {
        self.0.get(number).copied().ok_or_else(|| {
            let what = format!(
                "module number {number} does not exist: the job has {}, numbered from 0",
                self.0.len()
            );
            Failure::new(Stage::Resolve, what)
        })
    }
}

/// Uploads each buffer and returns the addresses.
fn upload(
    session: &mut Session,
    modules: &Modules,
    buffers: &mut [Buffer],
) -> Result<Vec<u64>, Failure> {
    // All mistakes are found before any buffer is moved.
    for buffer in buffers.iter() {
        if let Some(variable) = buffer.variable() {
            let (_, bytes) = session.variable(modules.of(buffer.module())?, variable)?;
            variable_bytes(variable, bytes, buffer.bytes().len())?;
        }
    }
    let address = |buffer: &mut Buffer| match buffer.variable() {
        Some(variable) => {
            let module = modules.of(buffer.module())?;
            Ok(session.variable(module, variable)?.0)
        }
        None => {
            let bytes = buffer.take_bytes();
            Ok(session.allocate(buffer.name(), bytes))
        }
    };
    buffers.iter_mut().map(address).collect()
}

/// Refuses arguments that are addresses of another module's constants: all modules have theirs at the same addresses.
fn are_readable(launch: &Launch, buffers: &[Buffer], addresses: &[u64]) -> Result<(), Failure> {
    for leaf in launch.arguments.iter().flat_map(Argument::leaves) {
        let Argument::Buffer { index, .. } = leaf else {
            continue;
        };
        let (Some(buffer), Some(address)) = (buffers.get(*index), addresses.get(*index)) else {
            continue;
        };
        if let Some(variable) = buffer.variable()
            && buffer.module() != launch.module
            && *address < IMAGE_START
        {
            let what = format!(
                "an argument of `{}` is the address of `{variable}`, a constant of another module, which only the \
                 kernels of that one can read",
                launch.entry
            );
            let hint = "make it a variable in global memory (`__device__`), or pass its value";
            return Err(Failure::new(Stage::Check, what).hint(hint));
        }
    }
    Ok(())
}

/// Initialises variables, and writes pointers and tensor maps into the buffers. Returns the bytes of each
/// buffer.
fn place(
    session: &mut Session,
    modules: &Modules,
    buffers: &[Buffer],
    addresses: &[u64],
) -> Result<Vec<Vec<Patch>>, Failure> {
    let of = |index: usize| Ok(addresses.get(index).copied().unwrap_or_default());
    let place = |(buffer, address): (&Buffer, &u64)| {
        let mut patches = buffer.patches(of, encode)?;
        let mut apply = |bytes: &mut [u8]| patches.iter_mut().for_each(|it| it.apply(bytes));
        match buffer.variable() {
            None if buffer.placed_maps().is_empty() && buffer.placed_pointers().is_empty() => {}
            None => {
                let (_, bytes) = session.allocation(*address).unwrap_or_default();
                apply(session.bytes_mut(*address, bytes as usize)?);
            }
            Some(variable) => {
                let module = modules.of(buffer.module())?;
                let mut bytes = match buffer.is_initial() {
                    true => session.read_variable(module, variable)?.to_vec(),
                    false => buffer.bytes().to_vec(),
                };
                apply(&mut bytes);
                session.write_variable(module, variable, &bytes)?;
            }
        }
        Ok(patches)
    };
    buffers.iter().zip(addresses).map(place).collect()
}

/// The buffers of a job in a session.
struct Uploaded<'a> {
    session: &'a mut Session,
    modules: &'a Modules,
    buffers: &'a [Buffer],
    addresses: &'a [u64],
}

impl JobMemory for Uploaded<'_> {
    fn extent(&self, index: usize) -> (u64, u64) {
        let address = self.addresses.get(index).copied().unwrap_or_default();
        match self.buffers.get(index) {
            Some(buffer) if buffer.variable().is_some() => (address, buffer.bytes().len() as u64),
            _ => self.session.allocation(address).unwrap_or((address, 0)),
        }
    }

    fn read(&mut self, index: usize, start: u64, len_bytes: u64) -> Result<Vec<u8>, Failure> {
        if let Some(buffer) = self.buffers.get(index)
            && let Some(variable) = buffer.variable()
        {
            // A use of a variable covers all its bytes.
            let module = self.modules.of(buffer.module())?;
            return Ok(self.session.read_variable(module, variable)?.to_vec());
        }
        let (address, _) = self.extent(index);
        let len_bytes = usize::try_from(len_bytes).unwrap_or(usize::MAX);
        Ok(self.session.read(address + start, len_bytes)?.to_vec())
    }

    fn encode(&mut self, params: &Params, address: u64) -> Result<TensorMap, Failure> {
        encode(params, address)
    }
}

/// Returns a launch of a job with the addresses of its buffers.
fn ready(
    session: &mut Session,
    modules: &Modules,
    launch: &Launch,
    addresses: &[u64],
) -> Result<Ready, Failure> {
    let address = |index: usize| Ok(addresses.get(index).copied().unwrap_or_default());
    let launch = launch.placed(address, encode)?;
    session.ready(modules.of(launch.module)?, &launch)
}

fn encode(params: &Params, address: u64) -> Result<TensorMap, Failure> {
    let map = params.build_for(address, Target::SM_90);
    map.map_err(|refused| Failure::new(Stage::Encode, refused.to_string()))
}

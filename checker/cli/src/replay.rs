//! Launches recorded on a GPU, run on the emulator and compared with the GPU's results.

mod difference;
mod objects;

use std::{collections::BTreeMap, path::Path};

use launch_archive::{Archive, MemoryKind, Region};
use tensor_map::TensorMap;
use tma_emulator::{Config, Jobs, ModuleId, Session};
use tma_host::read_file;
use tma_launch::{Argument, Failure, Launch, Parameter, Shape, Stage, escape_name};

use crate::emulate::{Diagnostic, Run, Stopped, runs_here, stopped};

/// Size limit of an archive, in bytes.
const MAX_BYTES: u64 = 64 << 30;

/// Escapes the texts of an archive, so that each stays within one line of a report.
fn harmless(mut archive: Archive) -> Archive {
    let launch = &mut archive.launch;
    let of_launch = [&mut launch.program, &mut launch.entry, &mut launch.device];
    let of_memory = archive.memory.iter_mut().map(|region| &mut region.name);
    for text in of_launch
        .into_iter()
        .chain(&mut launch.gaps)
        .chain(of_memory)
    {
        *text = escape_name(text).into_owned();
    }
    archive
}

/// A recorded launch, ready to run.
#[derive(Clone, Debug)]
pub struct Recording {
    archive: Archive,
    /// The name of the PTX in reports.
    name: String,
}

impl Recording {
    /// Reads an archive.
    ///
    /// # Errors
    /// The file cannot be read, is not an archive, or is truncated or altered; the error names the byte.
    pub fn open(path: &Path) -> Result<Self, Stopped> {
        let failure = |what: String| {
            Stopped::Failure(Failure::new(
                Stage::Load,
                format!("{}: {what}", path.display()),
            ))
        };
        let bytes = read_file(path, MAX_BYTES).map_err(|error| failure(error.to_string()))?;
        Self::read(&path.display().to_string(), &bytes)
    }

    /// Reads an archive from the bytes of its file, which messages call `name`.
    ///
    /// # Errors
    /// The bytes are not an archive, or are truncated or altered; the error names the byte.
    pub fn read(name: &str, bytes: &[u8]) -> Result<Self, Stopped> {
        let failure =
            |what: String| Stopped::Failure(Failure::new(Stage::Load, format!("{name}: {what}")));
        let archive = Archive::read(bytes).map_err(|damage| failure(damage.to_string()))?;
        let archive = harmless(archive);
        let stem = Path::new(name)
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy();
        let recording = Self {
            archive,
            name: format!("{stem}.ptx"),
        };
        let target = ptx::parse_named(&recording.name, &recording.archive.ptx)
            .map_err(|errors| failure(errors.to_string()))?;
        let target = target.target.names.first();
        let target = target.map_or_else(String::new, ToString::to_string);
        runs_here(&recording.name, &target)?;
        Ok(recording)
    }

    /// Returns the kernel, its arguments, and the GPU.
    pub fn launch(&self) -> &launch_archive::Launch {
        &self.archive.launch
    }

    /// Returns the PTX and its name in reports.
    pub fn ptx(&self) -> (&str, &str) {
        (&self.name, &self.archive.ptx)
    }

    /// Runs the launch with the GPU's memory contents at the GPU's addresses, and compares every byte of the
    /// resulting memory with the GPU's.
    ///
    /// With `config.checks`, the checker runs too, and its findings are part of the result.
    ///
    /// # Errors
    /// The kernel needs something that the emulator does not support, or the archive does not fit its PTX.
    pub fn run(&self, config: Config) -> Result<Run, Stopped> {
        let mut session = Session::new(config);
        let module = self.load(&mut session).map_err(stopped)?;
        let arrays = self.place_arrays(&mut session);
        for object in &self.launch().objects {
            objects::place(object, &arrays, &mut session)?;
        }
        let launch = self.prepare(&mut session, module).map_err(stopped)?;
        let mut run = Run::new(config.seed);
        match config.checks {
            true => {
                let seeds = config.seed..=config.seed;
                let take = |_, report| run.take(report);
                let checked = session.launch_checked(module, &launch, seeds, Jobs::ONE, take);
                checked.map_err(stopped)?;
            }
            false => {
                let print = &mut |text: &str| run.printed += text;
                match session.launch_unchecked(module, &launch, print) {
                    Ok(report) => run.steps = Some(report.steps),
                    Err(failure) if failure.stage == Stage::Synchronise => {
                        run.diagnostics.push(Diagnostic::Fault {
                            error_name: failure.error_name,
                            what: failure.what,
                        });
                    }
                    Err(failure) => return Err(stopped(failure)),
                }
            }
        }
        if run.steps.is_some() {
            let differences = self.differences(&arrays, &mut session);
            let differences = differences.map_err(Stopped::Failure)?;
            let differences = differences.into_iter().map(Diagnostic::Mismatch);
            run.diagnostics.extend(differences);
        }
        Ok(run)
    }

    /// Loads the module and the contents of memory at the GPU's addresses.
    fn load(&self, session: &mut Session) -> Result<ModuleId, Failure> {
        let variables = |kind| {
            let memory = self.archive.memory.iter();
            memory.filter(move |region| region.kind == kind)
        };
        let placed = |name: &str| {
            let variable = variables(MemoryKind::Variable).find(|variable| variable.name == name);
            variable.map(|variable| variable.address)
        };
        let module = session.load_placed(&self.name, &self.archive.ptx, placed)?;
        for variable in variables(MemoryKind::Variable).chain(variables(MemoryKind::Constant)) {
            session.write_variable(module, &variable.name, &variable.before)?;
        }
        for Region {
            name,
            address,
            before,
            ..
        } in variables(MemoryKind::Allocation)
        {
            session.place(name, before.clone(), *address)?;
        }
        Ok(module)
    }

    /// Allocates the arrays, and returns their addresses by handle.
    fn place_arrays(&self, session: &mut Session) -> BTreeMap<u64, u64> {
        let regions = self.archive.memory.iter();
        let arrays = regions.filter(|region| region.kind == MemoryKind::Array);
        arrays
            .map(|region| {
                let address = session.allocate(&region.name, region.before.clone());
                (region.address, address)
            })
            .collect()
    }

    fn prepare(&self, session: &mut Session, module: ModuleId) -> Result<Launch, Failure> {
        let recorded = self.launch();
        let signature = session.signature(module, &recorded.entry)?;
        let mut shape = Shape::new(recorded.grid, recorded.block)
            .shared_bytes(recorded.shared_bytes)
            // The GPU launched this cluster, so the emulator must accept it.
            .non_portable_cluster();
        shape.cluster = recorded.cluster.map(Into::into);
        shape.cooperative = recorded.cooperative;
        let mut launch = Launch::new(&recorded.entry, shape.grid, shape.block);
        launch.shape = shape;
        let (parameters, values) = (signature.parameters, &recorded.arguments);
        if parameters.len() != values.len() {
            let what = format!(
                "the archive has {} arguments for the {} parameters of `{}`",
                values.len(),
                parameters.len(),
                recorded.entry
            );
            return Err(Failure::new(Stage::Load, what));
        }
        let arguments = parameters.iter().zip(values);
        launch.arguments = arguments
            .map(|(parameter, value)| argument(session, parameter, value))
            .collect();
        Ok(launch)
    }

    /// Returns a sentence for each region of memory that differs from the GPU's.
    fn differences(
        &self,
        arrays: &BTreeMap<u64, u64>,
        session: &mut Session,
    ) -> Result<Vec<String>, Failure> {
        let launch = self.launch();
        let mut differences = Vec::new();
        if let Some(code) = launch.error {
            differences.push(format!(
                "`{}`: the GPU ended the kernel with error {code}, but it ran to its end on the emulator",
                launch.entry
            ));
        }
        for region in &self.archive.memory {
            if let Some(gpu) = &region.after {
                let placed = arrays.get(&region.address);
                let placed = placed.filter(|_| region.kind == MemoryKind::Array);
                let address = placed.copied().unwrap_or(region.address);
                let emulator = session.read(address, gpu.len())?;
                differences.extend(difference::between(region, gpu, emulator, launch));
            }
        }
        Ok(differences)
    }
}

/// Converts an argument's value. Addresses and maps are passed as such, so that reports name their parameters.
fn argument(session: &Session, parameter: &Parameter, value: &[u8]) -> Argument {
    if let Ok(bytes) = <[u8; 8]>::try_from(value) {
        let address = u64::from_le_bytes(bytes);
        if session.allocation(address).is_some() {
            return Argument::Address(address);
        }
    }
    if parameter.holds_tensor_map()
        && let Ok(bytes) = <[u8; TensorMap::BYTES]>::try_from(value)
    {
        return Argument::EncodedMap(Box::new(TensorMap::from_bytes(bytes)));
    }
    Argument::Bytes(value.to_vec())
}

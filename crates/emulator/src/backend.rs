//! Jobs on the emulator.

use std::time::Instant;

use launch::{
    Argument, Backend, Buffer, Dim3, Failure, Job, Launch, Limits, Outcome, PlacedMap, Shape,
    Stage, check, suggestion,
};
use ptx::Module;
use tensor_map::Target;

use crate::{
    Config, Error, Observer, Program, Report,
    decode::Image,
    machine::{self, BUFFERS_START, Memory},
    signature::{parameter, signature},
};

/// Runs jobs without a GPU.
#[derive(Clone, Debug, Default)]
pub struct EmulatorBackend {
    config: Config,
}

impl EmulatorBackend {
    /// With the schedule of this seed.
    pub fn new(seed: u64) -> Self {
        Self::with_config(Config {
            seed,
            ..Config::default()
        })
    }

    /// With these settings.
    pub fn with_config(config: Config) -> Self {
        Self { config }
    }

    /// As [`Backend::run`], with an observer that sees all launches, and a report for each.
    ///
    /// # Errors
    /// As [`Backend::run`].
    pub fn observe<O: Observer>(
        &self,
        job: &mut Job<'_>,
        observer: &mut O,
    ) -> Result<Vec<Report>, Failure> {
        let module = ptx::parse_named(job.ptx.name, job.ptx.text)
            .map_err(|errors| Failure::new(Stage::Load, errors.to_string()))?;
        let image = Image::new(&module);
        let programs = job
            .launches
            .iter()
            .map(|launch| prepare(&module, &image, job, launch));
        let programs = programs.collect::<Result<Vec<_>, _>>()?;

        let mut memory = Memory::default();
        memory.constants = image.constants.clone();
        for global in &image.globals {
            memory.place(&global.name, global.bytes.clone(), global.address);
        }
        let addresses = upload(&mut memory, &image, &job.buffers)?;

        let mut reports = Vec::new();
        for (index, (launch, program)) in job.launches.iter().zip(&programs).enumerate() {
            let about = |failure: Failure| Failure {
                what: format!("launch {index}, `{}`: {}", launch.entry, failure.what),
                ..failure
            };
            let entry = module.function(&launch.entry);
            memory.parameters = parameters(entry, launch, &addresses).map_err(about)?;
            let cluster = signature_cluster(entry, program).or(launch.shape.cluster);
            let cluster = cluster.unwrap_or(Dim3::ONE).to_array();
            let shape: &Shape = &launch.shape;
            let report = machine::run(program, shape, cluster, &mut memory, self.config, observer)
                .map_err(|fault| about(failure(Error::from(fault))))?;
            print!("{}", report.printed);
            reports.push(report);
        }
        for (buffer, address) in job.buffers.iter_mut().zip(addresses) {
            if buffer.variable().is_none()
                && let Some(bytes) = memory.contents(address)
            {
                buffer.bytes_mut().copy_from_slice(bytes);
            }
        }
        Ok(reports)
    }
}

impl Backend for EmulatorBackend {
    fn name(&self) -> String {
        "emulator (sm_90a)".to_owned()
    }

    fn run(&mut self, job: &mut Job<'_>) -> Result<Outcome, Failure> {
        let start = Instant::now();
        self.observe(job, &mut ())?;
        let mut outcome = Outcome::default();
        outcome.elapsed = start.elapsed();
        Ok(outcome)
    }
}

/// Gives each buffer its place and its bytes; says where they are.
fn upload(memory: &mut Memory, image: &Image, buffers: &[Buffer]) -> Result<Vec<u64>, Failure> {
    let mut addresses = Vec::new();
    for buffer in buffers {
        addresses.push(match buffer.variable() {
            None => memory.allocate(buffer.name(), buffer.bytes().to_vec(), BUFFERS_START),
            Some(variable) => image.place_of(variable, buffer.bytes().len())?,
        });
    }
    for (buffer, address) in buffers.iter().zip(&addresses) {
        let map_of = |placed: &PlacedMap| {
            let tensor = addresses.get(placed.index).copied().unwrap_or_default();
            let tensor = tensor.wrapping_add(placed.offset_bytes);
            let map = placed.params.build_for(tensor, Target::SM_90);
            map.map_err(|refused| Failure::new(Stage::Encode, refused.to_string()))
        };
        let bytes = buffer.bytes_with_maps(map_of)?;
        if let Some(place) = memory.contents_mut(*address, bytes.len()) {
            place.copy_from_slice(&bytes);
        }
    }
    Ok(addresses)
}

/// Finds, decodes and checks the kernel of a launch.
fn prepare(
    module: &Module,
    image: &Image,
    job: &Job<'_>,
    launch: &Launch,
) -> Result<Program, Failure> {
    let entry = module
        .entries()
        .find(|entry| entry.name == *launch.entry.as_str());
    let Some(entry) = entry.filter(|entry| entry.body.is_some()) else {
        let entries: Vec<&str> = module.entries().map(|entry| entry.name.as_str()).collect();
        let what = format!("`{}` has no kernel `{}`", job.ptx.name, launch.entry);
        return Err(Failure::new(Stage::Resolve, what).hint(suggestion(&launch.entry, entries)));
    };
    let program = Program::decode(module, image, job.ptx.name, job.ptx.text, &launch.entry)
        .map_err(|unsupported| failure(Error::Unsupported(unsupported)))?;
    check(
        launch,
        &job.buffers,
        &Limits::SM_90,
        &signature(entry, &program),
    )
    .map_err(|violations| Failure::check(&launch.entry, violations))?;
    Ok(program)
}

fn signature_cluster(entry: Option<&ptx::Function>, program: &Program) -> Option<Dim3> {
    signature(entry?, program).reqnctapercluster
}

/// The bytes of all parameters, each at a multiple of its alignment.
fn parameters(
    entry: Option<&ptx::Function>,
    launch: &Launch,
    addresses: &[u64],
) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let of_entry = entry.map_or(&[][..], |entry| &entry.parameters);
    for (argument, declared) in launch.arguments.iter().zip(of_entry) {
        let declared = parameter(declared);
        bytes.resize(bytes.len().next_multiple_of(declared.align_bytes), 0);
        let address = |index: usize, offset_bytes: u64| {
            addresses
                .get(index)
                .map_or(0, |address| address.wrapping_add(offset_bytes))
        };
        let value = match argument {
            Argument::Scalar(scalar) => scalar.to_bytes()[..scalar.size_bytes()].to_vec(),
            Argument::Buffer {
                index,
                offset_bytes,
            } => address(*index, *offset_bytes).to_le_bytes().to_vec(),
            Argument::TensorMap {
                params,
                index,
                offset_bytes,
            } => {
                let map = params.build_for(address(*index, *offset_bytes), Target::SM_90);
                let map =
                    map.map_err(|refused| Failure::new(Stage::Encode, refused.to_string()))?;
                map.to_bytes().to_vec()
            }
        };
        bytes.extend(value);
    }
    Ok(bytes)
}

fn failure(error: Error) -> Failure {
    match &error {
        Error::Unsupported(_) => Failure::new(Stage::Load, error.to_string())
            .error_name("UNSUPPORTED")
            .hint("nothing was run"),
        Error::Fault(fault) => {
            Failure::new(Stage::Synchronise, fault.to_string()).error_name(fault.trap.name())
        }
    }
}

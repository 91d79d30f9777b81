//! Jobs on the emulator.

use std::{collections::BTreeMap, rc::Rc, time::Instant};

use launch::{
    Argument, Backend, Buffer, Dim3, Failure, Job, Launch, Limits, Outcome, PlacedMap, Shape,
    Stage, check, suggestion,
};
use ptx::Module;
use tensor_map::Target;

use crate::{
    Config, Error, Fault, Observer, Program, Report,
    check::{Checker, Finding, Unreleased, Verdict},
    decode::Image,
    machine::{self, BUFFERS_START, MAX_CLUSTER_BYTES, Memory, Places},
    panic::{explain, place_record},
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
        self.each(job, |ready, memory| {
            let result = ready.run(memory, self.config, observer);
            result.map_err(|fault| ready.about(failure(Error::from(fault))))
        })
    }

    /// As [`Backend::run`], and finds what is wrong with the order of accesses, whether it showed or
    /// not. What ends a kernel is a finding like others, and later launches are then not run.
    ///
    /// # Errors
    /// When a kernel cannot be run at all: the module, the arguments, or an instruction that is not
    /// supported.
    pub fn check(&self, job: &mut Job<'_>) -> Result<Verdict, Failure> {
        let mut findings = Vec::new();
        let mut printed = String::new();
        let mut unreleased = Unreleased::default();
        let launches = job.launches.len();
        let reports = self.each(job, |ready, memory| {
            if findings.iter().any(Finding::ends_kernel) {
                return Ok(None);
            }
            let places = Places::new(&ready.launch.shape, ready.cluster);
            let mut checker = Checker::new(places, std::mem::take(&mut unreleased));
            let result = ready.run(memory, self.config, &mut checker);
            printed.push_str(&checker.printed);
            let fault = result.as_ref().err();
            let entry = &ready.launch.entry;
            if ready.index + 1 < launches {
                unreleased = checker.unreleased();
            }
            findings.extend(checker.findings(&ready.program, &places, entry, fault.map(|f| &**f)));
            Ok(result.ok())
        })?;
        Ok(Verdict {
            findings,
            reports: reports.into_iter().flatten().collect(),
            printed,
        })
    }

    /// Prepares all launches, runs one after the other, and takes the buffers back.
    fn each<T>(
        &self,
        job: &mut Job<'_>,
        mut run: impl FnMut(&Ready<'_>, &mut Memory) -> Result<T, Failure>,
    ) -> Result<Vec<T>, Failure> {
        let module = ptx::parse_named(job.ptx.name, job.ptx.text)
            .map_err(|errors| Failure::new(Stage::Load, errors.to_string()))?;
        let image = Image::new(&module);
        let mut decoded = BTreeMap::new();
        let programs = job
            .launches
            .iter()
            .map(|launch| prepare(&module, &image, job, launch, &mut decoded));
        let programs = programs.collect::<Result<Vec<_>, _>>()?;

        let mut memory = Memory::default();
        memory.constants = image.constants.clone();
        for global in &image.globals {
            memory.place(&global.name, global.bytes.clone(), global.address);
        }
        let addresses = upload(&mut memory, &image, &job.buffers)?;
        let record = place_record(&mut memory, &image);

        let mut results = Vec::new();
        for (index, (launch, program)) in job.launches.iter().zip(programs).enumerate() {
            let entry = module.function(&launch.entry);
            let cluster = signature_cluster(entry, &program).or(launch.shape.cluster);
            let ready = Ready {
                index,
                launch,
                program,
                cluster: cluster.map(Dim3::to_array),
                record,
            };
            let bytes = parameters(entry, launch, &addresses);
            memory.parameters = bytes.map_err(|failure| ready.about(failure))?;
            results.push(run(&ready, &mut memory)?);
        }
        for (buffer, address) in job.buffers.iter_mut().zip(addresses) {
            if buffer.variable().is_none()
                && let Some(bytes) = memory.contents(address)
            {
                buffer.bytes_mut().copy_from_slice(bytes);
            }
        }
        Ok(results)
    }
}

/// A launch that can run.
struct Ready<'a> {
    index: usize,
    launch: &'a Launch,
    program: Rc<Program>,
    cluster: Option<[u32; 3]>,
    /// Where a panic would leave its record.
    record: Option<u64>,
}

impl Ready<'_> {
    fn run<O: Observer>(
        &self,
        memory: &mut Memory,
        config: Config,
        observer: &mut O,
    ) -> Result<Report, Box<Fault>> {
        let shape: &Shape = &self.launch.shape;
        let program = &self.program;
        let result = machine::run(program, shape, self.cluster, memory, config, observer);
        result.map_err(|fault| explain(fault, memory, self.record))
    }

    fn about(&self, failure: Failure) -> Failure {
        let (index, entry) = (self.index, &self.launch.entry);
        Failure {
            what: format!("launch {index}, `{entry}`: {}", failure.what),
            ..failure
        }
    }
}

impl Backend for EmulatorBackend {
    fn name(&self) -> String {
        "emulator (sm_90a)".to_owned()
    }

    fn run(&mut self, job: &mut Job<'_>) -> Result<Outcome, Failure> {
        let start = Instant::now();
        if self.config.checks {
            let verdict = self.check(job)?;
            print!("{}", verdict.printed);
            if !verdict.is_clean() {
                return Err(found(&verdict));
            }
        } else {
            self.observe(job, &mut ())?;
        }
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

/// Finds, decodes and checks the kernel of a launch; each kernel is decoded once.
fn prepare<'j>(
    module: &Module,
    image: &Image,
    job: &'j Job<'_>,
    launch: &'j Launch,
    decoded: &mut BTreeMap<&'j str, Rc<Program>>,
) -> Result<Rc<Program>, Failure> {
    let entry = module
        .entries()
        .find(|entry| entry.name == *launch.entry.as_str());
    let Some(entry) = entry.filter(|entry| entry.body.is_some()) else {
        let entries: Vec<&str> = module.entries().map(|entry| entry.name.as_str()).collect();
        let what = format!("`{}` has no kernel `{}`", job.ptx.name, launch.entry);
        return Err(Failure::new(Stage::Resolve, what).hint(suggestion(&launch.entry, entries)));
    };
    let program = match decoded.get(launch.entry.as_str()) {
        Some(program) => Rc::clone(program),
        None => {
            let program = Program::decode(module, image, job.ptx.name, job.ptx.text, &launch.entry)
                .map_err(|unsupported| failure(Error::Unsupported(unsupported)))?;
            let program = Rc::new(program);
            decoded.insert(&launch.entry, Rc::clone(&program));
            program
        }
    };
    let signature = signature(entry, &program);
    check(launch, &job.buffers, &Limits::SM_90, &signature)
        .map_err(|violations| Failure::check(&launch.entry, violations))?;
    let cluster = signature.reqnctapercluster.or(launch.shape.cluster);
    let places = Places::new(&launch.shape, cluster.map(Dim3::to_array));
    let bytes = places.cluster_bytes(&program);
    if bytes > MAX_CLUSTER_BYTES {
        let what = format!(
            "the threads of a cluster of `{}` have {bytes} bytes of registers and local memory; \
             the emulator has room for {MAX_CLUSTER_BYTES}",
            launch.entry
        );
        return Err(Failure::new(Stage::Launch, what).error_name("CUDA_ERROR_OUT_OF_MEMORY"));
    }
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
        bytes.extend(argument.to_bytes(&mut |leaf| {
            match leaf {
                Argument::Scalar(scalar) => Ok(scalar.to_bytes()[..scalar.size_bytes()].to_vec()),
                Argument::Buffer {
                    index,
                    offset_bytes,
                } => Ok(address(*index, *offset_bytes).to_le_bytes().to_vec()),
                Argument::TensorMap {
                    params,
                    index,
                    offset_bytes,
                } => params
                    .build_for(address(*index, *offset_bytes), Target::SM_90)
                    .map(|map| map.to_bytes().to_vec())
                    .map_err(|refused| Failure::new(Stage::Encode, refused.to_string())),
                Argument::Address(address) => Ok(address.to_le_bytes().to_vec()),
                Argument::EncodedMap(map) => Ok(map.to_bytes().to_vec()),
                Argument::Bytes(bytes) => Ok(bytes.clone()),
                Argument::Struct(_) => Ok(Vec::new()),
            }
        })?);
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

/// What a checker found, as a failure; the first fault has the driver's name for it.
fn found(verdict: &Verdict) -> Failure {
    let findings: Vec<String> = verdict.findings.iter().map(ToString::to_string).collect();
    let fault = verdict.findings.iter().find_map(|finding| finding.trap);
    let failure = Failure::new(Stage::Synchronise, findings.join("\n\n"));
    failure.error_name(fault.map_or("CHECKER", |trap| trap.name()))
}

//! Jobs: launches as data.

use std::time::Instant;

use tensor_map::{Params, TensorMap};
use tma_launch::{
    Argument, Backend, Buffer as JobBuffer, Failure, Job, Launch, Outcome, PlacedMap, Stage, check,
};

use crate::{Buffer, Device, Function, Module, Source, encode};

/// Runs jobs on a device, one after the other.
///
/// Some errors, as an illegal address or a trap, end a GPU for the whole process: the driver makes
/// no new context for it, whatever is reset or released (seen with driver 580). Each further job then
/// fails in [`Stage::Open`], and only a new process helps.
#[derive(Debug)]
pub struct Jobs {
    name: String,
    device: Result<Device, Failure>,
    /// That of the last job: mostly, the next one has it too.
    source: Option<Source>,
}

impl Jobs {
    /// On this device.
    ///
    /// # Safety
    /// 1. The kernels of the jobs that it gets change no memory of the process but that of their
    ///    job's buffers.
    pub unsafe fn new(device: Device) -> Self {
        Self {
            name: device.to_string(),
            device: Ok(device),
            source: None,
        }
    }
}

impl Backend for Jobs {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn run(&mut self, job: &mut Job<'_>) -> Result<Outcome, Failure> {
        let device = self.device.clone()?;
        let (name, text) = (job.ptx.name, job.ptx.text);
        let source = self.source.take();
        let source = match source.filter(|last| (last.name(), last.text()) == (name, text)) {
            Some(last) => last,
            None => Source::parse(name, text)?,
        };
        self.source = Some(source.clone());
        let result = run(&device, source, job);
        if let Err(failure) = &result
            && device.synchronise().is_err()
        {
            self.device = Err(lost(failure));
        }
        result
    }
}

/// What all jobs get after one that ended the GPU for this process.
fn lost(failure: &Failure) -> Failure {
    let what = "an earlier job ended the GPU for this process";
    Failure {
        error_name: failure.error_name.clone(),
        ..Failure::new(Stage::Open, what)
    }
    .hint("run what is left in a new one")
}

fn run(device: &Device, source: Source, job: &mut Job<'_>) -> Result<Outcome, Failure> {
    let module = Module::load(device, source)?;
    let functions = resolve(&module, job)?;
    let memory = upload(&module, &job.buffers)?;

    let start = Instant::now();
    for (index, (launch, function)) in job.launches.iter().zip(&functions).enumerate() {
        let result = run_one(function, launch, &memory);
        result.map_err(|failure| Failure {
            what: format!("launch {index}, `{}`: {}", launch.entry, failure.what),
            ..failure
        })?;
    }
    let mut outcome = Outcome::default();
    outcome.elapsed = start.elapsed();

    copy_back(&memory, &mut job.buffers)?;
    Ok(outcome)
}

/// Finds and checks all kernels, before any of them runs.
fn resolve<'m>(module: &'m Module, job: &Job<'_>) -> Result<Vec<Function<'m>>, Failure> {
    let limits = module.device().limits();
    let resolve = |launch: &Launch| {
        let function = module.function(&launch.entry)?;
        check(launch, &job.buffers, &limits, function.signature())
            .map_err(|violations| Failure::check(&launch.entry, violations))?;
        Ok(function)
    };
    job.launches.iter().map(resolve).collect()
}

/// Where the bytes of a buffer are.
enum Memory {
    Buffer(Buffer<u8>),
    /// In a variable of the module, at this address.
    Variable(u64),
}

impl Memory {
    fn address(&self) -> u64 {
        match self {
            Self::Buffer(buffer) => buffer.address(),
            Self::Variable(address) => *address,
        }
    }
}

fn upload(module: &Module, buffers: &[JobBuffer]) -> Result<Vec<Memory>, Failure> {
    let device = module.device();
    let allocate = |buffer: &JobBuffer| match buffer.variable() {
        Some(variable) => Ok(Memory::Variable(module.variable(variable)?.0)),
        None => Buffer::upload_named(device, buffer.name(), buffer.bytes()).map(Memory::Buffer),
    };
    let allocate = |buffer| allocate(buffer).map_err(|failure| about(buffer, failure));
    let mut memory = buffers
        .iter()
        .map(allocate)
        .collect::<Result<Vec<_>, _>>()?;
    let addresses: Vec<u64> = memory.iter().map(Memory::address).collect();
    for (buffer, memory) in buffers.iter().zip(&mut memory) {
        if buffer.placed_maps().is_empty() && buffer.variable().is_none() {
            continue;
        }
        let map_of = |placed: &PlacedMap| {
            let tensor = addresses.get(placed.index).copied().unwrap_or_default();
            let tensor = tensor.wrapping_add(placed.offset_bytes);
            encode(device, placed.params, tensor)
        };
        let bytes = buffer.bytes_with_maps(map_of)?;
        let written = match (memory, buffer.variable()) {
            (Memory::Buffer(device), _) => device.write(&bytes),
            (Memory::Variable(_), variable) => {
                module.set_variable(variable.unwrap_or_default(), &bytes)
            }
        };
        written.map_err(|failure| about(buffer, failure))?;
    }
    Ok(memory)
}

fn run_one(function: &Function<'_>, launch: &Launch, memory: &[Memory]) -> Result<(), Failure> {
    let mut address = |index: usize| {
        let buffer = memory.get(index).map(Memory::address);
        buffer.ok_or_else(|| Failure::new(Stage::Check, format!("the job has no buffer {index}")))
    };
    let mut encode = |params: &Params, address: u64| -> Result<TensorMap, Failure> {
        Ok(encode(function.device(), params, address)?)
    };
    let arguments = launch.arguments.iter();
    let arguments = arguments.map(|argument| argument.placed(&mut address, &mut encode));
    let arguments = arguments.collect::<Result<Vec<Argument>, Failure>>()?;
    // SAFETY: the jobs were promised kernels that keep to their job's buffers, which hold plain bytes
    // (1, 2). The memory is dropped after this function has waited (3), and no one else knows it (4).
    unsafe { function.launch(launch.shape, arguments.as_slice()) }?;
    function.device().synchronise()
}

/// All or nothing: the job's buffers change only when every one has been read.
/// What lies in variables is left as it was given.
fn copy_back(memory: &[Memory], buffers: &mut [JobBuffer]) -> Result<(), Failure> {
    let read = |(memory, buffer): (&Memory, &JobBuffer)| match memory {
        Memory::Buffer(device) => device.read().map_err(|failure| about(buffer, failure)),
        Memory::Variable(_) => Ok(buffer.bytes().to_vec()),
    };
    let copies = memory
        .iter()
        .zip(buffers.iter())
        .map(read)
        .collect::<Result<Vec<_>, _>>()?;
    for (buffer, copy) in buffers.iter_mut().zip(copies) {
        buffer.bytes_mut().copy_from_slice(&copy);
    }
    Ok(())
}

fn about(buffer: &JobBuffer, failure: Failure) -> Failure {
    Failure {
        what: format!("buffer `{}`: {}", buffer.name(), failure.what),
        ..failure
    }
}

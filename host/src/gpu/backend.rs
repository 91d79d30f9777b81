use std::time::Instant;

use launch::{Argument, Backend, Buffer, Failure, Job, Launch, Outcome, PlacedMap, Stage, check};

use super::{Gpu, GpuError};
use crate::{DeviceBuffer, Function, Module, Source, Value, encode};

/// Runs jobs on a GPU.
///
/// Some errors, as an illegal address or a trap, end the GPU for the whole process: the driver makes
/// no new context for it, whatever is reset or released (seen with driver 580). Each further job then
/// fails in [`Stage::Open`], and only a new process helps.
#[derive(Debug)]
pub struct GpuBackend {
    name: String,
    gpu: Result<Gpu, Failure>,
}

impl GpuBackend {
    /// On the first GPU that can run TMA kernels.
    ///
    /// # Safety
    /// As for [`GpuBackend::new`].
    pub unsafe fn first() -> Result<Self, GpuError> {
        // SAFETY: the condition is the same.
        Gpu::first().map(|gpu| unsafe { Self::new(gpu) })
    }

    /// On this GPU.
    ///
    /// # Safety
    /// 1. The kernels of the jobs that it gets change no memory of the process but that of their
    ///    job's buffers.
    pub unsafe fn new(gpu: Gpu) -> Self {
        let device = gpu.device();
        let name = format!("gpu: {} ({})", device.name, gpu.arch());
        Self { name, gpu: Ok(gpu) }
    }
}

impl Backend for GpuBackend {
    fn name(&self) -> String {
        self.name.clone()
    }

    fn run(&mut self, job: &mut Job<'_>) -> Result<Outcome, Failure> {
        let gpu = self.gpu.clone()?;
        let result = run(&gpu, job);
        if let Err(failure) = &result
            && gpu.synchronise().is_err()
        {
            self.gpu = Err(lost(failure));
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

fn run(gpu: &Gpu, job: &mut Job<'_>) -> Result<Outcome, Failure> {
    let source = Source::parse(job.ptx.name, job.ptx.text)?;
    let module = Module::load(gpu, source)?;
    let functions = resolve(gpu, &module, job)?;
    let memory = upload(gpu, &module, &job.buffers)?;

    let start = Instant::now();
    for (index, (launch, function)) in job.launches.iter().zip(&functions).enumerate() {
        let result = run_one(gpu, function, launch, &memory);
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
fn resolve<'m>(gpu: &Gpu, module: &'m Module, job: &Job<'_>) -> Result<Vec<Function<'m>>, Failure> {
    let limits = gpu.device().limits();
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
    Buffer(DeviceBuffer<u8>),
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

fn upload(gpu: &Gpu, module: &Module, buffers: &[Buffer]) -> Result<Vec<Memory>, Failure> {
    let allocate = |buffer: &Buffer| match buffer.variable() {
        Some(variable) => Ok(Memory::Variable(module.variable_of(variable)?.0)),
        None => gpu.upload(buffer.bytes()).map(Memory::Buffer),
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
            encode(gpu, placed.params, tensor.wrapping_add(placed.offset_bytes))
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

fn run_one(
    gpu: &Gpu,
    function: &Function<'_>,
    launch: &Launch,
    memory: &[Memory],
) -> Result<(), Failure> {
    let values = launch
        .arguments
        .iter()
        .map(|argument| value(gpu, argument, memory))
        .collect::<Result<Vec<_>, _>>()?;
    // SAFETY: the backend was made for kernels that keep to their job's buffers, which hold plain bytes
    // (1, 2). The memory is dropped after this function has waited (3), and no one else knows it (4).
    unsafe { function.launch(launch.shape, values.as_slice()) }?;
    gpu.synchronise()
}

fn value(gpu: &Gpu, argument: &Argument, memory: &[Memory]) -> Result<Value, Failure> {
    let address = |index: usize, offset_bytes: u64| {
        let buffer = memory
            .get(index)
            .ok_or_else(|| Failure::new(Stage::Check, format!("the job has no buffer {index}")))?;
        Ok::<u64, Failure>(buffer.address().wrapping_add(offset_bytes))
    };
    Ok(match argument {
        Argument::Scalar(scalar) => Value::scalar(*scalar),
        Argument::Buffer {
            index,
            offset_bytes,
        } => Value::address(address(*index, *offset_bytes)?),
        Argument::TensorMap {
            params,
            index,
            offset_bytes,
        } => Value::tensor_map(encode(
            gpu,
            params.as_ref(),
            address(*index, *offset_bytes)?,
        )?),
        Argument::Address(address) => Value::address(*address),
        Argument::EncodedMap(map) => Value::tensor_map(**map),
        Argument::Bytes(bytes) => Value::structure(bytes),
        Argument::Struct(_) => {
            let bytes = |leaf: &Argument| value(gpu, leaf, memory).map(|value| value.to_bytes());
            Value::structure(&argument.to_bytes(&mut { bytes })?)
        }
    })
}

/// All or nothing: the job's buffers change only when every one has been read.
/// What lies in variables is left as it was given.
fn copy_back(memory: &[Memory], buffers: &mut [Buffer]) -> Result<(), Failure> {
    let read = |(memory, buffer): (&Memory, &Buffer)| match memory {
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

fn about(buffer: &Buffer, failure: Failure) -> Failure {
    Failure {
        what: format!("buffer `{}`: {}", buffer.name(), failure.what),
        ..failure
    }
}

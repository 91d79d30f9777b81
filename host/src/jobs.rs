//! Jobs: kernel launches as data.

use std::time::Instant;

use tensor_map::{Params, TensorMap};
use tma_launch::{
    Buffer as JobBuffer, Checked, DeviceDescription, Failure, Job, Kernels, Launch, Outcome, Patch,
    Ptx, Region, Rule, Stage, Violation, Violations,
    check::{self, JobMemory, check, variable_bytes},
};

use crate::{Buffer, Device, Function, Module, Source, encode};

/// Runs jobs on a device, one at a time.
///
/// Some errors, such as an illegal address or a trap, make a GPU unusable for the whole process: the driver creates
/// no new context for it, whatever is reset or released (seen with driver 580). Each further job then fails in
/// [`Stage::Open`], and only a new process helps.
#[derive(Debug)]
pub struct Jobs {
    name: String,
    description: DeviceDescription,
    device: Result<Device, Failure>,
    /// The sources of the last job, cached since the next job usually has the same ones.
    sources: Vec<Source>,
}

impl Jobs {
    /// Creates jobs for this device.
    pub fn new(device: Device) -> Self {
        Self {
            name: device.to_string(),
            description: device.description(),
            device: Ok(device),
            sources: Vec::new(),
        }
    }

    /// Returns the device's display name: `gpu: NVIDIA H100 80GB HBM3 (sm_90a)`.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the properties of the device that determine good launch shapes of memory-bound kernels.
    pub fn description(&self) -> &DeviceDescription {
        &self.description
    }

    /// Runs launches of these kernels in order on these buffers. This is safe, since the kernels' authors check the
    /// arguments, and required memory contents are checked before each launch.
    ///
    /// # Errors
    /// As [`run`](Self::run); or an argument violates a condition of its kernel, or a buffer is in a variable that
    /// no launch reads.
    pub fn run_checked(
        &mut self,
        kernels: Kernels<'_>,
        buffers: &mut Vec<JobBuffer>,
        launches: &[&dyn Checked],
    ) -> Result<Outcome, Failure> {
        let launch = |arguments: &&dyn Checked| {
            let launch = arguments.launch();
            launch.map_err(|violations| Failure::check("a kernel", violations))
        };
        let launches = launches.iter().map(launch);
        let launches = launches.collect::<Result<Vec<Launch>, _>>()?;
        check_variables(buffers, &launches)?;
        let mut job = Job {
            ptx: kernels.ptx(),
            further: Vec::new(),
            buffers: std::mem::take(buffers),
            launches,
        };
        // SAFETY: the launches come from `Checked` arguments, the text has their kernels, and everything is checked
        // before each starts. Buffers fill only variables that a launch declares to read (1).
        let result = unsafe { self.run(&mut job) };
        *buffers = job.buffers;
        result
    }

    /// Checks all launches, uploads the buffers, runs the launches in order, and reads the buffers back. After a
    /// failure the buffers are unchanged.
    ///
    /// # Errors
    /// The job is invalid, or a launch failed.
    ///
    /// # Safety
    /// 1. Each kernel that a launch names, run with that launch's shape and arguments on the results of the earlier
    ///    launches, accesses only memory of the job's buffers and variables of the text's module. The kernel may
    ///    rely on everything that is checked before it starts.
    ///
    /// ```compile_fail,E0133
    /// # use tma_host::{Device, Jobs};
    /// # use tma_launch::{Job, Ptx};
    /// let mut jobs = Jobs::new(Device::emulator(0));
    /// let foreign = Ptx { name: "foreign.ptx", text: "" };
    /// jobs.run(&mut Job::new(foreign));
    /// ```
    pub unsafe fn run(&mut self, job: &mut Job<'_>) -> Result<Outcome, Failure> {
        let device = self.device.clone()?;
        let last = std::mem::take(&mut self.sources);
        let source = |ptx: Ptx<'_>| {
            let is_same = |last: &&Source| (last.name(), last.text()) == (ptx.name, ptx.text);
            match last.iter().find(is_same) {
                Some(last) => Ok(last.clone()),
                None => Source::parse(ptx.name, ptx.text),
            }
        };
        let sources: Vec<Source> = job.modules().map(source).collect::<Result<_, _>>()?;
        self.sources.clone_from(&sources);
        // SAFETY: the caller guarantees condition 1 of `Jobs::run`, which `run` requires.
        let result = unsafe { run(&device, sources, job) };
        if let Err(failure) = &result
            && device.synchronise().is_err()
        {
            self.device = Err(lost(failure));
        }
        result
    }
}

/// Refuses a buffer in a variable that no launch reads. The text has other variables, such as the address of the
/// panic record, which kernels follow and which only the host may set.
fn check_variables(buffers: &[JobBuffer], launches: &[Launch]) -> Result<(), Failure> {
    let uses = || launches.iter().flat_map(|launch| &launch.uses);
    let is_read = |name: &str| {
        uses().any(|used| matches!(&used.region, Region::Variable(variable) if variable == name))
    };
    let foreign = buffers.iter().filter_map(|buffer| {
        let name = buffer.variable().filter(|name| !is_read(name))?;
        Some(Violation {
            rule: Rule::Variable,
            parameter: format!("buffer `{}`", buffer.name()),
            value: format!("in the variable `{name}`"),
            limit: "no launch reads the variable".to_owned(),
            fix: "do not fill the variable, or add a launch that reads it".to_owned(),
        })
    });
    let result = Violations(foreign.collect()).into_result();
    result.map_err(|violations| Failure::check("a kernel", violations))
}

/// Returns the failure of all jobs after one that made the GPU unusable for this process.
fn lost(failure: &Failure) -> Failure {
    let what = "an earlier job made the GPU unusable for this process";
    Failure {
        error_name: failure.error_name.clone(),
        ..Failure::new(Stage::Open, what)
    }
    .hint("run the remaining jobs in a new process")
}

/// # Safety
/// The conditions of [`Jobs::run`].
unsafe fn run(
    device: &Device,
    sources: Vec<Source>,
    job: &mut Job<'_>,
) -> Result<Outcome, Failure> {
    let modules = sources
        .into_iter()
        .map(|source| Module::load(device, source))
        .collect::<Result<Vec<_>, _>>()?;
    let functions = resolve(device, &modules, job)?;
    let (memory, patches) = upload(device, &modules, &job.buffers)?;

    let start = Instant::now();
    for (index, (launch, function)) in job.launches.iter().zip(&functions).enumerate() {
        // SAFETY: the launch is one of the job, with the memory of its buffers (1).
        let result = unsafe { run_one(function, launch, &memory, &job.buffers) };
        result.map_err(|failure| Failure {
            what: format!("launch {index}, `{}`: {}", launch.entry, failure.what),
            ..failure
        })?;
    }
    let mut outcome = Outcome::default();
    outcome.elapsed = start.elapsed();

    copy_back(&memory, &patches, &mut job.buffers)?;
    Ok(outcome)
}

/// Finds and checks all kernels before any of them runs.
fn resolve<'m>(
    device: &Device,
    modules: &'m [Module],
    job: &Job<'_>,
) -> Result<Vec<Function<'m>>, Failure> {
    let limits = device.limits();
    let resolve = |launch: &Launch| {
        let function = of(modules, launch.module)?.function(&launch.entry)?;
        check(launch, &job.buffers, &limits, function.signature())
            .map_err(|violations| Failure::check(&launch.entry, violations))?;
        Ok(function)
    };
    job.launches.iter().map(resolve).collect()
}

/// Returns the module of a job with this number.
fn of(modules: &[Module], number: usize) -> Result<&Module, Failure> {
    modules.get(number).ok_or_else(|| {
        let what = format!(
            "module number {number} does not exist: the job has {}, numbered from 0",
            modules.len()
        );
        Failure::new(Stage::Resolve, what)
    })
}

/// The memory of a buffer.
enum Memory<'m> {
    Buffer(Buffer<u8>),
    /// A variable of the module: its name, and its address and size in bytes.
    Variable(&'m Module, String, (u64, u64)),
}

impl Memory<'_> {
    /// Returns the address and the length in bytes.
    fn extent(&self) -> (u64, u64) {
        match self {
            Self::Buffer(buffer) => (buffer.address(), buffer.len_bytes() as u64),
            Self::Variable(_, _, extent) => *extent,
        }
    }

    fn read(&self) -> Result<Vec<u8>, Failure> {
        match self {
            Self::Buffer(buffer) => buffer.read(),
            Self::Variable(module, name, _) => module.read_variable(name),
        }
    }
}

/// Uploads each buffer; returns its memory and the patches applied to its bytes.
fn upload<'m>(
    device: &Device,
    modules: &'m [Module],
    buffers: &[JobBuffer],
) -> Result<(Vec<Memory<'m>>, Vec<Vec<Patch>>), Failure> {
    let allocate = |buffer: &JobBuffer| match buffer.variable() {
        Some(name) => {
            let module = of(modules, buffer.module())?;
            let extent = module.variable(name)?;
            variable_bytes(name, extent.1, buffer.bytes().len())?;
            Ok(Memory::Variable(module, name.to_owned(), extent))
        }
        None => Buffer::upload_named(device, buffer.name(), buffer.bytes()).map(Memory::Buffer),
    };
    let allocate = |buffer| allocate(buffer).map_err(|failure| about(buffer, failure));
    let mut memory = buffers
        .iter()
        .map(allocate)
        .collect::<Result<Vec<_>, _>>()?;
    let addresses: Vec<u64> = memory.iter().map(|memory| memory.extent().0).collect();
    let address =
        |index: usize| Ok::<_, Failure>(addresses.get(index).copied().unwrap_or_default());
    let encode = |params: &Params, address| Ok(encode(device, *params, address)?);
    let mut all = Vec::new();
    for (buffer, memory) in buffers.iter().zip(&mut memory) {
        let mut patches = buffer.patches(address, encode)?;
        if !patches.is_empty() || buffer.variable().is_some() {
            let written = write(buffer, memory, &mut patches);
            written.map_err(|failure| about(buffer, failure))?;
        }
        all.push(patches);
    }
    Ok((memory, all))
}

fn write(
    buffer: &JobBuffer,
    memory: &mut Memory<'_>,
    patches: &mut [Patch],
) -> Result<(), Failure> {
    let mut bytes = match buffer.is_initial() {
        true => memory.read()?,
        false => buffer.bytes().to_vec(),
    };
    patches.iter_mut().for_each(|patch| patch.apply(&mut bytes));
    match memory {
        Memory::Buffer(device) => device.write(&bytes),
        Memory::Variable(module, name, _) => module.set_variable(name, &bytes),
    }
}

/// # Safety
/// 1. The launch is part of a job for which the condition of [`Jobs::run`] holds, and the memory belongs to its
///    buffers.
unsafe fn run_one(
    function: &Function<'_>,
    launch: &Launch,
    memory: &[Memory<'_>],
    buffers: &[JobBuffer],
) -> Result<(), Failure> {
    let mut uploaded = Uploaded {
        device: function.device(),
        memory,
    };
    check::contents(launch, buffers, &mut uploaded)?;
    let address = |index: usize| {
        let buffer = memory.get(index).map(|memory| memory.extent().0);
        buffer.ok_or_else(|| Failure::new(Stage::Check, format!("the job has no buffer {index}")))
    };
    let encode = |params: &Params, address: u64| -> Result<TensorMap, Failure> {
        Ok(encode(function.device(), params, address)?)
    };
    let launch = launch.placed(address, encode)?;
    // SAFETY: by the condition the kernel stays within the job's buffers, which hold plain bytes (1, 2). The memory
    // is dropped after this function has waited (3), and nothing else has access to it (4).
    unsafe { function.start_on(&function.device().stream(), &launch) }?;
    function.device().synchronise()
}

/// The buffers of a job on a device.
struct Uploaded<'a> {
    device: &'a Device,
    memory: &'a [Memory<'a>],
}

impl JobMemory for Uploaded<'_> {
    fn extent(&self, index: usize) -> (u64, u64) {
        self.memory.get(index).map_or((0, 0), Memory::extent)
    }

    fn read(&mut self, index: usize, start: u64, len_bytes: u64) -> Result<Vec<u8>, Failure> {
        match self.memory.get(index) {
            Some(Memory::Buffer(buffer)) => buffer.read_bytes(start, len_bytes),
            // A use of a variable covers all its bytes.
            Some(variable) => variable.read(),
            None => Ok(Vec::new()),
        }
    }

    fn encode(&mut self, params: &Params, address: u64) -> Result<TensorMap, Failure> {
        Ok(encode(self.device, *params, address)?)
    }
}

/// Copies all buffers back or none: the job's buffers change only after every one has been read.
fn copy_back(
    memory: &[Memory<'_>],
    patches: &[Vec<Patch>],
    buffers: &mut [JobBuffer],
) -> Result<(), Failure> {
    let read = |((memory, patches), buffer): ((&Memory<'_>, &Vec<Patch>), &JobBuffer)| {
        let mut bytes = memory.read().map_err(|failure| about(buffer, failure))?;
        patches.iter().for_each(|patch| patch.undo(&mut bytes));
        Ok(bytes)
    };
    let memory = memory.iter().zip(patches).zip(buffers.iter());
    let copies = memory.map(read).collect::<Result<Vec<_>, Failure>>()?;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Stores a number at the address in a variable.
    const TEXT: &str = "
.version 8.0
.target sm_90
.address_size 64
.visible .global .u64 RECORD;
.visible .entry store()
{
    .reg .b64 %rd<2>;
    mov.u64 %rd1, RECORD;
    ld.global.u64 %rd1, [%rd1];
    st.global.u32 [%rd1], 7;
    ret;
}";

    struct Store;

    // SAFETY: no launch of it passes the checks and starts (1).
    unsafe impl Checked for Store {
        fn launch(&self) -> Result<Launch, Violations> {
            Ok(Launch::new("store", 1, 1))
        }
    }

    #[test]
    fn a_buffer_fills_no_variable_that_is_the_texts_own() {
        let ptx = Ptx {
            name: "store.ptx",
            text: TEXT,
        };
        // SAFETY: the text has the kernel of `Store` (1).
        let kernels = unsafe { Kernels::new(ptx) };
        let address = JobBuffer::new("address", &[0x7000_0000_u64]).in_variable("RECORD");
        let mut buffers = vec![address];
        let mut jobs = Jobs::new(Device::emulator(0));
        let refused = jobs
            .run_checked(kernels, &mut buffers, &[&Store])
            .unwrap_err();
        assert_eq!(
            refused.to_string(),
            "check: the launch of `a kernel` cannot work\n  variable: buffer `address` is in the variable `RECORD`; \
             no launch reads the variable; do not fill the variable, or add a launch that reads it"
        );
        assert_eq!(buffers.len(), 1);
    }
}

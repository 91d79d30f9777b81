use std::ffi::c_void;

use cuda_driver::{
    DriverError,
    function::{FunctionAttribute, get_attribute, set_attribute},
    launch::{LaunchAttribute, LaunchConfig, launch_kernel_ex},
    sys::CUstream,
};
use tma_emulator::ModuleId;
use tma_launch::{Argument, Failure, Form, Launch, Shape, Signature, Stage, Violations, check};

use crate::{
    Device, KernelArguments, Module, Stream,
    device::Emulator,
    driver::OrFail,
    gpu::{Gpu, GpuFunction},
    module::Loaded,
};

/// Shared memory limit of a block without opting in to more, in bytes.
const USUAL_SHARED_BYTES: u64 = 48 * 1024;

/// A kernel of a module that is loaded on a device.
#[doc(alias = "CUfunction")]
#[derive(Debug)]
pub struct Function<'module> {
    kernel: Kernel<'module>,
    signature: Signature,
    module: &'module Module,
}

#[derive(Debug)]
enum Kernel<'module> {
    Gpu {
        compiled: GpuFunction,
        gpu: &'module Gpu,
    },
    Emulator {
        module: ModuleId,
        emulator: &'module Emulator,
    },
}

/// The resources of a kernel as compiled by the driver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Number of registers per thread.
    pub registers: u32,
    /// Local memory per thread in bytes, for spilled registers and arrays with dynamic indices.
    pub local_bytes: u32,
    /// Static shared memory per block in bytes.
    pub shared_bytes: u32,
    /// Maximum number of threads of a block with this register count.
    pub max_block_threads: u32,
}

impl<'module> Function<'module> {
    pub(crate) fn resolve(module: &'module Module, signature: &Signature) -> Result<Self, Failure> {
        let entry = &signature.entry;
        let (kernel, signature) = match module.loaded() {
            Loaded::Gpu(loaded) => {
                let (compiled, gpu) = (loaded.function(entry)?, loaded.gpu());
                let static_shared_bytes = resources(compiled, entry)?.shared_bytes.into();
                let signature = Signature {
                    static_shared_bytes,
                    ..signature.clone()
                };
                (Kernel::Gpu { compiled, gpu }, signature)
            }
            Loaded::Emulator { module, emulator } => {
                let signature = emulator.session().signature(*module, entry)?;
                let module = *module;
                (Kernel::Emulator { module, emulator }, signature)
            }
        };
        Ok(Self {
            kernel,
            signature,
            module,
        })
    }

    /// Returns the kernel's signature with its static shared memory on this device.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// Returns the device of the kernel.
    pub fn device(&self) -> &Device {
        self.module.device()
    }

    /// Returns the kernel's resources.
    ///
    /// # Errors
    /// The device is the emulator, which allocates no registers; or the driver fails.
    #[doc(alias = "cuFuncGetAttribute")]
    pub fn resources(&self) -> Result<Resources, Failure> {
        match &self.kernel {
            Kernel::Gpu { compiled, .. } => resources(*compiled, &self.signature.entry),
            Kernel::Emulator { .. } => {
                let what = format!("attributes of `{}`", self.signature.entry);
                Err(Failure::new(Stage::Resolve, what)
                    .hint("the emulator does not compile kernels; use a GPU or ptxas to get the registers"))
            }
        }
    }

    /// Returns the number of blocks of this shape that run concurrently on a multiprocessor, to size the grid of a
    /// persistent kernel. On the emulator it is one.
    ///
    /// # Errors
    /// The driver fails.
    #[doc(alias = "cuOccupancyMaxActiveBlocksPerMultiprocessor")]
    pub fn blocks_per_multiprocessor(&self, shape: &Shape) -> Result<u32, Failure> {
        let Kernel::Gpu { compiled, gpu } = &self.kernel else {
            return Ok(1);
        };
        gpu.enter(Stage::Resolve)?;
        let what = || format!("how many blocks of `{}` fit", self.signature.entry);
        self.allow(*compiled, shape).or_fail(Stage::Resolve, what)?;
        let threads = u32::try_from(shape.block.count()).unwrap_or(u32::MAX);
        // SAFETY: the module is borrowed, and its context entered (1).
        unsafe { compiled.blocks_per_multiprocessor(threads, shape.shared_bytes) }
    }

    /// Starts the kernel after the earlier launches have ended. On a GPU the call does not wait for the kernel; on
    /// the emulator the kernel has ended when the call returns.
    ///
    /// A [cooperative](Shape::cooperative) launch whose blocks cannot all be resident at once is refused.
    ///
    /// Shape and arguments are checked first, and all violations are reported at once. Clusters and shared memory
    /// beyond 48 KiB only have to be set in `shape`.
    ///
    /// # Errors
    /// The launch is invalid. On the emulator also a fault of the kernel or a finding of the checker, with the
    /// whole report as text.
    ///
    /// # Safety
    /// 1. The arguments match the kernel's parameters in order: their sizes are checked, but their types cannot be.
    /// 2. Run with this shape and these arguments, the kernel accesses only variables of the module and memory of
    ///    buffers whose addresses or tensor maps are among the arguments or in variables, within their bounds and
    ///    with values that their element types allow.
    /// 3. These buffers and the module are dropped only after [`Device::synchronise`], or after a read or write of
    ///    a non-empty buffer, which waits as well.
    /// 4. Until then, nothing else accesses the memory that the kernel writes, including kernels on other streams.
    #[doc(alias = "cuLaunchKernel")]
    #[doc(alias = "cuLaunchKernelEx")]
    pub unsafe fn launch(
        &self,
        shape: impl Into<Shape>,
        arguments: impl KernelArguments,
    ) -> Result<(), Failure> {
        // SAFETY: the caller guarantees conditions 1 to 4 for this shape and these arguments, on whichever
        // stream.
        unsafe { self.launch_on(&self.device().stream(), shape, arguments) }
    }

    /// Like [`launch`](Self::launch), on this stream.
    ///
    /// # Errors
    /// As [`launch`](Self::launch); or the stream belongs to another device.
    ///
    /// # Safety
    /// The conditions of [`launch`](Self::launch).
    pub unsafe fn launch_on(
        &self,
        stream: &Stream,
        shape: impl Into<Shape>,
        arguments: impl KernelArguments,
    ) -> Result<(), Failure> {
        let launch = Launch {
            entry: self.signature.entry.clone(),
            module: 0,
            shape: shape.into(),
            arguments: arguments.arguments(),
            parameters: Vec::new(),
            uses: Vec::new(),
        };
        // SAFETY: `launch` has this shape and these arguments, for which the caller guarantees conditions 1 to 4.
        unsafe { self.start_on(stream, &launch) }
    }

    /// Like [`launch_on`](Self::launch_on), with a prepared launch of this kernel.
    ///
    /// # Safety
    /// The conditions of [`launch`](Self::launch).
    pub(crate) unsafe fn start_on(&self, stream: &Stream, launch: &Launch) -> Result<(), Failure> {
        let Launch {
            entry,
            shape,
            arguments,
            ..
        } = launch;
        self.is_here(stream.device(), arguments)?;
        let (compiled, gpu) = match &self.kernel {
            Kernel::Gpu { compiled, gpu } => (compiled, gpu),
            Kernel::Emulator { module, emulator } => {
                let mut launch = launch.clone();
                launch.shape.overlaps |= self.signature.waits_for_kernels;
                return emulator.launch(*module, &launch);
            }
        };
        self.check(shape, arguments)?;
        let bytes = arguments.iter().map(Argument::to_bytes);
        let bytes = bytes.collect::<Result<Vec<_>, _>>()?;
        let stream = stream.raw().unwrap_or(std::ptr::null_mut());
        gpu.enter(Stage::Launch)?;
        let what = || format!("`{entry}`");
        self.allow(*compiled, shape).or_fail(Stage::Launch, what)?;
        if shape.cooperative {
            let each = self.blocks_per_multiprocessor(shape)?;
            let found = check::cooperative_grid(shape, self.device().multiprocessors(), each);
            let result = Violations(found.into_iter().collect()).into_result();
            result.map_err(|violations| Failure::check(entry, violations))?;
        }
        // SAFETY: the arguments have been checked against the kernel's parameters (1); the caller guarantees
        // conditions 1 to 4 (2); the stream is borrowed (3).
        let started = unsafe { self.start(*compiled, stream, shape, &bytes) };
        started.or_fail(Stage::Launch, what)
    }

    /// Refuses a stream and arguments of other devices.
    fn is_here(&self, stream: &Device, arguments: &[Argument]) -> Result<(), Failure> {
        let (entry, here) = (&self.signature.entry, self.device().id());
        let elsewhere = |what: String| {
            let what = format!(
                "`{entry}` is on {}, but {what} is on another device",
                self.device()
            );
            Err(Failure::new(Stage::Check, what)
                .hint("create both from one `Device` or its clones; opening the same GPU again creates another device"))
        };
        if stream.id() != here {
            return elsewhere("the stream".to_owned());
        }
        let foreign = arguments
            .iter()
            .position(|argument| !argument.is_good_on(here));
        foreign.map_or(Ok(()), |index| elsewhere(format!("argument {index}")))
    }

    fn check(&self, shape: &Shape, arguments: &[Argument]) -> Result<(), Failure> {
        let forms: Vec<Form> = arguments.iter().map(Argument::form).collect();
        let mut violations = check::shape(shape, &self.device().limits(), &self.signature);
        violations
            .0
            .extend(check::argument_forms(&forms, &self.signature).0);
        let result = violations.into_result();
        result.map_err(|violations| Failure::check(&self.signature.entry, violations))
    }

    /// Opts in to more shared memory and to non-portable cluster sizes if the launch needs them.
    fn allow(&self, compiled: GpuFunction, shape: &Shape) -> Result<(), DriverError> {
        let set = |attribute, value| {
            // SAFETY: the module is borrowed, so the kernel is alive (1).
            unsafe { set_attribute(compiled.raw(), attribute, value) }
        };
        let static_bytes = self.signature.static_shared_bytes;
        if u64::from(shape.shared_bytes) + static_bytes > USUAL_SHARED_BYTES {
            // The device's maximum, not the size of this launch, since another thread may launch the kernel with
            // more.
            let most = self
                .device()
                .limits()
                .shared_bytes
                .saturating_sub(static_bytes);
            let most = i32::try_from(most).unwrap_or(i32::MAX);
            set(FunctionAttribute::MAX_DYNAMIC_SHARED_SIZE_BYTES, most)?;
        }
        let cluster = shape.cluster.or(self.signature.reqnctapercluster);
        let portable = u64::from(self.device().limits().cluster_blocks);
        if cluster.is_some_and(|cluster| cluster.count() > portable) {
            set(FunctionAttribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1)?;
        }
        Ok(())
    }

    /// # Safety
    /// 1. Each element of `arguments` has the size of the corresponding kernel parameter.
    /// 2. The conditions of [`Function::launch`] hold.
    /// 3. The stream is alive.
    unsafe fn start(
        &self,
        compiled: GpuFunction,
        stream: CUstream,
        shape: &Shape,
        arguments: &[Vec<u8>],
    ) -> Result<(), DriverError> {
        let pointer = |bytes: &Vec<u8>| bytes.as_ptr().cast_mut().cast();
        let mut parameters: Vec<*mut c_void> = arguments.iter().map(pointer).collect();
        // A kernel with its cluster size in its PTX must not get it again.
        let cluster = shape
            .cluster
            .filter(|_| self.signature.reqnctapercluster.is_none());
        let mut attributes: Vec<LaunchAttribute> = cluster
            .iter()
            .map(|cluster| LaunchAttribute::cluster_dimension(cluster.to_array()))
            .collect();
        if shape.cooperative {
            attributes.push(LaunchAttribute::cooperative(true));
        }
        if shape.overlaps || self.signature.waits_for_kernels {
            attributes.push(LaunchAttribute::programmatic_stream_serialization(true));
        }
        let config = LaunchConfig::new(
            shape.grid.to_array(),
            shape.block.to_array(),
            shape.shared_bytes,
            stream,
            &mut attributes,
        );
        // SAFETY: the module is borrowed, the stream is alive by condition 3, and their context is current (1);
        // each parameter has a pointer to its bytes, by condition 1 (2); condition 2 (3); the cluster has three
        // dimensions (4).
        unsafe { launch_kernel_ex(&config, compiled.raw(), &mut parameters) }
    }
}

/// Returns the resources of a compiled kernel.
fn resources(compiled: GpuFunction, entry: &str) -> Result<Resources, Failure> {
    let get = |attribute| {
        // SAFETY: the caller holds the module, so the kernel is alive (1).
        let value = unsafe { get_attribute(compiled.raw(), attribute) };
        let what = || format!("attributes of `{entry}`");
        value.map(i32::unsigned_abs).or_fail(Stage::Resolve, what)
    };
    Ok(Resources {
        registers: get(FunctionAttribute::NUM_REGS)?,
        local_bytes: get(FunctionAttribute::LOCAL_SIZE_BYTES)?,
        shared_bytes: get(FunctionAttribute::SHARED_SIZE_BYTES)?,
        max_block_threads: get(FunctionAttribute::MAX_THREADS_PER_BLOCK)?,
    })
}

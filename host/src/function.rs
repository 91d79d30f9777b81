use std::ffi::c_void;

use cuda_driver::{
    DriverError,
    function::{FunctionAttribute, get_attribute, set_attribute},
    launch::{LaunchAttribute, LaunchConfig, launch_kernel_ex},
};
use launch::{Failure, Form, Shape, Signature, Stage, check};

use crate::{Gpu, KernelArguments, Value, driver::OrFail};

/// Shared memory that a block can have without the kernel's leave, in bytes.
const USUAL_SHARED_BYTES: u64 = 48 * 1024;

/// A kernel on a GPU.
#[doc(alias = "CUfunction")]
#[derive(Debug)]
pub struct Function<'module> {
    inner: cust::function::Function<'module>,
    signature: Signature,
    gpu: &'module Gpu,
}

/// What a kernel uses, as the driver compiled it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Registers of a thread.
    pub registers: u32,
    /// Local memory of a thread, in bytes: spilled registers, and arrays that are indexed.
    pub local_bytes: u32,
    /// Static shared memory of a block, in bytes.
    pub shared_bytes: u32,
    /// The most threads that a block can have with so many registers.
    pub max_block_threads: u32,
}

impl<'module> Function<'module> {
    pub(crate) fn resolve(
        gpu: &'module Gpu,
        module: &'module cust::module::Module,
        signature: &Signature,
    ) -> Result<Self, Failure> {
        gpu.enter(Stage::Resolve)?;
        let entry = &signature.entry;
        let inner = module.get_function(entry).or_fail(Stage::Resolve, || {
            format!("the driver has no kernel `{entry}`")
        })?;
        let mut function = Self {
            inner,
            signature: signature.clone(),
            gpu,
        };
        function.signature.static_shared_bytes = function.resources()?.shared_bytes.into();
        Ok(function)
    }

    /// What the kernel says about itself, its static shared memory as the driver has it.
    pub fn signature(&self) -> &Signature {
        &self.signature
    }

    /// What it uses.
    #[doc(alias = "cuFuncGetAttribute")]
    pub fn resources(&self) -> Result<Resources, Failure> {
        let get = |attribute| {
            // SAFETY: the module is borrowed, so the kernel is alive (1).
            let value = unsafe { get_attribute(self.inner.to_raw(), attribute) };
            let what = || format!("attributes of `{}`", self.signature.entry);
            value.map(i32::unsigned_abs).or_fail(Stage::Resolve, what)
        };
        Ok(Resources {
            registers: get(FunctionAttribute::NUM_REGS)?,
            local_bytes: get(FunctionAttribute::LOCAL_SIZE_BYTES)?,
            shared_bytes: get(FunctionAttribute::SHARED_SIZE_BYTES)?,
            max_block_threads: get(FunctionAttribute::MAX_THREADS_PER_BLOCK)?,
        })
    }

    /// How many blocks of this shape a multiprocessor runs at once: what the grid of a kernel is made
    /// from whose blocks stay and draw their work.
    #[doc(alias = "cuOccupancyMaxActiveBlocksPerMultiprocessor")]
    pub fn blocks_per_multiprocessor(&self, shape: &Shape) -> Result<u32, Failure> {
        self.gpu.enter(Stage::Resolve)?;
        let what = || format!("how many blocks of `{}` fit", self.signature.entry);
        self.allow(shape).or_fail(Stage::Resolve, what)?;
        let [x, y, z] = shape.block.to_array();
        let bytes = shape.shared_bytes as usize;
        let fit = self
            .inner
            .max_active_blocks_per_multiprocessor((x, y, z).into(), bytes);
        fit.or_fail(Stage::Resolve, what)
    }

    /// Starts the kernel, after the launches before it have ended, and does not wait for it.
    ///
    /// Shape and arguments are checked first, and all that is wrong is reported at once. Clusters
    /// and shared memory beyond 48 KiB need nothing more than to be in `shape`.
    ///
    /// # Safety
    /// 1. The arguments are what the kernel takes, in its order: their sizes are checked, their
    ///    types cannot be.
    /// 2. Run with this shape and these arguments, the kernel accesses only memory of buffers whose
    ///    addresses or tensor maps are among the arguments, within their bounds and with values
    ///    that their element types allow.
    /// 3. These buffers and the module are dropped only after [`Gpu::synchronise`], or after a read
    ///    or write of a buffer, which waits as well.
    /// 4. No one else accesses what the kernel writes until then.
    #[doc(alias = "cuLaunchKernel")]
    #[doc(alias = "cuLaunchKernelEx")]
    pub unsafe fn launch(
        &self,
        shape: Shape,
        arguments: impl KernelArguments,
    ) -> Result<(), Failure> {
        let values = arguments.values();
        self.check(&shape, &values)?;
        self.gpu.enter(Stage::Launch)?;
        let what = || format!("`{}`", self.signature.entry);
        self.allow(&shape).or_fail(Stage::Launch, what)?;
        // SAFETY: the values have been checked against the kernel's parameters; conditions 1 to 4
        // are the caller's.
        unsafe { self.start(&shape, &values) }.or_fail(Stage::Launch, what)
    }

    fn check(&self, shape: &Shape, values: &[Value]) -> Result<(), Failure> {
        let forms: Vec<Form> = values.iter().map(Value::form).collect();
        let limits = self.gpu.device().limits();
        let mut violations = check::shape(shape, &limits, &self.signature);
        violations
            .0
            .extend(check::argument_forms(&forms, &self.signature).0);
        let result = violations.into_result();
        result.map_err(|violations| Failure::check(&self.signature.entry, violations))
    }

    /// Lets the kernel have what it does not have without asking.
    fn allow(&self, shape: &Shape) -> Result<(), DriverError> {
        let set = |attribute, value| {
            // SAFETY: the module is borrowed, so the kernel is alive (1).
            unsafe { set_attribute(self.inner.to_raw(), attribute, value) }
        };
        let dynamic = shape.shared_bytes;
        if u64::from(dynamic) + self.signature.static_shared_bytes > USUAL_SHARED_BYTES {
            let most = i32::try_from(dynamic).unwrap_or(i32::MAX);
            set(FunctionAttribute::MAX_DYNAMIC_SHARED_SIZE_BYTES, most)?;
        }
        let cluster = shape.cluster.or(self.signature.reqnctapercluster);
        let portable = u64::from(self.gpu.device().limits().cluster_blocks);
        if cluster.is_some_and(|cluster| cluster.count() > portable) {
            set(FunctionAttribute::NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1)?;
        }
        Ok(())
    }

    /// # Safety
    /// 1. The values have the sizes of the kernel's parameters.
    /// 2. The conditions of [`Function::launch`] hold.
    unsafe fn start(&self, shape: &Shape, values: &[Value]) -> Result<(), DriverError> {
        let mut parameters: Vec<*mut c_void> = values.iter().map(Value::as_ptr).collect();
        // A kernel that has its cluster in its PTX is not told again.
        let told = shape
            .cluster
            .filter(|_| self.signature.reqnctapercluster.is_none());
        let mut attributes: Vec<LaunchAttribute> = told
            .iter()
            .map(|cluster| LaunchAttribute::cluster_dimension(cluster.to_array()))
            .collect();
        let config = LaunchConfig::new(
            shape.grid.to_array(),
            shape.block.to_array(),
            shape.shared_bytes,
            self.gpu.stream().as_inner(),
            &mut attributes,
        );
        // SAFETY: the module and the GPU are borrowed, and their context is current (1); there is a
        // pointer for each parameter, to as many bytes as it has, by condition 1 (2); condition 2
        // (3); the cluster is three numbers (4).
        unsafe { launch_kernel_ex(&config, self.inner.to_raw(), &mut parameters) }
    }
}

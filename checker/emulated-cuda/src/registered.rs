//! The device code that the program has registered.

use std::collections::HashMap;

use tma_emulator::ModuleId;

use crate::{
    code::Result,
    ffi::{Image, Pointer},
};

/// Device code registered by the program.
#[derive(Debug)]
pub(crate) struct Binary {
    pub(crate) image: Image,
    /// The result of loading it, once attempted.
    pub(crate) loaded: Option<Result<ModuleId>>,
}

/// A kernel, and its attributes set by the program.
#[derive(Clone, Debug)]
pub(crate) struct RegisteredKernel {
    /// The handle of the module.
    pub(crate) binary: u64,
    pub(crate) entry: String,
    /// Dynamic shared memory limit of a launch, in bytes.
    pub(crate) shared_bytes: Option<u32>,
    pub(crate) non_portable_cluster: bool,
}

/// A variable of the device.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) binary: u64,
    pub(crate) name: String,
}

/// Everything that the program registered, by handles and by addresses of its own functions and variables.
#[derive(Debug, Default)]
pub(crate) struct Modules {
    pub(crate) binaries: HashMap<u64, Binary>,
    pub(crate) kernels: HashMap<u64, RegisteredKernel>,
    pub(crate) variables: HashMap<u64, Variable>,
    /// Variables in managed memory of modules that are not yet loaded, with the host's pointers to them.
    pub(crate) managed: Vec<(Variable, Pointer)>,
    /// The constant variable whose address the program requested last.
    pub(crate) constant: Option<Variable>,
    /// The errors in the PTX parsed last.
    pub(crate) refusal: String,
}

//! The signature that a kernel declares in its PTX.

use ptx::{Block, Function};
use tma_launch::{Dim3, Parameter, Signature};

use crate::machine::Program;

/// Returns the signature of a kernel; its static shared memory covers the kernel and its callees.
pub(crate) fn signature(entry: &Function, program: &Program) -> Signature {
    let extent = |name| entry.directive(name)?.extent().map(Dim3::from);
    Signature {
        entry: entry.name.as_str().to_owned(),
        parameters: entry.parameters.iter().map(parameter).collect(),
        maxntid: extent(".maxntid"),
        reqntid: extent(".reqntid"),
        reqnctapercluster: extent(".reqnctapercluster"),
        static_shared_bytes: program.static_shared_bytes,
        waits_for_kernels: entry
            .body
            .iter()
            .flat_map(Block::instructions)
            .any(|instruction| instruction.opcode.starts_with("griddepcontrol.wait")),
    }
}

pub(crate) fn parameter(parameter: &ptx::Parameter) -> Parameter {
    let size_bytes = parameter.size_bytes().filter(|bytes| *bytes <= 1 << 16);
    Parameter {
        name: parameter.name.as_str().to_owned(),
        size_bytes: size_bytes.unwrap_or(0) as usize,
        align_bytes: parameter.align_bytes().clamp(1, 1 << 16) as usize,
    }
}

//! What a kernel says about itself in its PTX.

use launch::{Dim3, Parameter, Signature};
use ptx::{Function, FunctionDirective};

use crate::Program;

/// The signature of a kernel; its static shared memory is what it and its callees use.
pub(crate) fn signature(entry: &Function, program: &Program) -> Signature {
    Signature {
        entry: entry.name.as_str().to_owned(),
        parameters: entry.parameters.iter().map(parameter).collect(),
        maxntid: dim3(entry.directive(".maxntid")),
        reqntid: dim3(entry.directive(".reqntid")),
        reqnctapercluster: dim3(entry.directive(".reqnctapercluster")),
        static_shared_bytes: program.static_shared_bytes,
    }
}

pub(crate) fn parameter(parameter: &ptx::Parameter) -> Parameter {
    let element_bytes = parameter.ty.size_bytes().unwrap_or(0);
    let natural = element_bytes * parameter.vector.map_or(1, ptx::Vector::elements);
    let size_bytes = parameter.size_bytes().filter(|bytes| *bytes <= 1 << 16);
    Parameter {
        name: parameter.name.as_str().to_owned(),
        size_bytes: size_bytes.unwrap_or(0) as usize,
        align_bytes: parameter.align.map_or(natural, u64::from).clamp(1, 1 << 16) as usize,
    }
}

/// One to three numbers; those that are missing are 1 (PTX ISA, section 11.4).
fn dim3(directive: Option<&FunctionDirective>) -> Option<Dim3> {
    let values = directive?.values()?;
    let mut dims = [1; 3];
    if values.is_empty() || values.len() > dims.len() {
        return None;
    }
    for (dim, value) in dims.iter_mut().zip(values) {
        *dim = u32::try_from(value).ok()?;
    }
    Some(dims.into())
}

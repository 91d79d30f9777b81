//! The calls of a function.

use ptx::{At, Function, Instruction, Location, OperandKind, Statement};

/// A call in a function's body.
pub(crate) struct Call<'a> {
    /// The function, or the register with its address.
    pub(crate) callee: &'a str,
    pub(crate) location: Option<&'a Location>,
    pub(crate) span: At,
}

pub(crate) fn calls(function: &Function) -> Vec<Call<'_>> {
    let mut location = None;
    let mut calls = Vec::new();
    for statement in function.body.iter().flat_map(|body| body.walk()) {
        match statement {
            Statement::Location(at) => location = Some(at),
            Statement::Instruction(instruction) => {
                calls.extend(callee(instruction).map(|callee| Call {
                    callee,
                    location,
                    span: instruction.span,
                }));
            }
            _ => {}
        }
    }
    calls
}

fn callee(instruction: &Instruction) -> Option<&str> {
    if instruction.opcode.stem() != "call" {
        return None;
    }
    let is_list = |kind: &OperandKind| matches!(kind, OperandKind::List(_));
    let mut operands = instruction.operands.iter();
    operands.find(|operand| !is_list(&operand.kind))?.as_name()
}

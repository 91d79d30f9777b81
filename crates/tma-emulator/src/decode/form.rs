//! Forms of instructions, as the table has them, and their words as the machine has them.

use std::rc::Rc;

use ptx::{Instruction, Operand, OperandKind, Type};
use ptx_isa::Form;

use super::{Decoder, InstructionSet, NotSupported, Symbol};
use crate::{
    machine::{
        Space,
        observer::{Scope, Sem},
    },
    value::Operator,
};

impl<A: InstructionSet> Decoder<'_, A> {
    /// Returns the form of an instruction, from a cache of table look-ups.
    pub(super) fn form(&mut self, instruction: &Instruction) -> Result<Rc<Form>, NotSupported> {
        let mut text = instruction.opcode.name().to_owned();
        for (index, operand) in instruction.operands.iter().enumerate() {
            text += if index == 0 { " " } else { ", " };
            self.kind(operand, &mut text);
        }
        let form = match self.forms.get(&text) {
            Some(form) => form.clone(),
            None => {
                let form = ptx_isa::find(&text).map(Rc::new);
                self.forms.insert(text.clone(), form.clone());
                form
            }
        };
        form.ok_or(NotSupported::NoForm(text))
    }

    /// Writes an operand as [`ptx_isa::find`] takes it. An address may have any width.
    fn kind(&mut self, operand: &Operand, text: &mut String) {
        let mut list = |operands: &[Operand], text: &mut String| {
            for (index, operand) in operands.iter().enumerate() {
                *text += if index == 0 { "" } else { "," };
                self.kind(operand, text);
            }
        };
        match &operand.kind {
            OperandKind::Sink => *text += "_",
            OperandKind::Not(operand) => self.kind(operand, text),
            OperandKind::Pair(first, second) => {
                self.kind(first, text);
                *text += "|";
                self.kind(second, text);
            }
            OperandKind::Vector(elements) => {
                *text += "{";
                list(elements, text);
                *text += "}";
            }
            OperandKind::Memory { rest, .. } => {
                *text += "[n";
                for operand in rest {
                    *text += ",";
                    self.kind(operand, text);
                }
                *text += "]";
            }
            OperandKind::Symbol(symbol) => {
                *text += match self.scope.find(symbol.name.as_str()) {
                    Some(Symbol::Register(register)) if register.ty == Type::Pred => "p",
                    Some(Symbol::Register(register)) if register.ty == Type::B128 => "q",
                    _ => "n",
                }
            }
            _ => match operand.as_integer() {
                Some(number) => *text += &number.to_string(),
                None => *text += "n",
            },
        }
    }
}

/// Checks that an operand is the number that the form has.
pub(crate) fn exact(form: &Form, operand: &Operand) -> Result<u64, NotSupported> {
    let wanted = form.number().unwrap_or_default();
    match operand.as_integer() {
        Some(number) if u64::try_from(number) == Ok(wanted) => Ok(wanted),
        Some(number) => Err(format!("an operand is {number} but must be {wanted}").into()),
        None => Err(format!("an operand is not constant but must be {wanted}").into()),
    }
}

/// Returns the state space of the address, or of the destination.
pub(crate) fn space(form: &Form) -> Space {
    form.space().map_or(Space::Generic, Space::from)
}

/// Returns the operator of a reduction.
pub(crate) fn operator(form: &Form) -> Result<Operator, NotSupported> {
    let reduction = form.reduction().ok_or(NotSupported::Part("operator"))?;
    Ok(reduction.into())
}

/// Returns the first type.
pub(crate) fn ty(form: &Form) -> Result<Type, NotSupported> {
    use ptx_isa::Type::*;
    Ok(match form.ty().ok_or(NotSupported::Part("type"))? {
        B8 => Type::B8,
        B16 => Type::B16,
        B32 => Type::B32,
        B64 => Type::B64,
        B128 => Type::B128,
        U8 => Type::U8,
        U16 => Type::U16,
        U32 => Type::U32,
        U64 => Type::U64,
        S8 => Type::S8,
        S16 => Type::S16,
        S32 => Type::S32,
        S64 => Type::S64,
        F16 => Type::F16,
        F16x2 => Type::F16x2,
        Bf16 => Type::Bf16,
        Bf16x2 => Type::Bf16x2,
        F32 => Type::F32,
        F64 => Type::F64,
        Pred => Type::Pred,
        // The others belong to products of matrices.
        _ => return Err(NotSupported::Part("type")),
    })
}

impl From<ptx_isa::Space> for Space {
    fn from(space: ptx_isa::Space) -> Self {
        use ptx_isa::Space::*;
        match space {
            Global => Self::Global,
            Shared | SharedCta => Self::SharedCta,
            SharedCluster => Self::SharedCluster,
            Local => Self::Local,
            Const => Self::Const,
            Param | ParamEntry => Self::Param,
        }
    }
}

impl From<ptx_isa::Sem> for Sem {
    fn from(sem: ptx_isa::Sem) -> Self {
        use ptx_isa::Sem::*;
        match sem {
            Weak => Self::Weak,
            Relaxed => Self::Relaxed,
            Acquire => Self::Acquire,
            Release => Self::Release,
            AcqRel => Self::AcqRel,
            Sc => Self::Sc,
        }
    }
}

impl From<ptx_isa::Scope> for Scope {
    fn from(scope: ptx_isa::Scope) -> Self {
        use ptx_isa::Scope::*;
        match scope {
            Cta => Self::Cta,
            Cluster => Self::Cluster,
            Gpu => Self::Gpu,
            Sys => Self::Sys,
        }
    }
}

impl From<ptx_isa::Reduction> for Operator {
    fn from(reduction: ptx_isa::Reduction) -> Self {
        use ptx_isa::Reduction::*;
        match reduction {
            Add => Self::Add,
            Min => Self::Min,
            Max => Self::Max,
            Inc => Self::Inc,
            Dec => Self::Dec,
            And => Self::And,
            Or => Self::Or,
            Xor => Self::Xor,
        }
    }
}

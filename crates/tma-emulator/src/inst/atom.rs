//! `atom` and `red`. PTX ISA 9.7.13.5 and 9.7.13.6.

use ptx::{Instruction, Operand, OperandKind, Type};

use crate::{
    decode::{Modifiers, NotSupported},
    inst::{Action, Decoder, Execute, Step, ld_st::SPACES},
    machine::{
        Address, Flow, Located, Slot, Space, Trapped,
        observer::{AccessKind, Scope, Sem},
    },
    value::{Operator, Reduction, lanes_of},
};

/// Reads, changes and writes in one step.
#[derive(Clone, Debug)]
pub(crate) struct Atomic {
    address: Address,
    /// The destination of the old value, if used, and the operand of each element; one, or several for a
    /// vector.
    elements: Box<[(Option<Slot>, Slot)]>,
    change: Change,
    bytes: usize,
    order: (Sem, Scope),
    /// Sums of single precision: in global memory, subnormal numbers become zeros.
    flushes_in_global: bool,
}

#[derive(Clone, Copy, Debug)]
enum Change {
    Reduce(Reduction),
    /// The slot with the value to write if the old value equals the operand.
    CompareAndSwap(Slot),
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    use Operator::*;
    let returns = instruction.opcode.stem() == "atom";
    let sem = modifiers.sem().unwrap_or(Sem::Relaxed);
    let scope = modifiers.scope().unwrap_or(Scope::Gpu);
    let space = modifiers.one_of(&SPACES).unwrap_or(Space::Generic);
    let swaps = returns && modifiers.take("cas");
    let operators = [
        ("add", Add),
        ("min", Min),
        ("max", Max),
        ("and", And),
        ("or", Or),
        ("xor", Xor),
        ("exch", Exch),
        ("inc", Inc),
        ("dec", Dec),
    ];
    let operator = if swaps {
        None
    } else {
        Some(
            modifiers
                .one_of(&operators)
                .ok_or(NotSupported::Part("operator"))?,
        )
    };
    modifiers.take("noftz");
    let count = modifiers.vector();
    let ty = modifiers.ty()?;
    let mut operands = decoder.without_policy(instruction, modifiers.take("L2::cache_hint"))?;
    let mut d = None;
    if returns && let [first, rest @ ..] = operands {
        d = Some(first);
        operands = rest;
    }
    let (address, b, c) = match operands {
        [address, b] if !swaps => (address, b, None),
        [address, b, c] if swaps => (address, b, Some(c)),
        _ => return Err(NotSupported::Operands),
    };
    let change = match (operator, c) {
        (Some(operator), _) => Change::Reduce(Reduction::new(operator, ty)?),
        (None, Some(c))
            if matches!(
                ty,
                Type::B16 | Type::B32 | Type::B64 | Type::U32 | Type::U64 | Type::S32
            ) =>
        {
            Change::CompareAndSwap(decoder.source(c, ty)?)
        }
        _ => return Err(NotSupported::Part("type")),
    };
    let is_vector = matches!(
        (operator, ty),
        (
            Some(Add | Min | Max),
            Type::F32 | Type::F16 | Type::Bf16 | Type::F16x2 | Type::Bf16x2
        )
    );
    if count > 1 && !is_vector {
        return Err("the type has no vector form".into());
    }
    let values = d.map(|d| vector(d, count)).transpose()?;
    let mut elements = Vec::new();
    for (index, b) in vector(b, count)?.iter().enumerate() {
        let d = match values {
            Some(values) => Some(decoder.destination(&values[index])?.slot),
            None => None,
        };
        elements.push((d, decoder.source(b, ty)?));
    }
    let address = decoder.address(address, space)?;
    let bytes = ty.size_bytes().unwrap_or(4) as usize;
    let atomic = Atomic {
        address,
        elements: elements.into(),
        change,
        bytes,
        order: (sem, scope),
        flushes_in_global: (operator, ty) == (Some(Add), Type::F32),
    };
    decoder.emit(Action::Atomic(Box::new(atomic)));
    Ok(())
}

/// Returns the operands of a vector of `count`, or the single operand.
fn vector(operand: &Operand, count: usize) -> Result<&[Operand], NotSupported> {
    let operands = match &operand.kind {
        OperandKind::Vector(operands) => operands.as_slice(),
        _ => std::slice::from_ref(operand),
    };
    let fits = operands.len() == count;
    fits.then_some(operands)
        .ok_or_else(|| "the operand count does not match the vector size".into())
}

impl Execute for Atomic {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        step.world.progress += 1;
        let size = self.bytes as u64;
        for lane in lanes_of(step.active) {
            let whole = size * self.elements.len() as u64;
            step.locate(lane, &self.address, whole, whole)?;
            // Each element is changed on its own.
            for (index, (d, b)) in (0..).zip(&*self.elements) {
                let address = Address {
                    offset: self.address.offset.wrapping_add(index * size),
                    ..self.address
                };
                let operand = step.get(*b)[lane];
                let old = self.change_one(step, lane, &address, operand)?;
                if let Some(d) = d {
                    let base = step.group.base;
                    step.warp.registers[base + d][lane] = old;
                }
            }
        }
        Ok(Flow::Next)
    }
}

impl Atomic {
    /// Returns the register of its address.
    pub(crate) fn base(&self) -> Slot {
        self.address.base
    }

    /// Returns the slots of the values to write and to compare with.
    pub(crate) fn operands(&self) -> impl Iterator<Item = Slot> {
        let swapped = match self.change {
            Change::CompareAndSwap(slot) => Some(slot),
            Change::Reduce(_) => None,
        };
        self.elements.iter().map(|(_, b)| *b).chain(swapped)
    }

    fn change_one(
        &self,
        step: &mut Step<'_>,
        lane: usize,
        address: &Address,
        operand: u64,
    ) -> Result<u64, Trapped> {
        let size = self.bytes as u64;
        let located = step.locate(lane, address, size, size)?;
        step.tell_access(lane, located, size, AccessKind::Atomic, self.order);
        let old = crate::value::read(step.bytes(lane, located, self.bytes));
        let new = match self.change {
            Change::Reduce(reduction) => {
                let is_global = matches!(located, Located::Global { .. });
                match self.flushes_in_global && is_global {
                    true => reduction.flushing().apply(old, operand),
                    false => reduction.apply(old, operand),
                }
            }
            Change::CompareAndSwap(slot) => {
                let mask = u64::MAX >> (64 - 8 * size);
                let expected = operand & mask == old;
                if expected { step.get(slot)[lane] } else { old }
            }
        };
        if (new ^ old) << (64 - 8 * size) != 0 {
            crate::value::write(step.bytes_mut(lane, located, self.bytes)?, new);
        }
        Ok(old)
    }
}

//! `tensormap.replace`: changes one field of a tensor map in memory. PTX ISA 9.7.9.28.
//!
//! The crate `tensor_map` knows the layout of the 128 bytes.

use ptx::{Instruction, Operand, Type};
use ptx_isa::{Form, tensormap_replace::Op};
use tensor_map::{TensorMap, replace::Replacement};

use crate::{
    decode::{NotSupported, operands, space},
    inst::{Action, Decoder, Execute, Step},
    machine::{
        Address, Flow, Located, Slot, Trap, Trapped,
        observer::{AccessKind, Scope, Sem},
    },
    value::lanes_of,
};

/// A field and its new value.
#[derive(Clone, Debug)]
pub(crate) struct Replace {
    map: Address,
    field: Op,
    /// The number of the dimension or stride.
    ordinal: usize,
    value: Slot,
}

fn replacement(field: Op, ordinal: usize, value: u64) -> Replacement {
    let word = value as u32;
    match field {
        Op::GlobalAddress => Replacement::GlobalAddress(value),
        Op::Rank => Replacement::Rank(word),
        Op::BoxDim => Replacement::BoxDim(ordinal, word),
        Op::GlobalDim => Replacement::GlobalDim(ordinal, word),
        Op::GlobalStride => Replacement::GlobalStride(ordinal, value),
        Op::ElementStride => Replacement::ElementStride(ordinal, word),
        Op::Elemtype => Replacement::ElemType(word),
        Op::InterleaveLayout => Replacement::InterleaveLayout(word),
        Op::SwizzleMode => Replacement::SwizzleMode(word),
        Op::SwizzleAtomicity => Replacement::SwizzleAtomicity(word),
        Op::FillMode => Replacement::FillMode(word),
    }
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    let constant = |operand: &Operand| {
        let number = operand.as_integer();
        number.and_then(|number| u64::try_from(number).ok())
    };
    let (map, ordinal, value) = match op {
        Op::BoxDim | Op::GlobalDim | Op::GlobalStride | Op::ElementStride => {
            let [map, ordinal, value] = operands(instruction)?;
            let ordinal = constant(ordinal).ok_or(NotSupported::Part("dimension"))?;
            (map, ordinal as usize, value)
        }
        Op::GlobalAddress | Op::Rank => {
            let [map, value] = operands(instruction)?;
            (map, 0, value)
        }
        Op::Elemtype
        | Op::InterleaveLayout
        | Op::SwizzleMode
        | Op::SwizzleAtomicity
        | Op::FillMode => {
            let [map, value] = operands(instruction)?;
            constant(value).ok_or("its value is not constant")?;
            (map, 0, value)
        }
    };
    TensorMap::from_words([0; TensorMap::WORDS])
        .replace(replacement(op, ordinal, constant(value).unwrap_or(0)))
        .map_err(|error| error.to_string())?;
    // The first type is the type of the map.
    let ty = match form.last_ty() {
        Some(ptx_isa::Type::B64) => Type::B64,
        _ => Type::B32,
    };
    let replace = Replace {
        map: decoder.address(map, space(form))?,
        field: op,
        ordinal,
        value: decoder.source(value, ty)?,
    };
    decoder.emit(Action::Replace(Box::new(replace)));
    Ok(())
}

impl Execute for Replace {
    fn run(&self, step: &mut Step<'_>) -> Result<Flow, Trapped> {
        const BYTES: u64 = TensorMap::BYTES as u64;
        step.world.progress += 1;
        for lane in lanes_of(step.active) {
            // The hardware changes the words of the field, so that they must be aligned, no more.
            let located = step.locate(lane, &self.map, BYTES, 8)?;
            if !matches!(located, Located::Global { .. } | Located::Shared { .. }) {
                let what = "the tensor map is neither in global nor in shared memory".into();
                return Err(step.fault(lane, Trap::IllegalAddress, what));
            }
            let order = (Sem::Weak, Scope::Cta);
            for kind in [AccessKind::Read, AccessKind::Write] {
                step.tell_access(lane, located, BYTES, kind, order);
            }
            let mut bytes = [0; TensorMap::BYTES];
            bytes.copy_from_slice(step.bytes(lane, located, TensorMap::BYTES));
            let mut map = TensorMap::from_bytes(bytes);
            let value = step.get(self.value)[lane];
            map.replace(replacement(self.field, self.ordinal, value))
                .map_err(|error| step.fault(lane, Trap::IllegalInstruction, error.to_string()))?;
            step.bytes_mut(lane, located, TensorMap::BYTES)?
                .copy_from_slice(&map.to_bytes());
        }
        Ok(Flow::Next)
    }
}

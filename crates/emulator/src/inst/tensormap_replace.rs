//! `tensormap.replace`: one field of a tensor map in memory. PTX ISA 9.7.9.28.
//!
//! Where the field lies in the 128 bytes is `tensor_map`'s business.

use ptx::{Instruction, Type};
use tensor_map::{TensorMap, replace::Replacement};

use crate::{
    decode::{Modifiers, NotSupported},
    inst::{Action, Decoder, Execute, Step},
    machine::{
        Address, Flow, Located, Slot, Space, Trap, Trapped,
        observer::{AccessKind, Scope, Sem, Watch},
    },
    value::lanes_of,
};

/// A field, and its new value.
#[derive(Clone, Debug)]
pub(crate) struct Replace {
    map: Address,
    field: Field,
    /// Which dimension, or which stride.
    ordinal: usize,
    value: Slot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    GlobalAddress,
    Rank,
    BoxDim,
    GlobalDim,
    GlobalStride,
    ElementStride,
    ElemType,
    InterleaveLayout,
    SwizzleMode,
    SwizzleAtomicity,
    FillMode,
}

const FIELDS: [(&str, Field); 11] = [
    ("global_address", Field::GlobalAddress),
    ("rank", Field::Rank),
    ("box_dim", Field::BoxDim),
    ("global_dim", Field::GlobalDim),
    ("global_stride", Field::GlobalStride),
    ("element_stride", Field::ElementStride),
    ("elemtype", Field::ElemType),
    ("interleave_layout", Field::InterleaveLayout),
    ("swizzle_mode", Field::SwizzleMode),
    ("swizzle_atomicity", Field::SwizzleAtomicity),
    ("fill_mode", Field::FillMode),
];

impl Field {
    fn has_ordinal(self) -> bool {
        matches!(
            self,
            Self::BoxDim | Self::GlobalDim | Self::GlobalStride | Self::ElementStride
        )
    }

    /// Whether the new value is one of a list, and then a constant.
    fn is_choice(self) -> bool {
        !self.has_ordinal() && !matches!(self, Self::GlobalAddress | Self::Rank)
    }

    fn ty(self) -> Type {
        match self {
            Self::GlobalAddress | Self::GlobalStride => Type::B64,
            _ => Type::B32,
        }
    }

    fn replacement(self, ordinal: usize, value: u64) -> Replacement {
        let word = value as u32;
        match self {
            Self::GlobalAddress => Replacement::GlobalAddress(value),
            Self::Rank => Replacement::Rank(word),
            Self::BoxDim => Replacement::BoxDim(ordinal, word),
            Self::GlobalDim => Replacement::GlobalDim(ordinal, word),
            Self::GlobalStride => Replacement::GlobalStride(ordinal, value),
            Self::ElementStride => Replacement::ElementStride(ordinal, word),
            Self::ElemType => Replacement::ElemType(word),
            Self::InterleaveLayout => Replacement::InterleaveLayout(word),
            Self::SwizzleMode => Replacement::SwizzleMode(word),
            Self::SwizzleAtomicity => Replacement::SwizzleAtomicity(word),
            Self::FillMode => Replacement::FillMode(word),
        }
    }
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    modifiers: &mut Modifiers<'_>,
) -> Result<(), NotSupported> {
    modifiers
        .take("tile")
        .then_some(())
        .ok_or(NotSupported::Part("mode"))?;
    let field = modifiers
        .one_of(&FIELDS)
        .ok_or(NotSupported::Part("field"))?;
    let spaces = [
        ("global", Space::Global),
        ("shared::cta", Space::SharedCta),
        ("shared", Space::SharedCta),
    ];
    let space = modifiers.one_of(&spaces).unwrap_or(Space::Generic);
    modifiers
        .take("b1024")
        .then_some(())
        .ok_or("the size of its map is not `.b1024`")?;
    if modifiers.ty()? != field.ty() {
        return Err(NotSupported::Part("type"));
    }
    let (map, ordinal, value) = match instruction.operands.as_slice() {
        [map, value] if !field.has_ordinal() => (map, None, value),
        [map, ordinal, value] if field.has_ordinal() => (map, Some(ordinal), value),
        _ => return Err(NotSupported::Operands),
    };
    let ordinal = match ordinal {
        None => 0,
        Some(ordinal) => ordinal
            .as_integer()
            .and_then(|ordinal| usize::try_from(ordinal).ok())
            .ok_or(NotSupported::Part("dimension"))?,
    };
    let constant = value
        .as_integer()
        .and_then(|value| u64::try_from(value).ok());
    if field.is_choice() && constant.is_none() {
        return Err("its value is not constant".into());
    }
    TensorMap::from_words([0; TensorMap::WORDS])
        .replace(field.replacement(ordinal, constant.unwrap_or(0)))
        .map_err(|error| error.to_string())?;
    let replace = Replace {
        map: decoder.address(map, space)?,
        field,
        ordinal,
        value: decoder.source(value, field.ty())?,
    };
    decoder.emit(Action::Replace(Box::new(replace)));
    Ok(())
}

impl Execute for Replace {
    fn run<O: Watch>(&self, step: &mut Step<'_, O>) -> Result<Flow, Trapped> {
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
            map.replace(self.field.replacement(self.ordinal, value))
                .map_err(|error| step.fault(lane, Trap::IllegalInstruction, error.to_string()))?;
            step.bytes_mut(lane, located, TensorMap::BYTES)?
                .copy_from_slice(&map.to_bytes());
        }
        Ok(Flow::Next)
    }
}

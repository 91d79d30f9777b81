//! `cp.async.bulk.tensor`: copies of the boxes that a tensor map describes. PTX ISA 9.7.9.27.1.
//!
//! The `walk` of `tensor_map` decides which bytes go where; the map is read from its 128 bytes.

mod copy;
mod parts;

use ptx::{Instruction, Operand, OperandKind, Type};
use ptx_isa::{Completion, CtaGroup, Flag, Form, Mode, cp_async_bulk_tensor::Op};

use crate::{
    decode::{NotSupported, space},
    inst::{Action, Decoder},
    machine::{Address, Signal, Slot, Space},
    value::Operator,
};

/// A copy of a box.
#[derive(Clone, Debug)]
pub(crate) struct TensorCopy {
    mode: Mode,
    map: Address,
    coordinates: Box<[Slot]>,
    offsets: Box<[Slot]>,
    shared: Address,
    /// Loads have one.
    signal: Option<Signal>,
    reduces: Option<Operator>,
}

/// Returns whether the coordinates are followed by im2col offsets.
pub(crate) fn has_offsets(mode: Mode) -> bool {
    match mode {
        Mode::Im2col | Mode::Im2colW | Mode::Im2colW128 => true,
        Mode::Tile
        | Mode::TileGather4
        | Mode::TileScatter4
        | Mode::Im2colNoOffs
        | Mode::Im2colNoOffsW => false,
    }
}

/// `[map, {coordinates}]`
pub(crate) fn box_of(
    decoder: &mut Decoder<'_>,
    operand: &Operand,
) -> Result<(Address, Box<[Slot]>), NotSupported> {
    let OperandKind::Memory { address, rest } = &operand.kind else {
        return Err("an operand that must be an address is none".into());
    };
    let [coordinates] = rest.as_slice() else {
        return Err("it has no coordinates".into());
    };
    let coordinates = numbers(decoder, coordinates, Type::S32)?;
    Ok((decoder.place(address, Space::Generic)?, coordinates))
}

/// The numbers of a vector.
pub(crate) fn numbers(
    decoder: &mut Decoder<'_>,
    operand: &Operand,
    ty: Type,
) -> Result<Box<[Slot]>, NotSupported> {
    let items = match &operand.kind {
        OperandKind::Vector(items) => items.as_slice(),
        _ => std::slice::from_ref(operand),
    };
    items.iter().map(|item| decoder.source(item, ty)).collect()
}

pub(crate) fn decode(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    op: Op,
) -> Result<(), NotSupported> {
    let Op::Copy = op;
    decode_copy(decoder, instruction, form, None)
}

/// A copy or, with an operator, a reduction.
pub(crate) fn decode_copy(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    reduces: Option<Operator>,
) -> Result<(), NotSupported> {
    let mode = form.mode().unwrap_or(Mode::Tile);
    let to = space(form);
    let loads = to != Space::Global;
    let mut rest = instruction.operands.iter();
    let mut next = || rest.next().ok_or(NotSupported::Operands);
    let ((map, coordinates), shared) = match loads {
        true => {
            let shared = decoder.address(next()?, to)?;
            (box_of(decoder, next()?)?, shared)
        }
        false => {
            let map = box_of(decoder, next()?)?;
            (map, decoder.address(next()?, Space::SharedCta)?)
        }
    };
    let mbarrier = match form.completion() {
        Some(Completion::Mbarrier) => Some(decoder.address(next()?, Space::SharedCluster)?),
        Some(Completion::BulkGroup) | None => None,
    };
    let offsets = match has_offsets(mode) {
        true => numbers(decoder, next()?, Type::U16)?,
        false => Box::default(),
    };
    let multicast = match form.multicast() {
        Some(_) => Some(decoder.source(next()?, Type::U16)?),
        None => None,
    };
    if form.has(Flag::CacheHint) {
        decoder.source(next()?, Type::B64)?;
    }
    let signal = mbarrier.map(|mbarrier| Signal {
        mbarrier,
        multicast,
        pairs: form.cta_group() == Some(CtaGroup::Two),
    });
    let copy = TensorCopy {
        mode,
        map,
        coordinates,
        offsets,
        shared,
        signal,
        reduces,
    };
    decoder.emit(Action::TensorCopy(Box::new(copy)));
    Ok(())
}

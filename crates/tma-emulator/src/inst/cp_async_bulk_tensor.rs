//! `cp.async.bulk.tensor`: copies of the boxes that a tensor map describes. PTX ISA 9.7.9.27.1.
//!
//! The `walk` of `tensor_map` decides which bytes go where; the map is read from its 128 bytes.

mod copy;
mod parts;

use ptx::{Instruction, Operand, OperandKind, Type};
use ptx_isa::{Completion, CtaGroup, Flag, Form, Mode, cp_async_bulk_tensor::Op};

use crate::{
    decode::{NotSupported, space},
    inst::{
        Action, Decoder,
        cp_async_bulk::{mask_type, report},
    },
    machine::{Address, ReportCondition, Signal, Slot, Space},
    value::Operator,
};

/// A copy of a box.
#[derive(Clone, Debug)]
pub(crate) struct TensorCopy {
    mode: Mode,
    tensor: BoxOf,
    offsets: Box<[Slot]>,
    shared: Address,
    /// The mbarrier of a load.
    signal: Option<Signal>,
    report: Option<ReportCondition>,
    reduces: Option<Operator>,
}

/// A box of a tensor, as given by an operand.
#[derive(Clone, Debug)]
pub(crate) struct BoxOf {
    map: Address,
    coordinates: Box<[Slot]>,
    /// Address of the tensor, replacing the map's.
    address: Option<Slot>,
    /// Dimensions, replacing the map's.
    dims: Box<[Slot]>,
    /// Strides, replacing the map's: the lower 32 bits of each, and one number with 4 more bits for each (PTX
    /// ISA 9.4, section 9.7.10.28.5.2.2).
    strides: Option<(Box<[Slot]>, Slot)>,
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

/// Decodes `[map, {coordinates}]`, with replacements for fields of the map between them.
pub(crate) fn box_of(decoder: &mut Decoder<'_>, operand: &Operand) -> Result<BoxOf, NotSupported> {
    let OperandKind::Memory { address, rest } = &operand.kind else {
        return Err("an operand must be an address".into());
    };
    let map = decoder.place(address, Space::Generic)?;
    let (coordinates, rest) = rest.split_last().ok_or("it has no coordinates")?;
    let mut tensor = BoxOf {
        map,
        coordinates: numbers(decoder, coordinates, Type::S32)?,
        address: None,
        dims: Box::default(),
        strides: None,
    };
    let (dims, strides) = match rest {
        [] => return Ok(tensor),
        [_] => (None, None),
        [_, dims] => (Some(dims), None),
        [_, dims, lower, upper] => (Some(dims), Some((lower, upper))),
        _ => return Err(NotSupported::Operands),
    };
    tensor.address = Some(decoder.source(&rest[0], Type::U64)?);
    if let Some(dims) = dims {
        tensor.dims = numbers(decoder, dims, Type::B16)?;
    }
    if let Some((lower, upper)) = strides {
        let lower = numbers(decoder, lower, Type::B32)?;
        tensor.strides = Some((lower, decoder.source(upper, Type::B16)?));
    }
    Ok(tensor)
}

/// Decodes the numbers of a vector.
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

/// Decodes a copy or, with an operator, a reduction.
pub(crate) fn decode_copy(
    decoder: &mut Decoder<'_>,
    instruction: &Instruction,
    form: &Form,
    reduces: Option<Operator>,
) -> Result<(), NotSupported> {
    let mode = form.mode().unwrap_or(Mode::Tile);
    if mode == Mode::Im2colNoOffsW {
        // No GPU has shown which pixels such a store writes.
        return Err(NotSupported::NotExecuted(form.isa()));
    }
    let to = space(form);
    let loads = to != Space::Global;
    let mut rest = instruction.operands.iter();
    let mut next = || rest.next().ok_or(NotSupported::Operands);
    let (tensor, shared) = match loads {
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
        Some(multicast) => Some(decoder.source(next()?, mask_type(multicast))?),
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
        tensor,
        offsets,
        shared,
        signal,
        report: form.report().and_then(report),
        reduces,
    };
    decoder.emit(Action::TensorCopy(Box::new(copy)));
    Ok(())
}
